"""Chart of a head-driven grammar whose heads are words.

A constituent is made from its head child outwards (Collins 1999): head, right modifiers from the head on, a stop, left
modifiers, a stop. Nodes of the chart are leaves (a tag over a word), whole constituents, and constituents that still
grow to the right or to the left. Every way to make a node is an edge, so that a hypergraph of all derivations is left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.derivation_steps import (
    ABOVE,
    BARE,
    BEFORE,
    FIELDS,
    HEAD,
    HEADS,
    LABEL,
    LABELS,
    LAST,
    LEFT,
    OWN_TAG,
    PARENT,
    RIGHT,
    SIDE,
    STOP,
    TAG,
    TAGS,
    WORD,
    WORDS,
    context,
    find,
    label_probability,
    probability,
)
from runoff.kernels.hashing import GOLDEN, combined

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Columns, Floats, Ints
    from runoff.kernels.derivation_steps import Steps

    Bits = NDArray[np.uint64]

LEAF, WHOLE, GROWS, LEANS = range(4)  # kinds of nodes
# Columns of a node.
KIND, NODE_LABEL, NODE_ABOVE, NODE_HEAD, HEAD_LEAF, NODE_LAST, NODE_BARE = range(7)
COLUMNS = 7
NODES, EDGES, FULL = range(3)  # how many there are, and whether there was no room for more

_MEMO = 1 << 15


class Leaves(NamedTuple):
    """Tags that words may have: place, tag, class of the word, P(class | tag) and P(word | class, tag)."""

    places: Columns
    tags: Columns
    classes: Columns
    known: Floats
    within: Floats


class Gates(NamedTuple):
    """What rougher grammars left: logarithms of their outside sums by span, minus infinity for what they ruled out."""

    spans: Columns  # i, j -> row of the others, -1 for none
    whole: Floats
    grows: Floats
    leans: Floats
    prior: Floats  # label x leaf -> log P(tag and word of the head | label)


class Shape(NamedTuple):
    """How the gates number things, and what can be under what."""

    states: NDArray[np.int32]  # label, class above, head child -> state
    units: Columns  # label, class above -> unit
    class_of: Columns  # label -> class that its children see above them
    above: Columns  # label -> classes that it can be under
    n_above: Columns
    n_classes: int
    root: int
    heights: int  # constituents with one child, one above the other


class ParseTask(NamedTuple):
    """A sentence with all that is known for parsing it."""

    n: int
    steps: Steps
    leaves: Leaves
    gates: Gates
    shape: Shape
    beam: float  # how much worse than the best of its span a node may be, as a difference of logarithms


class Chart(NamedTuple):
    """Nodes and edges, lists of nodes by span, and what is remembered for speed."""

    nodes: Columns
    best: Floats
    following: Columns  # the next node in the same list
    keys: NDArray[np.uint64]  # contexts of the labels that may come next, by level
    rests: Floats
    edges: Columns  # made node, left and right part; -1 for no right part
    scores: Floats
    slots: Bits  # nodes by what they are
    held: Columns
    sizes: Ints
    fields: Ints
    first_leaf: Columns  # lists: leaves by place, whole constituents by span and class above, growing ones by span
    first_whole: Columns
    first_grows: Columns
    first_leans: Columns
    memo: Bits  # scores of words under heads
    memo_scores: Floats
    made: Columns  # whole constituents of the span that is being filled


@compiled
def _look_up(chart: Chart, task: ParseTask, node: int, before: int) -> None:  # pragma: no cover - compiled
    """Find the contexts of the labels that may come next."""
    steps, fields, own = task.steps, chart.fields, chart.nodes[node]
    fields[SIDE] = RIGHT if own[KIND] == GROWS else LEFT
    fields[PARENT], fields[ABOVE], fields[HEAD] = own[NODE_LABEL], own[NODE_ABOVE], own[NODE_HEAD]
    fields[TAG], fields[WORD] = task.leaves.tags[own[HEAD_LEAF]], task.leaves.classes[own[HEAD_LEAF]]
    fields[LAST], fields[BEFORE], fields[BARE] = own[NODE_LAST], before, own[NODE_BARE]
    for level in range(steps.masks.shape[1]):
        mask = steps.masks[LABELS, level]
        chart.rests[node, level] = 1.0
        if mask >= 0:
            key = context(LABELS, level, mask, fields)
            chart.keys[node, level] = key
            chart.rests[node, level] = find(steps.contexts, steps.left_over, key, 1.0)


@compiled
def _make(
    chart: Chart, kind: int, i: int, j: int, label: int, above: int, head: int, leaf: int, last: int, bare: int, by: int
) -> tuple[int, bool]:  # pragma: no cover - compiled
    """The node that is all of this, and whether it is new; -1 when there is no room. `by` tells equals apart."""
    key = combined(combined(combined(GOLDEN, kind), i), j)
    key = combined(combined(combined(combined(key, label), above), head), leaf)
    key = combined(combined(combined(key, last), bare), by)
    size = chart.slots.size
    slot = np.int64(key & np.uint64(size - 1))
    while chart.slots[slot] != 0:
        if chart.slots[slot] == key:
            return chart.held[slot], False
        slot = (slot + 1) & (size - 1)
    node = chart.sizes[NODES]
    if node >= chart.best.size:
        chart.sizes[FULL] = 1
        return -1, False
    chart.sizes[NODES] = node + 1
    chart.slots[slot] = key
    chart.held[slot] = node
    own = chart.nodes[node]
    own[KIND], own[NODE_LABEL], own[NODE_ABOVE], own[NODE_HEAD] = kind, label, above, head
    own[HEAD_LEAF], own[NODE_LAST], own[NODE_BARE] = leaf, last, bare
    chart.best[node] = -np.inf
    return node, True


@compiled
def _grow(
    chart: Chart, task: ParseTask, kind: int, i: int, j: int, like: int, head: int, last: int, before: int
) -> int:  # pragma: no cover - compiled
    """The node of this span with label, parent and head word as `like`, in the list of its kind; -1 for no room."""
    own = chart.nodes[like]
    bare = own[NODE_BARE] if last == STOP else 0
    node, is_new = _make(chart, kind, i, j, own[NODE_LABEL], own[NODE_ABOVE], head, own[HEAD_LEAF], last, bare, before)
    if is_new:
        _look_up(chart, task, node, before)
        first = chart.first_grows if kind == GROWS else chart.first_leans
        chart.following[node] = first[i, j]
        first[i, j] = node
    return node


@compiled
def _link(
    chart: Chart, made: int, one: int, two: int, score: float, total: float
) -> None:  # pragma: no cover - compiled
    """Note one way to make a node."""
    edge = chart.sizes[EDGES]
    if edge >= chart.scores.size:
        chart.sizes[FULL] = 1
        return
    chart.sizes[EDGES] = edge + 1
    chart.edges[edge, 0], chart.edges[edge, 1], chart.edges[edge, 2] = made, one, two
    chart.scores[edge] = score
    chart.best[made] = max(chart.best[made], total)


@compiled
def _word_key(nodes: Columns, side: int, part: int, modifier: int) -> np.uint64:  # pragma: no cover - compiled
    """All that the score of a modifier's head depends on."""
    key = combined(combined(combined(GOLDEN, side), nodes[part, NODE_LABEL]), nodes[part, NODE_HEAD])
    return combined(
        combined(combined(key, nodes[part, HEAD_LEAF]), nodes[modifier, NODE_LABEL]), nodes[modifier, HEAD_LEAF]
    )


@compiled
def _word_score(
    chart: Chart, task: ParseTask, side: int, part: int, modifier: int
) -> float:  # pragma: no cover - compiled
    """Log-probability of the tag and the word that head a modifier."""
    own, its = chart.nodes[part], chart.nodes[modifier]
    steps, leaves, fields, leaf = task.steps, task.leaves, chart.fields, its[HEAD_LEAF]
    fields[SIDE], fields[PARENT], fields[HEAD] = side, own[NODE_LABEL], own[NODE_HEAD]
    fields[TAG], fields[WORD] = leaves.tags[own[HEAD_LEAF]], leaves.classes[own[HEAD_LEAF]]
    fields[LABEL], fields[OWN_TAG] = its[NODE_LABEL], leaves.tags[leaf]
    p = 1.0 if its[KIND] == LEAF else probability(steps, TAGS, fields, leaves.tags[leaf], 0.0)
    if p > 0.0:
        p *= leaves.within[leaf] * probability(steps, WORDS, fields, leaves.classes[leaf], leaves.known[leaf])
    return float(np.log(p)) if p > 0.0 else -np.inf


@compiled
def fill(
    task: ParseTask, max_nodes: int, max_edges: int
) -> tuple[bool, Columns, Floats, Columns, Floats]:  # pragma: no cover - compiled
    """All derivations of a sentence that the gates and the beam let through: nodes, their best scores, edges, scores.

    A node is left out if it is worse by more than the beam than the best of its span, judged with what rougher grammars
    say of the rest of the sentence. The last node stands for the sentence. The first value is False if there were more
    nodes or edges than allowed. O(edges), of about 20,000 for a sentence of 25 words.
    """
    size = 1
    while size < 2 * max_nodes:
        size *= 2
    n, n_levels = task.n, task.steps.masks.shape[1]
    chart = Chart(
        np.empty((max_nodes, COLUMNS), np.int32),
        np.empty(max_nodes),
        np.full(max_nodes, -1, np.int32),
        np.empty((max_nodes, n_levels), np.uint64),
        np.empty((max_nodes, n_levels)),
        np.empty((max_edges, 3), np.int32),
        np.empty(max_edges),
        np.zeros(size, np.uint64),
        np.empty(size, np.int32),
        np.zeros(3, np.int64),
        np.zeros(FIELDS, np.int64),
        np.full(n, -1, np.int32),
        np.full((n + 1, n + 1, task.shape.n_classes), -1, np.int32),
        np.full((n + 1, n + 1), -1, np.int32),
        np.full((n + 1, n + 1), -1, np.int32),
        np.zeros(_MEMO, np.uint64),
        np.empty(_MEMO),
        np.empty(max_nodes, np.int32),
    )
    for leaf in range(task.leaves.places.size):
        place = task.leaves.places[leaf]
        node, _ = _make(chart, LEAF, place, place + 1, task.leaves.tags[leaf], 0, 0, leaf, 0, 0, 0)
        if node < 0:
            break
        chart.best[node] = 0.0
        chart.following[node] = chart.first_leaf[place]
        chart.first_leaf[place] = node
    for width in range(1, n + 1):
        for i in range(n - width + 1):
            if task.gates.spans[i, i + width] >= 0 and not chart.sizes[FULL]:
                _fill_span(chart, task, i, i + width)
    _finish(chart, task)
    nodes, edges = chart.sizes[NODES], chart.sizes[EDGES]
    return chart.sizes[FULL] == 0, chart.nodes[:nodes], chart.best[:nodes], chart.edges[:edges], chart.scores[:edges]


@compiled
def _fill_span(chart: Chart, task: ParseTask, i: int, j: int) -> None:  # pragma: no cover - compiled
    top_grows = _modify(chart, task, i, j, RIGHT)
    _stop_right(chart, task, i, j, 0)
    top_leans = _modify(chart, task, i, j, LEFT)
    count, top_whole = _close(chart, task, i, j, top_leans - task.beam)
    if j == i + 1:
        node = chart.first_leaf[i]
        while node >= 0:
            chart.made[count] = node
            count += 1
            node = chart.following[node]
    _raise(chart, task, i, j, count, top_grows, top_whole)
    _stop_right(chart, task, i, j, 1)


@compiled
def _modify(chart: Chart, task: ParseTask, i: int, j: int, side: int) -> float:  # pragma: no cover - compiled
    """Nodes of a span that come of one more modifier; returns the merit of the best of them."""
    row, states, class_of = task.gates.spans[i, j], task.shape.states, task.shape.class_of
    kind, first, gates = (
        (GROWS, chart.first_grows, task.gates.grows) if side == RIGHT else (LEANS, chart.first_leans, task.gates.leans)
    )
    nodes, best, following, keys, rests = chart.nodes, chart.best, chart.following, chart.keys, chart.rests
    memo, memo_scores, first_leaf, first_whole = chart.memo, chart.memo_scores, chart.first_leaf, chart.first_whole
    outcomes, shares, prior, beam = task.steps.outcomes, task.steps.shares, task.gates.prior, task.beam
    top = -np.inf
    for m in range(i + 1, j):
        part = first[i, m] if side == RIGHT else first[m, j]
        start, end = (m, j) if side == RIGHT else (i, m)
        while part >= 0:
            label, head, last = nodes[part, NODE_LABEL], nodes[part, NODE_HEAD], nodes[part, NODE_LAST]
            gate = gates[row, states[label, nodes[part, NODE_ABOVE], head]]
            promise = best[part] + prior[label, nodes[part, HEAD_LEAF]] + gate
            for is_leaf in range(2 if promise >= top - beam and gate > -np.inf else 0):
                modifier = first_whole[start, end, class_of[label]]
                if is_leaf:
                    modifier = first_leaf[start] if end == start + 1 else -1
                while modifier >= 0:
                    merit = promise + best[modifier]
                    if merit >= top - beam:
                        key = _word_key(nodes, side, part, modifier)
                        slot = np.int64(key & np.uint64(_MEMO - 1))
                        if memo[slot] != key:
                            memo[slot] = key
                            memo_scores[slot] = _word_score(chart, task, side, part, modifier)
                        word = memo_scores[slot]
                        its_label = nodes[modifier, NODE_LABEL]
                        p = 0.0
                        if merit + word >= top - beam:
                            p = label_probability(keys, rests, part, outcomes, shares, its_label)
                        score = np.log(p) + word if p > 0.0 else -np.inf
                        if score > -np.inf and merit + score >= top - beam:
                            top = max(top, merit + score)
                            node = _grow(chart, task, kind, i, j, part, head, its_label, last)
                            if node < 0:
                                return float(top)
                            one, two = (part, modifier) if side == RIGHT else (modifier, part)
                            _link(chart, node, one, two, score, best[part] + best[modifier] + score)
                    modifier = following[modifier]
            part = following[part]
    return float(top)


@compiled
def _stop_right(chart: Chart, task: ParseTask, i: int, j: int, bare: int) -> None:  # pragma: no cover - compiled
    """No more right modifiers: nodes of a span that grow, with or without a modifier, may lean to the left."""
    row = task.gates.spans[i, j]
    keys, rests, outcomes, shares = chart.keys, chart.rests, task.steps.outcomes, task.steps.shares
    part = chart.first_grows[i, j]
    while part >= 0:
        own = chart.nodes[part]
        state = task.shape.states[own[NODE_LABEL], own[NODE_ABOVE], own[NODE_HEAD]]
        if own[NODE_BARE] == bare and task.gates.leans[row, state] > -np.inf:
            p = label_probability(keys, rests, part, outcomes, shares, STOP)
            if p > 0.0:
                node = _grow(chart, task, LEANS, i, j, part, own[NODE_HEAD], STOP, STOP)
                if node < 0:
                    return
                _link(chart, node, part, -1, np.log(p), chart.best[part] + np.log(p))
        part = chart.following[part]


@compiled
def _close(
    chart: Chart, task: ParseTask, i: int, j: int, least: float
) -> tuple[int, float]:  # pragma: no cover - compiled
    """No more left modifiers: whole constituents of several children. How many were made, and the best's merit."""
    gates, shape, row = task.gates, task.shape, task.gates.spans[i, j]
    keys, rests, outcomes, shares = chart.keys, chart.rests, task.steps.outcomes, task.steps.shares
    top, count = -np.inf, 0
    part = chart.first_leans[i, j]
    while part >= 0:
        own = chart.nodes[part]
        label, above, leaf = own[NODE_LABEL], own[NODE_ABOVE], own[HEAD_LEAF]
        gate, prior = gates.whole[row, shape.units[label, above]], gates.prior[label, leaf]
        worth = chart.best[part] + prior + gates.leans[row, shape.states[label, above, own[NODE_HEAD]]]
        if gate > -np.inf and worth >= least:
            p = label_probability(keys, rests, part, outcomes, shares, STOP)
            score = np.log(p) if p > 0.0 else -np.inf
            merit = chart.best[part] + score + prior + gate
            if score > -np.inf and merit >= top - task.beam:
                top = max(top, merit)
                node, is_new = _make(chart, WHOLE, i, j, label, above, 0, leaf, 0, 0, 0)
                if node < 0:
                    break
                if is_new:
                    chart.made[count] = node
                    count += 1
                _link(chart, node, part, -1, score, chart.best[part] + score)
        part = chart.following[part]
    return count, top


@compiled
def _raise(
    chart: Chart, task: ParseTask, i: int, j: int, count: int, top_grows: float, top_whole: float
) -> None:  # pragma: no cover - compiled
    """What is whole becomes a head: of constituents that may grow, and of those that it is the only child of.

    The latter are made level by level, so that no node comes of itself.
    """
    gates, shape, steps, fields = task.gates, task.shape, task.steps, chart.fields
    row = gates.spans[i, j]
    begin, end = 0, count
    for height in range(1, shape.heights + 2):
        for at in range(begin, end):
            child = chart.made[at]
            its = chart.nodes[child]
            its_label, leaf, its_above = its[NODE_LABEL], its[HEAD_LEAF], its[NODE_ABOVE]
            if its[KIND] == WHOLE:
                gate = gates.whole[row, shape.units[its_label, its_above]]
                if chart.best[child] + gates.prior[its_label, leaf] + gate < top_whole - task.beam:
                    continue
                chart.following[child] = chart.first_whole[i, j, its_above]
                chart.first_whole[i, j, its_above] = child
            for label in range(1, shape.states.shape[0]):
                if its[KIND] == WHOLE and shape.class_of[label] != its_above:
                    continue
                for which in range(shape.n_above[label]):
                    above = shape.above[label, which]
                    state = shape.states[label, above, its_label]
                    if state < 0:
                        continue
                    grow, close = gates.grows[row, state], gates.whole[row, shape.units[label, above]]
                    if height > shape.heights:
                        close = -np.inf
                    hope = chart.best[child] + gates.prior[label, leaf]
                    if hope + grow < top_grows - task.beam:
                        grow = -np.inf
                    if hope + close < top_whole - task.beam:
                        close = -np.inf
                    if grow == -np.inf and close == -np.inf:
                        continue
                    fields[PARENT], fields[ABOVE] = label, above
                    fields[TAG], fields[WORD] = task.leaves.tags[leaf], task.leaves.classes[leaf]
                    p = probability(steps, HEADS, fields, its_label, 0.0)
                    if p <= 0.0:
                        continue
                    score = np.log(p)
                    merit = hope + score + grow
                    if grow > -np.inf and merit >= top_grows - task.beam:
                        top_grows = max(top_grows, merit)
                        node, is_new = _make(chart, GROWS, i, j, label, above, its_label, leaf, STOP, 1, STOP)
                        if node < 0:
                            return
                        if is_new:
                            _look_up(chart, task, node, STOP)
                            chart.following[node] = chart.first_grows[i, j]
                            chart.first_grows[i, j] = node
                        _link(chart, node, child, -1, score, chart.best[child] + score)
                    if close == -np.inf:
                        continue
                    fields[HEAD], fields[LAST], fields[BEFORE], fields[BARE] = its_label, STOP, STOP, 1
                    fields[PARENT], fields[ABOVE], fields[SIDE] = label, above, RIGHT
                    p *= probability(steps, LABELS, fields, STOP, 0.0)
                    fields[SIDE] = LEFT
                    p *= probability(steps, LABELS, fields, STOP, 0.0)
                    score = np.log(p) if p > 0.0 else -np.inf
                    merit = hope + score + close
                    if p > 0.0 and merit >= top_whole - task.beam:
                        top_whole = max(top_whole, merit)
                        node, is_new = _make(chart, WHOLE, i, j, label, above, 0, leaf, 0, 0, height)
                        if node < 0:
                            return
                        if is_new:
                            chart.made[count] = node
                            count += 1
                        _link(chart, node, child, -1, score, chart.best[child] + score)
        begin, end = end, count


@compiled
def _finish(chart: Chart, task: ParseTask) -> None:  # pragma: no cover - compiled
    """The node of the sentence, made of the roots over all words."""
    goal, _ = _make(chart, WHOLE, -1, -1, 0, 0, 0, 0, 0, 0, 0)
    fields, leaves = chart.fields, task.leaves
    node = chart.first_whole[0, task.n, 0]
    while node >= 0 and goal >= 0:
        own = chart.nodes[node]
        if own[NODE_LABEL] == task.shape.root:
            leaf = own[HEAD_LEAF]
            fields[:] = 0
            fields[LABEL], fields[OWN_TAG] = task.shape.root, leaves.tags[leaf]
            p = leaves.within[leaf] * probability(task.steps, TAGS, fields, leaves.tags[leaf], 0.0)
            p *= probability(task.steps, WORDS, fields, leaves.classes[leaf], leaves.known[leaf])
            if p > 0.0:
                _link(chart, goal, node, -1, np.log(p), chart.best[node] + np.log(p))
        node = chart.following[node]
