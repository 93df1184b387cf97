"""Tags of candidates one after the other, as the taggers of the paper decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.tasks.roles.propositions import CORE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Bools, Floats


def tags_left_to_right(unary: Floats, edges: Floats, legal: Bools, tags: Sequence[str]) -> list[str]:
    """The best tag of every candidate after those before it (Màrquez, Comas, Giménez & Català 2005). O(tokens x tags).

    Parameters
    ----------
    unary
        Scores of tags at every candidate, -inf for those that are not allowed.
    edges, legal
        Scores of pairs of tags, and which may follow which; each for all candidates, or one for every candidate.
    tags
        Names: a core label begins at most once.

    Examples
    --------
    >>> tags = ["O", "B-A0", "I-A0"]
    >>> unary = np.array([[0.0, 1.0, 9.0], [0.0, 3.0, 2.0], [0.0, 1.0, -1.0]])
    >>> unary[0, 2] = -np.inf
    >>> legal = np.array([[[True, True, False], [True, True, True], [True, True, True]]])
    >>> tags_left_to_right(unary, np.zeros((1, 3, 3)), legal, tags)
    ['B-A0', 'I-A0', 'O']
    """
    found: list[int] = []
    for at, own in enumerate(unary):
        scores = own.copy()
        if found:
            row = min(at, len(edges) - 1)
            scores += edges[row, found[-1]]
            scores[~legal[min(at, len(legal) - 1), found[-1]]] = -np.inf
        begun = {tags[tag] for tag in found}
        scores[[tag[:2] == "B-" and tag[2:] in CORE and tag in begun for tag in tags]] = -np.inf
        found.append(int(scores.argmax()))
    return [tags[tag] for tag in found]
