"""N-grams of words and of characters as features: those that tell the texts of a list apart, counted in each text.

An n-gram that all texts of a list have equally often says nothing there: that list neither learns it nor has it as a
feature. Columns have the names of n-grams that enough lists have, or numbers by which any n-gram finds its column (the
hashing trick of Weinberger et al. 2009, with plain sums) where nothing is to be learned.
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
from runoff.tasks.text.features.ngram_units import Units
from runoff.tasks.text.features.ngram_vocabulary import PREFIX, Vocabulary, checked_kind, checked_orders

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from runoff.arrays import Bools, Columns, Ints, Singles
    from runoff.tasks.text.features.ngram_units import Kind
    from runoff.tasks.text.lists import TextLists

    Keys = NDArray[np.uint64]

__all__ = ["Vocabulary", "learn_ngrams", "ngram_features"]

_RANGES = 16  # in which keys of all lists are sorted one after the other
_SPELLERS = 4


def learn_ngrams(
    lists: TextLists,
    kind: Kind = "words",
    orders: Sequence[int] | None = None,
    min_lists: int = 5,
    most: int = 200_000,
    hashed: int = 0,
) -> Vocabulary:
    """Find the n-grams that tell texts apart in at least `min_lists` lists.

    There are at most `most`: those of the most lists, then the first by the spellings of their units. N-grams of
    words have 1 and 2 of them where `orders` does not say otherwise, n-grams of characters 3 and 4. With a number of
    `hashed` columns, a power of two, nothing is learned: see `Vocabulary.by_hash`.
    O(n log n) for n n-grams of lists, with eight bytes of memory for each.

    Examples
    --------
    >>> from runoff.tasks.text.lists import TextLists
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["a cat", "a dog", "the cat", "a cat"], sizes=[2, 2])
    >>> sorted(learn_ngrams(TextLists.of(data), min_lists=2).names.to_pylist())
    ['word:a cat']
    """
    kind, chosen = checked_kind(kind), checked_orders(kind, orders)
    if hashed:
        return Vocabulary.by_hash(kind, chosen, hashed)
    for name, value in (("min_lists", min_lists), ("most", most)):
        if not isinstance(value, int) or value < 1:
            raise UsageError(f"{name} must be a whole number of at least 1; found {brief(value)}.")
    empty = Vocabulary(kind, chosen, frozen(np.empty(0, np.uint64)), pa.array([], pa.large_string()))
    units = Units.of(lists, kind)
    keys, n_lists = _frequent(units, empty.wanted, min_lists)
    if keys.size > most:  # what ties with the last one is kept for now
        enough = n_lists >= np.partition(n_lists, keys.size - most)[keys.size - most]
        keys, n_lists = keys[enough], n_lists[enough]
    spelled = _spelled(units, keys, empty.wanted)
    if keys.size > most:
        order = units.by_spelling(spelled)
        order = order[np.argsort(-n_lists[order], kind="stable")]
        kept = np.sort(order[:most])
        keys, spelled = keys[kept], spelled[kept]
    names = [f"{PREFIX[kind]}:{name}" for name in units.spelled(spelled)]
    return Vocabulary(kind, chosen, frozen(keys), pa.array(names, pa.large_string()))


def ngram_features(lists: TextLists, vocabulary: Vocabulary) -> Features:
    """How often every text has the n-grams of the vocabulary, where these tell the texts of its list apart.

    O(characters), and sorting the columns of a text.

    Examples
    --------
    >>> from runoff.tasks.text.lists import TextLists
    >>> from runoff.nbest import NBest
    >>> lists = TextLists.of(NBest.from_arrays(texts=["a cat", "a cat cat"], sizes=[2]))
    >>> features = ngram_features(lists, learn_ngrams(lists, min_lists=1))
    >>> dict(zip(features.names.to_pylist(), features.to_scipy().toarray().T.tolist()))
    {'word:cat': [1.0, 2.0], 'word:cat cat': [0.0, 1.0]}
    """
    units = Units.of(lists, vocabulary.kind)
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
    while found:  # each piece is let go when it is copied
        _, piece_columns, piece_values = found.pop()
        start = end - piece_columns.size
        columns[start:end], values[start:end] = piece_columns, piece_values
        end = start
    return Features.from_csr(indptr, columns, values, len(vocabulary), vocabulary.names)


def _frequent(units: Units, wanted: Bools, min_lists: int) -> tuple[Keys, Ints]:
    """Keys that tell texts apart in enough lists, rising, and the number of these lists."""

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


def _spelled(units: Units, keys: Keys, wanted: Bools) -> Ints:
    """Units of the n-grams that have these keys, -1 after the last."""
    out = np.full((keys.size, wanted.size - 1), -1, np.int64)
    slots, known = frozen(kernel.slots_of(keys)), frozen(keys)

    def part(number: int) -> None:
        for cut in units.pieces():
            _, starts, found = units.of_lists(*cut)
            kernel.spell(starts, found, units.hashes, wanted, known, slots, number, _SPELLERS, out)

    in_threads(part, range(_SPELLERS))
    return out
