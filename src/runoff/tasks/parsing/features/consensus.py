"""Consensus features: how probable a candidate's constituents are under the first round's distribution.

A list with scores is a distribution over trees. A tree that shares its constituents with most of the probability mass
is a safer choice than the single most probable tree: choosing by expected F is minimum Bayes risk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.tasks.parsing.trees import ROOTS, plain_label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from runoff.arrays import Floats
    from runoff.tasks.parsing.trees import Tree

FAMILY = "consensus"
SHARPNESS = (1.0, 0.3, 0.0)  # powers of the first round's probabilities; 0 gives every candidate the same vote
NAMES = (
    *(f"{FAMILY}:expected F, power {power:g}" for power in SHARPNESS),
    *(f"{FAMILY}:log posterior of constituents, power {power:g}" for power in SHARPNESS),
    f"{FAMILY}:place",
    f"{FAMILY}:first",
    f"{FAMILY}:constituents",
)


def consensus(nodes: Sequence[Tree], has: NDArray[np.uint8], scores: Sequence[float]) -> Floats:
    """One row per candidate, columns as in `NAMES`. O(candidates² x constituents), by one matrix product.

    Function tags are ignored. Place and first are by score; ties follow the order of the list, as for the first round's
    choice everywhere in Runoff.

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import Forest
    >>> from runoff.tasks.parsing.features.constituent_table import constituents
    >>> forest = Forest()
    >>> trees = [forest.tree("(S (NP (PRP I)) (VP (VBP go)))"), forest.tree("(NP (NP (PRP I)))")]
    >>> consensus(*constituents(trees), [0.0, 0.0])[:, 0].round(2).tolist()  # half of 1, half of 2 in 5
    [0.7, 0.7]
    """
    present = _present(nodes, has)
    own = np.asarray(scores, np.float64)
    relative = own - own.max()
    place = np.empty(len(has), np.int64)
    place[np.argsort(-own, kind="stable")] = np.arange(len(has))  # by score, then as they came: the first round's
    weights = np.exp(relative[:, None] * np.array(SHARPNESS))
    weights /= weights.sum(axis=0)
    posterior = present @ np.log(np.maximum(weights.T @ present, 1e-12)).T
    return np.column_stack([_expected(present, weights), posterior, np.log1p(place), place == 0, present.sum(axis=1)])


def expected_f(nodes: Sequence[Tree], has: NDArray[np.uint8], weights: Floats) -> Floats:
    """F of every tree, as a share, if a tree that is drawn by weight is right; one column for each column of weights.

    Weights of a column are probabilities. Punctuation counts as other words do. O(candidates² x constituents).

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import Forest
    >>> from runoff.tasks.parsing.features.constituent_table import constituents
    >>> forest = Forest()
    >>> trees = [forest.tree("(S (NP (PRP I)) (VP (VBP go)))"), forest.tree("(NP (NP (PRP I)))")]
    >>> expected_f(*constituents(trees), np.array([[1.0, 0.5], [0.0, 0.5]])).round(2).tolist()
    [[1.0, 0.7], [0.4, 0.7]]
    """
    return _expected(_present(nodes, has), weights)


def _present(nodes: Sequence[Tree], has: NDArray[np.uint8]) -> Floats:
    """How often each tree has each constituent, without roots."""
    keys = [_key(node) for node in nodes]
    numbers = {key: at for at, key in enumerate(dict.fromkeys(key for key in keys if key[0] not in ROOTS))}
    present = np.zeros((len(has), len(numbers)))
    for at, key in enumerate(keys):
        if key in numbers:
            present[:, numbers[key]] += has[:, at]
    return present


def _expected(present: Floats, weights: Floats) -> Floats:
    size = present.sum(axis=1)
    shared = 2.0 * (present @ present.T) / np.maximum(size[:, None] + size[None, :], 1.0)
    expected: Floats = shared @ weights
    return expected


def _key(node: Tree) -> tuple[str, int, int, int]:
    """Identity of a constituent; equal labels over the same words are numbered from below."""
    label, same, below = plain_label(node.label), 0, node
    while len(below.children) == 1:
        below = below.children[0]
        same += bool(below.children) and plain_label(below.label) == label
    return label, node.start, node.end, same
