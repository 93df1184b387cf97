"""Beam search of a phrase-based translator: stacks of hypotheses, filled by cube pruning.

Koehn, Och & Marcu (2003) for the stacks, with the limit on distortion, recombination and estimates of what is to come;
Huang & Chiang (2007) for the order in which hypotheses and options are joined. What joins a cube's queue has the score
of its option without context; the language model is asked when it is taken out. All sums are made in a fixed order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.coverage import cover, numbers_for, remaining, window_of
from runoff.kernels.decoder_options import DISTORTION, LM, orientation
from runoff.kernels.future_scores import future_scores
from runoff.kernels.hashing import combined
from runoff.kernels.hypothesis_stack import (
    GROUPS,
    NODES,
    add_edge,
    clear,
    empty_filling,
    group_of,
    node_of,
    survivors,
)
from runoff.kernels.kept_stacks import empty_kept, keep
from runoff.kernels.lm_state import LN10, NgramLookup, advance, advance_all, begin, copy_state
from runoff.kernels.priority_queue import pop, push
from runoff.kernels.translation_cubes import open_cubes
from runoff.kernels.translation_lattice import append_goal, append_stack, empty_lattice

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.kernels.decoder_options import Options
    from runoff.kernels.hypothesis_stack import Filling
    from runoff.kernels.kept_stacks import Kept
    from runoff.kernels.translation_cubes import Cubes
    from runoff.kernels.translation_lattice import Lattice


class Limits(NamedTuple):
    """What is searched."""

    stack: int  # hypotheses kept of those that translate equally many words
    pops: int  # hypotheses made for a stack
    distortion: int  # words jumped over at most, below 0 for any number
    beam: float  # score that a hypothesis may be below the best of its stack
    is_recombined: bool


@compiled
def search(options: Options, lm: NgramLookup, weights: Floats, limits: Limits) -> Lattice:  # pragma: no cover
    """All hypotheses that were kept, as a lattice. O(words x (pops x (order + log pops) + cubes)).

    There is a translation for every sentence: each word has an option for it alone, and a hypothesis that keeps the
    limit on distortion can always go on at the first gap.
    """
    n_words, longest = options.first.shape
    window = window_of(n_words, longest, limits.distortion)
    inner, to_end = future_scores(options.estimates, options.first, options.last, window)
    filling = empty_filling(limits.pops, lm.order, numbers_for(window))
    kept = empty_kept(longest, limits.stack, lm.order, numbers_for(window))
    length = begin(lm, lm.start, filling.keys, filling.backoffs, 0)
    filling.bits[0] = 0
    node = node_of(filling, group_of(filling, 0, 0), np.uint64(0), length, limits.is_recombined)
    filling.scores[node], filling.starts[node], filling.options[node] = 0.0, -1, -1
    lattice, nodes, ends = empty_lattice(), np.zeros(1, np.int32), np.zeros(1)
    for stack in range(n_words + 1):
        if stack > 0:
            clear(filling)
            cubes = open_cubes(stack, kept, options, inner, to_end, limits.distortion)
            _fill(filling, kept, cubes, options, inner, to_end, lm, weights, limits)
        if stack == n_words:
            ends = _ends(filling, lm)
            nodes = survivors(filling, weights[LM] * ends, limits.stack, limits.beam)
        elif stack > 0:
            nodes = survivors(
                filling, filling.futures[filling.groups[: filling.counts[NODES]]], limits.stack, limits.beam
            )
        number = lattice.counts[0]
        lattice = append_stack(lattice, filling, nodes)
        if stack < n_words:
            keep(kept, stack, filling, nodes, number)
    return append_goal(lattice, ends[nodes], weights[LM])


@compiled
def _fill(
    filling: Filling,
    kept: Kept,
    cubes: Cubes,
    options: Options,
    inner: Floats,
    to_end: Floats,
    lm: NgramLookup,
    weights: Floats,
    limits: Limits,
) -> None:  # pragma: no cover - compiled
    """Make the best hypotheses of a stack, as far as their scores can be told without asking the language model."""
    room = cubes.groups.size + 2 * limits.pops
    priority, queue = np.empty(room), np.empty(room, np.int32)
    in_cube, of_node, of_option = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int32)
    groups = np.full(cubes.groups.size, -1, np.int32)
    base = weights[DISTORTION] * cubes.distortions + cubes.futures
    items, size = cubes.groups.size, 0
    for cube in range(items):
        in_cube[cube], of_node[cube], of_option[cube] = cube, kept.first[cubes.groups[cube]], cubes.first[cube]
        priority[cube] = base[cube] + _estimate(
            kept, of_node[cube], kept.ends[cubes.groups[cube]], options, of_option[cube]
        )
        size = push(queue, size, cube, priority)
    for _ in range(limits.pops):
        if size == 0:
            break
        item = queue[0]
        size = pop(queue, size, priority)
        cube, node, option = in_cube[item], of_node[item], of_option[item]
        group = cubes.groups[cube]
        end = kept.ends[group]
        # The next option for this hypothesis and, once for each, the next hypothesis: every pair comes once.
        for step in range(2):
            then, other = (node, option + 1) if step == 0 else (node + 1, option)
            is_open = other < cubes.last[cube] if step == 0 else option == cubes.first[cube] and then < kept.last[group]
            if is_open:
                in_cube[items], of_node[items], of_option[items] = cube, then, other
                priority[items] = base[cube] + _estimate(kept, then, end, options, other)
                size = push(queue, size, items, priority)
                items += 1
        if groups[cube] < 0:
            groups[cube] = _group(filling, kept, group, options.starts[option], options.ends[option], inner, to_end)
        row = filling.counts[NODES]
        length = kept.lengths[node]
        copy_state(kept.keys, kept.backoffs, node, filling.keys, filling.backoffs, row, length)
        of_words, length = advance_all(
            lm,
            options.keys,
            options.offsets[option],
            options.offsets[option + 1],
            filling.keys,
            filling.backoffs,
            row,
            length,
        )
        added = options.static[option] + weights[LM] * of_words
        added += weights[DISTORTION] * cubes.distortions[cube]
        added += _reordering(kept, node, end, options, option)
        reading = np.uint64(0)
        if options.classes.size > 0:
            reading = combined(options.classes[option], options.starts[option])
        made = node_of(filling, groups[cube], reading, length, limits.is_recombined)
        score = kept.scores[node] + added
        add_edge(filling, made, kept.numbers[node], option, options.starts[option], of_words, added, score)


@compiled
def _estimate(kept: Kept, node: int, end: int, options: Options, option: int) -> float:  # pragma: no cover - compiled
    """Score of a hypothesis and an option, but for its distortion and for what the words before tell of its own."""
    return float(kept.scores[node] + options.estimates[option] + _reordering(kept, node, end, options, option))


@compiled
def _reordering(kept: Kept, node: int, end: int, options: Options, option: int) -> float:  # pragma: no cover - compiled
    """Weighted terms of lexicalised reordering where an option follows a hypothesis whose last span ends at `end`."""
    if options.classes.size == 0:
        return 0.0
    way = orientation(options.starts[option], options.ends[option], kept.starts[node], end)
    total = options.previous[option, way]
    if kept.options[node] >= 0:
        total += options.next[kept.options[node], way]
    return float(total)


@compiled
def _group(
    filling: Filling, kept: Kept, group: int, start: int, end: int, inner: Floats, to_end: Floats
) -> int:  # pragma: no cover - compiled
    """The group of the stack being filled into which a span leads from a group before."""
    groups = filling.counts[GROUPS]
    gap = cover(kept.bits, group, kept.gaps[group], start, end, filling.bits, groups)
    found = group_of(filling, gap, end)
    if found == groups:
        filling.futures[found] = remaining(filling.bits, found, gap, inner, to_end)
    return found


@compiled
def _ends(filling: Filling, lm: NgramLookup) -> Floats:  # pragma: no cover - compiled
    """Log probability of the end of the text after every node, whose states are used up."""
    found = np.empty(filling.counts[NODES])
    for node in range(found.size):
        value, _ = advance(lm, lm.end, filling.keys, filling.backoffs, node, filling.lengths[node])
        found[node] = value * LN10
    return found
