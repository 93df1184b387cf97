"""A phrase table from aligned sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import pyarrow as pa

from runoff.arrays import frozen
from runoff.errors import UsageError
from runoff.kernels.phrase_pair_counts import count_links, unpack_links
from runoff.tasks.translation.pair_counts import PairCounts
from runoff.tasks.translation.phrase_extraction import PhraseExtraction, checked_links
from runoff.tasks.translation.phrase_scores import LexicalWeights, Smoothing, orientation_logs, probabilities
from runoff.tasks.translation.phrase_table import DIRECT, PhraseTable
from runoff.tasks.translation.span_numbers import SpanNumbers

if TYPE_CHECKING:
    from runoff.arrays import Ints
    from runoff.tasks.translation.alignments import Alignments
    from runoff.tasks.translation.bitext import Bitext

Reordering = Literal["word", "phrase", "none"]


def build_phrase_table(
    bitext: Bitext,
    alignments: Alignments,
    *,
    max_length: int = 7,
    smoothing: Smoothing = "kneser-ney",
    reordering: Reordering = "word",
    min_count: int = 1,
) -> PhraseTable:
    """Extract all phrase pairs and score them.

    Parameters
    ----------
    bitext, alignments
        Sentence pairs and their links, of which there may be none.
    max_length
        Most words of a phrase, up to 8.
    smoothing
        Of the probabilities of phrases: `"kneser-ney"` (Foster, Kuhn & Johnson 2006) or `"none"`, relative frequencies.
    reordering
        How orientations are told, by `"word"` or by `"phrase"`; `"none"` for a table without them.
    min_count
        Pairs that occur less often are left out when all has been counted.

    Notes
    -----
    O(n log n) for n occurrences of pairs; memory is that of the different pairs, about 200 bytes each.
    """
    if smoothing not in get_args(Smoothing):
        raise UsageError(f"phrases are smoothed by {' or '.join(get_args(Smoothing))}; found {smoothing!r}.")
    if reordering not in get_args(Reordering):
        raise UsageError(f"reordering is one of {', '.join(get_args(Reordering))}; found {reordering!r}.")
    if min_count < 1:
        raise UsageError(f"min_count must be a whole number of at least 1; found {min_count!r}.")
    extraction = PhraseExtraction(bitext, alignments, max_length, "phrase" if reordering == "phrase" else "word")
    source, target = SpanNumbers.of(bitext.source, max_length), SpanNumbers.of(bitext.target, max_length)
    pairs = PairCounts.of(extraction, source, target)
    weights = LexicalWeights(source, target, checked_links(bitext, alignments))
    scores = np.empty((len(pairs), 4), np.float32)
    scores[:, 0] = np.log(probabilities(pairs.target, pairs.source, pairs.counts, smoothing))
    scores[:, 1] = weights.inverse(pairs)
    scores[:, 2] = np.log(probabilities(pairs.source, pairs.target, pairs.counts, smoothing))
    scores[:, 3] = weights.direct(pairs)
    counts = np.empty((len(pairs), 3), np.float32)
    counts[:, 0] = pairs.counts
    counts[:, 1] = np.bincount(pairs.target, pairs.counts)[pairs.target]
    counts[:, 2] = np.bincount(pairs.source, pairs.counts)[pairs.source]
    np.minimum(scores, 0, out=scores)
    kept = np.flatnonzero(pairs.counts >= min_count)
    order = kept[np.lexsort((pairs.target[kept], -scores[kept, DIRECT], pairs.source[kept]))]
    phrases, option_offsets = _runs(pairs.source[order])
    phrase_offsets, phrase_words = source.spelled(phrases)
    target_offsets, target_ids = target.spelled(pairs.target[order])
    link_offsets = np.concatenate([[0], np.cumsum(count_links(pairs.masks[order]))])
    links = np.empty((int(link_offsets[-1]), 2), np.uint8)
    unpack_links(pairs.masks[order], link_offsets, links)
    return PhraseTable(
        bitext.source.spelling.cast(pa.large_string()),
        bitext.target.spelling.cast(pa.large_string()),
        frozen(phrase_offsets),
        frozen(phrase_words),
        frozen(option_offsets),
        frozen(target_offsets),
        frozen(target_ids),
        frozen(scores[order]),
        None if reordering == "none" else frozen(orientation_logs(pairs.orientations[order])),
        frozen(link_offsets),
        frozen(links),
        frozen(counts[order]),
    )


def _runs(values: Ints) -> tuple[Ints, Ints]:
    """The different values of a sorted array, and where the run of each begins; the end is added."""
    different, starts = np.unique(values, return_index=True)
    return different, np.append(starts, values.size)
