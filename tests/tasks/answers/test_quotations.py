"""What is between quotation marks, beside what a reader sees."""

from __future__ import annotations

import pytest

from runoff.tasks.answers.quotations import quotations


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('Who sang " Blue Moon " and " Help " ?', ["Blue Moon", "Help"]),
        ("the `` Playboy '' logo", ["Playboy"]),
        ("“ one ” ‘ two ’ ` three ' « four » „ five “", ["one", "two", "three", "four", "five"]),
        ("`` open , and nothing closes it", []),
        ('an empty " " one', []),
        ("`` " + "a " * 12 + "''", [("a " * 12).strip()]),
        ("`` " + "a " * 13 + "''", []),
        ("", []),
    ],
)
def test_quotations(text: str, wanted: list[str]) -> None:
    words = text.split()
    assert [" ".join(words[start:stop]) for start, stop in quotations(words)] == wanted
