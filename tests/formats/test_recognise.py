from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import numpy as np
import pytest

from runoff.errors import DataError, UsageError
from runoff.formats import formats, read, recognise, write
from runoff.nbest import NBest

if TYPE_CHECKING:
    from pathlib import Path

SAMPLES = {
    "letor": ["1 qid:3 1:0.5 2:7 #docid = x\n", "# comment\n-1.5e3 qid:a\n", "1 1:0.5 2:0.25\n"],
    "trec": ["301 Q0 FR940202-2-00150 1 2.129133 STANDARD\n", "q1\t0\td1\t3\t-1e-3\trun\n"],
    "table": ["qid,label\n1,2\n", "Query ID\tx\n", '"group_id";"a"\n', "score,topic\n"],
    "arrow": ["ARROW1\0\0rest", "PAR1rest"],
}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in SAMPLES.items() for text in texts])
def test_content_decides_whatever_the_name(tmp_path, name, text):
    for path in (tmp_path / "data", tmp_path / "data.json"):
        path.write_text(text)
        assert recognise(path).name == name
    (tmp_path / "data.txt.gz").write_bytes(gzip.compress(text.encode()))
    assert recognise(tmp_path / "data.txt.gz").name == name


def test_byte_order_mark_does_not_matter(tmp_path):
    (tmp_path / "data").write_bytes(b"\xef\xbb\xbfqid,label\n1,2\n")
    assert recognise(tmp_path / "data").name == "table"


@pytest.mark.parametrize("content", [b"", b"  \n\n", gzip.compress(b"", mtime=0)])
def test_empty_files(tmp_path, content):
    (tmp_path / "data").write_bytes(content)
    with pytest.raises(DataError, match="data: the file is empty"):
        recognise(tmp_path / "data")


def test_unknown_content_names_the_formats(tmp_path):
    (tmp_path / "data").write_text("Once upon a time\n")
    with pytest.raises(
        DataError,
        match=r"does not look like any format that Runoff knows; .* name one of these by --format: arrow, .*letor",
    ):
        read(tmp_path / "data")


def test_names_and_options_that_do_not_exist(tmp_path):
    (tmp_path / "data").write_text("1 qid:1 1:1\n")
    with pytest.raises(UsageError, match=r"there is no format 'letter'; did you mean letor\? There are: arrow, "):
        read(tmp_path / "data", "letter")
    with pytest.raises(UsageError, match="format letor has no option qrels; it takes none"):
        read(tmp_path / "data", qrels="x")
    assert read(tmp_path / "data", qrels=None).n_candidates == 1


def test_formats_that_are_only_read(tmp_path):
    data = NBest.from_arrays(np.eye(2), sizes=[2])
    with pytest.raises(UsageError, match="Runoff reads letor but does not write it; it writes: arrow"):
        write(data, tmp_path / "data.txt", "letor")


def test_every_format_describes_itself():
    for name, format_ in formats().items():
        assert format_.name == name
        assert format_.description
        assert format_.write is None or format_.suffixes


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ('{"id": "a", "nbest": [[-1.0, "(S (NN go))"]]}\n', "parse-jsonl"),
        ("1\ta\n-1.0\n(S (NN go))\n", "bllip"),
        ("(S (NN go))\n", "brackets"),
    ],
)
def test_formats_of_tasks_are_formats_like_any_other(tmp_path: Path, content: str, name: str) -> None:
    path = tmp_path / "parses"
    path.write_text(content)
    assert recognise(path).name == name
    data = read(path)
    assert data.texts.to_pylist() == ["(S (NN go))"]
    assert data.base.tolist() == ([0.0] if name == "brackets" else [-1.0])
