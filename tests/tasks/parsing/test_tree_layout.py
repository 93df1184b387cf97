"""Places of nodes in a drawing: nothing meets what it should not."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff.tasks.parsing.brackets import parse_tree
from runoff.tasks.parsing.tree_layout import Layout, lay_out
from runoff.tasks.parsing.trees import Tree

STEP, ABOVE, BELOW, GAP = 30.0, 10.0, 4.0, 8.0


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """Some tree; a label is as wide as it is long."""
    labels = st.sampled_from(["I", "NP", "SBARQ", "a-very-wide-label"])
    nodes = [Tree.leaf(draw(labels), "w", at) for at in range(draw(st.integers(1, 9)))]
    while len(nodes) > 1 or draw(st.booleans()):
        first = draw(st.integers(0, len(nodes) - 1))
        last = draw(st.integers(first, len(nodes) - 1))
        nodes[first : last + 1] = [Tree(draw(labels), nodes[first : last + 1])]
    return nodes[0]


def wide(node: Tree) -> float:
    return 5.0 * len(node.label)


def box(layout: Layout, node: Tree) -> tuple[float, float, float, float]:
    """Left, right, lower and upper edge of a label."""
    x, y = layout.x[node], layout.level[node] * STEP
    return x - wide(node) / 2, x + wide(node) / 2, y - BELOW, y + ABOVE


def meets(start: tuple[float, float], stop: tuple[float, float], around: tuple[float, float, float, float]) -> bool:
    """Whether a line goes through the inside of a box: what is left of it between both pairs of edges."""
    low, high = 0.0, 1.0
    for axis in (0, 1):
        step = stop[axis] - start[axis]
        first, last = around[2 * axis] + 1e-6 - start[axis], around[2 * axis + 1] - 1e-6 - start[axis]
        if abs(step) < 1e-9:
            if first > 0 or last < 0:
                return False
            continue
        low, high = max(low, min(first / step, last / step)), min(high, max(first / step, last / step))
    return low < high


@settings(deadline=None)
@given(trees())
def test_labels_are_apart_and_parents_in_the_middle(tree: Tree) -> None:
    layout = lay_out(tree, wide, GAP)
    levels: dict[int, list[Tree]] = {}
    for node in tree.walk():
        left, right, _, _ = box(layout, node)
        assert left >= -1e-9
        assert right <= layout.width + 1e-9
        levels.setdefault(layout.level[node], []).append(node)
        if node.children:
            middle = (layout.x[node.children[0]] + layout.x[node.children[-1]]) / 2
            assert layout.x[node] == pytest.approx(middle)
            assert layout.level[node] == 1 + max(layout.level[child] for child in node.children)
    assert levels[0] == tree.leaves()
    assert sorted(levels) == list(range(layout.levels))
    for side_by_side in levels.values():
        for one, other in pairwise(side_by_side):  # walked from left to right
            assert box(layout, other)[0] - box(layout, one)[1] >= GAP - 1e-9


@settings(deadline=None)
@given(trees(), st.sampled_from([0.0, 60.0, 1e9]))
def test_edges_reach_every_child_and_go_through_no_label(tree: Tree, widest: float) -> None:
    layout = lay_out(tree, wide, GAP)
    lines = list(layout.edges(STEP, ABOVE, BELOW, widest))
    for line in lines:
        for start, stop in pairwise(line):
            through = [node for node in tree.walk() if meets(start, stop, box(layout, node))]
            assert through == []
    ends = {place for line in lines for place in (line[0], line[-1])}
    for node in tree.walk():
        x, y = layout.x[node], layout.level[node] * STEP
        assert ((x, y + ABOVE) in ends) == (node is not tree)
        assert ((x, y - BELOW) in ends) == bool(node.children)


def test_children_far_apart_hang_from_a_bar() -> None:
    tree = parse_tree("(S (NP (A a)) (B b))")
    layout = lay_out(tree, lambda _: 20.0, gap=10.0)  # middles at 10 and 40, the parent's at 25
    near = list(layout.edges(STEP, ABOVE, BELOW, widest=30.0))
    far = list(layout.edges(STEP, ABOVE, BELOW, widest=29.0))
    # S is on level 2 (60 high), NP on 1 (30) and tags on 0; slants end at 30 + 10, the bar is half-way from 56 to 40.
    assert near[:2] == [[(25, 56), (10, 40)], [(25, 56), (40, 40), (40, 10)]]
    assert far[:4] == [[(25, 56), (25, 48)], [(10, 48), (40, 48)], [(10, 48), (10, 40)], [(40, 48), (40, 10)]]
