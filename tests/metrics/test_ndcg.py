"""NDCG against ir_measures (trec_eval), scikit-learn, a slow reading of LETOR's script, and by hand."""

from __future__ import annotations

import itertools
import math

import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score

from runoff import metrics
from runoff.errors import DataError, UsageError
from runoff.nbest import NBest
from runoff.ranking import by_score, first_round

graded_lists = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=9), min_size=1, max_size=5)


def in_file_order(lists: list[list[float]]) -> NBest:
    return NBest.from_arrays(quality=list(itertools.chain(*lists)), sizes=[len(grades) for grades in lists])


def values(name: str, lists: list[list[float]]) -> list[float]:
    data, metric = in_file_order(lists), metrics.get(name)
    return metric.rows(data, first_round(data))[:, 0].tolist()


@pytest.mark.parametrize("k", [1, 3, 5, 20])
@settings(deadline=None)
@given(lists=graded_lists)
def test_linear_gain_equals_trec_eval(k: int, lists: list[list[int]]) -> None:
    # trec_eval's ndcg_cut has the gain r and the discount log2(i + 1).
    qrels = [
        ir_measures.Qrel(str(q), f"d{i}", grade) for q, grades in enumerate(lists) for i, grade in enumerate(grades)
    ]
    run = [
        ir_measures.ScoredDoc(str(q), f"d{i}", -float(i)) for q, grades in enumerate(lists) for i in range(len(grades))
    ]
    found = {entry.query_id: entry.value for entry in ir_measures.iter_calc([ir_measures.nDCG @ k], qrels, run)}
    expected = [found.get(str(q), 0.0) for q in range(len(lists))]
    np.testing.assert_allclose(values(f"ndcg@{k}[gain=r]", lists), expected, atol=1e-9)


@settings(deadline=None)
@given(graded_lists, st.integers(1, 12))
def test_exponential_gain_equals_scikit_learn(lists: list[list[int]], k: int) -> None:
    # scikit-learn takes gains as they are, and lists of at least two.
    expected = [
        ndcg_score([np.exp2(grades) - 1], [-np.arange(len(grades))], k=k) if len(grades) > 1 else float(grades[0] > 0)
        for grades in lists
    ]
    np.testing.assert_allclose(values(f"ndcg@{k}", lists), expected, atol=1e-12)
    whole = [ndcg_score([np.exp2(g) - 1], [-np.arange(len(g))]) if len(g) > 1 else float(g[0] > 0) for g in lists]
    np.testing.assert_allclose(values("ndcg", lists), whole, atol=1e-12)


def letor(grades: list[float]) -> list[float]:
    """NDCG at every place of one query, read off LETOR 4.0's evaluation script line by line."""

    def running(rates: list[float]) -> list[float]:
        dcg = [2 ** rates[0] - 1]
        for place in range(2, len(rates) + 1):
            gain = 2 ** rates[place - 1] - 1
            dcg.append(dcg[-1] + (gain if place == 2 else gain * math.log(2.0) / math.log(place)))
        return dcg

    best = running(sorted(grades, reverse=True))
    return [reached / most if most else 0.0 for reached, most in zip(running(grades), best, strict=True)]


@settings(deadline=None)
@given(graded_lists)
def test_letor_to_the_last_bit(lists: list[list[int]]) -> None:
    for k in (1, 2, 3, 5, 10):
        expected = [letor(grades)[k - 1] if len(grades) >= k else 0.0 for grades in lists]
        assert values(f"ndcg-letor@{k}", lists) == expected
    assert values("ndcg-letor", lists) == [sum(letor(grades)) / len(grades) for grades in lists]


def test_by_hand() -> None:
    # Grades 0, 2, 1 gain 0, 3, 1. Plain: (3/log2(3) + 1/2) / (3 + 1/log2(3)).
    plain = (3 / math.log2(3) + 0.5) / (3 + 1 / math.log2(3))
    assert values("ndcg@3", [[0, 2, 1]]) == pytest.approx([plain])
    # LETOR: nothing is taken off places 1 and 2, so (0 + 3 + 1/log2(3)) / (3 + 1 + 0).
    assert values("ndcg-letor@3", [[0, 2, 1]]) == pytest.approx([(3 + 1 / math.log2(3)) / 4])
    # LETOR at 1, 2 and 3: 0/3, 3/4 and the above; the mean of the three without a cut-off.
    assert values("ndcg-letor@1", [[0, 2, 1]]) == [0.0]
    assert values("ndcg-letor@2", [[0, 2, 1]]) == [0.75]
    assert values("ndcg-letor", [[0, 2, 1]]) == pytest.approx([(0.75 + (3 + 1 / math.log2(3)) / 4) / 3])
    # A short list: plain scores what there is, LETOR adds 0.
    assert values("ndcg@5", [[1, 0]]) == [1.0]
    assert values("ndcg-letor@5", [[1, 0]]) == [0.0]


def test_queries_without_relevant_documents_count_and_empty_ones_do_not() -> None:
    data = in_file_order([[0, 0], [], [1, 0]])
    for name in ("ndcg@2", "ndcg-letor@2", "ndcg-letor"):
        metric = metrics.get(name)
        rows = metric.rows(data, first_round(data))
        assert rows.tolist() == [[0, 1], [0, 0], [1, 1]]
        assert metric.score(rows.sum(axis=0)) == 0.5


def test_ties_keep_file_order() -> None:
    data, metric = in_file_order([[0, 2, 1]]), metrics.get("ndcg-letor@1")
    assert metric.rows(data, by_score(data, np.array([1.0, 1.0, 0.0])))[0, 0] == 0.0
    assert metric.rows(data, by_score(data, np.array([0.0, 1.0, 1.0])))[0, 0] == 1.0


@pytest.mark.parametrize("name", ["ndcg", "ndcg@2", "ndcg@2[gain=r]", "ndcg-letor", "ndcg-letor@3"])
@settings(deadline=None)
@given(grades=st.lists(st.integers(0, 2), min_size=1, max_size=5))
def test_random_is_the_mean_over_all_orders(name: str, grades: list[int]) -> None:
    orders = list(itertools.permutations(grades))
    metric, data = metrics.get(name), in_file_order([grades])
    expected = np.mean(values(name, orders))
    np.testing.assert_allclose(metric.random_rows(data, 0), [[expected, 1.0]], atol=1e-12)


def test_negative_grades_gain_nothing() -> None:
    assert values("ndcg@2", [[-3, 1]]) == pytest.approx([1 / math.log2(3)])


def test_grades_too_large_for_the_gain() -> None:
    with pytest.raises(DataError, match=r"too large for the grade 5000; use ndcg\[gain=r\]"):
        values("ndcg@2", [[5000, 1]])
    assert values("ndcg@2[gain=r]", [[5000, 1]]) == [1.0]


def test_no_data() -> None:
    data = in_file_order([])
    for name in ("ndcg@3", "ndcg-letor", "map", "mrr", "p@2"):
        metric = metrics.get(name)
        rows = metric.rows(data, first_round(data))
        assert rows.shape == metric.random_rows(data, 0).shape == (0, 2)
        assert metric.score(rows.sum(axis=0)) == 0.0


def test_cut_off_below_one() -> None:
    with pytest.raises(UsageError, match="at least 1; found 0"):
        metrics.get("ndcg@0")
