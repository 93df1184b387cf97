"""The one tie rule, against a slow reading of it: score, then first round, then input order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff.arrays import frozen
from runoff.errors import DataError
from runoff.kernels.ordering import best_first
from runoff.nbest import NBest
from runoff.ranking import best, by_score, first_round, ranks, winners

few = st.integers(-2, 2).map(float)  # few values, so that there are many ties
candidates = st.tuples(few, few, few)  # score, first round, quality
lists = st.lists(st.lists(candidates, max_size=6), max_size=5)


def build(groups: list[list[tuple[float, float, float]]], *, with_base: bool) -> tuple[NBest, np.ndarray]:
    flat = [candidate for group in groups for candidate in group]
    data = NBest.from_arrays(
        quality=[quality for _, _, quality in flat],
        base=[base for _, base, _ in flat] if with_base else None,
        sizes=[len(group) for group in groups],
    )
    return data, np.array([score for score, _, _ in flat])


def slow_order(scores: list[float], bases: list[float]) -> list[int]:
    return sorted(range(len(scores)), key=lambda i: (-scores[i], -bases[i], i))


@settings(deadline=None)
@given(lists, st.booleans())
def test_orders_and_winners(groups: list[list[tuple[float, float, float]]], with_base: bool) -> None:
    data, scores = build(groups, with_base=with_base)
    ranking, first = by_score(data, scores), first_round(data)
    start, tops = 0, []
    for at, group in enumerate(groups):
        bases = [base if with_base else 0.0 for _, base, _ in group]
        order = slow_order([score for score, _, _ in group], bases)
        assert (ranking.rows[start : start + len(group)] - start).tolist() == order
        assert (first.rows[start : start + len(group)] - start).tolist() == slow_order([0.0] * len(group), bases)
        assert ranking.indices[at] == (order[0] if group else -1)
        tops += [start + order[0]] if group else []
        start += len(group)
    assert ranking.top.tolist() == tops
    assert ranking.filled.tolist() == [len(group) > 0 for group in groups]
    assert winners(data, scores).tolist() == ranking.indices.tolist()
    second = data.base if with_base else np.zeros(data.n_candidates)
    assert best_first(data.offsets, frozen(scores), frozen(second)).tolist() == ranking.rows.tolist()


@settings(deadline=None)
@given(lists, st.booleans())
def test_best_and_ranks(groups: list[list[tuple[float, float, float]]], with_base: bool) -> None:
    data, _ = build(groups, with_base=with_base)
    start, expected_best, expected_ranks = 0, [], []
    for group in groups:
        qualities = [quality for _, _, quality in group]
        order = slow_order(qualities, [base if with_base else 0.0 for _, base, _ in group])
        expected_best.append(start + order[0] if group else -1)
        # Ties share the lowest rank: one more than the number of better candidates.
        expected_ranks += [1 + sum(other > quality for other in qualities) for quality in qualities]
        start += len(group)
    assert best(data).tolist() == expected_best
    assert ranks(data).tolist() == expected_ranks


def test_extreme_scores() -> None:
    data = NBest.from_arrays(quality=[0, 0, 0, 0], sizes=[4])
    scores = np.array([-0.0, 0.0, -np.inf, np.inf])
    assert by_score(data, scores).rows.tolist() == [3, 0, 1, 2]
    assert winners(data, scores).tolist() == [3]


def test_no_groups() -> None:
    data = NBest.from_arrays(quality=[], sizes=[])
    assert by_score(data, np.zeros(0)).rows.size == best(data).size == ranks(data).size == 0


def test_quality_is_needed() -> None:
    data = NBest.from_arrays(base=[1.0], sizes=[1])
    for function in (best, ranks):
        with pytest.raises(DataError, match="quality is needed"):
            function(data)
