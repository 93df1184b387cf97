"""Which source word every target word most probably translates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from runoff.metrics.tokens import tokenised
from runoff.nbest import NBest
from runoff.tasks.text.distinct_texts import DistinctTexts
from runoff.tasks.translation.features.evidence import Evidence
from runoff.tasks.translation.features.translated_texts import TranslatedTexts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.metrics.tokens import Tokens
    from runoff.tasks.translation.bilingual_lexicon import BilingualLexicon


def linked(source: Sequence[str], target: Sequence[str], lexicon: BilingualLexicon) -> list[int]:
    """The position of the most probable source token of every target token; -1 where none explains it.

    The highest product of the probabilities of both directions; of equal ones, the position nearest the diagonal.
    O(source words times target words).

    Examples
    --------
    >>> from runoff.tasks.translation.bilingual_lexicon import BilingualLexicon
    >>> english, german = ["the house", "the book", "a book"], ["das Haus", "das Buch", "ein Buch"]
    >>> linked(["a", "house"], ["ein", "Haus", "hier"], BilingualLexicon.learn(english, german))
    [0, 1, -1]
    """
    lists = DistinctTexts.of(NBest.from_arrays(texts=[" ".join(target)], sizes=[1]))
    texts = TranslatedTexts(lists, _one(source), _one(target))
    found: list[int] = Evidence.of(texts, lexicon).links.tolist()
    return found


def _one(tokens: Sequence[str]) -> Tokens:
    """One text of these tokens, none of which has white space."""
    return tokenised(pa.array([" ".join(tokens)], pa.large_string()), lambda piece: [piece])
