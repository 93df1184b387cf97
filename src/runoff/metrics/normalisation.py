"""How texts are normalised before they are compared; the options are part of the metric's signature."""

from __future__ import annotations

import re
import string
import sys
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

from runoff.metrics.options import check_choice
from runoff.metrics.text_metric import TextMetric

if TYPE_CHECKING:
    from collections.abc import Iterable

_ARTICLES = re.compile(r"\b(a|an|the)\b", re.IGNORECASE)


@dataclass(frozen=True, repr=False)
class NormalisedMetric(TextMetric):
    """A metric that normalises texts before it compares them, in the order of the options below.

    Parameters
    ----------
    unicode
        none: characters as they are; nfc: an accent and its letter are one character; nfkc: also full-width letters,
        ligatures and other variants are the plain ones.
    case
        mixed: as it is written; lower: lower-cased, as `str.lower` does it.
    punctuation
        kept; dropped: every character of Unicode's categories P*, also inside words ("don't" becomes "dont"), as
        jiwer's `RemovePunctuation` does; ascii: Python's `string.punctuation`, as in SQuAD, which also has symbols
        such as $, + and <.
    """

    case: Literal["mixed", "lower"] = "mixed"
    punctuation: Literal["kept", "dropped", "ascii"] = "kept"
    unicode: Literal["none", "nfc", "nfkc"] = "none"

    def __post_init__(self) -> None:
        super().__post_init__()
        for field in ("case", "punctuation", "unicode"):
            check_choice(self, field)

    @property
    def normalisation(self) -> str:
        """The options as parts of a signature."""
        return f"case:{self.case}|punct:{self.punctuation}|unicode:{self.unicode}"

    def prepared(self, text: str) -> str:
        """Do to one text what the options say; white space is left as it is. O(characters).

        Examples
        --------
        >>> from runoff.metrics import get
        >>> get("wer[case=lower,punctuation=dropped]").prepared("Don't, he said - no!")
        'dont he said  no'
        """
        if self.unicode != "none":
            text = unicodedata.normalize("NFC" if self.unicode == "nfc" else "NFKC", text)
        if self.case == "lower":
            text = text.lower()
        return text if self.punctuation == "kept" else text.translate(dropped(self.punctuation))

    def canonical(self, text: str) -> str:
        """The normalised text, with single spaces and none at the ends."""
        return " ".join(self.prepared(text).split())

    def prepared_texts(self, texts: Iterable[str]) -> dict[str, str]:
        """Normalised form of every distinct text."""
        return {text: self.prepared(text) for text in dict.fromkeys(texts)}

    def canonical_texts(self, texts: Iterable[str]) -> dict[str, str]:
        """Canonical form of every distinct text."""
        return {text: self.canonical(text) for text in dict.fromkeys(texts)}


@dataclass(frozen=True, repr=False)
class AnswerMetric(NormalisedMetric):
    """A metric of short answers, which can also drop English articles.

    Parameters
    ----------
    articles
        kept; dropped: the words a, an and the, after punctuation is dropped, as in SQuAD.
    """

    articles: Literal["kept", "dropped"] = "kept"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self, "articles")

    @property
    def normalisation(self) -> str:
        """The options as parts of a signature."""
        return f"{super().normalisation}|articles:{self.articles}"

    def prepared(self, text: str) -> str:
        """Do to one text what the options say; white space is left as it is. O(characters).

        Examples
        --------
        >>> from runoff.metrics import get
        >>> get("exact[articles=dropped]").canonical("The  cat and a dog")
        'cat and dog'
        """
        text = super().prepared(text)
        return _ARTICLES.sub(" ", text) if self.articles == "dropped" else text


@cache
def dropped(punctuation: str) -> dict[int, None]:
    """Translation table that drops punctuation, as the option defines it."""
    if punctuation == "ascii":
        return dict.fromkeys(map(ord, string.punctuation))
    return dict.fromkeys(code for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code))[0] == "P")


def with_content(references: list[str]) -> list[str]:
    """References that are not empty; if all are, an empty one, as in SQuAD.

    Examples
    --------
    >>> with_content(["", "cat"]), with_content(["", ""])
    (['cat'], [''])
    """
    return [reference for reference in references if reference] or references[:1]
