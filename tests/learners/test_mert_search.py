"""Line searches: against a scan over a grid and over the middles between all crossings."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import NBest, UsageError
from runoff.learners import mert_search
from runoff.learners.mert_search import LineSearch, judge_of
from runoff.metrics import Metric, get, with_statistics
from runoff.ranking import by_score

WORDS = ["a", "b", "c", "d", "e"]


def texts_of(seed: int, *, whole: bool) -> tuple[NBest, np.ndarray, np.ndarray]:
    """Lists of 1 to 6 short texts with scores along a line; of whole numbers there are many ties."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 7, 5)
    n = int(sizes.sum())
    texts = [" ".join(rng.choice(WORDS, rng.integers(1, 9))) for _ in range(n)]
    references = [" ".join(rng.choice(WORDS, rng.integers(3, 9))) for _ in sizes]
    intercept, slope = rng.normal(size=(2, n)) if not whole else rng.integers(-3, 4, (2, n)).astype(float)
    quality = rng.integers(0, 4, n).astype(float)
    base = rng.integers(0, 2, n).astype(float)
    data = NBest.from_arrays(
        np.zeros((n, 0)), quality=quality, base=base, sizes=sizes, texts=texts, references=references
    )
    return data, intercept, slope


def slow_best(data: NBest, metric: Metric, intercept: np.ndarray, slope: np.ndarray) -> float:
    """The best score at any of many points: a fine grid, and the middles between all crossings of all pairs."""
    data, metric = with_statistics(data, metric), metric.in_expectation
    crossings = [
        (intercept[i] - intercept[j]) / (slope[j] - slope[i])
        for start, stop in pairwise(data.offsets)
        for i in range(start, stop)
        for j in range(i + 1, stop)
        if slope[i] != slope[j]
    ]
    places = np.unique(np.round(crossings, 12))
    points = [*((places[:-1] + places[1:]) / 2), *np.linspace(-20, 20, 401) + np.pi / 1000]
    points += [places[0] - 1, places[-1] + 1] if places.size else [0.0]
    scores = [
        metric.signed(metric.rows(data, by_score(data, np.round(intercept + t * slope, 10))).sum(axis=0))
        for t in points
    ]
    return float(max(scores))


@pytest.mark.parametrize("name", ["bleu[tokenize=none]", "wer", "quality", "ndcg", "map", "ndcg-letor@2"])
@settings(deadline=None)
@given(seed=st.integers(0, 10_000), whole=st.booleans())
def test_no_point_of_the_line_is_better(name: str, seed: int, whole: bool) -> None:
    data, intercept, slope = texts_of(seed, whole=whole)
    metric = get(name)
    search = LineSearch(data, metric)
    found = search.best(intercept, slope)
    assert found.score == pytest.approx(slow_best(data, metric, intercept, slope), abs=1e-9)
    if not whole:  # of whole numbers, another pair may tie just there
        assert search.score(intercept + found.length * slope) == pytest.approx(found.score, abs=1e-9)


@settings(deadline=None)
@given(seed=st.integers(0, 10_000), reach=st.integers(1, 4))
def test_smoothing_takes_the_best_mean_but_nothing_worse(seed: int, reach: int) -> None:
    data, intercept, slope = texts_of(seed, whole=False)
    search = LineSearch(data, get("quality"), reach)
    found = search.best(intercept, slope)
    # The same by a loop over the intervals.
    line = search.judge.along(intercept, slope)
    order = np.argsort(line.where)
    ends = np.array([-np.inf, *line.where[order], np.inf])
    scores = search.metric.score(np.cumsum(np.vstack([line.sums, line.changes[order]]), axis=0)).tolist()
    means = [np.mean(scores[max(at - reach, 0) : at + reach + 1]) for at in range(len(scores))]
    start = search.score(intercept)
    allowed = [at for at, score in enumerate(scores) if score >= start - 1e-10]
    taken = int(np.searchsorted(ends, found.length)) - 1
    assert means[taken] == pytest.approx(max(means[at] for at in allowed))
    assert scores[taken] == pytest.approx(found.score)
    assert found.score >= start - 1e-10


def lists(lines: list[tuple[float, float, float]]) -> tuple[LineSearch, np.ndarray, np.ndarray]:
    """One list with these intercepts, slopes and qualities."""
    intercept, slope, quality = map(np.array, zip(*lines, strict=True))
    data = NBest.from_arrays(np.zeros((len(lines), 0)), quality=quality, sizes=[len(lines)])
    return LineSearch(data, get("quality")), intercept.astype(float), slope.astype(float)


def test_the_widest_of_equally_good_runs_is_taken_and_its_middle() -> None:
    # Lines that touch a parabola lead around 2, 6, 10 and 20, from 4 to 8 the second, and so on.
    touching = [(-(x**2) / 1.0, 2.0 * x) for x in (2, 6, 10, 20)]
    search, intercept, slope = lists([(a, b, q) for (a, b), q in zip(touching, (0, 1, 0, 0), strict=True)])
    assert search.best(intercept, slope) == (6.0, 1.0)  # from 4 to 8
    search, intercept, slope = lists([(a, b, q) for (a, b), q in zip(touching, (0, 1, 1, 0), strict=True)])
    assert search.best(intercept, slope) == (9.5, 1.0)  # neighbours are one interval, from 4 to 15
    search, intercept, slope = lists([(a, b, q) for (a, b), q in zip(touching, (0, 1, 0, 1), strict=True)])
    assert search.best(intercept, slope) == (30.0, 1.0)  # the last has no end
    touching = [(-(x**2) / 1.0, 2.0 * x) for x in (-6, -2, 2, 6, 10)]
    search, intercept, slope = lists([(a, b, q) for (a, b), q in zip(touching, (0, 1, 0, 1, 0), strict=True)])
    assert search.best(intercept, slope) == (-2.0, 1.0)  # as wide as the other, and nearer


def test_a_middle_at_which_candidates_tie_is_avoided() -> None:
    # Two lists change at 0, one for the better and one for the worse: the middle is not taken there.
    two = NBest.from_arrays(np.zeros((4, 0)), quality=[0, 1, 1, 0], sizes=[2, 2])
    found = LineSearch(two, get("quality")).best(np.zeros(4), np.array([-1.0, 1.0, -1.0, 1.0]))
    assert found.score == 0.5
    assert found.length != 0.0


def test_a_direction_in_which_nothing_changes() -> None:
    search, intercept, slope = lists([(1.0, 2.0, 0.0), (0.0, 2.0, 1.0)])
    assert search.best(intercept, slope) == (0.0, 0.0)


def test_orders_are_judged_in_pieces_as_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    data, intercept, slope = texts_of(1, whole=False)
    whole = judge_of(data, get("ndcg")).along(intercept, slope)
    monkeypatch.setattr(mert_search, "_GRADES_AT_ONCE", 10)
    for one, other in zip(whole, judge_of(data, get("ndcg")).along(intercept, slope), strict=True):
        np.testing.assert_array_equal(one, other)


def test_what_cannot_be_searched_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    data = texts_of(0, whole=False)[0]
    monkeypatch.setattr(mert_search, "_MOST_CROSSINGS", 3)
    with pytest.raises(UsageError, match=r"pairs are too many; name a metric of the choice alone"):
        LineSearch(data, get("ndcg"))

    class Other(Metric):
        name = "other"
        signature = "other"
        rows = score = quality = random_rows = lambda *_: None  # type: ignore[assignment]

    other: Any = Other()
    with pytest.raises(UsageError, match="other is neither"):
        judge_of(data, other)
