"""Words of texts, and which of them a query looks for."""

from __future__ import annotations

import time

import pytest

from runoff.tasks.answers.retrieval.terms import telling, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The U.S. Navy's 1,000th ship", ["the", "u.s", "navy", "s", "1", "000th", "ship"]),
        ("$1,234.50, i.e. 3.5%", ["1,234.50", "i.e", "3.5"]),
        ("Größe und ÉTÉ; snake_case", ["größe", "und", "été", "snake", "case"]),
        ("e-mail O'Neill J.Smith A.B", ["e", "mail", "o", "neill", "j", "smith", "a.b"]),
        ("-- ... !?", []),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert words_of(text) == words


@pytest.mark.parametrize("text", ["1," * 200_000 + "1x", "a." * 200_000 + "ab", "1" * 400_000 + "x", "a" * 400_000])
def test_no_text_takes_long(text: str) -> None:
    # Without a bound on repetitions, the first two would take hours: every start would be tried to the end.
    started = time.process_time()
    words_of(text)
    assert time.process_time() - started < 5


def test_telling_words() -> None:
    assert telling(["what", "is", "the", "capital", "of", "peru"]) == ["capital", "peru"]
    assert telling(["who", "is", "he"]) == ["who", "is", "he"]
