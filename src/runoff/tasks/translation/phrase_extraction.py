"""Phrase pairs of aligned sentences: all that no link leaves, with how each stands to its neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from runoff.arrays import frozen
from runoff.errors import DataError, UsageError
from runoff.kernels.phrase_orientation import by_phrases, word_orientations
from runoff.kernels.phrase_pairs import SIDE, count_phrase_pairs, fill_phrase_pairs, link_masks
from runoff.parallel import even_cuts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from runoff.arrays import Columns, Ints
    from runoff.tasks.translation.alignments import Alignments
    from runoff.tasks.translation.bitext import Bitext

Orientation = Literal["word", "phrase"]
LONGEST = SIDE  # words of a phrase
_PIECE = 1 << 20  # occurrences at a time


@dataclass(frozen=True, eq=False)
class PhraseOccurrences:
    """Occurrences of phrase pairs in the sentences from `first` on, sentence by sentence.

    Those of sentence `first + i` are the rows from `offsets[i]` to `offsets[i + 1]`: `spans` has source start, source
    end, target start and target end in the sentence; `orientations` says how the pair stands to the target word before
    and after (0 monotone, 1 swap, 2 discontinuous); bit `8 * j + i` of `masks` is the link of source word i and target
    word j of the pair.
    """

    first: int
    offsets: Ints
    spans: NDArray[np.int32]
    orientations: NDArray[np.uint8]
    masks: NDArray[np.uint64]

    def __len__(self) -> int:
        return int(self.masks.size)


def extract_phrases(
    bitext: Bitext, alignments: Alignments, *, max_length: int = 7, orientation: Orientation = "word"
) -> PhraseOccurrences:
    """All consistent phrase pairs of up to `max_length` words a side (Koehn, Och & Marcu 2003).

    A pair has at least one link, and no link leaves it; words without a link may stand at its borders, so that one
    target phrase can have several source phrases. `orientation="word"` looks at the links of neighbouring words, as
    Moses' extract; `"phrase"` also at neighbouring phrase pairs (Galley & Manning 2008).
    O(target words * max_length**2) time; 30 bytes for every occurrence.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from runoff.metrics.tokens import tokenised
    >>> from runoff.tasks.translation.bitext import Bitext
    >>> pair = Bitext(tokenised(["la maison"], str.split), tokenised(["the house"], str.split))
    >>> links = SimpleNamespace(offsets=np.array([0, 2]), source=np.array([0, 1]), target=np.array([0, 1]))
    >>> extract_phrases(pair, links).spans.tolist()
    [[0, 1, 0, 1], [0, 2, 0, 2], [1, 2, 1, 2]]
    """
    extraction = PhraseExtraction(bitext, alignments, max_length, orientation)
    return extraction.occurrences(0, len(bitext))


class PhraseExtraction:
    """Phrase pairs of a corpus, piece by piece: a piece takes a fixed amount of memory."""

    def __init__(self, bitext: Bitext, alignments: Alignments, max_length: int, orientation: Orientation) -> None:
        check_extraction(max_length, orientation)
        self.n_source, self.n_target = bitext.source.lengths, bitext.target.lengths
        self._links = checked_links(bitext, alignments)
        self._longest, self._orientation = max_length, orientation
        source, target, offsets = self._links
        self.counts = count_phrase_pairs(source, target, offsets, self.n_source, self.n_target, max_length)

    def __len__(self) -> int:
        return int(self.counts.sum())

    def pieces(self) -> Iterator[tuple[int, int]]:
        """Ranges of sentences with about a million occurrences each."""
        if not self.counts.size:
            return iter([(0, 0)])
        cuts = even_cuts(np.concatenate([[0], np.cumsum(self.counts)]), -(-len(self) // _PIECE) or 1)
        return zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True)

    def occurrences(self, first: int, end: int) -> PhraseOccurrences:
        """Those of the sentences from `first` up to `end`."""
        source, target, links = self._links
        ours, n_source, n_target = links[first : end + 1], self.n_source[first:end], self.n_target[first:end]
        offsets = np.concatenate([[0], np.cumsum(self.counts[first:end])])
        spans = np.empty((int(offsets[-1]), 4), np.int32)
        orientations, masks = np.empty((len(spans), 2), np.uint8), np.empty(len(spans), np.uint64)
        fill_phrase_pairs(source, target, ours, n_source, n_target, self._longest, spans)
        link_masks(source, target, ours, offsets, spans, masks)
        word_orientations(source, target, ours, n_source, n_target, offsets, spans, orientations)
        if self._orientation == "phrase":
            by_phrases(offsets, n_source, n_target, spans, orientations)
        return PhraseOccurrences(first, *map(frozen, (offsets, spans, orientations, masks)))


def check_extraction(max_length: int, orientation: str) -> None:
    """Raise a `UsageError` for lengths and orientations that there are not."""
    if not 1 <= max_length <= LONGEST:
        raise UsageError(f"phrases can have from 1 to {LONGEST} words; found max_length {max_length!r}.")
    if orientation not in get_args(Orientation):
        raise UsageError(f"the orientation of phrases is by word or phrase; found {orientation!r}.")


def checked_links(bitext: Bitext, alignments: Alignments) -> tuple[Columns, Columns, Ints]:
    """Source places, target places and offsets of links that are those of the sentences, in order. O(links)."""
    source = np.ascontiguousarray(alignments.source, np.int32)
    target = np.ascontiguousarray(alignments.target, np.int32)
    offsets = np.ascontiguousarray(alignments.offsets, np.int64)
    if offsets.size != len(bitext) + 1:
        raise UsageError(
            f"there are alignments of {offsets.size - 1:,} sentences, and {len(bitext):,} sentence pairs; they must "
            "belong together."
        )
    if offsets[0] != 0 or offsets[-1] != source.size or source.size != target.size or (np.diff(offsets) < 0).any():
        raise DataError("the offsets of the alignments do not cut their links into sentences.")
    sentences = np.repeat(np.arange(len(bitext)), np.diff(offsets))
    is_outside = (source < 0) | (source >= bitext.source.lengths[sentences])
    is_outside |= (target < 0) | (target >= bitext.target.lengths[sentences])
    if is_outside.any():
        at = int(np.argmax(is_outside))
        raise DataError(
            f"sentence {sentences[at] + 1:,} has the link {source[at]}-{target[at]}, but "
            f"{bitext.source.lengths[sentences[at]]} source and {bitext.target.lengths[sentences[at]]} target words."
        )
    rises = (np.diff(source) > 0) | ((np.diff(source) == 0) & (np.diff(target) > 0)) | (np.diff(sentences) > 0)
    if not rises.all():
        at = int(np.argmin(rises)) + 1
        raise DataError(
            f"the links of sentence {sentences[at] + 1:,} must be different and in order; found "
            f"{source[at - 1]}-{target[at - 1]} before {source[at]}-{target[at]}."
        )
    return source, target, offsets
