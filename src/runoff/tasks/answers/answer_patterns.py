"""Which texts answer a question: regular expressions, as TREC judges used them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from runoff.errors import DataError, brief

if TYPE_CHECKING:
    from collections.abc import Iterable

_ARTICLE = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)
_EDGES = " \t.,;:!?\"'`“”‘’()[]"


@dataclass(frozen=True)
class AnswerPatterns:
    """Regular expressions of the right answers of a question; case does not matter.

    Examples
    --------
    >>> patterns = AnswerPatterns((r"Adolph\\s+Rickenbacker",))
    >>> patterns.match("Mr. Adolph Rickenbacker"), patterns.cover("Mr. Adolph Rickenbacker")
    (True, False)
    >>> patterns.cover("adolph rickenbacker .")
    True
    """

    patterns: tuple[str, ...]

    @classmethod
    def of(cls, patterns: Iterable[str]) -> AnswerPatterns:
        """From expressions, each of which is tried; an error names one that is none."""
        found = cls(tuple(patterns))
        found._compiled  # noqa: B018 - wrong ones are told at once
        return found

    @classmethod
    def of_texts(cls, texts: Iterable[str]) -> AnswerPatterns:
        """From answers as they are written; blanks stand for any white space.

        Examples
        --------
        >>> AnswerPatterns.of_texts(["3.5 km"]).match("about 3.5  km"), AnswerPatterns.of_texts(["3.5"]).match("345")
        (True, False)
        """
        written = [r"\s+".join(map(re.escape, text.split())) for text in texts]
        return cls(tuple(rf"(?<!\w){text}(?!\w)" for text in written if text))

    def match(self, text: str) -> bool:
        """Whether one of the expressions matches somewhere in the text, as TREC's own evaluation judges."""
        return any(each.search(text) for each in self._compiled)

    def cover(self, text: str) -> bool:
        """Whether one matches the whole text, but for an article before it and marks around it: an exact answer."""
        bare = _ARTICLE.sub("", text.strip(_EDGES))
        return any(each.fullmatch(form) for each in self._compiled for form in (bare, text))

    def first(self, text: str) -> tuple[int, int] | None:
        """Where the first match begins and ends; of several there, the longest; None where nothing matches."""
        found = [(hit.start(), -hit.end()) for each in self._compiled if (hit := each.search(text)) and hit.group()]
        return (min(found)[0], -min(found)[1]) if found else None

    @cached_property
    def _compiled(self) -> tuple[re.Pattern[str], ...]:
        out = []
        for pattern in self.patterns:
            try:
                out.append(re.compile(pattern, re.IGNORECASE))
            except (re.error, OverflowError, RecursionError) as error:
                raise DataError(f"{brief(pattern)} is not a regular expression: {error}.") from None
        return tuple(out)
