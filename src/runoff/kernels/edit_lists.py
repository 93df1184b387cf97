"""Edit distance by bits, 64 cells of its table at a time: to references, and between every two texts of a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    import numpy.typing as npt

    from runoff.arrays import Floats, Ints

    Bits = npt.NDArray[np.uint64]

_ZERO, _ONE, _TOP = np.uint64(0), np.uint64(1), np.uint64(63)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@compiled
def nearest_edits(
    offsets: Ints, text_offsets: Ints, references_of: Ints, reference_offsets: Ints, tokens: Ints, n_tokens: int
) -> Floats:  # pragma: no cover - compiled
    """Edits and reference tokens of every text against its nearest reference.

    Nearest is the one of its group with the fewest edits, then the fewest tokens, then the first. References of group
    `g` are `references_of[g]` to `references_of[g + 1]`; both kinds of offsets point into `tokens`, numbers below
    `n_tokens`. Cost as for `edit_sums`.
    """
    out = np.zeros((text_offsets.size - 1, 2))
    slots = np.zeros(n_tokens + 1, np.int32)  # 0: not in the pattern
    for group in range(offsets.size - 1):
        first, last = offsets[group], offsets[group + 1]
        for at in range(references_of[group], references_of[group + 1] if last > first else 0):
            pattern = tokens[reference_offsets[at] : reference_offsets[at + 1]]
            places = _places(pattern, slots)
            up, down = np.empty(places.shape[1], np.uint64), np.empty(places.shape[1], np.uint64)
            for row in range(first, last):
                text = tokens[text_offsets[row] : text_offsets[row + 1]]
                edits = _edits(places, pattern.size, text, slots, up, down)
                nearer = edits < out[row, 0] or (edits == out[row, 0] and pattern.size < out[row, 1])
                if at == references_of[group] or nearer:
                    out[row, 0], out[row, 1] = edits, pattern.size
            for token in pattern:
                slots[token] = 0
    return out


@compiled
def edit_sums(
    offsets: Ints, text_offsets: Ints, tokens: Ints, n_tokens: int, weights: Floats
) -> Floats:  # pragma: no cover - compiled
    """Sum over the other texts j of a list of weight j times the edits between i and j.

    Texts of list `l` are `offsets[l]` to `offsets[l + 1]`, tokens (numbers below `n_tokens`) of text `t` those from
    `text_offsets[t]` to `text_offsets[t + 1]`; `weights` and the result have a row for each text.
    Edits are substitutions, insertions and deletions (Levenshtein), by Myers 1999 in the form of Hyyrö 2003.
    O(m n / 64) per pair of texts with m and n tokens, O(m²/64) memory.
    """
    sums = np.zeros(weights.shape)
    slots = np.zeros(n_tokens + 1, np.int32)  # 0: not in the pattern
    for group in range(offsets.size - 1):
        for i in range(offsets[group], offsets[group + 1]):
            pattern = tokens[text_offsets[i] : text_offsets[i + 1]]
            places = _places(pattern, slots)
            up, down = np.empty(places.shape[1], np.uint64), np.empty(places.shape[1], np.uint64)
            for j in range(i + 1, offsets[group + 1]):
                text = tokens[text_offsets[j] : text_offsets[j + 1]]
                edits = _edits(places, pattern.size, text, slots, up, down)
                for column in range(weights.shape[1]):
                    sums[i, column] += weights[j, column] * edits
                    sums[j, column] += weights[i, column] * edits
            for token in pattern:
                slots[token] = 0
    return sums


@compiled
def _places(pattern: Ints, slots: npt.NDArray[np.int32]) -> Bits:  # pragma: no cover - compiled
    """Bits of the places where each token of the pattern stands; its row is the token's slot."""
    different = 0
    for token in pattern:
        if slots[token] == 0:
            different += 1
            slots[token] = different
    places = np.zeros((different + 1, (pattern.size + 63) // 64), np.uint64)
    for at in range(pattern.size):
        places[slots[pattern[at]], at >> 6] |= _ONE << np.uint64(at & 63)
    return places


@compiled
def _edits(
    places: Bits, length: int, text: Ints, slots: npt.NDArray[np.int32], up: Bits, down: Bits
) -> np.int64:  # pragma: no cover - compiled
    """Edits between a text and the pattern of so many tokens that stands in `places`; `up` and `down` are room."""
    if length == 0:
        return np.int64(text.size)
    if length <= 64:
        return _short(places[:, 0], length, text, slots)
    return _long(places, length, text, slots, up, down)


@compiled
def _short(
    places: Bits, length: int, text: Ints, slots: npt.NDArray[np.int32]
) -> np.int64:  # pragma: no cover - compiled
    """Edits between a text and a pattern of at most 64 tokens."""
    edits, last = np.int64(length), np.uint64(length - 1)
    up, down = _ALL, _ZERO
    for token in text:
        here = places[slots[token]]
        diagonal = (((here & up) + up) ^ up) | here | down
        plus = down | ~(diagonal | up)
        minus = up & diagonal
        edits += np.int64((plus >> last) & _ONE) - np.int64((minus >> last) & _ONE)
        plus = (plus << _ONE) | _ONE
        minus = minus << _ONE
        up = minus | ~(diagonal | plus)
        down = plus & diagonal
    return edits


@compiled
def _long(
    places: Bits, length: int, text: Ints, slots: npt.NDArray[np.int32], up: Bits, down: Bits
) -> np.int64:  # pragma: no cover - compiled
    """Edits between a text and a pattern of any length: blocks of 64 that hand their last row on."""
    edits, last = np.int64(length), np.uint64((length - 1) & 63)
    up[:], down[:] = _ALL, _ZERO
    for token in text:
        row = slots[token]
        plus_in, minus_in = _ONE, _ZERO
        for block in range(up.size):
            rising, falling = up[block], down[block]
            here = places[row, block]
            vertical = here | falling
            here |= minus_in
            diagonal = (((here & rising) + rising) ^ rising) | here
            plus = falling | ~(diagonal | rising)
            minus = rising & diagonal
            if block == up.size - 1:
                edits += np.int64((plus >> last) & _ONE) - np.int64((minus >> last) & _ONE)
            plus_out, minus_out = plus >> _TOP, minus >> _TOP
            plus = (plus << _ONE) | plus_in
            minus = (minus << _ONE) | minus_in
            up[block] = minus | ~(vertical | plus)
            down[block] = plus & vertical
            plus_in, minus_in = plus_out, minus_out
    return edits
