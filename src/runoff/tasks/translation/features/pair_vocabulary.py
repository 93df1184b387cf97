"""The sparse family `pairs`: linked words, phrases of two linked words, and source words that are left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from runoff.errors import ModelError
from runoff.features.columns import concat_columns
from runoff.tasks.text.features.ngram_vocabulary import NgramVocabulary
from runoff.tasks.translation.features.linked_pairs import left_out_units, linked_units
from runoff.tasks.translation.features.unit_ngrams import UnitTexts, fit_units, unit_features, unit_names

if TYPE_CHECKING:
    from runoff.arrays import Columns
    from runoff.nbest import Features
    from runoff.tasks.translation.features.translated_texts import TranslatedTexts

_LINKED, _LEFT_OUT = "pair", "left out"


@dataclass(frozen=True, eq=False)
class PairVocabulary:
    """The columns of linked words (`pair:dog=Hund`, `pair:a=ein dog=Hund`) and of words left out (`left out:dog`).

    A column is for what differs in number between the candidates of enough lists (Shen, Sarkar & Och 2004 rerank
    translations with such features).

    Examples
    --------
    >>> import numpy as np
    >>> from runoff.nbest import NBest
    >>> from runoff.tasks.text.distinct_texts import DistinctTexts
    >>> from runoff.tasks.translation.features.translated_texts import TranslatedTexts
    >>> from runoff.tasks.translation.language import Language
    >>> data = NBest.from_arrays(texts=["ein Hund", "Hund"], sizes=[2], inputs=["a dog"])
    >>> texts = TranslatedTexts.of(DistinctTexts.of(data), Language(truecase=False), Language(truecase=False))
    >>> vocabulary = PairVocabulary.fit(texts, np.array([0, 1, 1], np.int32), 1)
    >>> sorted(vocabulary.names)
    ['left out:a', 'pair:a=ein', 'pair:a=ein dog=Hund']
    """

    linked: NgramVocabulary
    left_out: NgramVocabulary

    @classmethod
    def fit(cls, texts: TranslatedTexts, links: Columns, min_lists: int) -> PairVocabulary:
        """Find what differs in enough lists. O(words log)."""
        linked, left_out = _units(texts, links)
        return cls(fit_units(linked, (1, 2), min_lists), fit_units(left_out, (1,), min_lists))

    @property
    def names(self) -> list[str]:
        """Names of all columns."""
        found: list[str] = (
            unit_names(self.linked, _LINKED).to_pylist() + unit_names(self.left_out, _LEFT_OUT).to_pylist()
        )
        return found

    def features(self, texts: TranslatedTexts, links: Columns) -> Features:
        """Counts, a row for every distinct text. O(words)."""
        linked, left_out = _units(texts, links)
        return concat_columns(
            unit_features(linked, self.linked, _LINKED), unit_features(left_out, self.left_out, _LEFT_OUT)
        )

    def to_step(self) -> dict[str, Any]:
        """Plain arrays, for a model file."""
        return {"linked": self.linked.to_arrays(), "left_out": self.left_out.to_arrays()}

    @classmethod
    def from_step(cls, kept: Any) -> PairVocabulary:
        """From `to_step`, with a full check; raises `ModelError` where something is damaged."""
        if not isinstance(kept, dict) or not all(isinstance(kept.get(name), dict) for name in ("linked", "left_out")):
            raise ModelError("the vocabulary of linked words is damaged in this file.")
        return cls(NgramVocabulary.from_arrays(kept["linked"]), NgramVocabulary.from_arrays(kept["left_out"]))


def _units(texts: TranslatedTexts, links: Columns) -> tuple[UnitTexts, UnitTexts]:
    return (
        UnitTexts.of_units(texts.lists, linked_units(texts, links)),
        UnitTexts.of_units(texts.lists, left_out_units(texts, links)),
    )
