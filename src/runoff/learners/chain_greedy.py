"""Classifiers of tokens that look at the tags before: from left to right, with a beam."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from runoff.kernels.chain_greedy import greedy_pass
from runoff.kernels.chain_perceptron import MISTAKES, ChainSums
from runoff.learners.chain_perceptron import ChainPerceptronRun
from runoff.learners.chain_run import ChainLearner
from runoff.model.chain_shape import ChainShape, transposed
from runoff.model.greedy_model import GreedyModel
from runoff.parameters import choice, flag, number, optional, parameter, text, whole

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.features.sequences import Sequences
    from runoff.learners.chain_run import DevFunction


class GreedyRun(ChainPerceptronRun):
    """An epoch is a step."""

    name = "greedy"

    def step(self) -> dict[str, float] | None:
        """An epoch; None after one without a mistake of the perceptron."""
        learner: Any = self._learner
        if self.history and self.history[-1]["mistakes"] == 0 and learner.kind == "perceptron":
            return None
        state, shape = self.state, self.shape
        order = np.random.default_rng([learner.seed, self.done, self._number]).permutation(len(self._data))
        before = int(state.counters[MISTAKES])
        greedy_pass(
            order,
            self._tokens,
            self._modes,
            self._tags,
            shape.weights(state.vector),
            ChainSums(*shape.parts(state.sums)),
            learner.kind == "logistic",
            learner.rate,
            state.counters,
        )
        self.without_transitions()
        return {"mistakes": float(state.counters[MISTAKES] - before)}

    def made(self, vector: Floats) -> GreedyModel:
        """A model of a vector."""
        learner: Any = self._learner
        return GreedyModel(self.shape, vector, self._modes, learner.kind == "logistic", learner.beam)


@dataclass(eq=False, repr=False)
class GreedyChain(ChainLearner):
    """Classify token after token, with the tags given before as features: an averaged perceptron, or logistic.

    Trained after the tags that it gives itself, so that it learns to go on after its mistakes. Unlike a chain it may
    look at the last two tags (`tag[-2]`), and costs no square of the number of tags; but what it has decided stays,
    within the beam.

    Parameters
    ----------
    kind
        "perceptron", or "logistic": multinomial logistic regression by stochastic gradient descent.
    epochs, patience
        Passes over the sequences; with dev data, the best one is kept, and training ends `patience` after it.
    rate
        Of the steps of "logistic".
    beam
        Taggings that are followed at the same time when tagging; training follows one.
    pairs
        Features get a weight with the tags that they occur with ("seen"), or with all.
    runs, checkpoint, seed, verbose
        As for `ChainPerceptron`.

    Examples
    --------
    >>> from runoff.features.sequences import Sequences
    >>> data = Sequences.of([[[0], [1]], [[1]]], n_features=2, tags=[[0, 1], [1]], n_tags=2)
    >>> GreedyChain(kind="logistic", beam=3).fit(data).model.best(data).tolist()
    [0, 1, 1]
    """

    title = "greedy tagger"
    free = ("epochs", "patience", "checkpoint", "verbose")
    two_tags_back = True
    kind: Literal["perceptron", "logistic"] = parameter("perceptron", choice("perceptron", "logistic"))
    epochs: int = parameter(10, whole(1))
    patience: int | None = parameter(4, optional(whole(1)))
    rate: float = parameter(0.1, number())
    beam: int = parameter(1, whole(1))
    pairs: Literal["seen", "all"] = parameter("seen", choice("seen", "all"))
    runs: int = parameter(1, whole(1))
    checkpoint: str | None = parameter(None, text)
    seed: int = parameter(0, whole(0))
    verbose: bool = parameter(False, flag)

    def _runs(self, data: Sequences, dev: DevFunction | None) -> list[GreedyRun]:
        if self.kind == "perceptron":
            self.refuse_unused(f"kind={self.kind!r}", "rate")
        shape = ChainShape.of(data, transposed(data), all_pairs=self.pairs == "all")
        return [GreedyRun(self, data, dev, shape, number) for number in range(self.runs)]

    @property
    def _steps(self) -> int:
        return self.epochs
