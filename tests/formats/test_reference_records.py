"""References of lists from a file with ids, or with one per line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from runoff import formats
from runoff.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.nbest import NBest

LISTS = [{"request_id": name, "prompt": "p", "outputs": [{"text": "x", "token_ids": []}]} for name in ("a", "b", "c")]


def read(tmp_path: Path, references: str) -> NBest:
    (tmp_path / "lists.json").write_text(json.dumps(LISTS))
    (tmp_path / "references").write_text(references)
    return formats.read(tmp_path / "lists.json", references=tmp_path / "references")


@pytest.mark.parametrize(
    "references",
    [
        '{"id": "b", "answer": "2"}\n{"id": "c", "answer": 3}\n{"id": "a", "answer": "1"}\n',
        '[{"key": "b", "references": ["2"]}, {"key": "c", "references": ["3"]}, {"key": "a", "references": ["1"]}]',
        '{"a": {"target": "1"}, "b": {"target": "2"}, "c": {"target": "3"}}',
        '{"a": ["1"], "b": ["2"], "c": ["3"]}',
        '{"a": "1", "b": 2, "c": ["3"]}',
        "id,reference\nb,2\nc,3\na,1\n",
        "reference\tcustom_id\r\n2\tb\r\n3\tc\r\n1\ta\r\n",
        "1\n2\n3\n",
    ],
)
def test_references_are_found_by_id_or_by_line(tmp_path: Path, references: str) -> None:
    data = read(tmp_path, references)
    assert data.references.to_pylist() == [["1"], ["2"], ["3"]]
    assert data.notes == ()


def test_several_references_and_lists_without(tmp_path: Path) -> None:
    data = read(tmp_path, "id,reference\nb,2\nb,two\nz,9\n")
    assert data.references.to_pylist() == [None, ["2", "two"], None]
    assert data.notes == (
        "Lists without a reference: 2 (the first is 'a').",
        "references has 1 reference(s) of lists that are not there.",
    )


@pytest.mark.parametrize(
    ("references", "message"),
    [
        ("1\n2\n", "expected a reference per line for 3 lists, found 2 lines; give a file with ids instead"),
        ("id,reference\nx,1\n", "none of its ids is the id of a list; lists are called 'a', 'b', references 'x'."),
        (
            '{"id": "a", "said": "1"}\n',
            "expected references with keys such as 'id' and 'reference'; its records have id",
        ),
        ('{"id": "a", "answer": "1"}\n7\n', "line 2: expected an object with text or a number for 'id'."),
        ('{"id": "a", "answer": "1"}\n{"id": "b", "answer": {}}\n', "line 2: expected text or a list of texts for"),
        ("id,reference\na\n", "line 2: the line has fewer columns than the header."),
    ],
)
def test_mistakes_are_named(tmp_path: Path, references: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        read(tmp_path, references)
    assert message in str(caught.value)
