"""Coarse grammars with independent modifiers: cheap inside-outside sums that prune most of a chart."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.kernels.coarse_chart import Rules

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats, Ints

_SMOOTHING = 2.0


class Numbering(NamedTuple):
    """Units and states numbered, and which of them can be where: all that follows from the kinds of states alone."""

    states: Columns
    units: Columns
    unit_labels: Columns
    symbols: Columns
    owners: Columns
    head_units: Columns
    blocks: Ints
    kids: Columns
    kid_ends: Ints


class CoarseGrammar(NamedTuple):
    """A coarse grammar: rules for the kernel, and the numbering of its units and states."""

    rules: Rules
    states: Columns  # label, class above, head child -> state, -1 for none
    units: Columns  # label or tag, class above -> unit, -1 for none
    state_labels: Columns  # one row per state: label, class above, head child
    unit_labels: Columns  # one row per unit: label or tag, class above
    goal: int


def coarse_grammar(
    heads: tuple[Ints, Ints], labels: tuple[Ints, Ints], class_of: Columns, sizes: tuple[int, int], root: int
) -> CoarseGrammar:
    """Count a coarse grammar from head and label steps; `sizes` are the numbers of labels and of all symbols.

    Constituents are conditioned on the class of their parent, unless all classes are 0. Probabilities are smoothed with
    those without the class, and these with those without the head. O(steps + states x symbols).
    """
    n_labels, _ = sizes
    (head_rows, head_outcomes), (label_rows, label_outcomes) = heads, labels
    is_under = bool(class_of.any())
    above = head_rows[:, 2] * is_under
    seen = Counter(zip(head_rows[:, 1].tolist(), above.tolist(), head_outcomes.tolist(), strict=True))
    kinds = sorted(seen, key=lambda kind: (class_of[kind[0]], kind))
    of_state = np.array(kinds, np.int32)
    numbered = numbering(of_state, class_of, sizes)
    stops, right, left = _modifiers(label_rows, label_outcomes, numbered.states, of_state, is_under, n_labels)
    rules = Rules(
        numbered.symbols,
        numbered.owners,
        numbered.head_units,
        _heads(seen, kinds),
        right,
        left,
        stops,
        numbered.blocks,
        numbered.kids,
        numbered.kid_ends,
    )
    goal = int(numbered.units[root, 0])
    return CoarseGrammar(rules, numbered.states, numbered.units, of_state, numbered.unit_labels, goal)


def numbering(of_state: Columns, class_of: Columns, sizes: tuple[int, int]) -> Numbering:
    """Number units and states; `of_state` has label, class above and head child of every state, by class and label.

    O(labels x classes x symbols), which is the size of a table.
    """
    n_labels, n_symbols = sizes
    n_classes = int(class_of.max()) + 1
    states = np.full((n_labels, n_classes, n_symbols), -1, np.int32)
    states[tuple(of_state.T)] = np.arange(len(of_state))
    unit_labels = sorted({(label, above) for label, above, _ in of_state.tolist()})
    unit_labels += [(tag, 0) for tag in range(n_labels, n_symbols)]
    units = np.full((n_symbols, n_classes), -1, np.int32)
    for at, (symbol, above) in enumerate(unit_labels):
        units[symbol, above if symbol < n_labels else slice(None)] = at
    classes = class_of[of_state[:, 0]]
    kids = [
        [at for at, (symbol, above) in enumerate(unit_labels) if symbol >= n_labels or above == one]
        for one in range(n_classes)
    ]
    return Numbering(
        states,
        units,
        np.array(unit_labels, np.int32),
        np.array([symbol for symbol, _ in unit_labels], np.int32),
        units[of_state[:, 0], of_state[:, 1]],
        units[of_state[:, 2], classes],
        np.searchsorted(classes, np.arange(n_classes + 1)).astype(np.int64),
        np.array([at for one in kids for at in one], np.int32),
        np.cumsum([0, *map(len, kids)], dtype=np.int64),
    )


def _heads(seen: Counter[tuple[int, int, int]], kinds: list[tuple[int, int, int]]) -> Floats:
    """P(head child | label, class above)."""
    of_unit: Counter[tuple[int, int]] = Counter()
    of_label: Counter[int] = Counter()
    pairs: Counter[tuple[int, int]] = Counter()
    different = Counter(kind[:2] for kind in kinds)
    for (label, above, head), count in seen.items():
        of_unit[label, above] += count
        of_label[label] += count
        pairs[label, head] += count
    found = []
    for label, above, head in kinds:
        extra = _SMOOTHING * different[label, above]
        coarser = pairs[label, head] / of_label[label]
        found.append((seen[label, above, head] + extra * coarser) / (of_unit[label, above] + extra))
    return np.array(found)


def _modifiers(
    rows: Ints, outcomes: Ints, states: Columns, of_state: Columns, is_under: bool, n_labels: int
) -> tuple[Floats, Floats, Floats]:
    """Stop probabilities (by side and state), and probabilities of right and left modifiers (by symbol and state)."""
    n_symbols = states.shape[2]
    side, label, head = rows[:, 0], rows[:, 1], rows[:, 3]
    by_label = np.zeros((2, n_labels, n_symbols))
    np.add.at(by_label, (side, label, outcomes), 1.0)
    by_label /= np.maximum(by_label.sum(2, keepdims=True), 1.0)
    by_state = np.zeros((2, len(of_state), n_symbols))
    np.add.at(by_state, (side, states[label, rows[:, 2] * is_under, head], outcomes), 1.0)
    coarser = by_label[:, of_state[:, 0]]
    if is_under:
        pairs, of_pair = np.unique(of_state[:, 0].astype(np.int64) * n_symbols + of_state[:, 2], return_inverse=True)
        by_head = np.zeros((2, pairs.size, n_symbols))
        np.add.at(by_head, (side, np.searchsorted(pairs, label * n_symbols + head), outcomes), 1.0)
        coarser = _smoothed(by_head[:, of_pair], coarser)
    found = _smoothed(by_state, coarser)
    stops = np.ascontiguousarray(found[:, :, 0])
    found[:, :, 0] = 0.0
    return stops, np.ascontiguousarray(found[0].T), np.ascontiguousarray(found[1].T)


def _smoothed(counts: Floats, coarser: Floats) -> Floats:
    extra = _SMOOTHING * (counts > 0).sum(2, keepdims=True)
    found: Floats = (counts + extra * coarser) / (counts.sum(2, keepdims=True) + extra)
    return found
