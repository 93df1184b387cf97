"""All phrase pairs of aligned sentences that no word alignment leaves (Och, Tillmann & Ney 1999; Koehn et al. 2003)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Columns, Ints

    Spans = NDArray[np.int32]
    Masks = NDArray[np.uint64]

SIDE = 8  # words of a phrase that a mask of links has room for
_ONE = np.uint64(1)


@compiled
def _add_spans(  # pragma: no cover - compiled
    least: int, most: int, start: int, end: int, linked: Ints, longest: int, spans: Spans, at: int
) -> int:
    """Add the target span [start, end) with all source spans around [least, most] that grow over unaligned words."""
    first = least
    while first >= 0 and most - first < longest and (first == least or linked[first + 1] == linked[first]):
        last = most
        while last + 1 < linked.size and last - first < longest and (last == most or linked[last + 1] == linked[last]):
            if spans.shape[0]:
                spans[at, 0], spans[at, 1] = first, last + 1
                spans[at, 2], spans[at, 3] = start, end
            at += 1
            last += 1
        first -= 1
    return at


@compiled
def _sentence_pairs(  # pragma: no cover - compiled
    source: Columns, target: Columns, n_source: int, n_target: int, longest: int, spans: Spans, at: int
) -> int:
    """Pairs of one sentence from row `at` on; they are only counted where `spans` has no rows."""
    if not source.size:
        return at
    linked = np.zeros(n_source + 1, np.int64)  # links of the words before
    least_target, most_target = np.full(n_source, n_target), np.full(n_source, -1)
    least_source, most_source = np.full(n_target, n_source), np.full(n_target, -1)
    for link in range(source.size):
        f, e = source[link], target[link]
        linked[f + 1] += 1
        least_target[f], most_target[f] = min(least_target[f], e), max(most_target[f], e)
        least_source[e], most_source[e] = min(least_source[e], f), max(most_source[e], f)
    for f in range(n_source):
        linked[f + 1] += linked[f]
    for start in range(n_target):
        least, most = n_source, -1
        for end in range(start + 1, min(n_target, start + longest) + 1):
            least, most = min(least, least_source[end - 1]), max(most, most_source[end - 1])
            if most - least >= longest:
                break
            is_consistent = most >= 0
            for f in range(least, most + 1):
                if least_target[f] < start or most_target[f] >= end:
                    is_consistent = False
                    break
            if is_consistent:
                at = _add_spans(least, most, start, end, linked, longest, spans, at)
    return at


@compiled
def count_phrase_pairs(  # pragma: no cover - compiled
    source: Columns, target: Columns, link_offsets: Ints, n_source: Ints, n_target: Ints, longest: int
) -> Ints:
    """Number of phrase pairs of up to `longest` words a side of every sentence.

    Links of sentence i are those from `link_offsets[i]` to `link_offsets[i + 1]`. O(target words * longest**2).
    """
    nothing = np.empty((0, 4), np.int32)
    counts = np.empty(n_source.size, np.int64)
    for i in range(counts.size):
        links = slice(link_offsets[i], link_offsets[i + 1])
        counts[i] = _sentence_pairs(source[links], target[links], n_source[i], n_target[i], longest, nothing, 0)
    return counts


@compiled
def fill_phrase_pairs(  # pragma: no cover - compiled
    source: Columns, target: Columns, link_offsets: Ints, n_source: Ints, n_target: Ints, longest: int, spans: Spans
) -> None:
    """The same pairs, as rows of source start, source end, target start and target end; as many as were counted."""
    at = 0
    for i in range(n_source.size):
        links = slice(link_offsets[i], link_offsets[i + 1])
        if spans.shape[0]:
            at = _sentence_pairs(source[links], target[links], n_source[i], n_target[i], longest, spans, at)


@compiled
def link_masks(  # pragma: no cover - compiled
    source: Columns, target: Columns, link_offsets: Ints, pair_offsets: Ints, spans: Spans, masks: Masks
) -> None:
    """Links inside of every pair as bits, that of source word i and target word j in place `j * SIDE + i`.

    Links of a sentence are in order, so that those of a consistent pair follow each other. O(log links + links in it).
    """
    for i in range(pair_offsets.size - 1):
        ours = source[link_offsets[i] : link_offsets[i + 1]]
        theirs = target[link_offsets[i] : link_offsets[i + 1]]
        for row in range(pair_offsets[i], pair_offsets[i + 1]):
            mask = np.uint64(0)
            link = np.searchsorted(ours, spans[row, 0])
            while link < ours.size and ours[link] < spans[row, 1]:
                bit = (theirs[link] - spans[row, 2]) * SIDE + ours[link] - spans[row, 0]
                mask |= _ONE << np.uint64(bit)
                link += 1
            masks[row] = mask
