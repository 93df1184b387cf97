"""Edit distance of long sequences, 64 cells of its table at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Floats, Ints

WORD = 64


@njit(cache=True, nogil=True)
def fewest_character_edits(
    offsets: Ints,
    text_offsets: Ints,
    texts: NDArray[np.int32],
    references_of: Ints,
    reference_offsets: Ints,
    references: NDArray[np.int32],
) -> Floats:  # pragma: no cover - compiled
    """Edits and reference characters of every text against its nearest reference.

    Nearest is the one of its group with the fewest edits, then the fewest characters, then the first. Myers (1999)
    with the carries of Hyyrö (2003): O(n m / 64) for n and m characters.
    """
    out = np.zeros((text_offsets.size - 1, 2))
    largest = 0
    for character in references:
        largest = max(largest, character)
    row_of = np.zeros(largest + 2, np.int64)  # of a character in the masks; row 0 is for those that are not there
    for group in range(offsets.size - 1):
        first, last = offsets[group], offsets[group + 1]
        for at in range(references_of[group], references_of[group + 1] if last > first else 0):
            reference = references[reference_offsets[at] : reference_offsets[at + 1]]
            masks = place_masks(reference, row_of)
            for row in range(first, last):
                text = texts[text_offsets[row] : text_offsets[row + 1]]
                edits = distance(text, reference.size, masks, row_of)
                nearer = edits < out[row, 0] or (edits == out[row, 0] and reference.size < out[row, 1])
                if at == references_of[group] or nearer:
                    out[row, 0], out[row, 1] = edits, reference.size
            for character in reference:
                row_of[character] = 0
    return out


@njit(cache=True, nogil=True)
def place_masks(reference: NDArray[np.int32], row_of: Ints) -> NDArray[np.uint64]:  # pragma: no cover - compiled
    """Bits of the places of every character of the reference, and its row in `row_of`."""
    rows = 1
    for character in reference:
        if row_of[character] == 0:
            row_of[character] = rows
            rows += 1
    masks = np.zeros((rows, (reference.size + WORD - 1) // WORD), np.uint64)
    for place in range(reference.size):
        masks[row_of[reference[place]], place // WORD] |= np.uint64(1) << np.uint64(place % WORD)
    return masks


@njit(cache=True, nogil=True)
def distance(
    text: NDArray[np.int32], size: int, masks: NDArray[np.uint64], row_of: Ints
) -> int:  # pragma: no cover - compiled
    """Fewest edits between a text and the reference of `size` characters that the masks describe."""
    if size == 0:
        return text.size
    none, one, top = np.uint64(0), np.uint64(1), np.uint64(WORD - 1)
    words = masks.shape[1]
    end = np.uint64((size - 1) % WORD)
    up, down = np.full(words, ~none), np.zeros(words, np.uint64)
    edits = size
    for character in text:
        row = row_of[character] if character < row_of.size else 0
        carry_up, carry_down = one, none  # the table's first row grows by one at every character
        for word in range(words):
            rises, falls = up[word], down[word]
            same = masks[row, word]
            diagonal = same | falls
            same |= carry_down
            across = (((same & rises) + rises) ^ rises) | same
            grows = falls | ~(across | rises)
            shrinks = rises & across
            last = end if word == words - 1 else top
            out_up, out_down = (grows >> last) & one, (shrinks >> last) & one
            grows = (grows << one) | carry_up
            shrinks = (shrinks << one) | carry_down
            up[word] = shrinks | ~(diagonal | grows)
            down[word] = grows & diagonal
            carry_up, carry_down = out_up, out_down
        edits += int(carry_up) - int(carry_down)
    return edits
