"""Sentences of running text, split by plain rules, each with its place in the text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from runoff.tasks.tagging.tokenizer import ABBREVIATIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

# Marks that may end a sentence, quotes and brackets after them, and what follows.
_END = re.compile(
    r"(?P<marks>[.!?\u2026]{1,20})[\"'\u2019\u201d)\]]{0,3}(?P<space>\s+)(?=[\"'\u2018\u201c(\[]{0,3}[^\W_])"
)
_PARAGRAPH = re.compile(r"\n[ \t\r]*\n\s*")
_LETTERS = re.compile(r"(?:[A-Za-z]\.)+[A-Za-z]")
_LAST_WORD = re.compile(r"[^\s\"'\u2018\u201c(\[]{1,20}\Z")


def split_sentences(text: str) -> list[tuple[int, int]]:
    r"""Where the sentences of a text begin and end.

    A sentence ends at a blank line; and at a period, exclamation or question mark, with quotes and brackets after it,
    before white space and then a capital letter or digit (after a bare ! or ? any letter). A period after an
    abbreviation (`tokenizer.ABBREVIATIONS`, letters with periods, a single capital) ends none. O(characters).

    Examples
    --------
    >>> text = "Mr. Smith came. He left!\n\nno title"
    >>> [text[start:stop] for start, stop in split_sentences(text)]
    ['Mr. Smith came.', 'He left!', 'no title']
    """
    found = []
    for begin, end in _paragraphs(text):
        start = begin
        for mark in _END.finditer(text, begin, end):
            if _ends_sentence(text, mark):
                found.append((start, mark.start("space")))
                start = mark.end()
        found.append((start, end))
    stripped = ((start, stop, text[start:stop]) for start, stop in found)
    return [
        (start + len(part) - len(part.lstrip()), stop - len(part) + len(part.rstrip()))
        for start, stop, part in stripped
        if part.strip()
    ]


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for gap in _PARAGRAPH.finditer(text):
        yield start, gap.start()
        start = gap.end()
    yield start, len(text)


def _ends_sentence(text: str, mark: re.Match[str]) -> bool:
    if mark["marks"] != ".":
        is_bare = mark.end("marks") == mark.start("space")
        return (mark["marks"][0] in "!?" and is_bare) or _is_capital(text, mark.end())
    word = _LAST_WORD.search(text, max(0, mark.start() - 20), mark.start())
    last = word[0] if word else ""
    if last in ABBREVIATIONS or _LETTERS.fullmatch(last) or (len(last) == 1 and last.isupper() and last != "I"):
        return False
    return _is_capital(text, mark.end())


def _is_capital(text: str, at: int) -> bool:
    first = next((character for character in text[at : at + 4] if character.isalnum()), "")
    return first.isupper() or first.isdigit()
