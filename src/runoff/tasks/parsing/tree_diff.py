"""Differences between two trees over the same words, and which of them is right."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING

from runoff.errors import DataError
from runoff.tasks.parsing.trees import ROOTS

if TYPE_CHECKING:
    from runoff.tasks.parsing.trees import Tree


class Mark(StrEnum):
    """Status of a node that only one of two trees has; the value is its sign in text output."""

    ONLY = "*"
    RIGHT = "+"
    WRONG = "-"


def differing_nodes(left: Tree, right: Tree) -> tuple[set[Tree], set[Tree]]:
    """Nodes that only one of the trees has: constituents by label, start and end, tags by word.

    Equal constituents in a unary chain are matched from below, one for one. The root above the sentence (TOP, S1, ROOT
    or no label) is ignored. Trees are compared as they are: call `plain` first if they may have traces or function
    tags. O(nodes).

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> left, right = parse_tree("(S (NP (NP (PRP I))) (VP (VBP run)))"), parse_tree("(S (NP (PRP I)) (VP (VB run)))")
    >>> [sorted(map(str, nodes)) for nodes in differing_nodes(left, right)]
    [['(NP (NP (PRP I)))', '(VBP run)'], ['(VB run)']]
    """
    if left.end - left.start != right.end - right.start:
        raise DataError(
            "two trees can only be compared over the same words; "
            f"one has {left.end - left.start} and the other {right.end - right.start}."
        )
    return _beyond(left, right), _beyond(right, left)


def marks(left: Tree, right: Tree, gold: Tree | None = None) -> tuple[dict[Tree, Mark], dict[Tree, Mark]]:
    """Nodes that only one of two trees has, each with its mark: right or wrong if there is a gold tree.

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> left, right = parse_tree("(S (NP (PRP I)) (VP (VBP run)))"), parse_tree("(S (NP (PRP I)) (NP (NN run)))")
    >>> [{node.label: str(mark) for node, mark in marked.items()} for marked in marks(left, right, gold=left)]
    [{'VP': '+', 'VBP': '+'}, {'NP': '-', 'NN': '-'}]
    """
    own_left, own_right = differing_nodes(left, right)
    return _marked(left, own_left, gold), _marked(right, own_right, gold)


def _marked(tree: Tree, own: set[Tree], gold: Tree | None) -> dict[Tree, Mark]:
    wrong = None if gold is None else differing_nodes(tree, gold)[0]
    return {
        node: Mark.ONLY if wrong is None else Mark.WRONG if node in wrong else Mark.RIGHT
        for node in tree.walk()
        if node in own
    }


def _beyond(tree: Tree, other: Tree) -> set[Tree]:
    left_over = Counter(map(_key, other.walk()))
    found = set()
    for node in reversed(list(tree.walk())):  # children before parents
        if node.word is None and node.label in ROOTS:
            continue
        key = _key(node)
        if left_over[key]:
            left_over[key] -= 1
        else:
            found.add(node)
    return found


def _key(node: Tree) -> tuple[str, int, int, bool]:
    return node.label, node.start, node.end, node.is_leaf
