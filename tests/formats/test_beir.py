"""Folders of BEIR; the same run and judgements as a TREC run must give the same lists."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest

from helpers.tool_files import FIXTURES
from runoff.errors import DataError
from runoff.formats import read

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return shutil.copytree(FIXTURES / "beir", tmp_path / "beir")


def test_the_lists_of_the_same_runs(folder: Path) -> None:
    data, expected = (
        read(folder),
        read(FIXTURES / "trec/bm25.run", runs=FIXTURES / "trec/dense.run", qrels=FIXTURES / "trec/qrels"),
    )
    for name in ("group_ids", "candidate_ids"):
        assert getattr(data, name) == getattr(expected, name)
    assert np.array_equal(data.base, expected.base)
    assert np.array_equal(data.quality, expected.quality)
    assert data.features.column_names() == expected.features.column_names()
    assert (data.features.to_scipy() != expected.features.to_scipy()).nnz == 0
    assert (data.metric, data.notes) == (expected.metric, expected.notes)


def test_texts_of_documents_and_queries(folder: Path) -> None:
    data = read(folder)
    by_id = dict(zip(data.candidate_ids.to_pylist(), data.texts.to_pylist(), strict=True))
    assert by_id["d1"] == "Bees Bees find flowers by colour and by scent."
    assert by_id["d6"] == "Books were copied by hand before 1440."  # without a title
    assert data.inputs.to_pylist()[0] == "how do bees find flowers"


def test_runs_and_splits_by_option(folder: Path) -> None:
    assert read(folder, runs=folder / "runs" / "dense.json").features.n_columns == 2
    shutil.copy(folder / "qrels" / "test.tsv", folder / "qrels" / "dev.tsv")
    assert read(folder, split="dev").quality.sum() == read(folder).quality.sum()
    (folder / "qrels" / "test.tsv").rename(folder / "qrels" / "train.tsv")
    with pytest.raises(DataError, match="there are several; name one by --with split=: dev, train"):
        read(folder)
    shutil.rmtree(folder / "qrels")
    assert read(folder).quality is None
    with pytest.raises(DataError, match=r"there is no test.tsv in it; there are: none"):
        read(folder, split="test")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "qrels/test.tsv",
            "query-id\tcorpus-id\tscore\nq1\td1\tinf\n",
            "test.tsv, line 2: expected a finite number for the",
        ),
        ("qrels/test.tsv", "q1\td1\t1\nq1\td1\t2\n", "test.tsv, line 2: document 'd1' is judged twice for query 'q1'"),
        ("qrels/test.tsv", "q1 d1 1\n", "test.tsv, line 1: expected query, document and relevance"),
        (
            "queries.jsonl",
            '{"_id": "q1", "text": "x"}\n',
            "queries.jsonl: it lacks 3 query.* of the runs, such as 'q2'",
        ),
        ("corpus.jsonl", '{"_id": "d1"}\n', "corpus.jsonl, line 1: expected the texts '_id' and 'text'"),
        ("corpus.jsonl", '{"_id": "d1", "text": ""}\n' * 2, "corpus.jsonl, line 2: there is a second document 'd1'"),
        ("corpus.jsonl", "[]\n", r"corpus.jsonl, line 1: expected an object, found \[\]"),
        ("runs/dense.json", json.dumps({"q1": {"d1": None}}), "dense.json: expected a finite number for document 'd1'"),
        ("runs/dense.json", json.dumps({"q1": ["d1"]}), "dense.json: expected documents and scores of query 'q1'"),
    ],
)
def test_errors_name_file_and_line(folder: Path, name: str, content: str, message: str) -> None:
    (folder / name).write_text(content)
    with pytest.raises(DataError, match=message):
        read(folder)


def test_a_folder_without_runs(folder: Path) -> None:
    shutil.rmtree(folder / "runs")
    with pytest.raises(DataError, match="there is no run in it or in its folder `runs`; name one: --runs FILE"):
        read(folder)
