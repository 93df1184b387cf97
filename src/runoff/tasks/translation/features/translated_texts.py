"""The distinct translations of every list and their source sentences, as tokens of two languages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from runoff.errors import DataError

if TYPE_CHECKING:
    from runoff.metrics.tokens import Tokens
    from runoff.nbest import NBest
    from runoff.tasks.text.distinct_texts import DistinctTexts
    from runoff.tasks.translation.language import Language


@dataclass(frozen=True, eq=False)
class TranslatedTexts:
    """Tokens of the source sentence of every list, and of its distinct translations.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> from runoff.tasks.text.distinct_texts import DistinctTexts
    >>> from runoff.tasks.translation.language import Language
    >>> data = NBest.from_arrays(texts=["ein Hund!", "Hund", "Hund"], sizes=[3], inputs=["a dog!"])
    >>> texts = TranslatedTexts.of(DistinctTexts.of(data), Language(truecase=False), Language(truecase=False))
    >>> texts.source.of(0), texts.target.of(0), len(texts.target)
    (['a', 'dog', '￭!'], ['ein', 'Hund', '￭!'], 2)
    """

    lists: DistinctTexts
    source: Tokens
    target: Tokens

    @classmethod
    def of(cls, lists: DistinctTexts, source: Language, target: Language) -> TranslatedTexts:
        """Cut source sentences and translations into tokens. O(characters)."""
        return cls(lists, source.tokens(sources_of(lists.data)), target.tokens(lists.texts.to_pylist()))


def sources_of(data: NBest) -> list[str]:
    """The source sentence of every list; an empty one where a list has none."""
    if data.inputs is None:
        raise DataError(
            "features of translations need the source sentences: give every list its `input`, or leave out the "
            "families lexicon, coverage and pairs."
        )
    return [text or "" for text in data.inputs.to_pylist()]
