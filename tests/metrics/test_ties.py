"""`ties=expected` against the mean over every order of the tied candidates, listed one by one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import metrics
from runoff.errors import UsageError
from runoff.metrics import first_rows
from runoff.nbest import NBest
from runoff.ranking import Ranking, by_score, first_round
from runoff.report.scored import signature

RANKING = [
    "ndcg",
    "ndcg@2",
    "ndcg[gain=r]",
    "ndcg-letor",
    "ndcg-letor@3",
    "map",
    "map[relevant=2]",
    "mrr",
    "mrr@2",
    "p@2",
    "success@2[relevant=3]",
]
PICK = ["quality", "wer", "bleu[tokenize=none]", "exact"]
WORDS = ["a b", "a c d", "c", "a a b c"]

candidate = st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 1), st.integers(0, 3))
lists = st.lists(st.lists(candidate, max_size=4), min_size=1, max_size=3)


def data_of(groups: list[list[tuple[int, int, int, int]]], *, with_base: bool, missed: list[float]) -> NBest:
    flat = list(itertools.chain(*groups))
    return NBest.from_arrays(
        quality=[float(grade) for grade, *_ in flat],
        base=[float(base) for _, _, base, _ in flat] if with_base else None,
        texts=[WORDS[word] for *_, word in flat],
        sizes=[len(group) for group in groups],
        references=["a b"] * len(groups),
        missed=[missed] * len(groups),
    )


def over_all_orders(metric: metrics.Metric, data: NBest, scores: np.ndarray) -> np.ndarray:
    """Mean of the metric's rows over every order that the scores, and the first round's, leave open."""
    base = np.zeros(data.n_candidates) if data.base is None else data.base
    out = []
    for at in range(len(data)):
        part = data[at : at + 1]
        start, stop = data.offsets[at], data.offsets[at + 1]
        keys = [(-scores[row], -base[row]) for row in range(start, stop)]
        orders = [
            order
            for order in itertools.permutations(range(len(keys)))
            if all(keys[one] <= keys[other] for one, other in itertools.pairwise(order))
        ]
        found = [metric.rows(part, Ranking(part.offsets, np.array(order, np.int64)))[0] for order in orders]
        out.append(np.mean(found, axis=0))
    return np.array(out)


@pytest.mark.parametrize("name", [*RANKING, *PICK])
@settings(deadline=None)
@given(groups=lists, with_base=st.booleans(), missed=st.sampled_from([[], [1.0, 2.0]]))
def test_expected_is_the_mean_over_all_orders(
    name: str, groups: list[list[tuple[int, int, int, int]]], with_base: bool, missed: list[float]
) -> None:
    data = data_of(groups, with_base=with_base, missed=missed)
    scores = np.array([float(score) for group in groups for _, score, *_ in group])
    metric = metrics.get(name)
    found = metric.in_expectation.rows(data, by_score(data, scores))
    np.testing.assert_allclose(found, over_all_orders(metric, data, scores), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", [*RANKING, *PICK])
@settings(deadline=None)
@given(groups=lists)
def test_without_ties_the_bits_are_those_of_the_plain_metric(
    name: str, groups: list[list[tuple[int, int, int, int]]]
) -> None:
    data = data_of(groups, with_base=False, missed=[1.0])
    scores = np.random.default_rng(len(groups)).permutation(data.n_candidates).astype(float)
    metric, ranking = metrics.get(name), by_score(data, scores)
    assert metric.in_expectation.rows(data, ranking).tobytes() == metric.rows(data, ranking).tobytes()


@pytest.mark.parametrize("name", [*RANKING, *PICK])
def test_the_order_of_the_file_does_not_count(name: str) -> None:
    rng = np.random.default_rng(0)
    groups = [[tuple(map(int, rng.integers(0, [4, 3, 2, 4]))) for _ in range(9)] for _ in range(20)]
    shuffled = [[group[at] for at in rng.permutation(9)] for group in groups]
    metric = metrics.get(name)
    found = [
        each.rows(data, by_score(data, np.array([float(score) for group in part for _, score, *_ in group])))
        for each in (metric.in_expectation, metric)
        for part in (groups, shuffled)
        for data in [data_of(part, with_base=True, missed=[])]
    ]
    np.testing.assert_allclose(found[0], found[1], rtol=0, atol=1e-12)
    assert not np.allclose(found[2], found[3])


def test_a_first_round_without_scores_is_its_order_and_has_no_ties() -> None:
    data = NBest.from_arrays(quality=[1, 0], sizes=[2])
    expecting = metrics.get("mrr[ties=expected]")
    assert first_round(data).tied is None
    assert first_rows(expecting, data).tolist() == [[1.0, 1.0]]
    assert first_rows(expecting, data.replace(base=np.zeros(2))).tolist() == [[0.75, 1.0]]


def test_the_option_is_part_of_label_and_signature_but_not_of_the_statistics_name() -> None:
    data = NBest.from_arrays(quality=[1, 0], sizes=[2])
    expecting = metrics.get("wer[ties=expected]")
    assert expecting == metrics.get("wer").in_expectation
    assert (expecting.label, expecting.key) == ("wer[ties=expected]", "wer")
    assert "|ties:score, then first round, then expected|" in signature(expecting, data)
    assert "|ties:score, then first round, then input order|" in signature(metrics.get("wer"), data)
    for name in metrics.names():
        with pytest.raises(UsageError, match="must be one of input-order, expected; found 'random'"):
            metrics.get(f"{name}{'@2' if name in ('p', 'success') else ''}[ties=random]")
