"""Phrases with their alternative readings."""

from __future__ import annotations

import re
from dataclasses import dataclass

_FIRST_WORD = re.compile(r"(?<= )[^\s()]")


@dataclass(frozen=True)
class Phrase:
    """A tree as text, and trees over the same words that differ from it in one attachment, with its kind."""

    text: str
    rivals: tuple[tuple[str, str], ...] = ()

    def capitalised(self) -> Phrase:
        """With an initial capital, in all trees.

        Examples
        --------
        >>> phrase("NP", leaf("DT", "the"), leaf("NN", "mill")).capitalised().text
        '(NP (DT The) (NN mill))'
        """
        return Phrase(_capitalised(self.text), tuple((kind, _capitalised(text)) for kind, text in self.rivals))


def _capitalised(text: str) -> str:
    return _FIRST_WORD.sub(lambda found: found.group().upper(), text, count=1)


def leaf(tag: str, word: str) -> Phrase:
    """A tag over a word."""
    return Phrase(f"({tag} {word})")


def phrase(label: str, *parts: Phrase) -> Phrase:
    """A constituent; each rival of a part gives a rival of the whole."""
    texts = [part.text for part in parts]
    rivals = [
        (kind, f"({label} {' '.join([*texts[:at], other, *texts[at + 1 :]])})")
        for at, part in enumerate(parts)
        for kind, other in part.rivals
    ]
    return Phrase(f"({label} {' '.join(texts)})", tuple(rivals))


def fork(kind: str, right: Phrase, other: Phrase) -> Phrase:
    """One of two readings of the same words.

    Examples
    --------
    >>> fork("x", phrase("A", leaf("N", "n")), phrase("B", leaf("N", "n")))
    Phrase(text='(A (N n))', rivals=(('x', '(B (N n))'),))
    """
    return Phrase(right.text, (*right.rivals, (kind, other.text)))
