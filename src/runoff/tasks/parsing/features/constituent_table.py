"""Table of trees by constituents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from runoff.tasks.parsing.trees import Tree


def constituents(trees: Sequence[Tree]) -> tuple[list[Tree], NDArray[np.uint8]]:
    """Distinct constituents of the trees of one forest, and a 0/1 table of trees by constituents.

    A shared subtree is visited once. O(distinct nodes + trees x distinct nodes).

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import Forest
    >>> forest = Forest()
    >>> nodes, has = constituents([forest.tree("(S (NP (PRP I)) (VP (VBP go)))"), forest.tree("(NP (NP (PRP I)))")])
    >>> [node.label for node in nodes], has.tolist()
    (['S', 'NP', 'VP', 'NP'], [[1, 1, 1, 0], [0, 1, 0, 1]])
    """
    order: dict[Tree, int] = {}
    masks: dict[Tree, int] = {}
    roots = [_mask(tree, order, masks) for tree in trees]
    width = (len(order) + 7) // 8
    packed = np.frombuffer(b"".join([mask.to_bytes(width, "little") for mask in roots]), np.uint8)
    has = np.unpackbits(packed.reshape(len(roots), width), axis=1, bitorder="little", count=len(order))
    return list(order), has


def _mask(tree: Tree, order: dict[Tree, int], masks: dict[Tree, int]) -> int:
    """Bits of the constituents that a tree has; a new node gets the next bit."""
    found = masks.get(tree)
    if found is not None:
        return found
    if not tree.children:
        return 0
    mask = 1 << order.setdefault(tree, len(order))
    for child in tree.children:
        if child.children:
            mask |= _mask(child, order, masks)
    masks[tree] = mask
    return mask
