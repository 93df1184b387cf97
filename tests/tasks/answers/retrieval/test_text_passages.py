"""Sentences of texts with their lines, and passages as JSON lines."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from runoff.errors import DataError
from runoff.tasks.answers.retrieval import text_passages
from runoff.tasks.answers.retrieval.text_passages import BinaryFileError, passages_of_json, passages_of_text

if TYPE_CHECKING:
    from pathlib import Path


def of_text(path: Path, content: bytes, sentences: int = 1) -> list[tuple[str, int]]:
    path.write_bytes(content)
    return [(found.text, found.line) for found in passages_of_text(path, "x", sentences)]


def test_line_ends_and_byte_order_marks_of_all_kinds(tmp_path: Path) -> None:
    wanted = [("One is here.", 1), ("Two is in two lines.", 1), ("Three", 4)]
    text = "One is here. Two is in\ntwo lines.\n\nThree\n"
    for end in ("\n", "\r\n", "\r"):
        assert of_text(tmp_path / "a", text.replace("\n", end).encode()) == wanted
    assert of_text(tmp_path / "a", b"\xef\xbb\xbf" + text.encode()) == wanted
    assert of_text(tmp_path / "a", gzip.compress(text.encode())) == wanted


def test_passages_of_several_sentences_have_the_line_of_the_first(tmp_path: Path) -> None:
    assert of_text(tmp_path / "a", b"A b.\nC d.\nE f.\nG h.\nI j.", 2) == [
        ("A b. C d.", 1),
        ("E f. G h.", 3),
        ("I j.", 5),
    ]


def test_a_long_table_without_ends_is_cut_at_blanks(tmp_path: Path) -> None:
    text = "\n".join(f"row{at} {at}" for at in range(3000))
    found = of_text(tmp_path / "a", text.encode())
    assert " ".join(each for each, _ in found).split() == text.split()
    assert all(len(each) <= 2000 for each, _ in found)
    lines = text.split("\n")
    assert all(each.split()[0] in lines[line - 1].split() for each, line in found)
    assert [len(each) for each, _ in of_text(tmp_path / "a", b"x" * 5000)] == [2000, 2000, 1000]


def test_blocks_do_not_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n".join(f"Sentence {at} is here.{chr(10) if at % 7 == 0 else ''}" for at in range(500))
    whole = of_text(tmp_path / "a", text.encode())
    assert len(whole) == 500
    for block in (64, 100, 1000, 1 << 13):
        monkeypatch.setattr(text_passages, "_BLOCK", block)
        assert of_text(tmp_path / "a", text.encode()) == whole


@pytest.mark.parametrize("block", [64, 1 << 22])
def test_what_is_no_text_is_known_before_the_first_passage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(text_passages, "_BLOCK", block)
    start = b"A sentence is here. " * 100
    (tmp_path / "a").write_bytes(start + b"\0")
    (tmp_path / "b").write_bytes(start + b"\xff")
    (tmp_path / "c").write_bytes("Das ist UTF-16.".encode("utf-16"))
    with pytest.raises(BinaryFileError):
        next(passages_of_text(tmp_path / "a", "a", 1))
    for name in "bc":
        with pytest.raises(UnicodeDecodeError):
            next(passages_of_text(tmp_path / name, name, 1))


def test_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"id": "a", "text": "A b."}\n\n{"_id": 7, "contents": "C"}\n{"text": "D", "title": 1}\n')
    assert list(passages_of_json(path)) == [("a", "A b.", 1), ("7", "C", 3), ("4", "D", 4)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", r"line 2: the line is not JSON"),
        ("[1]", r"line 2: expected an object with a text.*found '\[1\]'"),
        ('{"id": "b"}', r"line 2: expected an object with a text"),
        ('{"text": 3}', r"line 2: expected an object with a text"),
        ('{"text": "a", "id": [1]}', r"line 2: expected a text or number for the id; found \[1\]"),
    ],
)
def test_lines_that_are_no_passages(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"text": "A b."}\n' + line + "\n")
    with pytest.raises(DataError, match=message):
        list(passages_of_json(path))
