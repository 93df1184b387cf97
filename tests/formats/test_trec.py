from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from runoff.errors import DataError, UsageError
from runoff.formats import read, recognise

if TYPE_CHECKING:
    from pathlib import Path

RUN = """\
q1 Q0 d1 1 9.5 bm25
q1 Q0 d2 2 7.5 bm25
q2 Q0 d7 1 -1.0 bm25
q1 Q0 d3 3 4.5 bm25
"""
OTHER = """\
q2 0 d9 1 0.9 dense
q2 0 d7 2 0.8 dense
q1 0 d3 1 0.7 dense
q3 0 d5 1 0.2 dense
"""
QRELS = """\
q1 0 d1 0
q1 0 d3 2
q1 0 d8 1
q2 0 d7 -2
q4 0 d1 1
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("run", RUN), ("other", OTHER), ("qrels", QRELS)):
        (tmp_path / name).write_text(text)
    return tmp_path


def columns(data) -> dict[str, list[float]]:
    table = data.features.to_scipy().toarray().astype(np.float64)
    return dict(zip(data.features.names.to_pylist(), table.T.round(6).tolist(), strict=True))


def test_one_run(folder):
    assert recognise(folder / "run").name == recognise(folder / "other").name == "trec"
    data = read(folder / "run")
    assert data.group_ids.to_pylist() == ["q1", "q2"]
    assert data.candidate_ids.to_pylist() == ["d1", "d2", "d3", "d7"]
    assert data.base.tolist() == [9.5, 7.5, 4.5, -1.0]
    assert data.quality is None
    assert data.metric is None
    assert columns(data) == {
        "score:bm25": [9.5, 7.5, 4.5, -1.0],
        "reciprocal_rank:bm25": [1, 0.5, 0.333333, 1],
    }
    assert data.notes == ()


def test_judgements(folder):
    data = read(folder / "run", qrels=folder / "qrels")
    assert data.quality.tolist() == [0, 0, 2, 0]
    assert data.missed.to_pylist() == [[1], []]
    assert data.metric == "ndcg@10,map"
    assert data.notes == (
        "1 candidate(s) have no judgement and count as relevance 0.",  # q1 d2
        "1 judgement(s) below zero count as relevance 0.",  # q2 d7
        "1 relevant document(s) are in no candidate list; NDCG and MAP count them, as trec_eval does, "  # q1 d8
        "so that even the best order may score below 1.",
        "1 judged query(ies) have no candidates and were left out.",  # q4
    )


def test_nothing_is_missed(folder):
    (folder / "qrels").write_text("q1 0 d1 1\nq1 0 d8 0\nq1 0 d9 -1\n")
    assert read(folder / "run").missed is None
    data = read(folder / "run", qrels=folder / "qrels")
    assert data.missed is None
    assert not any("in no candidate list" in note for note in data.notes)


def test_a_document_of_any_run_is_not_missed(folder):
    (folder / "second").write_text("q1 Q0 d8 1 1.0 second\n")
    assert read(folder / "run", qrels=folder / "qrels", runs=[folder / "second"]).missed is None


@pytest.mark.parametrize("as_text", [True, False])
def test_several_runs_are_put_together(folder, as_text):
    other = folder / "other"
    data = read(folder / "run", qrels=str(folder / "qrels"), runs=str(other) if as_text else [other])
    assert data.group_ids.to_pylist() == ["q1", "q2", "q3"]
    assert data.sizes.tolist() == [3, 2, 1]
    assert data.candidate_ids.to_pylist() == ["d1", "d2", "d3", "d7", "d9", "d5"]
    # q2 has one score in the first run, so what it lacks lies 0.01 below; q3 is not in it.
    assert data.base.tolist() == [9.5, 7.5, 4.5, -1.0, -1.01, 0.0]
    assert columns(data) == {
        "score:bm25": [9.5, 7.5, 4.5, -1.0, -1.01, 0],
        "reciprocal_rank:bm25": [1, 0.5, 0.333333, 1, 0, 0],
        "score:dense": [0.69, 0.69, 0.7, 0.8, 0.9, 0.2],
        "reciprocal_rank:dense": [0, 0, 1, 0.5, 1, 1],
    }
    assert data.notes[0] == "1 query(ies) are not in the first run, which gives their documents 0."
    assert "1 query(ies) have no judgement at all; trec_eval leaves them out, Runoff does not." in data.notes


def test_a_missing_document_comes_last_by_a_hundredth_of_the_range(folder):
    (folder / "second").write_text("q1 Q0 d9 1 1.0 second\n")
    data = read(folder / "run", runs=[folder / "second"])
    assert data.candidate_ids.to_pylist()[:4] == ["d1", "d2", "d3", "d9"]
    assert data.base[3] == pytest.approx(4.5 - 0.01 * (9.5 - 4.5))


def test_scores_rule_over_written_ranks_and_ties_keep_the_order_of_the_file(tmp_path):
    (tmp_path / "run").write_text("q Q0 a 1 1.0 t\nq Q0 b 2 3.0 t\nq Q0 c 3 3.0 u\n")
    data = read(tmp_path / "run")
    assert columns(data)["reciprocal_rank:t"] == [0.333333, 1, 0.5]
    assert data.notes == (
        "Run t: 1 line(s) with another tag count as the same run.",
        "Run t: the written ranks of 1 query(ies) do not follow the scores; the scores were used.",
    )


def test_runs_with_the_same_tag_get_different_names(folder):
    data = read(folder / "run", runs=[folder / "run"])
    assert data.features.names.to_pylist() == [
        "score:bm25",
        "reciprocal_rank:bm25",
        "score:bm25#2",
        "reciprocal_rank:bm25#2",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q1 Q0 d1 1 9.5 t\nq1 Q0 d1 2 8 t\n", "line 2: document 'd1' is listed twice for query 'q1'."),
        ("q1 Q0 d1 1 9.5 t\nq1 Q0 d2 2 -1e300 t\n", r"line 2: scores must lie within ±1e\+38, found '-1e300'\."),
        ("q1 Q0 d1 1 9.5 t\nq1 Q0 d2 2 t\n", r"line 2: expected six fields \(query .* tag\), found 5\."),
        ("q1 Q0 d1 1 9.5 t\n\nq1 0 d2 2\n", r"line 3: .* found 4\. This looks like judgements; give them by"),
        (
            "q1 Q0 d1 1 9.5 t\nq1 Q0 d2 2 high t\n",
            "line 2: expected a finite number for the score, found 'high'.",
        ),
        (
            "q1 Q0 d1 1 9.5 t\nq1 Q0 d2 2 nan t\n",
            "line 2: expected a finite number for the score, found 'nan'.",
        ),
        (
            "q1 Q0 d1 1 9.5 t\nq1 Q0 d2 two 3 t\n",
            "line 2: expected a finite number for the rank, found 'two'.",
        ),
        ("\n", "the run is empty."),
    ],
)
def test_mistakes_in_a_run(tmp_path, text, message):
    (tmp_path / "run").write_text(text)
    with pytest.raises(DataError, match=message):
        read(tmp_path / "run", "trec")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q1 0 d1 1\nq1 0 d1 0\n", "qrels, line 2: document 'd1' is judged twice for query 'q1'."),
        ("q1 0 d1\n", r"qrels, line 1: expected four fields \(query 0 document relevance\), found 3\."),
        ("q1 0 d1 good\n", "qrels, line 1: expected a finite number for the relevance, found 'good'."),
        ("", "qrels: the file of judgements is empty."),
    ],
)
def test_mistakes_in_judgements(folder, text, message):
    (folder / "qrels").write_text(text)
    with pytest.raises(DataError, match=message):
        read(folder / "run", qrels=folder / "qrels")


def test_unknown_options_are_refused(folder):
    with pytest.raises(UsageError, match="format trec has no option columns; it takes: qrels, runs"):
        read(folder / "run", columns="group=a")


def test_judgements_of_other_queries_are_refused(tmp_path):
    (tmp_path / "run").write_text("1 Q0 d1 1 2.0 bm25\n")
    (tmp_path / "qrels").write_text("other 0 d1 1\n")
    with pytest.raises(DataError, match="right judgements"):
        read(tmp_path / "run", qrels=tmp_path / "qrels")


@pytest.mark.parametrize(
    ("absent", "score", "reciprocal"),
    [("below", 4.96, 0), ("lowest", 5, 0), (0, 0, 0), (-3, -3, 0), ("nan", np.nan, np.nan)],
)
def test_what_a_document_has_in_a_run_that_lacks_it(tmp_path, absent, score, reciprocal):
    (tmp_path / "a.run").write_text("q Q0 d1 1 9 a\nq Q0 d2 2 5 a\n")
    (tmp_path / "b.run").write_text("q Q0 d3 1 7 b\nr Q0 d3 1 7 b\n")
    data = read(tmp_path / "a.run", runs=tmp_path / "b.run", absent=absent)
    table = data.features.to_scipy().toarray()
    assert np.allclose(table[2, :2], [score, reciprocal], equal_nan=True)  # d3 in a, whose scores are 5 to 9
    whole = absent if isinstance(absent, int) else np.nan if absent == "nan" else 0
    assert np.allclose(table[3, :2], [whole, np.nan if absent == "nan" else 0], equal_nan=True)  # query r
    assert np.allclose(data.base, [9, 5, 4.96, 0] if absent == "nan" else table[:, 0])


@pytest.mark.parametrize("absent", ["nothing", True, 1e39, [0]])
def test_an_unknown_rule_for_absent_documents(tmp_path, absent):
    (tmp_path / "a.run").write_text("q Q0 d1 1 9 a\n")
    with pytest.raises(UsageError, match="absent must be a number or one of: below, lowest, nan"):
        read(tmp_path / "a.run", absent=absent)
