"""Numbers on TREC files against trec_eval, by way of ir_measures, with relevant documents that the run lacks."""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path

import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import AP, RR, P, nDCG

from runoff import metrics
from runoff.formats import read
from runoff.nbest import NBest
from runoff.ranking import by_score, first_round

OUTSIDE = {
    "ndcg@1[gain=r]": nDCG @ 1,
    "ndcg@3[gain=r]": nDCG @ 3,
    "ndcg@10[gain=r]": nDCG @ 10,
    "ndcg[gain=r]": nDCG,
    "map": AP(rel=1),
    "map[relevant=2]": AP(rel=2),
    "mrr": RR(rel=1),
    "p@1": P(rel=1) @ 1,
    "p@5": P(rel=1) @ 5,
}
# A document: its score in the run (None: not in it) and its grade in the judgements (None: not judged).
SCORE = st.integers(-1000, 1000)  # trec_eval has 32-bit scores: whole numbers stay distinct
GRADE = st.integers(-1, 3)
LISTED = st.tuples(SCORE, st.none() | GRADE)
MISSED = st.tuples(st.none(), GRADE)
Documents = list[tuple[int | None, int | None]]


@st.composite
def queries(draw: st.DrawFn) -> list[Documents]:
    """Queries of a run, judged in part, with or without relevant documents that it lacks."""
    out = []
    for _ in range(draw(st.integers(1, 4))):
        listed = draw(st.lists(LISTED, min_size=1, max_size=8, unique_by=lambda document: document[0]))
        missed = draw(st.lists(MISSED, max_size=5))
        # trec_eval leaves out queries without any judgement and never ends where all are below zero.
        out.append([*listed, *missed, (None, draw(st.integers(0, 3)))])
    return out


def read_both(folder: Path, asked: list[Documents], only_judged: int) -> tuple[NBest, Path, Path]:
    run, qrels = folder / "run.txt", folder / "qrels.txt"
    named = [(q, f"d{i}", *document) for q, documents in enumerate(asked) for i, document in enumerate(documents)]
    run.write_text("".join(f"q{q} Q0 {name} 0 {score} tag\n" for q, name, score, _ in named if score is not None))
    judged = [f"q{q} 0 {name} {grade}\n" for q, name, _, grade in named if grade is not None]
    qrels.write_text("".join([*judged, *(f"elsewhere{q} 0 d0 1\n" for q in range(only_judged))]))
    return read(run, "trec", qrels=qrels), run, qrels


@settings(deadline=None)
@given(queries(), st.integers(0, 2))
def test_files_get_the_numbers_of_trec_eval(asked: list[Documents], only_judged: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        data, run, qrels = read_both(Path(folder), asked, only_judged)
        outside = list(
            ir_measures.iter_calc(
                list(OUTSIDE.values()),
                list(ir_measures.read_trec_qrels(str(qrels))),
                list(ir_measures.read_trec_run(str(run))),
            )
        )
    assert len(data) == len(asked)
    left_out = f"{only_judged} judged query(ies) have no candidates and were left out."
    assert (left_out in data.notes) == (only_judged > 0)
    for name, measure in OUTSIDE.items():
        metric = metrics.get(name)
        rows = metric.rows(data, first_round(data))
        found = {entry.query_id: entry.value for entry in outside if entry.measure == measure}
        # Without -c trec_eval averages over the queries that are in both files.
        expected = [found[query] for query in data.group_ids.to_pylist()]
        np.testing.assert_allclose(rows[:, 0], expected, atol=1e-9, err_msg=name)
        assert float(metric.score(rows.sum(axis=0))) == pytest.approx(np.mean(expected), abs=1e-9)


def of_one_group(grades: list[int], missed: list[int]) -> NBest:
    return NBest.from_arrays(quality=grades, sizes=[len(grades)], missed=[missed])


@pytest.mark.parametrize("name", ["ndcg", "ndcg@2", "ndcg@4[gain=r]", "map", "map[relevant=2]"])
@settings(deadline=None)
@given(grades=st.lists(st.integers(0, 2), min_size=1, max_size=5), missed=st.lists(st.integers(1, 3), max_size=3))
def test_random_is_the_mean_over_all_orders(name: str, grades: list[int], missed: list[int]) -> None:
    metric = metrics.get(name)
    orders = [of_one_group(list(order), missed) for order in itertools.permutations(grades)]
    expected = np.mean([metric.rows(data, first_round(data))[0, 0] for data in orders])
    np.testing.assert_allclose(metric.random_rows(of_one_group(grades, missed), 0), [[expected, 1.0]], atol=1e-12)


def test_the_best_order_stays_below_one_by_hand() -> None:
    data = of_one_group([0, 1], [1, 1])
    best = by_score(data, data.quality)
    # One of three relevant documents, at the first place: DCG 1 of 1 + 1/log2(3) + 1/log2(4), AP 1/3.
    expected = {"ndcg": 1 / (1.5 + 1 / np.log2(3)), "ndcg@1": 1.0, "map": 1 / 3, "mrr": 1.0, "p@1": 1.0}
    for name, value in expected.items():
        assert metrics.get(name).rows(data, best)[0, 0] == pytest.approx(value), name


@pytest.mark.parametrize("name", ["ndcg-letor", "ndcg-letor@2", "mrr", "p@2"])
def test_metrics_of_candidates_alone_do_not_see_what_was_missed(name: str) -> None:
    metric = metrics.get(name)
    with_missed, without = of_one_group([0, 2, 1], [3, 1]), NBest.from_arrays(quality=[0, 2, 1], sizes=[3])
    order = first_round(without)
    assert metric.rows(with_missed, order).tolist() == metric.rows(without, order).tolist()
    assert metric.random_rows(with_missed, 0).tolist() == metric.random_rows(without, 0).tolist()


def test_groups_without_candidates_do_not_count_whatever_they_missed() -> None:
    data = NBest.from_arrays(quality=[1, 0], sizes=[0, 2, 0], missed=[[1], [1], []])
    metric = metrics.get("map")
    for part in (data, data[::-1][::-1]):
        assert metric.rows(part, first_round(part)).tolist() == [[0, 0], [0.5, 1], [0, 0]]
    assert metric.rows(data[1:], first_round(data[1:])).tolist() == [[0.5, 1], [0, 0]]


def test_signatures_say_so() -> None:
    says = {name: "missed:counted" in metrics.get(name).signature for name in ("ndcg@5", "map", "ndcg-letor", "mrr")}
    assert says == {"ndcg@5": True, "map": True, "ndcg-letor": False, "mrr": False}
