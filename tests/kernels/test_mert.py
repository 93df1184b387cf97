"""Upper envelopes of lines: against every crossing of every pair, in exact fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff.kernels.mert import changes_along, sums_of_leaders
from runoff.learners.mert_search import by_slope

# Small whole numbers, so that there are parallel and coinciding lines, and crossings of many lines in one point.
LINES = st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4), st.integers(0, 1)), min_size=0, max_size=7)


def leaders(lines: list[tuple[int, int, int]], t: Fraction) -> set[int]:
    """The slow way: the highest at t, of these those with the highest first-round score."""
    scores = [(a + t * b, base) for a, b, base in lines]
    return {at for at, each in enumerate(scores) if each == max(scores)}


def mean(values: np.ndarray, which: set[int]) -> np.ndarray:
    return values[sorted(which)].mean(axis=0)


@settings(deadline=None)
@given(st.lists(LINES, min_size=1, max_size=4))
def test_leaders_change_where_two_lines_cross_at_the_top(groups: list[list[tuple[int, int, int]]]) -> None:
    offsets = np.cumsum([0, *map(len, groups)])
    flat = [line for lines in groups for line in lines]
    a, b, base = np.array(flat, float).reshape(-1, 3).T.copy()
    statistics = np.random.default_rng(0).integers(0, 9, (len(flat), 2)).astype(float)
    rows = by_slope(offsets, b)
    first, where, changes = changes_along(offsets, rows, a, b, base, statistics)
    places = sorted({Fraction(x[0] - y[0], y[1] - x[1]) for g in groups for x, y in combinations(g, 2) if x[1] != y[1]})
    between = [(low + high) / 2 for low, high in pairwise(places)]
    for t in [*([places[0] - 1, *between, places[-1] + 1] if places else []), Fraction(100), Fraction(-100)]:
        found = first + changes[where < float(t)].sum(axis=0)
        expected = np.zeros(2)
        for lines, start in zip(groups, offsets, strict=False):
            if lines:
                expected += mean(statistics[start : start + len(lines)], leaders(lines, t))
        np.testing.assert_allclose(found, expected, atol=1e-9)
        scores = np.array([float(x + t * y) for x, y, _ in flat])
        np.testing.assert_allclose(sums_of_leaders(offsets, np.round(scores, 9), base, statistics), expected, atol=1e-9)
    assert all(any(abs(float(t) - place) < 1e-9 for t in places) for place in where)
    assert (np.abs(changes).sum(axis=1) > 0).all()


def test_lines_that_cross_far_away_or_nowhere() -> None:
    offsets, base, statistics = np.array([0, 3]), np.zeros(3), np.array([[1.0], [2.0], [4.0]])
    # Slopes so close that the crossing overflows: the steeper line never leads, or always does.
    a, b = np.array([1e300, -1e300, 0.0]), np.array([0.0, 1e-300, 0.0])
    first, where, _ = changes_along(offsets, by_slope(offsets, b), a, b, base, statistics)
    assert (first.tolist(), where.size) == ([1.0], 0)
    first, where, _ = changes_along(offsets, by_slope(offsets, b), -a, b, base, statistics)
    assert (first.tolist(), where.size) == ([2.0], 0)
    same = np.zeros(3)
    first, where, _ = changes_along(offsets, by_slope(offsets, same), same, same, base, statistics)
    np.testing.assert_allclose(first, [7 / 3])
    assert where.size == 0


def test_room_grows_with_the_changes() -> None:
    k, groups = 60, 50  # lines that touch a parabola: all of them lead somewhere
    x = np.arange(k) - 30.0
    a, b = np.tile(-(x**2), groups), np.tile(2 * x, groups)
    offsets, statistics = np.arange(groups + 1) * k, np.tile(np.arange(k, dtype=float), groups)[:, None]
    first, where, changes = changes_along(offsets, by_slope(offsets, b), a, b, np.zeros(a.size), statistics)
    assert first.tolist() == [0.0]
    np.testing.assert_allclose(where.reshape(groups, k - 1), np.tile((x[:-1] + x[1:]) / 2, (groups, 1)))
    assert (changes == 1.0).all()
