"""Linear-chain conditional random fields by L-BFGS (Lafferty, McCallum & Pereira 2001; Sha & Pereira 2003)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from runoff.errors import DataError
from runoff.expected_arrays import Expected
from runoff.kernels.chain_gradient import EL, LA, ML, chain_objective
from runoff.kernels.chain_sgd import FACTOR, LOSS, STEPS, sgd_pass
from runoff.kernels.chain_sums import edge_factors
from runoff.learners.chain_run import ChainLearner, ChainRun, seeds, without_dropout
from runoff.learners.lbfgs import LBFGSState, lbfgs_step
from runoff.model.chain_shape import ChainShape, tags_of, tokens_of, transposed
from runoff.parallel import even_cuts, in_threads
from runoff.parameters import choice, flag, number, optional, parameter, text, whole, within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Floats
    from runoff.features.sequences import Sequences
    from runoff.kernels.xorshift import Seeds
    from runoff.learners.chain_run import DevFunction

_KINDS = {"ml": ML, "la": LA, "el": EL}
_PIECES = 8  # each has a gradient of its own; their number decides the order of sums, whatever the number of threads
_FIRST_EPOCHS = 3  # of stochastic gradient descent, which its mean leaves out
_BACK = 10  # steps over which the objective must fall by the tolerance


class ChainProblem:
    """The objective as a function of one vector. O(stored numbers x tags of a feature + tokens x tags²) a call."""

    def __init__(self, data: Sequences, *, objective: str, loss_weight: float, sigma: float, all_pairs: bool) -> None:
        self.shape = ChainShape.of(data, transposed(data), all_pairs=all_pairs)
        self._tokens, self._tags = tokens_of(data), tags_of(data)
        self._kind, self._strength, self._prior = _KINDS[objective], loss_weight, 1.0 / sigma**2
        self._transitions = data.transitions
        self._pieces = list(pairwise(even_cuts(data.offsets, min(_PIECES, len(data))).tolist()))
        self._gradients = np.empty((len(self._pieces), self.shape.size))

    def __call__(self, vector: Floats) -> tuple[float, Floats]:
        """Value and gradient."""
        shape = self.shape
        weights, n = shape.weights(vector), shape.n_tags
        edges = weights.transitions.reshape(1, n, n)
        factors, most = np.empty_like(edges), np.empty(1)
        edge_factors(edges, factors, most)

        def piece(at: int) -> float:
            self._gradients[at] = 0.0
            return chain_objective(
                *self._pieces[at],
                self._tokens,
                self._tags,
                weights,
                factors,
                most,
                self._kind,
                self._strength,
                shape.weights(self._gradients[at]),
            )

        value = sum(in_threads(piece, range(len(self._pieces))))
        gradient = 2.0 * self._prior * vector
        for each in self._gradients:
            gradient += each
        if not self._transitions:
            shape.parts(gradient)[2][:] = 0.0
        return value + self._prior * float(vector @ vector), gradient


class ChainCRFRun(ChainRun):
    """A step of L-BFGS is a step."""

    name = "chain crf"
    is_probabilistic = True

    def __init__(self, learner: ChainCRF, data: Sequences, dev: DevFunction | None) -> None:
        self._problem = ChainProblem(
            data,
            objective=learner.objective,
            loss_weight=learner.loss_weight,
            sigma=learner.sigma,
            all_pairs=learner.pairs == "all",
        )
        super().__init__(self._problem.shape, dev, learner.patience, least=2 * _BACK)
        start = np.zeros(self.shape.size)
        self.state = LBFGSState.at(start, *self._problem(start))
        self.counted = ("loss", "dev") if dev is not None else ("loss",)
        self._tolerance = learner.tolerance

    def step(self) -> dict[str, float] | None:
        """One step down; None where the objective falls no further."""
        losses = [entry["loss"] for entry in self.history]
        if len(losses) > _BACK and losses[-1 - _BACK] - losses[-1] <= self._tolerance * abs(losses[-1]):
            return None
        if not lbfgs_step(self.state, self._problem):
            return None
        return {"loss": float(self.state.value[0])}

    def vector(self) -> Floats:
        """The current point."""
        point: Floats = self.state.point
        return point


class SGDVectors(NamedTuple):
    """State of a run by stochastic gradient descent."""

    vector: Floats
    numbers: Floats
    random: Seeds
    sums: Floats  # of the weights after every epoch but the first ones


class ChainSGDRun(ChainRun):
    """An epoch is a step."""

    name = "chain crf by sgd"
    is_probabilistic = True

    def __init__(
        self, learner: ChainCRF, data: Sequences, dev: DevFunction | None, shape: ChainShape, number: int
    ) -> None:
        super().__init__(shape, dev, learner.patience)
        self.name, self._number = f"{self.name} {number}", number
        self.state = SGDVectors(
            np.zeros(shape.size), np.array([1.0, 0.0, 0.0]), seeds(learner.seed, number), np.zeros(shape.size)
        )
        self.counted = ("loss", "dev") if dev is not None else ("loss",)
        self._learner, self._data = learner, data
        self._tokens, self._tags = tokens_of(data), tags_of(data)

    def step(self) -> dict[str, float]:
        """A step after every sequence."""
        learner, state, n = self._learner, self.state, len(self._data)
        order = np.random.default_rng([learner.seed, self.done, self._number]).permutation(n)
        sgd_pass(
            order,
            self._tokens,
            self._tags,
            self.shape.weights(state.vector),
            _KINDS[learner.objective],
            learner.loss_weight,
            learner.rate,
            2.0 / (learner.sigma**2 * n),
            self._data.transitions,
            learner.dropout,
            state.random,
            state.numbers,
        )
        loss, state.numbers[LOSS] = float(state.numbers[LOSS]), 0.0
        if not np.isfinite(loss):
            raise DataError("the steps of the random field diverged: take a smaller rate, or solver='lbfgs'.")
        if self.done >= _FIRST_EPOCHS:
            state.sums[:] += state.vector * state.numbers[FACTOR]
        return {"loss": loss}

    def vector(self) -> Floats:
        """The mean of the weights after every epoch but the first ones."""
        state = self.state
        epochs = round(state.numbers[STEPS] / len(self._data)) - _FIRST_EPOCHS
        vector: Floats = state.sums / epochs if epochs > 0 else state.vector * state.numbers[FACTOR]
        return without_dropout(self.shape, vector, self._learner.dropout)

    def more_expected(self, done: int) -> dict[str, Expected]:
        """A factor that steps leave, and as many as there were."""
        return {
            "state.numbers": Expected(np.float64, (3,), 0.0, max(1.0, done * len(self._data))),
            "state.random": Expected(np.uint64, (1,), 1),
        }


@dataclass(eq=False, repr=False)
class ChainCRF(ChainLearner):
    """Linear-chain conditional random field: minimise `Σ objective + Σ w² / σ²` by L-BFGS.

    A step costs the features of all tokens times the tags they occur with, and tokens x tags², on all cores; the
    result does not depend on their number.

    Parameters
    ----------
    sigma
        Width of the Gaussian prior; small values regularise more.
    objective
        "ml": `-log p(right)`. "la": the same with `loss_weight` times the Hamming loss added to all scores
        (loss-augmented, or softmax-margin: Gimpel & Smith 2010). "el": the expected Hamming loss, which is not convex.
        See Volkovs, Larochelle & Zemel (2011).
    loss_weight
        See `objective`.
    solver
        "lbfgs": all sequences at every step, on all cores, down to the minimum. "sgd": a step after every sequence, on
        one core; near the minimum after a few epochs, as the mean of the weights after all epochs but the first three.
    epochs, rate, dropout, runs, seed
        Of "sgd": passes over the sequences, the size of the first steps, the share of the features that every visit
        leaves out so that others learn to do without them, trainings in other orders whose mean is kept, and the seed.
    pairs
        Features get a weight with the tags that they occur with ("seen"), or with all.
    least_weight
        Weights of features below this are left out of the model. With all pairs most are: at 0.02, a model of chunks is
        a twentieth as large, and as good.
    max_iter, tolerance
        When "lbfgs" stops: number of steps, or a fall of the objective over ten steps of less than this share.
    patience
        With dev data, steps (of "sgd": epochs) after the best one at which it ends; None: never before the others.
    checkpoint, verbose
        File from which an interrupted training resumes; whether to show progress. Ctrl-C ends the training after the
        step and keeps what was learned.

    Examples
    --------
    >>> from runoff.features.sequences import Sequences
    >>> data = Sequences.of([[[0], [1]], [[1]]], n_features=2, tags=[[0, 1], [1]], n_tags=2)
    >>> model = ChainCRF().fit(data).model
    >>> model.best(data).tolist(), model.marginals(data).sum(axis=1).round(6).tolist()
    ([0, 1, 1], [1.0, 1.0, 1.0])
    """

    title = "chain crf"
    free = ("max_iter", "epochs", "least_weight", "patience", "checkpoint", "verbose")
    sigma: float = parameter(1.0, number())
    objective: Literal["ml", "la", "el"] = parameter("ml", choice("ml", "la", "el"))
    loss_weight: float = parameter(1.0, number(zero=True))
    solver: Literal["lbfgs", "sgd"] = parameter("lbfgs", choice("lbfgs", "sgd"))
    epochs: int = parameter(20, whole(1))
    rate: float = parameter(0.1, number())
    dropout: float = parameter(0.0, within(0, 1, last=False))
    runs: int = parameter(1, whole(1))
    seed: int = parameter(0, whole(0))
    pairs: Literal["seen", "all"] = parameter("seen", choice("seen", "all"))
    least_weight: float = parameter(0.0, number(zero=True))
    max_iter: int = parameter(200, whole(1))
    tolerance: float = parameter(1e-3, number(zero=True))
    patience: int | None = parameter(20, optional(whole(1)))
    checkpoint: str | None = parameter(None, text)
    verbose: bool = parameter(False, flag)

    def _runs(self, data: Sequences, dev: DevFunction | None) -> Sequence[ChainRun]:
        if self.objective != "la":
            self.refuse_unused(f"objective={self.objective!r}", "loss_weight")
        if self.solver == "sgd":
            self.refuse_unused(f"solver={self.solver!r}", "max_iter", "tolerance")
            shape = ChainShape.of(data, transposed(data), all_pairs=self.pairs == "all")
            return [ChainSGDRun(self, data, dev, shape, number) for number in range(self.runs)]
        self.refuse_unused(f"solver={self.solver!r}", "epochs", "rate", "dropout", "runs", "seed")
        return [ChainCRFRun(self, data, dev)]

    @property
    def _steps(self) -> int:
        return self.epochs if self.solver == "sgd" else self.max_iter
