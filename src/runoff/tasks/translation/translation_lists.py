"""What a decoder finds: lists of different translations, with the terms of their scores and their phrases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.arrays import frozen
from runoff.metrics.tokens import Tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from runoff.arrays import Columns, Floats, Ints
    from runoff.kernels.translation_terms import Derivations


class PhraseUse(NamedTuple):
    """A phrase of a translation: a span of the source, a span of the translation (both without their ends).

    `option` is its number in the phrase table, -1 for a word that is copied or dropped.
    """

    start: int
    end: int
    target_start: int
    target_end: int
    option: int


class Derivation(NamedTuple):
    """A translation with its score, the terms that add up to it, and its phrases from left to right."""

    words: list[str]
    score: float
    terms: dict[str, float]
    phrases: list[PhraseUse]


@dataclass(frozen=True, eq=False)
class TranslationLists:
    """Translations of sentence i are rows `offsets[i]` to `offsets[i + 1]`, the best first.

    `terms[row]` has values in the order of `names`; the phrases of a row are `phrase_offsets[row]` to
    `phrase_offsets[row + 1]` of `spans` (start and end in the source, start and end in the translation) and `options`.

    Examples
    --------
    >>> lists = TranslationLists.of([], np.zeros(0).astype(str), ("lm",))
    >>> len(lists), lists.terms.shape
    (0, (0, 1))
    """

    offsets: Ints
    tokens: Tokens
    scores: Floats
    terms: Floats
    names: tuple[str, ...]
    phrase_offsets: Ints
    spans: Columns
    options: Ints

    @classmethod
    def of(cls, found: Sequence[Derivations], spelling: pa.Array, names: tuple[str, ...]) -> TranslationLists:
        """Lists of several sentences, one after the other."""
        words = np.concatenate([np.zeros(0, np.int64), *(each.words for each in found)])
        terms = np.concatenate([np.zeros((0, len(names))), *(each.terms[:, : len(names)] for each in found)])
        return cls(
            frozen(np.cumsum([0, *(each.scores.size for each in found)])),
            Tokens(frozen(words), _joined([each.word_ends for each in found]), spelling),
            frozen(np.concatenate([np.zeros(0), *(each.scores for each in found)])),
            frozen(terms),
            names,
            _joined([each.phrase_ends for each in found]),
            frozen(np.concatenate([np.zeros((0, 4), np.int32), *(each.spans for each in found)])),
            frozen(np.concatenate([np.zeros(0, np.int64), *(each.options for each in found)])),
        )

    def __len__(self) -> int:
        return int(self.offsets.size - 1)

    def list_of(self, sentence: int) -> list[Derivation]:
        """All translations of a sentence."""
        return [self.derivation(row) for row in range(self.offsets[sentence], self.offsets[sentence + 1])]

    def derivation(self, row: int) -> Derivation:
        """The translation of a row."""
        phrases = slice(self.phrase_offsets[row], self.phrase_offsets[row + 1])
        uses = zip(self.spans[phrases].tolist(), self.options[phrases].tolist(), strict=True)
        return Derivation(
            self.tokens.of(row),
            float(self.scores[row]),
            dict(zip(self.names, self.terms[row].tolist(), strict=True)),
            [PhraseUse(start, end, first, last, option) for (start, end, first, last), option in uses],
        )


def _joined(ends: Sequence[Ints]) -> Ints:
    """Offsets of all parts one after the other; those of each part begin at 0."""
    sizes = np.concatenate([np.zeros(0, np.int64), *(np.diff(each) for each in ends)])
    return frozen(np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)]))
