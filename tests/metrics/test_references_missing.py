"""Lists of which some have references: the others are left out of what is judged, and counted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import runoff
from runoff import NBest
from runoff.errors import DataError
from runoff.metrics import get, with_references

if TYPE_CHECKING:
    from pathlib import Path


def written(path: Path, references: list[list[str] | None]) -> Path:
    lines = [
        {"id": str(at), "candidates": ["a b", "a"], **({} if given is None else {"references": given})}
        for at, given in enumerate(references)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_lists_without_references_are_left_out_and_counted(tmp_path: Path) -> None:
    path = written(tmp_path / "lists.jsonl", [["a"], None, ["a b"], []])
    data = runoff.read(path, metric="wer")
    assert data.group_ids.to_pylist() == ["0", "2"]
    assert data.quality is not None
    assert data.quality.tolist() == [-1.0, 0.0, 0.0, -1.0]
    assert data.notes[-1] == "2 of 4 group(s) have no reference, which wer needs, and are left out."
    assert len(runoff.read(path)) == 4  # nobody asked for a judgement


def test_where_none_has_a_reference_that_is_an_error(tmp_path: Path) -> None:
    path = written(tmp_path / "lists.jsonl", [[], []])
    with pytest.raises(DataError, match="reference"):
        runoff.read(path, metric="wer")


def test_quality_and_empty_lists_stay() -> None:
    rated = NBest.from_arrays(texts=["a", "b"], sizes=[1, 1], references=[["a"], []], quality=[1, 2])
    assert with_references(rated, get("wer")) is rated
    empty = NBest.from_arrays(texts=["a"], sizes=[1, 0], references=[["a"], []])
    assert with_references(empty, get("wer")) is empty
    assert with_references(empty, get("quality")) is empty
