"""Runs that are written are read by other tools, and by Runoff, as they were."""

import ir_measures
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import runoff
from runoff.errors import DataError
from runoff.nbest import NBest

SCORES = st.lists(st.floats(-1e30, 1e30), min_size=1, max_size=8)


@settings(deadline=None, max_examples=30)
@given(st.lists(SCORES, min_size=1, max_size=3))
def test_runs_come_back(tmp_path_factory, scores):
    path = tmp_path_factory.mktemp("runs") / "out.run.gz"
    data = NBest.from_arrays(
        base=[score for each in scores for score in each],
        sizes=[len(each) for each in scores],
        candidate_ids=[f"d{at}" for each in scores for at in range(len(each))],
    )
    runoff.write(data, path)
    back = runoff.read(path)
    assert back.group_ids.to_pylist() == data.group_ids.to_pylist()
    best_first = [sorted(range(len(each)), key=lambda at, each=each: -each[at]) for each in scores]
    assert back.candidate_ids.to_pylist() == [f"d{at}" for order in best_first for at in order]
    assert back.base.tolist() == [each[at] for each, order in zip(scores, best_first, strict=True) for at in order]


def test_lines_are_as_trec_eval_reads_them(tmp_path):
    path = tmp_path / "out.run"
    data = NBest.from_arrays(
        base=[0.5, 2.25, 0.5, -1.0], sizes=[3, 1], candidate_ids=["a", "b", "c", "a"], group_ids=["301", "302"]
    )
    runoff.write(data, path)
    assert path.read_text().splitlines() == [
        "301 Q0 b 1 2.25 runoff",
        "301 Q0 a 2 0.5 runoff",
        "301 Q0 c 3 0.5 runoff",
        "302 Q0 a 1 -1.0 runoff",
    ]
    # ir_measures reads it as it reads every run
    found = {(each.query_id, each.doc_id): each.score for each in ir_measures.read_trec_run(str(path))}
    assert found == {("301", "b"): 2.25, ("301", "a"): 0.5, ("301", "c"): 0.5, ("302", "a"): -1.0}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"base": None}, "a TREC run needs scores and ids of documents, and these lists have no first-round scores"),
        ({"candidate_ids": None}, "no ids of the candidates"),
        ({"candidate_ids": ["a b"]}, "the document id 'a b' has white space or is empty"),
        ({"group_ids": [""]}, "the query id '' has white space or is empty"),
    ],
)
def test_what_a_run_cannot_hold_is_refused(tmp_path, change, message):
    parts = {"base": [1.0], "candidate_ids": ["a"], "sizes": [1], **change}
    with pytest.raises(DataError, match=message):
        runoff.write(NBest.from_arrays(**parts), tmp_path / "out.run")
    assert not (tmp_path / "out.run").exists()
