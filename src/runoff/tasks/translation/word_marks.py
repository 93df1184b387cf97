"""Words in which two translations differ, and whether a reference has them."""

from __future__ import annotations

import difflib
from collections import Counter
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
    WordMark.RIGHT: "only in this translation, and in a reference",
    WordMark.WRONG: "only in this translation, and in no reference",
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

    Places are compared, so that a word that moved is marked in both. Where there are references, a word is right if one
    of them has it as often as the translation has it up to there. O(words²) at the worst.

    Examples
    --------
    >>> [str(mark or "") for mark in word_marks("das Ufer sehen".split(), "die Bank sehen".split(), [["das", "Ufer"]])]
    ['+', '+', '']
    >>> [str(mark or "") for mark in word_marks("die Bank sehen".split(), "das Ufer sehen".split())]
    ['*', '*', '']
    """
    marks: list[WordMark | None] = [None] * len(words)
    have = [Counter(map(_folded, each)) for each in references]
    seen: Counter[str] = Counter()
    matcher = difflib.SequenceMatcher(None, [*map(_folded, other)], [*map(_folded, words)], autojunk=False)
    differs = {at for kind, _, _, low, high in matcher.get_opcodes() if kind != "equal" for at in range(low, high)}
    for at, word in enumerate(map(_folded, words)):
        seen[word] += 1
        if at in differs:
            is_right = any(each[word] >= seen[word] for each in have)
            marks[at] = (WordMark.RIGHT if is_right else WordMark.WRONG) if have else WordMark.ONLY
    return tuple(marks)


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


def _folded(token: str) -> str:
    """Without joiners, as a mark may lean on other words in another translation; case counts, as it does in metrics."""
    return token.strip(JOINER)
