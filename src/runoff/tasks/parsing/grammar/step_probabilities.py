"""Smoothed probabilities of derivation steps: counts of contexts and outcomes with Witten-Bell interpolation."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.kernels.derivation_steps import WORDS, Steps, context_keys, outcome_keys, table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Floats, Ints
    from runoff.tasks.parsing.grammar.derivations import DerivationSteps


class StepProbabilities(NamedTuple):
    """Keys of contexts with the share left for coarser contexts, and keys of outcomes with their shares."""

    contexts: NDArray[np.uint64]
    left_over: Floats
    outcomes: NDArray[np.uint64]
    shares: Floats

    def steps(self, masks: Ints) -> Steps:
        """Hash tables for lookup."""
        contexts, outcomes = table(self.contexts, self.left_over), table(self.outcomes, self.shares)
        return Steps(masks, contexts, contexts.view(np.float64), outcomes, outcomes.view(np.float64))


def count_steps(rows: DerivationSteps, masks: Ints, smoothing: float) -> StepProbabilities:
    """Count steps on all levels of back-off.

    A context seen n times with u different outcomes gives each its count / (n + smoothing u), and the rest to the next
    coarser context (Collins 1999, section 7.3.4). The coarsest keeps nothing back, except for words, which back off to
    the lexicon. O(steps x levels), plus sorting.
    """
    parts: list[StepProbabilities] = []
    for kind, levels in enumerate(masks):
        fields, outcomes = rows.table(kind)
        known = int((levels >= 0).sum())
        for level in range(known):
            contexts = context_keys(kind, level, int(levels[level]), fields)
            keys, first, counts = np.unique(outcome_keys(contexts, outcomes), return_index=True, return_counts=True)
            different, which, kinds = np.unique(contexts[first], return_inverse=True, return_counts=True)
            kept_back = smoothing * kinds if level + 1 < known or kind == WORDS else np.zeros(kinds.size)
            total = np.bincount(which, weights=counts) + kept_back
            parts.append(StepProbabilities(different, kept_back / total, keys, counts / total[which]))
    return StepProbabilities(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
