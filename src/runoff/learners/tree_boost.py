"""Boosting over decision trees for lists: gradient boosting of pairs, metric-weighted pairs, or whole distributions."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from scipy import sparse

from runoff.arrays import frozen
from runoff.errors import DataError
from runoff.features import align
from runoff.features.trees import MOST_DEPTH, Trees
from runoff.learners.base import Learner
from runoff.learners.base_weight import prior_scale_of
from runoff.learners.binned_data import BinnedData
from runoff.learners.checkpoint import Checkpoint
from runoff.learners.early_stopping import dev_entry, sum_curves
from runoff.learners.feature_scaling import spread_within
from runoff.learners.list_objective import ListObjective, MetricCurve
from runoff.learners.prefix_scorer import earliest_best
from runoff.learners.training_loop import EARLY, before_the_first_round, run_all
from runoff.learners.tree_run import Patience, TreeRun, TreeSettings
from runoff.model.tree_model import TreeModel
from runoff.parameters import choice, either, flag, number, optional, parameter, text, whole, within
from runoff.ranking import informative

if TYPE_CHECKING:
    from runoff.arrays import Bools, Floats
    from runoff.nbest import NBest

FOLDS = 5
_PATIENCE = 50  # rounds before a run may be stopped early


@dataclass(eq=False, repr=False)
class TreeBoost(Learner):
    """Rank candidates by a sum of decision trees, grown by gradient boosting (Friedman 2001; Burges 2010).

    Trees see what no linear model does: features that act together, thresholds, and missing values, which go to the
    better side of every split, or to the heavier one where no training candidate at the node misses the value. The
    first round's score, weighted by how well it orders the training lists, is where the sum starts.

    Cost of a round: one pass over the pairs of the training lists, and about twice over the stored values.

    Parameters
    ----------
    rounds
        Number of trees; "auto" grows up to `max_rounds` and takes the number that is best on dev, or by five folds.
    depth
        Of the trees, up to 6.
    rate
        Factor of the leaves' values; less needs more trees and often generalises better.
    loss
        "log": log(1 + exp(-d)) of the lead d of a better candidate over a worse one; "exp": exp(-d); "list": the
        cross-entropy of the softmax of the scores from that of the qualities (Cao et al. 2007).
    pairs
        Weights of the pairs: "ndcg" and "map" by how much the metric would change if the two changed places (with loss
        "log", LambdaMART), "quality" by the difference of their quality, "equal". For "list" they do not matter.
    best
        Whether only the best candidates of a list are compared with the others, as in Collins & Koo (2005).
    sample
        The most pairs of a list, 0: all. Where there are more, so many are drawn once, with replacement, for "quality"
        in proportion to it, else all alike; the time of a round then does not grow with the square of the list.
    temperature
        Of the qualities, for the loss "list", in units of their spread.
    ridge, least
        Added to the second derivative of every leaf; the least second derivative that a leaf must have.
    row_sample, column_sample
        Share of the candidates and of the columns that every tree is grown on, drawn by the seed.
    base
        Start from the first round's score if there is one.
    max_rounds, patience
        See `rounds`; a run ends when its best round lies `patience` times further back, but not before 50 rounds.
    metric, group_by, seed, verbose, checkpoint
        As for `runoff.Boost`.
    group_ranks, leaves, products
        Add features: the ranks within the group of dense columns, see `runoff.features.fit_group_ranks`; the leaves of
        so many boosted trees, see `runoff.learners.fit_leaves`; the products of features that are there together in so
        many groups, see `runoff.features.fit_products`. The rank of a missing value is missing too.
    bags
        Take the mean of the models of so many bootstrap samples of the lists, each with the settings that are best on
        all of them (Breiman 1996): steadier where lists are few, at the cost of as many trainings.
    missing
        "mean": missing values go to a side of every split, and nothing else; "regress": columns beside theirs have
        estimates by the other columns; "auto": these where columns go together, see `runoff.features.fit_estimates`.
    calibration
        Where the confidence of choices is fitted: "auto" takes dev data, or folds where settings are chosen by folds;
        "folds" takes folds also where all settings are given; "none" fits none. See `runoff.calibrate`.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> X = [[0, 0], [1, 1], [1, 0], [0, 1]] * 10
    >>> train = NBest.from_arrays(X, quality=[0, 0, 1, 0] * 10, sizes=[4] * 10)
    >>> TreeBoost(rounds=5, depth=2, least=0.0).fit(train).predict(train)[:2].tolist()
    [2, 2]
    """

    name: ClassVar[str] = "trees"
    rounds: int | Literal["auto"] = parameter("auto", either("auto", whole(0)))
    depth: int = parameter(4, whole(1, MOST_DEPTH))
    rate: float = parameter(0.1, within(0, 1, first=False))
    loss: Literal["log", "exp", "list"] = parameter("log", choice("log", "exp", "list"))
    pairs: Literal["ndcg", "map", "quality", "equal"] = parameter("ndcg", choice("ndcg", "map", "quality", "equal"))
    best: bool = parameter(False, flag)
    sample: int = parameter(0, whole(0))
    temperature: float = parameter(1.0, number())
    ridge: float = parameter(1.0, number(zero=True))
    least: float = parameter(0.1, number(zero=True))
    row_sample: float = parameter(1.0, within(0, 1, first=False))
    column_sample: float = parameter(1.0, within(0, 1, first=False))
    base: bool = parameter(True, flag)
    max_rounds: int = parameter(1_000, whole(1))
    patience: float | None = parameter(1.0, optional(number()))
    checkpoint: str | None = parameter(None, text)

    @property
    def keeps_missing(self) -> bool:
        """Trees send them to the better side."""
        return True

    @property
    def trees(self) -> Trees:
        """The trees of the model."""
        return self.model.trees if isinstance(self.model, TreeModel) else Trees.none()

    def _learn(self, train: NBest, dev: NBest | None, steps: tuple[dict[str, Any], ...]) -> TreeModel:
        if informative(train).size == 0:
            raise DataError("no group of the training data has a better and a worse candidate: nothing to learn.")
        unused = ("pairs", "best", "sample") if self.loss == "list" else ("temperature",)
        self.refuse_unused(f"loss={self.loss!r}", *unused)
        if self.sample:
            self.refuse_unused(f"sample={self.sample}", "best")
        with before_the_first_round():
            table = train.features.check(missing=True).to_scipy()
            data = BinnedData.of(table)
            base_weight = self._base_weight(train)
        rounds = self.max_rounds if self.rounds == "auto" else self.rounds
        provenance: dict[str, Any] = {"notes": [], "warnings": []}
        with self._open_checkpoint(train, dev) as checkpoint:
            if dev is None and self.rounds == "auto":
                rounds = self._choose_by_folds(train, data, provenance, checkpoint)
            folds_finished = provenance.get("finished", True)
            curve = None if dev is None else MetricCurve(dev, self.metric_for(dev))
            run = self._run("all groups", train, data, base_weight, dev, curve)
            finished = run_all([run], rounds, checkpoint=checkpoint, title="trees", verbose=self.verbose)
        if not finished and not run.done:
            raise KeyboardInterrupt(EARLY)
        kept = run.done if curve is None or self.rounds != "auto" else curve.best
        self.history = [
            {"round": at + 1.0, "loss": loss} | ({} if curve is None else {"dev": curve.scores[at + 1]})
            for at, loss in enumerate(run.losses)
        ]
        provenance |= {
            "rounds": kept,
            "rounds_tried": run.done,
            "finished": finished and folds_finished,
            "interrupted_in": ([] if folds_finished else ["folds"]) + ([] if finished else ["rounds"]),
            "loss": run.losses[kept - 1] if kept else None,
            "dropped_groups": len(train) - informative(train).size,
            "columns_left_out": train.features.n_columns - data.n_columns,
        }
        if curve is not None and dev is not None:
            provenance["dev"] = dev_entry(curve.metric, dev, curve.scores[kept])
        names = train.features.column_names()
        weights = frozen(np.zeros(len(names)))
        record = self._provenance(train, **provenance)
        return TreeModel(weights, names, base_weight, steps, record, trees=run.trees(kept))

    def _run(
        self,
        name: str,
        train: NBest,
        data: BinnedData,
        base_weight: float,
        dev: NBest | None = None,
        curve: MetricCurve | None = None,
        inside: Bools | None = None,
    ) -> TreeRun:
        """A run over the training lists; with `inside`, only over some of them."""
        objective = ListObjective(train, self, inside)
        follow = None
        if dev is not None and curve is not None:
            found = align(dev.features, train.features.column_names())
            table = _with_columns(dev.features.check(missing=True).to_scipy(), found, train.features.n_columns)
            start = _start(dev, base_weight)
            curve.follow(start)
            follow = data.like(table), curve, start
        settings = TreeSettings(self.depth, self.rate, 0.0, self.row_sample, self.column_sample, self.seed)
        patience = None if self.patience is None or self.rounds != "auto" else Patience(self.patience, _PATIENCE)
        return TreeRun(name, data, objective, settings, start=_start(train, base_weight), dev=follow, patience=patience)

    def _choose_by_folds(self, train: NBest, data: BinnedData, provenance: dict[str, Any], checkpoint: Any) -> int:
        fold_of = self.folds_within(train, FOLDS)
        folds = int(fold_of.max()) + 1
        metric = self.metric_for(train)
        curves, runs = [], []
        for fold in range(folds if folds > 1 else 0):
            inside = fold_of != fold
            if not informative(train[inside]).size:
                continue
            held_out = train[~inside]
            curves.append(MetricCurve(held_out, metric))
            base_of_fold = self._base_weight(train[inside])
            runs.append(
                self._run(f"fold {fold + 1} of {folds}", train, data, base_of_fold, held_out, curves[-1], inside)
            )
        if not runs:
            provenance["chosen_by_folds"] = "too few groups to choose by; 50 rounds were taken"
            return _PATIENCE
        provenance["finished"] = run_all(
            runs, self.max_rounds, checkpoint=checkpoint, title=f"{folds} folds", verbose=self.verbose
        )
        sums = sum_curves([np.array(curve.sums) for curve in curves])
        best = earliest_best(sums, curves[0].metric)
        provenance["chosen_by_folds"] = {f"{best} rounds": float(curves[0].metric.score(sums[best]))}
        return best

    def _base_weight(self, train: NBest) -> float:
        """The weight of the first round's score that is best by the loss itself."""
        if not self.base or train.base is None or not spread_within(train, train.base):
            return 0.0
        objective, unit = ListObjective(train, self), 1 / spread_within(train, train.base)
        prior = prior_scale_of(train, train.base, unit)

        def loss(log_weight: float) -> float:
            weight = float(np.exp(log_weight))
            return objective.statistics(weight * unit * _start(train, 1.0))[1] + (prior * weight) ** 2 / len(train)

        from scipy.optimize import minimize_scalar

        found = minimize_scalar(loss, bounds=(np.log(1e-3), np.log(1e3)), method="bounded", options={"xatol": 1e-3})
        return (
            float(np.exp(found.x) * unit) if found.fun < objective.statistics(np.zeros(train.n_candidates))[1] else 0.0
        )

    def _open_checkpoint(self, train: NBest, dev: NBest | None) -> contextlib.AbstractContextManager[Any]:
        if self.checkpoint is None:
            return contextlib.nullcontext()
        free = {"checkpoint", "verbose", "calibration"} | ({"rounds"} if self.rounds != "auto" else set())
        kept = {name: value for name, value in self.plain_params().items() if name not in free}
        return Checkpoint.open(self.checkpoint, kept, train, dev)


def _start(data: NBest, base_weight: float) -> Floats:
    """What the sum of the trees starts from: the first round's score."""
    return np.zeros(data.n_candidates) if data.base is None or not base_weight else base_weight * data.base


def _with_columns(table: Any, column_of: Any, n_columns: int) -> Any:
    """A table with the columns of another: those that it has, under their numbers there."""
    rows = table.tocoo()
    to = column_of[rows.col]
    known = to >= 0
    return sparse.csr_array((rows.data[known], (rows.row[known], to[known])), shape=(table.shape[0], n_columns))
