"""MAP, MRR and precision against trec_eval, by way of ir_measures."""

from __future__ import annotations

import itertools

import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import metrics
from runoff.errors import DataError
from runoff.nbest import NBest
from runoff.ranking import by_score, first_round

OUTSIDE = {
    "map": ir_measures.AP(rel=1),
    "map[relevant=2]": ir_measures.AP(rel=2),
    "mrr": ir_measures.RR(rel=1),
    "mrr@3": ir_measures.RR(rel=1) @ 3,
    "p@1": ir_measures.P(rel=1) @ 1,
    "p@5": ir_measures.P(rel=1) @ 5,
    "p@5[relevant=2]": ir_measures.P(rel=2) @ 5,
    "success@1": ir_measures.Success(rel=1) @ 1,
    "success@3": ir_measures.Success(rel=1) @ 3,
}
judged = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 10**6)), min_size=1, max_size=9, unique_by=lambda x: x[1])


@pytest.mark.parametrize("name", OUTSIDE)
@settings(deadline=None)
@given(queries=st.lists(judged, min_size=1, max_size=4))
def test_equals_trec_eval(name: str, queries: list[list[tuple[int, int]]]) -> None:
    qrels = [
        ir_measures.Qrel(str(q), f"d{i}", grade) for q, docs in enumerate(queries) for i, (grade, _) in enumerate(docs)
    ]
    run = [
        ir_measures.ScoredDoc(str(q), f"d{i}", float(s))
        for q, docs in enumerate(queries)
        for i, (_, s) in enumerate(docs)
    ]
    found = {entry.query_id: entry.value for entry in ir_measures.iter_calc([OUTSIDE[name]], qrels, run)}
    flat = list(itertools.chain(*queries))
    data = NBest.from_arrays(quality=[grade for grade, _ in flat], sizes=[len(docs) for docs in queries])
    metric = metrics.get(name)
    rows = metric.rows(data, by_score(data, np.array([float(score) for _, score in flat])))
    np.testing.assert_allclose(rows[:, 0], [found.get(str(q), 0.0) for q in range(len(queries))], atol=1e-9)
    assert rows[:, 1].tolist() == [1.0] * len(queries)


@pytest.mark.parametrize("name", ["map", "mrr", "mrr@2", "p@1", "p@3", "p@9", "success@2"])
@settings(deadline=None)
@given(grades=st.lists(st.integers(0, 1), min_size=1, max_size=5))
def test_random_is_the_mean_over_all_orders(name: str, grades: list[int]) -> None:
    metric = metrics.get(name)
    orders = list(itertools.permutations(grades))
    every = NBest.from_arrays(quality=list(itertools.chain(*orders)), sizes=[len(grades)] * len(orders))
    expected = metric.rows(every, first_round(every))[:, 0].mean()
    data = NBest.from_arrays(quality=grades, sizes=[len(grades)])
    np.testing.assert_allclose(metric.random_rows(data, 0), [[expected, 1.0]], atol=1e-12)


def test_groups_without_candidates_do_not_count() -> None:
    data = NBest.from_arrays(quality=[0, 1], sizes=[0, 2, 0])
    for name, value in {"map": 0.5, "mrr": 0.5, "p@1": 0.0}.items():
        metric = metrics.get(name)
        assert metric.rows(data, first_round(data)).tolist() == [[0, 0], [value, 1], [0, 0]]
        assert metric.random_rows(data, 0)[[0, 2]].tolist() == [[0, 0], [0, 0]]


def test_quality_is_needed() -> None:
    data = NBest.from_arrays(texts=["a"], sizes=[1])
    with pytest.raises(DataError, match="p@5 needs the quality"):
        metrics.get("p@5").rows(data, first_round(data))
