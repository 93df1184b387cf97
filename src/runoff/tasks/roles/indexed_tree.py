"""A tree with numbered nodes: parents, depths, heads and paths."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from runoff.tasks.parsing.heads import head_child
from runoff.tasks.parsing.trees import plain_label

if TYPE_CHECKING:
    from runoff.tasks.parsing.trees import Tree

UP, DOWN = "^", "!"  # directions of a path


class IndexedTree:
    """Nodes of a tree numbered from the root on, parents before children. O(nodes) to make.

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> tree = IndexedTree(parse_tree("(S (NP (PRP I)) (VP (VBP eat) (NP (NNS figs))))"))
    >>> tree.labels, tree.parents, tree.leaf_of
    (['S', 'NP', 'PRP', 'VP', 'VBP', 'NP', 'NNS'], [-1, 0, 1, 0, 3, 3, 5], [2, 4, 6])
    >>> tree.path(1, 4)
    ['NP', '^S', '!VP', '!VBP']
    """

    def __init__(self, tree: Tree) -> None:
        self.labels: list[str] = []
        self.starts: list[int] = []
        self.stops: list[int] = []
        self.parents: list[int] = []
        self.depths: list[int] = []
        self.children: list[list[int]] = []
        self.words: list[str] = []
        self.leaf_of: list[int] = []
        waiting = [(tree, -1)]
        while waiting:
            node, parent = waiting.pop()
            number = len(self.labels)
            self.labels.append(plain_label(node.label) or "TOP")
            self.starts.append(node.start)
            self.stops.append(node.end)
            self.parents.append(parent)
            self.depths.append(0 if parent < 0 else self.depths[parent] + 1)
            self.children.append([])
            if parent >= 0:
                self.children[parent].append(number)
            if node.word is not None:
                self.leaf_of.append(number)
                self.words.append(node.word)
            waiting.extend((child, number) for child in reversed(node.children))

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def tags(self) -> list[str]:
        """Tag of every word."""
        return [self.labels[leaf] for leaf in self.leaf_of]

    @cached_property
    def heads(self) -> list[int]:
        """Position of every node's head word (Collins 1999)."""
        found = list(self.starts)
        for node in range(len(self) - 1, -1, -1):
            children = self.children[node]
            if children:
                at = head_child(self.labels[node], tuple(self.labels[child] for child in children))
                found[node] = found[children[at]]
        return found

    def ancestors(self, node: int) -> list[int]:
        """A node and all nodes above it, up to the root."""
        found = []
        while node >= 0:
            found.append(node)
            node = self.parents[node]
        return found

    def path(self, node: int, goal: int) -> list[str]:
        """Labels from a node up to the lowest common ancestor, and down to the goal (Gildea & Jurafsky 2002)."""
        above = {each: at for at, each in enumerate(self.ancestors(goal))}
        labels = self.labels
        found = [labels[node]]
        while node not in above:
            node = self.parents[node]
            found.append(UP + labels[node])
        down = self.ancestors(goal)[: above[node]]
        return found + [DOWN + labels[each] for each in reversed(down)]

    def topmost(self, node: int) -> int:
        """The highest node over the same words."""
        while self.parents[node] >= 0 and self._same(self.parents[node], node):
            node = self.parents[node]
        return node

    def _same(self, one: int, two: int) -> bool:
        return self.starts[one] == self.starts[two] and self.stops[one] == self.stops[two]
