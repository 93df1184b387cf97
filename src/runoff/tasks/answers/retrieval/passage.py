"""What a search gives: passages and their scores."""

from __future__ import annotations

from typing import NamedTuple


class Hit(NamedTuple):
    """A passage that was found, by its number in the index, and its score; the higher, the better.

    Examples
    --------
    >>> Hit(3, 1.5).passage
    3
    """

    passage: int
    score: float


class Passage(NamedTuple):
    """A piece of text: its name, its text, and the file and line (from 1) where it begins.

    The name is what a file of passages calls it, else the file and the number of the passage in it.

    Examples
    --------
    >>> Passage("fruit.txt#1", "An apple.", "fruit.txt", 1).text
    'An apple.'
    """

    id: str
    text: str
    file: str
    line: int
