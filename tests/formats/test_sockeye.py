"""JSON lines of Sockeye; the second record is that of its own test of the JSON output handler."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from runoff.errors import DataError
from runoff.formats import read

if TYPE_CHECKING:
    from pathlib import Path

OUTPUT = """\
{"sentence_id": 1, "translation": "yes", "score": 0.5, "text": "ja"}
{"factor1": "f11 f12", "pass_through_test": "success!", "score": 0.0, "scores": [0.0, 0.1], "sentence_id": 2, \
"translation": "ein Test", "translations": ["ein Test", "der Test"]}
{"sentence_id": 3, "translation": "a", "score": 1.5, "scores": [[1.5, 7], [2.5, 8]], "translations": ["a", "b"]}
"""


def test_scores_are_negated(tmp_path: Path) -> None:
    (tmp_path / "out.json").write_text(OUTPUT)
    data = read(tmp_path / "out.json")
    assert data.texts.to_pylist() == ["yes", "ein Test", "der Test", "a", "b"]
    assert data.base.tolist() == [-0.5, 0, -0.1, -1.5, -2.5]
    assert data.inputs.to_pylist() == ["ja", None, None]
    assert data.notes == (
        "Keys that Runoff does not use were left out: factor1 (1 group), pass_through_test (1 group).",
    )


def test_log_probabilities_and_infinite_scores(tmp_path: Path) -> None:
    (tmp_path / "out.json").write_text(
        '{"sentence_id": 1, "translations": ["a", "b"], "scores": [-0.5, -0.75]}\n'
        '{"sentence_id": 2, "translation": "", "score": -Infinity}\n'
    )
    data = read(tmp_path / "out.json")
    assert data.base.tolist() == [-0.5, -0.75, 0]
    assert [note.partition(",")[0] for note in data.notes] == [
        "1 empty translation(s) with an infinite score have the score 0.",
        "Some scores are below zero",
    ]


def test_references_by_line_from_one(tmp_path: Path) -> None:
    (tmp_path / "out.json").write_text(OUTPUT)
    (tmp_path / "ref").write_text("one\ntwo\nthree\n")
    assert read(tmp_path / "out.json", references=tmp_path / "ref").references.to_pylist() == [
        ["one"],
        ["two"],
        ["three"],
    ]
    (tmp_path / "ref").write_text("one\ntwo\n")
    with pytest.raises(DataError, match="3 lines of references are needed; found 2"):
        read(tmp_path / "out.json", references=tmp_path / "ref")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[0.0, 0.1]", "[0.0]", "line 2: expected as many 'scores' as 'translations', found 1 and 2"),
        ("[0.0, 0.1]", "null", "line 2: expected as many 'scores' as 'translations', found None and 2"),
        ("[0.0, 0.1]", "[0.0, NaN]", "line 2: expected a finite number for a score, found nan"),
        ('"score": 0.5', '"score": "low"', "line 1: expected a finite number for a score, found 'low'"),
        ('"translation": "yes"', '"translation": 3', "line 1: expected an object with a text 'translation'"),
        ('["a", "b"]', '["a", 4]', "line 3: expected texts in 'translations', found 4"),
        ('"sentence_id": 3', '"sentence_id": 2', "line 3: the group id '?2'? was used before, in line 2"),
    ],
)
def test_errors_name_file_and_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in OUTPUT
    (tmp_path / "out.json").write_text(OUTPUT.replace(old, new))
    with pytest.raises(DataError, match=message):
        read(tmp_path / "out.json", "sockeye")
