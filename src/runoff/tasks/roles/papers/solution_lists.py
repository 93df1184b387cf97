"""Solutions of labellers as lists that a combination takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import runoff
from runoff.tasks.roles.resolution import Labelling
from runoff.tasks.roles.role_lists import to_nbest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Ints
    from runoff.nbest import NBest
    from runoff.tasks.roles.papers.role_data import RoleData
    from runoff.tasks.roles.propositions import RoleSentence


def lists_of(data: RoleData, part: str, systems: Sequence[str]) -> NBest:
    """Lists of the systems' solutions: of dev, test, the other domain, or the last third of train."""
    gold = data.third()[1] if part == "third" else data.parts[part]
    own = {name: _single(gold, data.labelled(name)[part]) for name in systems}
    return next(iter(own.values())) if len(own) == 1 else runoff.merge(own)


def _single(gold: Sequence[RoleSentence], found: Sequence[RoleSentence]) -> NBest:
    """One solution as lists of one candidate."""
    solutions = []
    for sentence, labelled in zip(gold, found, strict=True):
        roles = {each.predicate: each.roles for each in labelled.propositions}
        solutions.append([[Labelling(roles[each.predicate], 0.0)] for each in sentence.propositions])
    return to_nbest(gold, solutions, gold=True)


def sentence_numbers(data: NBest) -> Ints:
    """The sentence of every predicate; equal labellings of different sentences do not belong together."""
    words = [] if data.inputs is None else data.inputs.to_pylist()
    return np.unique(np.array(words), return_inverse=True)[1]
