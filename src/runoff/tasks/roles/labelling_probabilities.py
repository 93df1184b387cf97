"""The best labellings by the probabilities of arguments, and what these say of a labelling."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from runoff.tasks.roles.candidates import without_stray_pieces
from runoff.tasks.roles.propositions import Argument
from runoff.tasks.roles.resolution import resolve

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from runoff.tasks.roles.resolution import Labelling, Proposal

SUPPLIED = ("right", "log", "least")
_LEAST = 1e-4  # of a probability in a logarithm


def best_labellings(proposals: Sequence[Proposal], n_words: int, *, price: float, k: int) -> list[Labelling]:
    """The k best labellings (`resolve`), those that are equal without stray pieces once.

    Examples
    --------
    >>> from runoff.tasks.roles.resolution import Proposal
    >>> [each.roles[0].label for each in best_labellings([Proposal(0, 1, "C-A1", 0.9)], 2, price=0.75, k=1)]
    ['A1']
    """
    kept: dict[tuple[Argument, ...], Labelling] = {}
    for labelling in resolve(proposals, n_words, price=price, k=k):
        roles = tuple(without_stray_pieces(labelling.roles))
        kept.setdefault(roles, labelling._replace(roles=roles))
    return list(kept.values())


def by_probability(proposals: Iterable[Proposal], labelling: Labelling) -> tuple[float, float, float]:
    """Expected number of right arguments, logarithm of the probability of all, and the smallest probability of one.

    Stray pieces count as the arguments that they become; what was not proposed has the probability 0.

    Examples
    --------
    >>> from runoff.tasks.roles.resolution import Labelling, Proposal
    >>> by_probability([Proposal(0, 1, "A0", 0.5)], Labelling((Argument(0, 1, "A0"),), 0.0))
    (0.5, -0.693..., 0.5)
    """
    left = dict.fromkeys(labelling.roles, 0.0)
    logarithm = 0.0
    for start, stop, label, probability in proposals:
        role = Argument(start, stop, label)
        if role not in left:
            role = role._replace(label=label.removeprefix("C-"))
        if role in left and not left[role]:
            left[role] = probability
        else:
            logarithm += math.log(max(1.0 - probability, _LEAST))
    logarithm += sum(math.log(max(probability, _LEAST)) for probability in left.values())
    return sum(left.values()), logarithm, min(left.values(), default=1.0)
