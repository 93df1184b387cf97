"""The averaged structured perceptron for chains of tags (Collins 2002)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from runoff.expected_arrays import Expected
from runoff.kernels.chain_perceptron import MISTAKES, STEPS, ChainSums, perceptron_pass
from runoff.learners.chain_run import ChainLearner, ChainRun, seeds, without_dropout
from runoff.model.chain_shape import ChainShape, tags_of, tokens_of, transposed
from runoff.parameters import choice, flag, number, optional, parameter, text, whole, within

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.features.sequences import Sequences
    from runoff.kernels.xorshift import Seeds
    from runoff.learners.chain_run import DevFunction


class PerceptronVectors(NamedTuple):
    """State of a run."""

    vector: Floats
    sums: Floats
    counters: Ints
    random: Seeds


class ChainPerceptronRun(ChainRun):
    """An epoch is a step."""

    name = "chain perceptron"

    def __init__(self, learner: Any, data: Sequences, dev: DevFunction | None, shape: ChainShape, number: int) -> None:
        super().__init__(shape, dev, learner.patience)
        self.name, self._number = f"{self.name} {number}", number
        self.state = PerceptronVectors(
            np.zeros(shape.size), np.zeros(shape.size), np.zeros(2, np.int64), seeds(learner.seed, number)
        )
        self.counted = ("mistakes", "dev") if dev is not None else ("mistakes",)
        self._data, self._learner = data, learner
        self._tokens, self._tags, self._modes = tokens_of(data), tags_of(data), np.array(data.modes, np.int32)

    def step(self) -> dict[str, float] | None:
        """An epoch; None after one without a mistake."""
        if self.history and self.history[-1]["mistakes"] == 0:
            return None
        learner, state, shape = self._learner, self.state, self.shape
        order = np.random.default_rng([learner.seed, self.done, self._number]).permutation(len(self._data))
        before = int(state.counters[MISTAKES])
        perceptron_pass(
            order,
            self._tokens,
            self._tags,
            shape.weights(state.vector),
            ChainSums(*shape.parts(state.sums)),
            learner.margin,
            learner.update == "passive-aggressive",
            learner.aggressiveness,
            learner.dropout,
            state.random,
            state.counters,
        )
        self.without_transitions()
        return {"mistakes": float(state.counters[MISTAKES] - before)}

    def without_transitions(self) -> None:
        """Set the weights of pairs of tags to 0 where they are not to have any."""
        if not self._data.transitions:
            self.shape.parts(self.state.vector)[2][:] = 0.0
            self.shape.parts(self.state.sums)[2][:] = 0.0

    def vector(self) -> Floats:
        """The mean over all visits."""
        state = self.state
        mean: Floats = state.vector - state.sums / max(int(state.counters[STEPS]), 1)
        return without_dropout(self.shape, mean, getattr(self._learner, "dropout", 0.0))

    def more_expected(self, done: int) -> dict[str, Expected]:
        """As many visits as there were."""
        return {
            "state.counters": Expected(np.int64, (2,), 0, done * max(len(self._data), self._data.n_tokens)),
            "state.random": Expected(np.uint64, (1,), 1),
        }


@dataclass(eq=False, repr=False)
class ChainPerceptron(ChainLearner):
    """Averaged structured perceptron: where the best tagging is wrong, weights move towards the right one.

    Collins (2002). An epoch costs the features of all tokens times the tags they occur with, and tokens x tags². The
    result does not depend on the number of threads: every run has one.

    Parameters
    ----------
    epochs
        Passes over the sequences, shuffled by the seed; with dev data, the best one is kept.
    patience
        With dev data, epochs after the best one at which it ends; None: never before `epochs`.
    margin
        By how much the right tagging must lead, for every wrong tag.
    update
        "step": steps of one. "passive-aggressive": just as far as the margin needs, at most `aggressiveness`.
    aggressiveness
        See `update`.
    dropout
        Share of the features that every visit leaves out, so that others learn to do without them (Hinton et al.
        2012): the tags of unknown words gain most.
    pairs
        Features get a weight with the tags that they occur with ("seen"), or with all.
    runs
        Trainings with other orders of the sequences, in parallel, whose mean is kept: steadier than any of them.
    checkpoint, seed, verbose
        File from which an interrupted training resumes; seed of the shuffling; whether to show progress. Ctrl-C ends
        the training after the epoch and keeps what was learned.

    Examples
    --------
    >>> from runoff.features.sequences import Sequences
    >>> data = Sequences.of([[[0], [1]], [[1]]], n_features=2, tags=[[0, 1], [1]], n_tags=2)
    >>> ChainPerceptron(epochs=2).fit(data).model.best(data).tolist()
    [0, 1, 1]
    """

    title = "chain perceptron"
    free = ("epochs", "patience", "checkpoint", "verbose")
    epochs: int = parameter(15, whole(1))
    patience: int | None = parameter(4, optional(whole(1)))
    margin: float = parameter(0.0, number(zero=True))
    update: Literal["step", "passive-aggressive"] = parameter("step", choice("step", "passive-aggressive"))
    aggressiveness: float = parameter(1.0, number())
    pairs: Literal["seen", "all"] = parameter("seen", choice("seen", "all"))
    dropout: float = parameter(0.0, within(0, 1, last=False))
    runs: int = parameter(1, whole(1))
    checkpoint: str | None = parameter(None, text)
    seed: int = parameter(0, whole(0))
    verbose: bool = parameter(False, flag)

    def _runs(self, data: Sequences, dev: DevFunction | None) -> list[ChainPerceptronRun]:
        shape = ChainShape.of(data, transposed(data), all_pairs=self.pairs == "all")
        return [ChainPerceptronRun(self, data, dev, shape, number) for number in range(self.runs)]

    @property
    def _steps(self) -> int:
        return self.epochs
