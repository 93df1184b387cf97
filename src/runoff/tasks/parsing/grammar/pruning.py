"""Coarse-to-fine pruning of a chart: first with a grammar of labels, then with labels that know their parent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from runoff.kernels.coarse_chart import outsides

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Bools, Columns, Floats
    from runoff.kernels.head_chart import Leaves
    from runoff.tasks.parsing.grammar.coarse_grammar import CoarseGrammar

    Flags = NDArray[np.uint8]

_FIRST = 0.1  # the first grammar is the coarser one: its threshold is lower by this factor
# Scaling of word probabilities against underflow in long sentences. The first factor works for nearly all sentences,
# the others for those in which every word is improbable, or very probable.
_LIKELY = (20.0, 1e3, 1e5, 2.0)


class Unpruned(NamedTuple):
    """Remaining spans, with the log outside scores of their units and states."""

    spans: Columns
    whole: Floats
    grows: Floats
    leans: Floats


def prune(
    leaves: Leaves, length: int, one: CoarseGrammar, two: CoarseGrammar, threshold: float, heights: int
) -> Unpruned | None:
    """Prune what is improbable by either grammar; None if there is no tree.

    O(length^3) for the first grammar; memory O(length^2 x states), about 20 kB per span.
    """
    words = np.zeros((length, one.units.shape[0]))
    words[leaves.places, leaves.tags] = leaves.known * leaves.within
    words /= words.max(1, keepdims=True)
    for likely in _LIKELY:
        found = _prune(words * likely, one, two, threshold, heights)
        if found is not None:
            return found
    return None


def _prune(words: Floats, one: CoarseGrammar, two: CoarseGrammar, threshold: float, heights: int) -> Unpruned | None:
    length = len(words)
    starts, ends = np.triu_indices(length + 1, 1)
    everything = np.ones((starts.size, max(one.unit_labels.shape[0], one.state_labels.shape[0])), np.uint8)
    coarser = _outsides(words, (starts, ends), one, everything, everything, everything, threshold * _FIRST, heights)
    if coarser is None:
        return None
    kept = np.flatnonzero(_is_left(coarser))
    of_unit = one.units[two.unit_labels[:, 0], 0]
    of_state = one.states[two.state_labels[:, 0], 0, two.state_labels[:, 2]]
    return _outsides(
        words,
        (starts[kept], ends[kept]),
        two,
        (coarser.whole[kept] > -np.inf)[:, of_unit].view(np.uint8),
        (coarser.grows[kept] > -np.inf)[:, of_state].view(np.uint8),
        (coarser.leans[kept] > -np.inf)[:, of_state].view(np.uint8),
        threshold,
        heights,
    )


def _is_left(left: Unpruned) -> Bools:
    """Rows in which something remains."""
    parts = [(part > -np.inf).any(1) for part in (left.whole, left.grows, left.leans)]
    found: Bools = np.logical_or.reduce(parts)
    return found


def _outsides(
    words: Floats,
    spans: tuple[NDArray[Any], NDArray[Any]],
    grammar: CoarseGrammar,
    whole: Flags,
    grows: Flags,
    leans: Flags,
    threshold: float,
    heights: int,
) -> Unpruned | None:
    length = len(words)
    numbers = np.full((length + 1, length + 1), -1, np.int32)
    numbers[spans] = np.arange(spans[0].size)
    leaves = np.ascontiguousarray(words[:, grammar.rules.symbols])
    # numpy's choice of columns leaves another memory order, for which everything would be compiled once more.
    whole, grows, leans = (np.ascontiguousarray(each) for each in (whole, grows, leans))
    total, *found = outsides(leaves, numbers, whole, grows, leans, grammar.goal, grammar.rules, heights, threshold)
    return Unpruned(numbers, *found) if 0.0 < total < np.inf else None
