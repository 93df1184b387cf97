"""How many n-grams every two texts of a list share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    import numpy.typing as npt

    from runoff.arrays import Ints

    Bits = npt.NDArray[np.uint64]
    Counts = npt.NDArray[np.int32]

_WORDS = 8  # 64-bit words of a row of bits: one register of 512 bits where there are such
_RARE = 16  # below one text in so many, going through the pairs is cheaper than a column of bits


@compiled
def shared_ngrams(
    offsets: Ints, text_offsets: Ints, numbers: Counts, found: Ints
) -> tuple[Counts, Ints]:  # pragma: no cover - compiled
    """Sum over all n-grams of the smaller of two texts' counts, for every two texts of every list.

    `numbers` and `found` come from `ngram_numbers`. Pairs i < j of list `l`, in the order (0, 1), (0, 2), … (1, 2), …,
    begin at `starts[l]`; `shared[n - 1, starts[l] + p]` is of pair p and order n. The t-th occurrence of an n-gram in a
    text counts as a thing of its own, which the text has or has not: what two texts share is then a popcount of the
    bits of both. O(k² g / 512) for k texts with g different n-grams, in memory O(k²) per list.
    """
    orders, origin = numbers.shape[0], text_offsets[offsets[0]]
    starts = np.zeros(offsets.size, np.int64)
    most_texts, most_tokens = 0, 0
    for group in range(offsets.size - 1):
        k = offsets[group + 1] - offsets[group]
        starts[group + 1] = starts[group] + k * (k - 1) // 2
        most_texts = max(most_texts, k)
        most_tokens = max(most_tokens, text_offsets[offsets[group + 1]] - text_offsets[offsets[group]])
    shared = np.zeros((orders, starts[-1]), np.int32)
    bits = np.zeros((most_texts, _WORDS), np.uint64)
    ends = np.empty(found.max() + 1 if found.size else 1, np.int64)
    owners = np.empty(most_tokens, np.int32)
    having, counts = np.empty(most_texts, np.int32), np.empty(most_texts, np.int32)
    for group in range(offsets.size - 1):
        first, last = offsets[group], offsets[group + 1]
        if last - first < 2:
            continue
        for n in range(orders):
            out = shared[n, starts[group] : starts[group + 1]]
            _sort_owners(first, last, text_offsets, origin, numbers[n], found[group, n], ends, owners)
            used = 0
            for ngram in range(found[group, n]):
                texts = _texts_of(owners[(ends[ngram - 1] if ngram else 0) : ends[ngram]], having, counts)
                level = 1
                while texts > 1:
                    if texts * _RARE < last - first:
                        _add_pairs(having[:texts], last - first, out)
                    else:
                        for at in range(texts):
                            bits[having[at], used >> 6] |= np.uint64(1) << np.uint64(used & 63)
                        used += 1
                        if used == 64 * _WORDS:
                            _add_bits(bits[: last - first], out)
                            used = 0
                    level += 1
                    texts = _with_at_least(level, texts, having, counts)
            if used:
                _add_bits(bits[: last - first], out)
    return shared, starts


@compiled
def _sort_owners(
    first: int,
    last: int,
    text_offsets: Ints,
    origin: int,
    numbers: Counts,
    n_ngrams: int,
    ends: Ints,
    owners: Counts,
) -> None:  # pragma: no cover - compiled
    """Gather for every n-gram the texts, from 0, that have it, once per occurrence and in their order."""
    ends[: n_ngrams + 1] = 0
    for place in range(text_offsets[first] - origin, text_offsets[last] - origin):
        if numbers[place] >= 0:
            ends[numbers[place] + 1] += 1
    for ngram in range(n_ngrams):
        ends[ngram + 1] += ends[ngram]
    for text in range(first, last):
        for place in range(text_offsets[text] - origin, text_offsets[text + 1] - origin):
            if numbers[place] >= 0:
                owners[ends[numbers[place]]] = text - first
                ends[numbers[place]] += 1  # from where its texts begin to where they end


@compiled
def _texts_of(owners: Counts, having: Counts, counts: Counts) -> int:  # pragma: no cover - compiled
    """Write down every text once with how often it comes, and say how many there are."""
    texts = 0
    for owner in owners:
        if texts and having[texts - 1] == owner:
            counts[texts - 1] += 1
        else:
            having[texts], counts[texts] = owner, 1
            texts += 1
    return texts


@compiled
def _with_at_least(level: int, texts: int, having: Counts, counts: Counts) -> int:  # pragma: no cover - compiled
    """Keep the texts whose count reaches a level."""
    kept = 0
    for at in range(texts):
        if counts[at] >= level:
            having[kept], counts[kept] = having[at], counts[at]
            kept += 1
    return kept


@compiled
def _add_pairs(having: Counts, k: int, out: Counts) -> None:  # pragma: no cover - compiled
    """One more for every two of these texts."""
    for at in range(having.size):
        i = np.int64(having[at])
        row = i * (2 * k - i - 1) // 2 - i - 1
        for other in range(at + 1, having.size):
            out[row + having[other]] += 1


@compiled
def _add_bits(bits: Bits, out: Counts) -> None:  # pragma: no cover - compiled
    """Count the bits that every two rows share, then clear them."""
    pair = 0
    for i in range(len(bits)):
        for j in range(i + 1, len(bits)):
            both = np.uint64(0)
            for word in range(_WORDS):
                # Popcount as in Hacker's Delight, which the compiler knows and replaces by its instruction.
                x = bits[i, word] & bits[j, word]
                x -= (x >> np.uint64(1)) & np.uint64(0x5555555555555555)
                x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
                x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
                both += (x * np.uint64(0x0101010101010101)) >> np.uint64(56)
            out[pair] += np.int32(both)
            pair += 1
    bits[:] = 0
