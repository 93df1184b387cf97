"""What two rough grammars leave of a sentence's chart: first labels alone, then labels that know their parent."""

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

_FIRST = 0.1  # the first grammar is the rougher one: its threshold is lower by this factor
# Products of probabilities of long sentences would vanish: words are made likely enough for sums to stay in range. The
# first does for nearly all sentences, the others for those of which every word is improbable, or very probable.
_LIKELY = (20.0, 1e3, 1e5, 2.0)


class Unpruned(NamedTuple):
    """Spans that are left, with the logarithms of the outside sums of their units and states."""

    spans: Columns
    whole: Floats
    grows: Floats
    leans: Floats


def prune(
    leaves: Leaves, length: int, one: CoarseGrammar, two: CoarseGrammar, threshold: float, heights: int
) -> Unpruned | None:
    """Rule out what is improbable by either grammar; None if there is no tree at all.

    O(length^3) for the first grammar; memory O(length^2 x states), about 20 kB for each span of words.
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
    rough = _outsides(words, (starts, ends), one, everything, everything, everything, threshold * _FIRST, heights)
    if rough is None:
        return None
    kept = np.flatnonzero(_is_left(rough))
    of_unit = one.units[two.unit_labels[:, 0], 0]
    of_state = one.states[two.state_labels[:, 0], 0, two.state_labels[:, 2]]
    return _outsides(
        words,
        (starts[kept], ends[kept]),
        two,
        (rough.whole[kept] > -np.inf)[:, of_unit].view(np.uint8),
        (rough.grows[kept] > -np.inf)[:, of_state].view(np.uint8),
        (rough.leans[kept] > -np.inf)[:, of_state].view(np.uint8),
        threshold,
        heights,
    )


def _is_left(left: Unpruned) -> Bools:
    """Rows in which anything is left."""
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
    total, *found = outsides(leaves, numbers, whole, grows, leans, grammar.goal, grammar.rules, heights, threshold)
    return Unpruned(numbers, *found) if 0.0 < total < np.inf else None
