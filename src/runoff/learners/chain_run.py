"""What trainings of chains share: steps with a dev score after each, the best vector, checkpoints, Ctrl-C."""

from __future__ import annotations

import contextlib
import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

import numpy as np

from runoff.errors import DataError, UsageError
from runoff.expected_arrays import Expected, check_arrays
from runoff.learners.checkpoint import Checkpoint
from runoff.learners.training_loop import EARLY, before_the_first_round, run_all
from runoff.model.chain_model import ChainModel
from runoff.parallel import one_blas_thread
from runoff.parameters import Parametrised

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from runoff.arrays import Columns, Floats
    from runoff.features.sequences import Sequences
    from runoff.kernels.xorshift import Seeds
    from runoff.learners.checkpoint import Arrays
    from runoff.model.chain_shape import ChainShape

    DevFunction = Callable[["SequenceModel"], float]


class SequenceModel(Protocol):
    """What learners of sequences leave."""

    @property
    def n_tags(self) -> int:
        """Number of tags."""

    def best(self, data: Sequences) -> Columns:
        """A tag for every token."""

    def without_zeros(self) -> Self:
        """The same without weights that are zero."""


class ChainRun(ABC):
    """One training; after every step, the current vector may be scored on dev data, and the best one is kept."""

    name = "chain"
    is_probabilistic = False
    state: Any  # a named tuple of arrays that steps change

    def __init__(self, shape: ChainShape, dev: DevFunction | None, patience: int | None, least: int = 0) -> None:
        self.shape, self.dev, self.patience, self.least = shape, dev, patience, least
        self.failed = ""
        self.converged = False
        self.history: list[dict[str, float]] = []
        self.best_vector: Floats | None = None
        self._lock = threading.Lock()  # a checkpoint must not be taken during a step

    @abstractmethod
    def step(self) -> dict[str, float] | None:
        """Do one step; gives what the history has of it, or None where there is nothing left to do."""

    @abstractmethod
    def vector(self) -> Floats:
        """The weights as they would be kept now."""

    @property
    def done(self) -> int:
        """Steps so far."""
        return len(self.history)

    @property
    def best(self) -> int:
        """The first step, from 1 on, with the best dev score; the last where there is no dev data."""
        if self.dev is None or not self.history:
            return self.done
        return 1 + int(np.argmax([entry["dev"] for entry in self.history]))

    def limit(self, most: int) -> int:
        """Steps at which it ends: `patience` after the best on dev."""
        if self.dev is None or self.patience is None or not self.history:
            return most
        return min(most, max(self.best + self.patience, self.least))

    def advance(self, steps: int) -> bool:
        """Do so many further steps; False when it has converged."""
        for _ in range(steps):
            with self._lock:
                entry = None if self.converged else self.step()
                if entry is None:
                    self.converged = True
                    return False
                if self.dev is not None:
                    vector = self.vector()
                    entry["dev"] = float(self.dev(self.made(vector)))
                    if entry["dev"] > max((each["dev"] for each in self.history), default=-np.inf):
                        self.best_vector = vector.copy()
                self.history.append(entry)
        return not self.converged

    def words(self) -> str:
        """The last entry of the history."""
        return ", ".join(f"{name} {value:,.6g}" for name, value in self.history[-1].items()) if self.history else ""

    def kept(self) -> tuple[int, Arrays]:
        """Steps; history, state and best vector as arrays."""
        with self._lock:
            names = self.counted
            rows = [[entry[name] for name in names] for entry in self.history]
            arrays: Arrays = {"history": np.array(rows, np.float64).reshape(len(rows), len(names))}
            arrays["converged"] = np.array([self.converged])
            arrays |= {f"state.{name}": array.copy() for name, array in self.state._asdict().items()}
            if self.best_vector is not None:
                arrays["best"] = self.best_vector
            return self.done, arrays

    counted: tuple[str, ...] = ()  # what an entry of the history has

    def restore(self, done: int, kept: Arrays, most: int) -> None:
        """Continue from there, unless that is further than asked for."""
        expected = {f"state.{name}": Expected.like(array) for name, array in self.state._asdict().items()}
        expected |= {"history": Expected(np.float64, (done, len(self.counted))), "converged": Expected(np.bool_, (1,))}
        if self.dev is not None and done:
            expected["best"] = Expected(np.float64, (self.shape.size,))
        check_arrays(kept, expected | self.more_expected(done))
        if done > most:
            return
        self.history = [dict(zip(self.counted, row, strict=True)) for row in kept["history"].tolist()]
        for name, array in self.state._asdict().items():
            array[...] = kept[f"state.{name}"]
        self.best_vector = kept["best"].copy() if "best" in kept else None
        self.converged = bool(kept["converged"][0])

    def more_expected(self, done: int) -> dict[str, Expected]:  # noqa: ARG002 - for runs that know more
        """What more is known of the state after so many steps than its shape."""
        return {}

    def made(self, vector: Floats) -> SequenceModel:
        """A model of a vector."""
        return ChainModel(self.shape, vector, self.is_probabilistic)

    def chosen(self) -> Floats:
        """The best vector, or the last."""
        return self.vector() if self.best_vector is None else self.best_vector


@dataclass(eq=False, repr=False)
class ChainLearner(Parametrised, ABC):
    """What learners of chains share: `fit` on sequences with tags, with dev data or a function of a model."""

    model: Any = field(init=False)  # a `ChainModel`, or a `GreedyModel`
    history: list[dict[str, float]] = field(default_factory=list, init=False)
    finished_: bool = field(default=True, init=False)
    checkpoint: str | None = field(default=None, init=False)
    verbose: bool = field(default=False, init=False)

    @abstractmethod
    def _runs(self, data: Sequences, dev: DevFunction | None) -> Sequence[ChainRun]:
        """Trainings of vectors of one shape, whose mean is kept."""

    @property
    @abstractmethod
    def _steps(self) -> int: ...

    title: ClassVar[str] = "chain"
    least_weight: float = field(default=0.0, init=False)
    free: ClassVar[tuple[str, ...]] = ("checkpoint", "verbose")  # parameters that steps do not depend on
    two_tags_back: ClassVar[bool] = False

    def fit(self, data: Sequences, dev: Sequences | DevFunction | None = None) -> Self:
        """Learn from sequences with tags; `dev` are others for early stopping, or a function of a model to maximise."""
        self.check_params()
        if data.tags is None or not data.n_tokens:
            raise DataError("there must be sequences with tags to learn from.")
        if data.tags.min() < 0:
            raise DataError("some training tokens have no tag.")
        if not self.two_tags_back and ((data.modes[data.history] if data.history.size else data.modes[:0]) > 1).any():
            raise UsageError("a chain knows the last tag only; use tag[-2] with a greedy learner.")
        function = accuracy_on(dev) if dev is not None and not callable(dev) else dev
        with before_the_first_round():
            runs = self._runs(data, function)
        with self._opened(data, dev) as checkpoint, one_blas_thread():
            finished = run_all(
                runs,
                self._steps,
                checkpoint=checkpoint,
                title=self.title,
                verbose=self.verbose,
                stopping="stopping after this step",
            )
        begun = [run for run in runs if run.done or run.converged]  # with one tag there is no step to do
        if not begun:
            raise KeyboardInterrupt(EARLY)
        vector = np.mean([run.chosen() for run in begun], axis=0)
        for weights in begun[0].shape.parts(vector)[:2]:  # of features, not of pairs of tags
            weights[np.abs(weights) < self.least_weight] = 0.0
        self.model = begun[0].made(vector).without_zeros()
        self.history, self.finished_ = runs[0].history, finished
        return self

    def _opened(self, data: Sequences, dev: object) -> contextlib.AbstractContextManager[Checkpoint | None]:
        if self.checkpoint is None:
            return contextlib.nullcontext()
        kept = {name: value for name, value in self.get_params().items() if name not in self.free}
        told = "none" if dev is None else dev.digest() if hasattr(dev, "digest") else "function"
        return Checkpoint.open(self.checkpoint, {**kept, "learner": self.title, "data": data.digest(), "dev": told})


def seeds(seed: int, number: int) -> Seeds:
    """A state for compiled loops that draw random numbers, one for every run."""
    return np.random.default_rng([seed, number, 1]).integers(1, 2**63, 1).astype(np.uint64)


def without_dropout(shape: ChainShape, vector: Floats, dropout: float) -> Floats:
    """Weights for all features at once, of weights that were learned while some were left out."""
    if dropout:
        shape.parts(vector)[0][:] *= 1.0 - dropout
    return vector


def accuracy_on(data: Sequences) -> DevFunction:
    """Share of the tokens that a model gives their tag; tokens whose tag is unknown count as wrong."""
    tags = data.tags
    if tags is None or not tags.size:
        raise DataError("dev data must have tokens with tags.")
    return lambda model: float(np.mean(model.best(data) == tags))
