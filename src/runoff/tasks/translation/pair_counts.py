"""How often phrases are translations of each other, in which orientations, and by which links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.kernels.phrase_pair_counts import add_up, join_links
from runoff.parallel import in_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Ints
    from runoff.tasks.translation.phrase_extraction import PhraseExtraction
    from runoff.tasks.translation.span_numbers import SpanNumbers

_COLUMNS = 7  # occurrences, and those of each orientation to what comes before and after


class _Sums(NamedTuple):
    """Sums of occurrences by key, which is a pair of phrases, and links."""

    keys: Ints
    masks: NDArray[np.uint64]
    counts: NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class PairCounts:
    """The distinct phrase pairs, by source phrase and then target phrase, as numbers of spans of the corpus.

    `counts` has the occurrences of a pair; `orientations` how many of them are monotone, swapped and discontinuous to
    what comes before in the target and, in three more columns, to what comes after; `masks` their most frequent links.
    """

    source: Ints
    target: Ints
    counts: Ints
    orientations: NDArray[np.uint32]
    masks: NDArray[np.uint64]

    def __len__(self) -> int:
        return int(self.source.size)

    @classmethod
    def of(cls, extraction: PhraseExtraction, source: SpanNumbers, target: SpanNumbers) -> PairCounts:
        """Count the occurrences of every pair by sorting.

        O(n log n) for n occurrences; 70 bytes for every one of a piece of a million, and 90 for every different pair.
        """

        def counted(piece: tuple[int, int]) -> _Sums:
            return _counted(extraction, piece, source, target)

        sums = _added(in_threads(counted, list(extraction.pieces())))
        out = _Sums(*map(np.empty_like, sums))
        count = join_links(*sums, out)
        from_source, to_target = np.divmod(out.keys[:count], max(len(target), 1))
        counts = out.counts[:count]
        return cls(from_source, to_target, counts[:, 0].astype(np.int64), counts[:, 1:], out.masks[:count])


def _counted(extraction: PhraseExtraction, piece: tuple[int, int], source: SpanNumbers, target: SpanNumbers) -> _Sums:
    """Sums of one piece of the corpus."""
    found = extraction.occurrences(*piece)
    sentences = np.repeat(np.arange(*piece), np.diff(found.offsets))
    starts, ends, target_starts, target_ends = found.spans.T
    keys = source.of_spans(sentences, starts, ends).astype(np.int64) * len(target)
    keys += target.of_spans(sentences, target_starts, target_ends)
    counts = np.zeros((len(found), _COLUMNS), np.uint32)
    counts[:, 0] = 1
    for side in range(2):
        counts[np.arange(len(found)), 1 + 3 * side + found.orientations[:, side]] = 1
    return _added([_Sums(keys, found.masks, counts)])


def _added(parts: list[_Sums]) -> _Sums:
    """One row for every key and links, in order."""
    keys, masks, counts = (np.concatenate(each) for each in zip(*parts, strict=True))
    out = _Sums(np.empty_like(keys), np.empty_like(masks), np.empty_like(counts))
    size = add_up(np.lexsort((masks, keys)), keys, masks, counts, out)
    return _Sums(out.keys[:size].copy(), out.masks[:size].copy(), out.counts[:size].copy())
