"""How a phrase pair stands to what comes before and after it in the target: monotone, swapped or apart.

Tillmann (2004), Koehn et al. (2005) by words, Galley & Manning (2008) by phrases.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Columns, Ints

    Spans = NDArray[np.int32]
    Orientations = NDArray[np.uint8]

MONOTONE, SWAP, DISCONTINUOUS = range(3)


@compiled
def _is_linked(  # pragma: no cover - compiled
    source: Columns, target: Columns, n_source: int, n_target: int, f: int, e: int
) -> bool:
    """Whether two words are linked; beyond both ends of a sentence pair there is a link."""
    if (f == -1 and e == -1) or (f == n_source and e == n_target):
        return True
    low, high = 0, source.size
    while low < high:
        middle = (low + high) // 2
        if source[middle] < f or (source[middle] == f and target[middle] < e):
            low = middle + 1
        else:
            high = middle
    return low < source.size and source[low] == f and target[low] == e


@compiled
def _orientation(ahead: bool, behind: bool) -> int:  # pragma: no cover - compiled
    if ahead and not behind:
        return MONOTONE
    return SWAP if behind and not ahead else DISCONTINUOUS


@compiled
def word_orientations(  # pragma: no cover - compiled
    source: Columns,
    target: Columns,
    link_offsets: Ints,
    n_source: Ints,
    n_target: Ints,
    pair_offsets: Ints,
    spans: Spans,
    found: Orientations,
) -> None:
    """Orientation of every pair to the word before and to the word after its target side.

    Monotone where that word is linked to the next source word on one side of the pair but not to that on the other,
    swap where it is the other way around. As Moses' extract. O(log links) for every pair.
    """
    for i in range(pair_offsets.size - 1):
        links = slice(link_offsets[i], link_offsets[i + 1])
        f, e, n, m = source[links], target[links], n_source[i], n_target[i]
        for row in range(pair_offsets[i], pair_offsets[i + 1]):
            left, right = spans[row, 0] - 1, spans[row, 1]
            before, after = spans[row, 2] - 1, spans[row, 3]
            found[row, 0] = _orientation(_is_linked(f, e, n, m, left, before), _is_linked(f, e, n, m, right, before))
            found[row, 1] = _orientation(_is_linked(f, e, n, m, right, after), _is_linked(f, e, n, m, left, after))


@compiled
def _has(codes: Ints, code: int) -> bool:  # pragma: no cover - compiled
    at = np.searchsorted(codes, code)
    return bool(at < codes.size and codes[at] == code)


@compiled
def by_phrases(  # pragma: no cover - compiled
    pair_offsets: Ints, n_source: Ints, n_target: Ints, spans: Spans, found: Orientations
) -> None:
    """Change orientations by words where a whole phrase pair of the same sentence comes before or after.

    Monotone where a pair ends right before in both languages, else swap where one ends right before in the target and
    begins right after in the source; after the pair likewise. O(p log p) for p pairs of a sentence.
    """
    for i in range(pair_offsets.size - 1):
        rows = spans[pair_offsets[i] : pair_offsets[i + 1]].astype(np.int64)
        width, places = n_source[i] + 1, (n_source[i] + 1) * (n_target[i] + 1)
        # A corner of a pair in source and target as one number, after the number of the corner.
        ends = np.sort(np.append(rows[:, 3] * width + rows[:, 1], places + rows[:, 3] * width + rows[:, 0]))
        starts = np.sort(np.append(rows[:, 2] * width + rows[:, 0], places + rows[:, 2] * width + rows[:, 1]))
        for at in range(rows.shape[0]):
            row = pair_offsets[i] + at
            left, right, before, after = rows[at]
            found[row, 0] = _chosen(
                found[row, 0], _has(ends, before * width + left), _has(ends, places + before * width + right)
            )
            found[row, 1] = _chosen(
                found[row, 1], _has(starts, after * width + right), _has(starts, places + after * width + left)
            )


@compiled
def _chosen(by_words: int, monotone: bool, swap: bool) -> int:  # pragma: no cover - compiled
    if monotone or by_words == MONOTONE:
        return MONOTONE
    return SWAP if swap or by_words == SWAP else DISCONTINUOUS
