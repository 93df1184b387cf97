"""Words in which two translations differ, and whether a reference has them."""

from __future__ import annotations

import difflib
from enum import StrEnum
from itertools import groupby
from typing import TYPE_CHECKING

from runoff.tasks.translation.joined_tokens import JOINER, clean, join, split

if TYPE_CHECKING:
    from collections.abc import Sequence

    Marks = tuple["WordMark | None", ...]


class WordMark(StrEnum):
    """Status of a word that only one of two translations has; the value is its sign in text output."""

    ONLY = "*"
    RIGHT = "+"
    WRONG = "-"


MEANINGS = {
    WordMark.ONLY: "only in this translation",
    WordMark.RIGHT: "only in this translation, and as in a reference",
    WordMark.WRONG: "only in this translation, and as in no reference",
}


def tokens_of(text: str) -> tuple[str, ...]:
    """Tokens with joiners, spelled as they are in the text. O(characters).

    Examples
    --------
    >>> tokens_of("Der Hund schläft.")
    ('Der', 'Hund', 'schläft', '￭.')
    """
    return tuple(token for chunk in clean(text).split() for token in split(chunk))


def word_marks(words: Sequence[str], other: Sequence[str], references: Sequence[Sequence[str]] = ()) -> Marks:
    """A mark for every word that a translation has and the other one has not at this place; None for the rest.

    Where there are references, a word is right if one of them has it at this place. Places are those of the longest
    common stretches, so that a word that moved is marked in both. Up to O(words³), where words repeat.

    Examples
    --------
    >>> [str(mark or "") for mark in word_marks("das Ufer sehen".split(), "die Bank sehen".split(), [["das", "Ufer"]])]
    ['+', '+', '']
    >>> [str(mark or "") for mark in word_marks("die Bank sehen".split(), "das Ufer sehen".split())]
    ['*', '*', '']
    """
    alike = _matched(words, other)
    right = {at for reference in references for at in _matched(words, reference)}

    def mark(at: int) -> WordMark | None:
        if at in alike:
            return None
        return WordMark.ONLY if not references else WordMark.RIGHT if at in right else WordMark.WRONG

    return tuple(mark(at) for at in range(len(words)))


def marked_text(words: Sequence[str], marks: Marks) -> str:
    """The text of some tokens, with the marked ones in brackets after their sign.

    Examples
    --------
    >>> marked_text(tokens_of("Sie sieht das Ufer."), (None, None, WordMark.RIGHT, WordMark.RIGHT, None))
    'Sie sieht +[das Ufer].'
    """
    at, parts = 0, list(words)
    for mark, run in groupby(marks):
        stop = at + sum(1 for _ in run)
        if mark is not None:
            begins, ends = (JOINER * parts[at].startswith(JOINER), JOINER * parts[stop - 1].endswith(JOINER))
            inside = join(parts[at:stop])
            parts[at:stop] = [f"{begins}{mark}[{inside}]{ends}", *[""] * (stop - at - 1)]
        at = stop
    return join([part for part in parts if part])


def _matched(words: Sequence[str], other: Sequence[str]) -> set[int]:
    """Places of the words that the other one has as well; case counts, as it does in metrics, joiners do not."""
    theirs, ours = ([token.strip(JOINER) for token in side] for side in (other, words))
    blocks = difflib.SequenceMatcher(None, theirs, ours, autojunk=False).get_matching_blocks()
    return {at for block in blocks for at in range(block.b, block.b + block.size)}
