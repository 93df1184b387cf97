"""Counts of word and character n-grams as sparse features.

An n-gram that is equally frequent in all texts of a list cannot help to choose there: that list neither counts towards
the vocabulary nor gets the feature. Columns are named after n-grams that are in enough lists, or hashed (Weinberger et
al. 2009, with plain sums), in which case there is nothing to fit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from runoff.arrays import frozen
from runoff.errors import UsageError, brief
from runoff.kernels import text_ngrams as kernel
from runoff.nbest import Features
from runoff.parallel import in_threads
from runoff.tasks.text.features.ngram_units import NgramUnits
from runoff.tasks.text.features.ngram_vocabulary import PREFIX, NgramVocabulary, checked_kind, checked_orders

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from runoff.arrays import Bools, Columns, Ints, Singles
    from runoff.tasks.text.distinct_texts import DistinctTexts
    from runoff.tasks.text.features.ngram_units import Kind

    Keys = NDArray[np.uint64]

__all__ = ["NgramVocabulary", "fit_vocabulary", "ngram_features"]

_RANGES = 16  # in which the keys of all lists are sorted one after another
_SPELLERS = 4


def fit_vocabulary(
    lists: DistinctTexts,
    kind: Kind = "words",
    orders: Sequence[int] | None = None,
    min_lists: int = 5,
    max_features: int = 200_000,
    hashed: int = 0,
) -> NgramVocabulary:
    """Find the n-grams whose counts differ between the texts of at least `min_lists` lists.

    At most `max_features` are kept: those in the most lists, ties by spelling. The default `orders` are 1 and 2 for
    words, 3 and 4 for characters. With `hashed` columns, a power of two, nothing is fitted; see
    `NgramVocabulary.by_hash`. O(n log n) time and 8n bytes for n n-grams, counted once per list.

    Examples
    --------
    >>> from runoff.tasks.text.distinct_texts import DistinctTexts
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["a cat", "a dog", "the cat", "a cat"], sizes=[2, 2])
    >>> sorted(fit_vocabulary(DistinctTexts.of(data), min_lists=2).names.to_pylist())
    ['word:a cat']
    """
    kind, chosen = checked_kind(kind), checked_orders(kind, orders)
    if hashed:
        return NgramVocabulary.by_hash(kind, chosen, hashed)
    for name, value in (("min_lists", min_lists), ("max_features", max_features)):
        if not isinstance(value, int) or value < 1:
            raise UsageError(f"{name} must be a whole number of at least 1; found {brief(value)}.")
    empty = NgramVocabulary(kind, chosen, frozen(np.empty(0, np.uint64)), pa.array([], pa.large_string()))
    units = NgramUnits.of(lists, kind)
    keys, n_lists = _frequent(units, empty.wanted, min_lists)
    if keys.size > max_features:  # ties with the last one are kept for now
        enough = n_lists >= np.partition(n_lists, keys.size - max_features)[keys.size - max_features]
        keys, n_lists = keys[enough], n_lists[enough]
    spelled = _spelled(units, keys, empty.wanted)
    if keys.size > max_features:
        order = units.by_spelling(spelled)
        order = order[np.argsort(-n_lists[order], kind="stable")]
        kept = np.sort(order[:max_features])
        keys, spelled = keys[kept], spelled[kept]
    names = [f"{PREFIX[kind]}:{name}" for name in units.spelled(spelled)]
    return NgramVocabulary(kind, chosen, frozen(keys), pa.array(names, pa.large_string()))


def ngram_features(lists: DistinctTexts, vocabulary: NgramVocabulary) -> Features:
    """Counts of the vocabulary's n-grams in every text, if they differ within its list.

    O(characters), and sorting the columns of each text.

    Examples
    --------
    >>> from runoff.tasks.text.distinct_texts import DistinctTexts
    >>> from runoff.nbest import NBest
    >>> lists = DistinctTexts.of(NBest.from_arrays(texts=["a cat", "a cat cat"], sizes=[2]))
    >>> features = ngram_features(lists, fit_vocabulary(lists, min_lists=1))
    >>> dict(zip(features.names.to_pylist(), features.to_scipy().toarray().T.tolist()))
    {'word:cat': [1.0, 2.0], 'word:cat cat': [0.0, 1.0]}
    """
    units = NgramUnits.of(lists, vocabulary.kind)
    wanted, keys = vocabulary.wanted, vocabulary.keys
    slots = frozen(np.empty(0, np.int32) if vocabulary.hashed else kernel.slots_of(keys))
    mask = np.uint64(max(vocabulary.hashed, 1) - 1)

    def piece(cut: tuple[int, int]) -> tuple[Ints, Columns, Singles]:
        found: tuple[Ints, Columns, Singles] = kernel.counts(
            *units.of_lists(*cut), units.hashes, wanted, keys, slots, mask
        )
        return found

    found = in_threads(piece, units.pieces())
    indptr = np.zeros(lists.n_texts + 1, np.int64)
    np.cumsum(np.concatenate([indptr[:0], *(lengths for lengths, _, _ in found)]), out=indptr[1:])
    end = int(indptr[-1])
    columns, values = np.empty(end, np.int32), np.empty(end, np.float32)
    while found:  # each piece is freed once it is copied
        _, piece_columns, piece_values = found.pop()
        start = end - piece_columns.size
        columns[start:end], values[start:end] = piece_columns, piece_values
        end = start
    return Features.from_csr(indptr, columns, values, len(vocabulary), vocabulary.names)


def _frequent(units: NgramUnits, wanted: Bools, min_lists: int) -> tuple[Keys, Ints]:
    """Keys of n-grams whose counts differ in enough lists, ascending, and the number of these lists."""

    def piece(cut: tuple[int, int]) -> Keys:
        keys: Keys = kernel.telling_keys(*units.of_lists(*cut), units.hashes, wanted)
        keys.sort()
        return keys

    rising = in_threads(piece, units.pieces())
    starts = (np.arange(1, _RANGES, dtype=np.uint64)) << np.uint64(60)
    cuts = [[0, *np.searchsorted(keys, starts).tolist(), keys.size] for keys in rising]

    def key_range(at: int) -> tuple[Keys, Ints]:
        parts = [keys[cut[at] : cut[at + 1]] for keys, cut in zip(rising, cuts, strict=True)]
        joined = np.concatenate([np.empty(0, np.uint64), *parts])
        joined.sort()
        found: tuple[Keys, Ints] = kernel.runs(joined, min_lists)
        return found

    keys, n_lists = zip(*in_threads(key_range, range(_RANGES)), strict=True)
    return np.concatenate(keys), np.concatenate(n_lists)


def _spelled(units: NgramUnits, keys: Keys, wanted: Bools) -> Ints:
    """Units of the n-grams with these keys, padded with -1."""
    out = np.full((keys.size, wanted.size - 1), -1, np.int64)
    slots, known = frozen(kernel.slots_of(keys)), frozen(keys)

    def part(number: int) -> None:
        for cut in units.pieces():
            _, starts, found = units.of_lists(*cut)
            kernel.spell(starts, found, units.hashes, wanted, known, slots, number, _SPELLERS, out)

    in_threads(part, range(_SPELLERS))
    return out
