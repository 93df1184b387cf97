"""The table of features of lists of labellings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.features.columns import concat_columns
from runoff.kernels.groups import softmax
from runoff.nbest import Features
from runoff.tasks.roles.features import frame_patterns
from runoff.tasks.roles.features.labelling_families import LabellingNamer
from runoff.tasks.tagging.features.consensus import NAMES as SHARED
from runoff.tasks.tagging.features.consensus import consensus
from runoff.tasks.tagging.features.parts import TaggingParts, neighbour_parts, phrase_parts
from runoff.tasks.tagging.features.table import table_of_parts
from runoff.tasks.tagging.features.tagged_lists import names_of, numbered

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from runoff.arrays import Floats
    from runoff.tasks.roles.features.frame_patterns import FramePatterns
    from runoff.tasks.roles.features.labelled_lists import LabelledLists

CONSENSUS = (*SHARED, "consensus:mean", "consensus:least")


def labelling_table(
    lists: LabelledLists,
    families: tuple[str, ...],
    frames: FramePatterns,
    *,
    vocabulary: pa.Array | None = None,
    min_lists: int = 1,
    is_training: bool = False,
) -> Features:
    """Features of all candidates: those of the vocabulary, or those that enough lists have; and dense ones.

    An argument, and a pair of neighbours, is looked at once, however many candidates of a list have it. In training,
    frames do not see the list's own reference. O(parts of all lists, and what candidates store of them).
    """
    tagged, namer = lists.tagged, LabellingNamer(families, lists)
    of_phrases, phrases = phrase_parts(tagged)
    of_pairs, pairs = neighbour_parts(tagged)
    every = np.arange(tagged.data.n_candidates)
    wholes = TaggingParts.of(tagged, every, every)
    kinds: list[tuple[TaggingParts, Iterable[Iterable[str]]]] = [
        (of_phrases, map(namer.argument, of_phrases.group.tolist(), phrases)),
        (
            of_pairs,
            (namer.neighbours(group, *pair) for group, pair in zip(of_pairs.group.tolist(), pairs, strict=True)),
        ),
        (wholes, map(namer.whole, wholes.first.tolist())),
    ]
    blocks = [table_of_parts(tagged, kinds, vocabulary=vocabulary, min_lists=min_lists)]
    if "frame" in families:
        values = frames.features(lists, leave_out=is_training)
        blocks.append(Features.of(values, names_of(list(frame_patterns.NAMES))))
    if "consensus" in families:
        blocks.append(Features.of(_agreement(lists), names_of(list(CONSENSUS))))
    return concat_columns(*blocks)


def _agreement(lists: LabelledLists) -> Floats:
    """Expected right, wrong and missed arguments and their F, and the mean and least probability of an argument."""
    tagged = lists.tagged
    data, spans, candidate = tagged.data, tagged.spans, tagged.span_candidate
    base = np.zeros(data.n_candidates) if data.base is None else data.base
    chances = softmax(data.offsets, base)
    phrase = numbered(tagged.word_of[spans.starts], spans.stops - spans.starts, spans.codes)[1]
    of_phrase = np.bincount(phrase, chances[candidate])[phrase] if len(spans) else np.zeros(0)
    least = np.ones(data.n_candidates)
    np.minimum.at(least, candidate, of_phrase)
    many = np.bincount(candidate, minlength=data.n_candidates)
    mean = np.bincount(candidate, of_phrase, data.n_candidates) / np.maximum(many, 1)
    return np.column_stack([consensus(tagged), mean, least])
