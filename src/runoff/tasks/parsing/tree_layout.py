"""Positions of the nodes of a tree in a drawing: words at the bottom, every constituent above its own words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from runoff.tasks.parsing.trees import Tree


@dataclass(frozen=True, slots=True)
class Layout:
    """Positions of nodes: the centre `x`, from the left edge, and the level (0 for tags)."""

    x: dict[Tree, float]
    level: dict[Tree, int]
    width: float
    levels: int

    def edges(self, step: float, above: float, below: float, widest: float) -> Iterator[list[tuple[float, float]]]:
        """Lines from parents to children as points (x, y); y is measured from the level of the tags.

        Levels are `step` apart; labels extend this far `above` and `below` their baseline. A line slants to the next
        level and then goes straight down. If children are more than `widest` apart, slanting lines would be too flat:
        the children hang from a horizontal bar instead. Lines stay in the strip of the parent, and below that in the
        strip of the child, so they never cross other labels.
        """
        for node, level in self.level.items():
            if not node.children:
                continue
            middle, first, last = (self.x[each] for each in (node, node.children[0], node.children[-1]))
            top, next_top = level * step - below, (level - 1) * step + above
            bar = (top + next_top) / 2
            if last - first > widest:
                yield [(middle, top), (middle, bar)]
                yield [(first, bar), (last, bar)]
            for child in node.children:
                x, bottom = self.x[child], self.level[child] * step + above
                if last - first > widest:
                    yield [(x, bar), (x, bottom)]
                else:
                    yield [(middle, top), (x, next_top), *([(x, bottom)] if bottom < next_top else [])]


def lay_out(tree: Tree, width: Callable[[Tree], float], gap: float) -> Layout:
    """Position the nodes of a tree, given their widths. O(nodes).

    A constituent is centred between its first and last child, one level above its highest child. Every subtree has a
    vertical strip of its own, so nothing overlaps; strips are `gap` apart.

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> layout = lay_out(parse_tree("(S (NP (PRP I)) (VP (VBP run)))"), lambda node: 4.0, gap=1.0)
    >>> {node.label: (x, layout.level[node]) for node, x in layout.x.items()}
    {'S': (4.5, 2), 'NP': (2.0, 1), 'PRP': (2.0, 0), 'VP': (7.0, 1), 'VBP': (7.0, 0)}
    """
    from_above = list(tree.walk())
    strip: dict[Tree, tuple[float, float]] = {}  # how far a node's strip reaches to its left and to its right
    offset: dict[Tree, float] = {tree: 0.0}  # from the parent's middle
    level: dict[Tree, int] = {}
    for node in reversed(from_above):
        half = width(node) / 2
        if not node.children:
            strip[node], level[node] = (half, half), 0
            continue
        edge = -gap
        middles = []
        for child in node.children:
            to_left, to_right = strip[child]
            middles.append(edge + gap + to_left)
            edge = middles[-1] + to_right
        middle = (middles[0] + middles[-1]) / 2
        for child, place in zip(node.children, middles, strict=True):
            offset[child] = place - middle
        strip[node] = max(half, middle), max(half, edge - middle)
        level[node] = 1 + max(level[child] for child in node.children)
    x = {tree: strip[tree][0]}
    for node in from_above:
        for child in node.children:
            x[child] = x[node] + offset[child]
    in_order = {node: level[node] for node in from_above}
    return Layout({node: x[node] for node in from_above}, in_order, sum(strip[tree]), level[tree] + 1)
