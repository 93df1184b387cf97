"""Sparse features of units that are made from texts, such as linked words or tags: counts of units and their n-grams.

The frequency cut and the loops are those of word n-grams: units and n-grams count that differ in number between the
candidates of enough lists.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from runoff.nbest import Features
from runoff.tasks.text.distinct_texts import DistinctTexts
from runoff.tasks.text.features.ngrams import fit_vocabulary, ngram_features

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.metrics.tokens import Tokens
    from runoff.tasks.text.features.ngram_vocabulary import NgramVocabulary

_PREFIX = "word:"  # of the names of word n-grams


@dataclass(frozen=True, eq=False)
class UnitTexts(DistinctTexts):
    """The distinct texts of lists, with units in place of words.

    Examples
    --------
    >>> from runoff.metrics.tokens import tokenised
    >>> from runoff.nbest import NBest
    >>> lists = DistinctTexts.of(NBest.from_arrays(texts=["ein Hund", "Hund"], sizes=[2]))
    >>> units = UnitTexts.of_units(lists, tokenised(["a=ein dog=Hund", "dog=Hund"], str.split))
    >>> vocabulary = fit_units(units, (1, 2), 1)
    >>> found = unit_features(units, vocabulary, "pair")
    >>> sorted(found.names.to_pylist())
    ['pair:a=ein', 'pair:a=ein dog=Hund']
    """

    units: Tokens

    @classmethod
    def of_units(cls, lists: DistinctTexts, units: Tokens) -> UnitTexts:
        """The lists with these units, one text of them for every distinct text."""
        return cls(lists.data, lists.texts, lists.offsets, lists.text_of, lists.copies, units)

    @property
    def words(self) -> Tokens:
        """The units."""
        return self.units


def fit_units(units: UnitTexts, orders: Sequence[int], min_lists: int) -> NgramVocabulary:
    """The n-grams of units whose counts differ between the candidates of at least `min_lists` lists."""
    return fit_vocabulary(units, "words", orders, min_lists)


def unit_features(units: UnitTexts, vocabulary: NgramVocabulary, prefix: str) -> Features:
    """Counts of the n-grams in every distinct text, named `prefix:…`. O(units)."""
    found = ngram_features(units, vocabulary)
    return Features.from_csr(found.indptr, found.indices, found.values, found.n_columns, unit_names(vocabulary, prefix))


def unit_names(vocabulary: NgramVocabulary, prefix: str) -> pa.Array:
    """Names of the columns."""
    return pc.binary_join_element_wise(
        pa.scalar(prefix, pa.large_string()),
        pc.utf8_slice_codeunits(vocabulary.names, len(_PREFIX)),
        pa.scalar(":", pa.large_string()),
    )
