"""Words as ROUGE counts them."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from importlib.util import find_spec
from itertools import groupby
from typing import TYPE_CHECKING

from runoff.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    Cut = Callable[[str], list[str]]

_PLAIN = re.compile("[a-z0-9]+")
_STEMMED_FROM = 4  # letters; shorter words are left as they are
# Scripts without spaces between words: every Han, Hiragana and Katakana character is a word.
_SIGN = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")


@cache  # keeps the stems that were computed
def cutter(tokenize: str, *, stem: bool) -> Cut:
    """Function that splits a piece without white space into words; see `ROUGE` for the options.

    Examples
    --------
    >>> [cutter(way, stem=False)("Naïve-2") for way in ("rouge", "words", "space")]
    [['na', 've', '2'], ['naïve', '2'], ['Naïve-2']]
    """
    if tokenize == "space":
        return _whole
    if tokenize == "words":
        return _unicode_words
    return _stemmed(_porter()) if stem else _plain


def _whole(piece: str) -> list[str]:
    return [piece]


def _plain(piece: str) -> list[str]:
    return _PLAIN.findall(piece.lower())


def _unicode_words(piece: str) -> list[str]:
    runs = groupby(piece.lower(), lambda character: unicodedata.category(character)[0] in "LMN")
    parts = ("".join(run) for is_word, run in runs if is_word)
    return [word for part in parts for word in _SIGN.sub(r" \g<0> ", part).split()]


def _stemmed(stem: Callable[[str], str]) -> Cut:
    known: dict[str, str] = {}

    def short(word: str) -> str:
        if len(word) < _STEMMED_FROM:
            return word
        if word not in known:
            known[word] = stem(word)
        return known[word]

    return lambda piece: list(map(short, _plain(piece)))


def check_stemmer(metric: str) -> None:
    """Raise, with what to install, if there is no stemmer."""
    if find_spec("nltk") is None:
        raise UsageError(
            f"{metric}[stem] needs the Porter stemmer of nltk, which is not installed; run: pip install nltk"
        )


def _porter() -> Callable[[str], str]:
    from nltk.stem.porter import PorterStemmer

    found: Callable[[str], str] = PorterStemmer().stem
    return found
