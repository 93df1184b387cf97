"""From proposed arguments with probabilities to labellings: no overlap, core labels at most once."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.kernels.span_resolution import resolve_spans
from runoff.tasks.roles.propositions import CORE, Argument

if TYPE_CHECKING:
    from collections.abc import Sequence

PRICE = 0.75  # of an argument: about the F1 that labellers reach


class Proposal(NamedTuple):
    """An argument that may be one, and how probably it is."""

    start: int
    stop: int
    label: str
    probability: float


class Labelling(NamedTuple):
    """Arguments of a predicate, and their score."""

    roles: tuple[Argument, ...]
    score: float


def resolve(proposals: Sequence[Proposal], n_words: int, *, price: float = PRICE, k: int = 1) -> list[Labelling]:
    """The k best sets of proposals that do not overlap and have every core label at most once, best first.

    An argument of probability p gains `2p - price`: with the F1 of the best choice as the price, the sum of these gains
    is highest where the expected F1 is (Dinkelbach 1967). Exact, by a dynamic programme. For k = 1 O(words + proposals)
    times two for every core label that is proposed more than once.

    Examples
    --------
    >>> proposed = [Proposal(0, 2, "A0", 0.9), Proposal(1, 3, "A1", 0.6), Proposal(3, 4, "A0", 0.5)]
    >>> for labelling in resolve(proposed, 4, k=2):
    ...     print(labelling)
    Labelling(roles=(Argument(start=0, stop=2, label='A0'),), score=1.05)
    Labelling(roles=(Argument(start=1, stop=3, label='A1'), Argument(start=3, stop=4, label='A0')), score=0.7)
    """
    if k == 1:
        proposals = [each for each in proposals if 2 * each.probability > price]
    if not proposals:
        return [Labelling((), 0.0)]
    ordered = sorted(proposals, key=lambda each: (each.stop, each.start, each.label))
    counts = Counter(each.label for each in ordered)
    number = {label: at for at, label in enumerate(sorted(label for label in CORE if counts[label] > 1))}
    starts, stops, once = (
        np.array(numbers, np.int32)
        for numbers in zip(*((each.start, each.stop, number.get(each.label, -1)) for each in ordered), strict=True)
    )
    gains = np.array([2 * each.probability - price for each in ordered])
    totals, chosen = np.zeros(k), np.zeros((k, len(ordered)), np.bool_)
    found = resolve_spans(n_words, starts, stops, once, gains, len(number), k, totals, chosen)
    return [
        Labelling(
            tuple(sorted(Argument(*ordered[at][:3]) for at in np.flatnonzero(chosen[row]).tolist())),
            round(float(totals[row]), 12),
        )
        for row in range(found)
    ]


def resolve_greedily(proposals: Sequence[Proposal], *, least: float = 0.5) -> tuple[Argument, ...]:
    """One argument after the other, by probability, unless it overlaps or repeats a core label (model 3 of the paper).

    Examples
    --------
    >>> resolve_greedily([Proposal(0, 2, "A0", 0.9), Proposal(1, 3, "A1", 0.6), Proposal(3, 4, "A1", 0.5)])
    (Argument(start=0, stop=2, label='A0'), Argument(start=3, stop=4, label='A1'))
    """
    found: list[Argument] = []
    for start, stop, label, probability in sorted(proposals, key=lambda each: -each.probability):
        fits = all(stop <= other.start or other.stop <= start for other in found)
        if probability >= least and fits and not (label in CORE and any(label == other.label for other in found)):
            found.append(Argument(start, stop, label))
    return tuple(sorted(found))
