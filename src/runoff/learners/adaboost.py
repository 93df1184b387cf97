"""AdaBoost over decision trees, for labels: Schapire & Singer's (1999), with real-valued leaves, one against all."""

from __future__ import annotations

import contextlib
import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from runoff.arrays import frozen
from runoff.errors import DataError, UsageError
from runoff.features.trees import MOST_DEPTH, Trees
from runoff.learners.binned_data import BinnedData
from runoff.learners.calibrate import fit_logistic
from runoff.learners.checkpoint import Checkpoint
from runoff.learners.classifier_rules import as_csr, as_labels, not_fitted
from runoff.learners.label_objectives import ExpObjective, LogLossCurve, LogObjective
from runoff.learners.training_loop import EARLY, before_the_first_round, run_all
from runoff.learners.tree_run import Patience, TreeObjective, TreeRun, TreeSettings
from runoff.nbest import Features
from runoff.parameters import (
    Parametrised,
    choice,
    either,
    flag,
    number,
    optional,
    parameter,
    text,
    whole,
    within,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from runoff.arrays import Floats

_LEAST_ROUNDS = 20  # before a label may be stopped early


@dataclass(eq=False, repr=False, kw_only=True)
class AdaBoost(Parametrised):
    """Classify rows by sums of decision trees (Schapire & Singer 1999), as Màrquez et al. (2005) label roles.

    For every label, trees of fixed depth are grown one after the other, each by the weights that the ones before leave:
    `exp(-y F)` of every example. A split minimises `Z = 2 Σ sqrt(W+ W-)`; a leaf predicts `½ log((W+ + ε)/(W- + ε))`.
    The exponential loss falls by the factor Z of the round, and bounds the training error. With `loss="log"` the trees
    are Newton steps of the logistic loss instead (LogitBoost, Friedman et al. 2000), which wrong labels move less.

    Labels learn in turn. An interrupted training keeps the trees that it has, about as many for every label;
    `finished_` is then False.

    It follows scikit-learn's classifiers: `fit(X, y)` with a sparse or dense X, `classes_`, `predict`,
    `decision_function`, `predict_proba`. NaN is a missing value, which goes to the better side of a split, or to the
    heavier one where no training row at the node misses it.

    Cost of a round of one label: the stored values of the examples that are left by `trim`, about twice. Labels are
    trained in parallel and share the data, which takes 8 bytes for every stored value, or one byte for every value of a
    column that is mostly filled.

    Parameters
    ----------
    rounds
        Trees per label; with dev data, the number of them that is best there is kept.
    depth
        Of the trees, up to 6.
    loss
        "exp": the paper's. "log": LogitBoost.
    ridge
        For the loss "log": added to the second derivative of every leaf.
    smoothing
        The ε of the loss "exp"; "auto" is 1 / (4 examples).
    rate
        Factor of the leaves' values: 1 is the paper's, less learns more slowly and often generalises better.
    trim
        Leave out the lightest examples that have this share of the weight together: most of them, after some rounds.
    row_sample, column_sample
        Share of the examples and of the columns that every tree is grown on, drawn by the seed.
    patience
        With dev data, a label stops when its best round lies this many times further back; None: never.
    calibration
        "auto" fits probabilities on dev data where there is some (Platt 1999); "none" takes `1 / (1 + exp(-2F))`.
    checkpoint
        File from which an interrupted training resumes.
    seed, verbose
        Seed of the samples; whether to show progress.

    Examples
    --------
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5)
    >>> AdaBoost(rounds=4, depth=2).fit(X, ["no", "no", "yes", "no"] * 5).predict(X[:4]).tolist()
    ['no', 'no', 'yes', 'no']
    """

    rounds: int = parameter(200, whole(1))
    depth: int = parameter(4, whole(1, MOST_DEPTH))
    loss: Literal["exp", "log"] = parameter("exp", choice("exp", "log"))
    ridge: float = parameter(1.0, number(zero=True))
    smoothing: float | Literal["auto"] = parameter("auto", either("auto", number()))
    rate: float = parameter(1.0, within(0, 1, first=False))
    trim: float = parameter(0.01, within(0, 1, last=False))
    row_sample: float = parameter(1.0, within(0, 1, first=False))
    column_sample: float = parameter(1.0, within(0, 1, first=False))
    patience: float | None = parameter(2.0, optional(number()))
    calibration: Literal["auto", "none"] = parameter("auto", choice("auto", "none"))
    checkpoint: str | None = parameter(None, text)
    seed: int = parameter(0, whole(0))
    verbose: bool = parameter(False, flag)
    runs_: list[TreeRun] = field(init=False)

    def fit(self, X: Any, y: Any, dev: tuple[Any, Any] | None = None) -> Self:
        """Learn from rows and their labels; `dev` is a pair of the same for early stopping and calibration."""
        self.check_params()
        self.refuse_unused(f"loss={self.loss!r}", "ridge" if self.loss == "exp" else "smoothing")
        table = as_csr(X)
        labels = as_labels(y, table.shape[0])
        self.classes_, codes = np.unique(labels, return_inverse=True)
        self.n_features_in_ = table.shape[1]
        if self.classes_.size < 2:
            raise DataError(
                f"all rows are of one class, {self.classes_.tolist()[0]!r}: there is nothing to tell apart."
            )
        held_out = None
        if dev is not None:
            dev_table = self._same_width(as_csr(dev[0]))
            held_out = dev_table, as_labels(dev[1], dev_table.shape[0])
        with before_the_first_round():
            data = BinnedData.of(table)
            dev_data = None if held_out is None else data.like(held_out[0])
        self.runs_ = [self._run(at, data, codes == at, dev_data, held_out) for at in self._outputs]
        with self._open_checkpoint(table, labels, held_out) as checkpoint:
            finished = run_all(
                self.runs_,
                self.rounds,
                checkpoint=checkpoint,
                title="boosting trees",
                verbose=self.verbose,
                evenly=True,
            )
        if not finished and not all(run.done or run.exhausted for run in self.runs_):
            raise KeyboardInterrupt(EARLY)
        self.finished_ = finished
        kept = [run.done if run.dev is None else run.dev[1].best for run in self.runs_]
        parts = [run.trees(rounds, at) for at, (run, rounds) in enumerate(zip(self.runs_, kept, strict=True))]
        self.rounds_ = kept
        self.trees_ = _joined(parts)
        self._curves = None
        if held_out is not None and self.calibration == "auto":
            scores = self._scores(held_out[0])
            self._curves = [
                fit_logistic(2 * scores[:, at], (held_out[1] == self.classes_[label]).astype(np.float64))[:2]
                for at, label in enumerate(self._outputs)
            ]
        return self

    @property
    def _outputs(self) -> list[int]:
        """Labels that are told from all others; one of two is enough."""
        return [1] if self.classes_.size == 2 else list(range(self.classes_.size))

    def _run(self, label: int, data: BinnedData, is_positive: Any, dev: Any, held_out: Any) -> TreeRun:
        smoothing = 0.25 / data.n_rows if self.smoothing == "auto" else float(self.smoothing)
        sides = is_positive.astype(np.uint8)
        objective: TreeObjective = (
            ExpObjective(sides, smoothing) if self.loss == "exp" else LogObjective(sides, self.ridge)
        )
        follow = None
        if dev is not None:
            follow = dev, LogLossCurve(held_out[1] == self.classes_[label]), np.zeros(dev.n_rows)
        settings = TreeSettings(
            self.depth, self.rate, self.trim, self.row_sample, self.column_sample, seed=self.seed * 100_003 + label
        )
        patience = None if self.patience is None else Patience(self.patience, _LEAST_ROUNDS)
        # With several labels the threads are theirs.
        threads = self.classes_.size == 2
        return TreeRun(f"label {label}", data, objective, settings, dev=follow, patience=patience, threads=threads)

    def _open_checkpoint(self, table: Any, labels: Any, dev: Any) -> contextlib.AbstractContextManager[Any]:
        if self.checkpoint is None:
            return contextlib.nullcontext()
        free = ("rounds", "patience", "checkpoint", "verbose", "calibration")
        kept = {name: value for name, value in self.get_params().items() if name not in free}
        parts = [table, labels] + ([] if dev is None else list(dev))
        return Checkpoint.open(self.checkpoint, {**kept, "data": _digest(parts)})

    # ---------------------------------------------------------------- predictions

    def decision_function(self, X: Any) -> Floats:
        """The sum F of every label's trees; with two labels that of the second. O(trees) for every row, at most."""
        scores = self._scores(self._same_width(as_csr(X)))
        return scores[:, 0] if self.classes_.size == 2 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The label with the highest sum."""
        scores = self._scores(self._same_width(as_csr(X)))
        best = (scores[:, 0] > 0).astype(np.int64) if self.classes_.size == 2 else scores.argmax(axis=1)
        found: NDArray[Any] = self.classes_[best]
        return found

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the labels, one row for each; calibrated where dev data was given."""
        scores = 2 * self._scores(self._same_width(as_csr(X)))
        curves = self._curves or [(0.0, 1.0)] * scores.shape[1]
        intercepts, slopes = np.array(curves).T
        p: Floats = 1 / (1 + np.exp(-np.clip(intercepts + slopes * scores, -700, 700)))
        if self.classes_.size == 2:
            return np.column_stack([1 - p[:, 0], p[:, 0]])
        total = p.sum(axis=1, keepdims=True)
        return np.where(total > 0, p / np.where(total > 0, total, 1.0), 1.0 / p.shape[1])

    def score(self, X: Any, y: Any) -> float:
        """Share of the rows that get their label."""
        return float(np.mean(self.predict(X) == np.asarray(y)))

    def _scores(self, table: Any) -> Floats:
        rows = Features.from_csr(table.indptr, table.indices, table.data, table.shape[1])
        return self.trees_.scores(rows, np.arange(table.shape[1]))

    def _same_width(self, table: Any) -> Any:
        if not hasattr(self, "n_features_in_"):
            raise not_fitted("this AdaBoost has not learned anything yet; call fit first.")
        if table.shape[1] != self.n_features_in_:
            raise UsageError(
                f"X has {table.shape[1]} features, but AdaBoost is expecting {self.n_features_in_} features as input."
            )
        return table

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(sparse=True, allow_nan=True),
        )

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "trees_")


def _joined(parts: list[Trees]) -> Trees:
    names = ("column", "cut", "missing_right", "leaves", "output_of")
    return Trees(*(frozen(np.concatenate([getattr(part, name) for part in parts])) for name in names))


def _digest(parts: list[Any]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        arrays = (part.indptr, part.indices, part.data) if hasattr(part, "indptr") else (part.astype(str),)
        for array in arrays:
            digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
