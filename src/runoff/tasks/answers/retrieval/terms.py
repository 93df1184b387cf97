"""From text to the terms that an index knows: words in lower case, as stems unless asked otherwise."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from runoff.errors import UsageError, brief
from runoff.tasks.answers.retrieval.porter import stem

if TYPE_CHECKING:
    from collections.abc import Callable

Stemmer = Literal["porter", "none"]
# Numbers with points or commas inside, letters with periods between them, and runs of letters and digits. How often
# something repeats is bounded, so that no text takes more than a time proportional to its length.
WORD = re.compile(r"\d++(?:[.,]\d++){1,20}(?![^\W_])|(?:[^\W\d_]\.){1,20}[^\W\d_](?![^\W_])|[^\W_]+")
# Words of questions and sentences that say nothing about what is asked for.
_STOP_WORDS = (
    "a about after all am an and any are as at be been before being both but by can could did do does doing for "
    "from had has have having he her here hers him his how i if in into is it its itself me my no nor not of on or "
    "our ours out over own s she should so some such t than that the their theirs them then there these they this "
    "those to too under until up us very was we were what when where which while who whom whose why will with "
    "would you your yours name tell please"
)
STOP_WORDS = frozenset(_STOP_WORDS.split())


def normaliser(stemmer: Stemmer) -> Callable[[str], str]:
    """The function that makes a term of a word in lower case.

    Examples
    --------
    >>> normaliser("porter")("bridges"), normaliser("none")("bridges")
    ('bridg', 'bridges')
    """
    if stemmer == "porter":
        return stem
    if stemmer == "none":
        return str
    raise UsageError(f"the stemmer is porter or none; found {brief(stemmer)}.")


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, without marks. O(characters).

    Examples
    --------
    >>> words_of("In 1998 the U.S. paid $8.7 billion for Jupiter's moons.")
    ['in', '1998', 'the', 'u.s', 'paid', '8.7', 'billion', 'for', 'jupiter', 's', 'moons']
    """
    return WORD.findall(text.lower())


def telling(words: list[str]) -> list[str]:
    """Words of a query without stop words, unless there are no others.

    Examples
    --------
    >>> telling(["who", "built", "the", "bridge"]), telling(["the", "who"])
    (['built', 'bridge'], ['the', 'who'])
    """
    return [word for word in words if word not in STOP_WORDS] or words
