"""AdaRank: boosting of single features under a ranking metric (Xu & Li 2007)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy import sparse

from runoff.arrays import frozen
from runoff.errors import DataError, UsageError
from runoff.learners.base import Learner
from runoff.learners.early_stopping import DevScorer, dev_entry
from runoff.learners.feature_scaling import column_scales, spread_within
from runoff.metrics.ranking_metric import RankingMetric
from runoff.model import LinearModel
from runoff.nbest import Features
from runoff.parallel import one_blas_thread
from runoff.parameters import choice, either, flag, optional, parameter, whole
from runoff.progress import progress
from runoff.ranking import by_score, informative
from runoff.tables import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runoff.arrays import Floats, Ints
    from runoff.metrics import Metric
    from runoff.nbest import NBest

_MOST_CELLS = 1 << 28  # groups times columns: two GiB
_AT_ONCE = 1 << 16  # stored values of the columns that are ranked together
_DIGITS = 12  # scores that differ only in later digits are equal
_PERFECT = 1.0 - 1e-9  # a perfect ranker would get an infinite weight
_SMALLEST = 1e-300


@dataclass(eq=False, repr=False)
class AdaRank(Learner):
    """Boosting of rankers that sort by one feature, under the metric itself.

    Every round takes the feature that ranks best on the groups that the model still ranks badly: groups are weighted by
    `exp(-E)`, E being the model's score on the group under the metric. The feature's weight grows by
    `log(Σ P (1 + E) / Σ P (1 - E)) / 2`, with the E of its own order and the weights P of the groups. It is never
    negative: as in the paper a feature ranks from high to low, and one of which less is better is not used.
    Features are summed as they are, so they should have comparable scales; see `scale`. Groups whose grades are all the
    same are left out. Costs O(n log k) once, n being the candidates of the groups that have a feature, summed over
    all features; then O(groups * columns + candidates log k) a round, and 8 bytes for every group and column.

    A feature that changes no ranking leaves P unchanged and would be chosen forever. So a feature that was chosen
    `in_a_row` times is skipped, as in RankLib, until the model improves on its best training score.

    The paper does not specify ties. Of equally good features the first is taken. Tied candidates are ranked by the
    first round's score, and where that ties too they count in expectation: otherwise, in data that lists the best
    candidate first, a feature that hardly any candidate has would look perfect.

    Parameters
    ----------
    rounds
        Number of rounds; training ends earlier after `patience` rounds without gain on the training data, or when all
        features are skipped. "auto": up to `max_rounds`, of which the best on dev is kept, or on the training data.
    in_a_row
        How often a feature may be chosen in succession before it is skipped.
    scale
        "spread": measure every feature by its spread within groups. "none": as they are, as in the paper. "auto":
        "none" if all values are ones, else "spread".
    base
        Use the first round's score where the data has it, as one more feature.
    min_groups
        Leave out features that occur in fewer groups.
    max_rounds, patience
        See `rounds`. A patience of None (`none` in the shell) never ends the training.
    metric
        The metric that is boosted, that decides on dev, and that `score` returns: one of whole rankings, such as
        ndcg, ndcg-letor or map; default: the data's usual metric, else ndcg.
    group_by
        What folds of `cross_validate` keep together: the name of an attribute of the lists, such as a speaker, or
        "none". Default: lists that share a reference or an input; see `runoff.blocks`.
    group_ranks, leaves, products
        Add features: the ranks within the group of dense columns, see `runoff.features.fit_group_ranks`; the leaves of
        so many boosted trees, see `runoff.learners.fit_leaves`; the products of features that are there together in so
        many groups, see `runoff.features.fit_products`.
    bags
        Take the mean of the models of so many bootstrap samples of the lists, each with the settings that are best on
        all of them (Breiman 1996): steadier where lists are few, at the cost of as many trainings.
    missing
        What stands in place of missing values: the "mean" of the list; what the other columns say ("regress"); or
        "auto", the second where columns go together, see `runoff.features.fit_estimates`.
    seed
        Has no effect; every learner has it.
    verbose
        Show progress.
    calibration
        Where the confidence of choices is fitted: "auto" takes dev data, or folds where settings are chosen by folds;
        "folds" takes folds also where all settings are given; "none" fits none. See `runoff.calibrate`.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> train = NBest.from_arrays([[1, 0], [0, 1], [1, 1], [0, 1]], quality=[1, 0, 1, 0], sizes=[2, 2])
    >>> AdaRank().fit(train).predict(train).tolist()
    [0, 0]
    """

    name = "adarank"
    rounds: int | Literal["auto"] = parameter("auto", either("auto", whole(1)))
    in_a_row: int = parameter(5, whole(1))
    scale: Literal["auto", "spread", "none"] = parameter("auto", choice("auto", "spread", "none"))
    base: bool = parameter(True, flag)
    min_groups: int = parameter(1, whole(1))
    max_rounds: int = parameter(1_000, whole(1))
    patience: int | None = parameter(100, optional(whole(1)))

    @property
    def own_metric(self) -> str:
        """NDCG."""
        return "ndcg"

    def _learn(self, train: NBest, dev: NBest | None, steps: tuple[dict[str, Any], ...]) -> LinearModel:
        metric = self.metric_for(train)
        if not isinstance(metric, RankingMetric):
            raise UsageError(
                f"AdaRank boosts a metric of whole rankings, and {metric.label} looks at the picks alone; name "
                "another, such as ndcg or map."
            )
        groups = informative(train)
        if groups.size == 0:
            raise DataError("no group of the training data has a better and a worse candidate: nothing to learn.")
        ensemble = Ensemble(train[groups], metric, self)
        names = train.features.column_names()
        scorer = None if dev is None else DevScorer(dev, metric, names)
        rounds = self.max_rounds if self.rounds == "auto" else self.rounds
        decides = "round" if self.rounds != "auto" else "train" if scorer is None else "dev"
        if decides == "train":
            self._chosen_on = counted(len(train), "training lists")
        elif dev is not None and decides == "dev":
            self._choose_on(dev)
        kept, top, weights = 0, -np.inf, ensemble.weights
        with one_blas_thread(), progress("adarank", rounds, verbose=self.verbose) as step:
            while len(self.history) < rounds and ensemble.boost():
                entry = {"round": len(self.history) + 1.0, "loss": ensemble.loss, "train": ensemble.mean}
                if scorer is not None:
                    entry["dev"] = scorer.score(ensemble.weights[:-1], float(ensemble.weights[-1]))
                self.history.append(entry)
                if entry[decides] > top:
                    kept, top, weights = len(self.history), entry[decides], ensemble.weights.copy()
                words = ", ".join(f"{name} {value:.4f}" for name, value in entry.items() if name != "round")
                step(len(self.history), words)
        facts: dict[str, Any] = {
            "rounds": kept,
            "rounds_tried": len(self.history),
            "dropped_groups": len(train) - groups.size,
            "loss": self.history[kept - 1]["loss"],
        }
        if scorer is not None:
            facts["dev"] = dev_entry(scorer.metric, scorer.data, self.history[kept - 1]["dev"])
        return LinearModel(frozen(weights[:-1]), names, float(weights[-1]), steps, self._provenance(train, **facts))


class Ensemble:
    """A growing sum of features, and how well it and every feature alone rank each group.

    Examples
    --------
    >>> from runoff import metrics
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays([[1.0], [0.0], [0.0], [1.0]], quality=[1, 0, 1, 0], sizes=[2, 2])
    >>> ensemble = Ensemble(data, metrics.get("map"), AdaRank(scale="none"))
    >>> ensemble.boost(), ensemble.mean, ensemble.weights.round(4).tolist()  # 0.973 is log(1.75 / 0.25) / 2
    (True, 0.75, [0.973, 0.0])
    """

    def __init__(self, data: NBest, metric: Metric, learner: AdaRank) -> None:
        self._metric = metric.in_expectation
        # Metrics need neither features nor texts, and groups are copied often.
        self._data = data.replace(features=Features.none(data.n_candidates), texts=None, stats={})
        table = data.features.check().to_scipy().astype(np.float64)
        scale = np.append(column_scales(data, learner.scale, learner.min_groups), 0.0)
        base = np.zeros(data.n_candidates)
        if learner.base and data.base is not None:
            spread = spread_within(data, data.base)
            # A spread that is too small or too large for a reciprocal counts as none.
            base, scale[-1] = data.base, 1 / spread if _SMALLEST < spread < np.inf else 0.0
        self._columns = np.flatnonzero(scale)  # the last may be the first round's score
        if self._columns.size == 0:
            raise DataError("no feature differs between the candidates of a group: there is nothing to rank by.")
        if self._columns.size * len(data) > _MOST_CELLS:
            raise UsageError(
                f"AdaRank ranks by every feature alone, and {self._columns.size:,} of them in {len(data):,} groups are "
                "too many; leave out rare ones by min_groups."
            )
        self._scale, self._in_a_row, self._patience = scale, learner.in_a_row, learner.patience
        self._table = sparse.csc_array(sparse.hstack([table, sparse.csr_array(base[:, None])]))
        self._scores = np.zeros(data.n_candidates)
        self._shares = np.full(len(data), 1 / len(data))
        self.mean = self._best = -1.0  # metric of the ensemble, now and at its best
        self.loss = 1.0  # mean of exp(-E), which the rounds lower
        self._waited, self._last, self._times = 0, -1, 0
        self._skipped = np.zeros(self._columns.size, bool)
        self.weights = np.zeros(scale.size)  # for features as the data has them; the last is the first round's
        self.alone = self._each_alone(verbose=learner.verbose)
        if not self.alone.any():
            raise DataError(
                f"every order of every group has the {metric.label} 0: grades of good candidates must be above 0."
            )

    def boost(self) -> bool:
        """Add the feature that is best under the current group weights; False after `patience` rounds without gain."""
        if self._skipped.all() or (self._patience is not None and self._waited >= self._patience):
            return False
        rated = np.where(self._skipped, -np.inf, self._shares @ self.alone)
        at = int(np.argmax(rated.round(_DIGITS)))
        column, expected = int(self._columns[at]), min(float(rated[at]), _PERFECT)
        weight = 0.5 * float(np.log((1.0 + expected) / (1.0 - expected))) * self._scale[column]
        self.weights[column] += weight
        self._scores += weight * self._values(column)
        reached = self._reached(self._scores)
        losses = np.exp(-reached)
        self._shares = losses / losses.sum()
        self.mean, self.loss = float(reached.mean()), float(losses.mean())
        self._record(at)
        return True

    def _record(self, at: int) -> None:
        self._times = self._times + 1 if at == self._last else 1
        self._last, self._waited = at, self._waited + 1
        if round(self.mean, _DIGITS) > round(self._best, _DIGITS):
            self._best, self._waited = self.mean, 0
            self._skipped[:] = False
        if self._times >= self._in_a_row:
            self._skipped[at] = True

    def _each_alone(self, *, verbose: bool) -> Floats:
        """The metric of every group, ranked by every feature alone; unchanged where no candidate has the feature."""
        found = np.empty((len(self._data), self._columns.size))
        found[:] = self._reached(np.zeros(self._data.n_candidates))[:, None]
        with progress("adarank, every feature alone", self._columns.size, verbose=verbose) as step:
            for first, last in self._batches():
                self._rank_alone(first, last, found)
                step(last, "")
        return found

    def _batches(self) -> Iterator[tuple[int, int]]:
        """Runs of columns that have few values together, so that groups are gathered for many columns at once."""
        stored = np.cumsum(np.diff(self._table.indptr)[self._columns])
        first = 0
        while first < self._columns.size:
            before = stored[first - 1] if first else 0
            last = max(int(np.searchsorted(stored, before + _AT_ONCE, "right")), first + 1)
            yield first, last
            first = last

    def _rank_alone(self, first: int, last: int, found: Floats) -> None:
        """Rank the groups of some columns by each of them, all in one list of groups."""
        part = self._table[:, self._columns[first:last]]
        column = np.repeat(np.arange(last - first), np.diff(part.indptr))
        group = self._data.group_of[part.indices]
        pairs, pair = np.unique(column * len(self._data) + group, return_inverse=True)
        groups: Ints = pairs % len(self._data)
        sizes = self._data.sizes[groups]
        starts = np.cumsum(sizes) - sizes
        scores = np.zeros(int(sizes.sum()))
        scores[starts[pair] + part.indices - self._data.offsets[group]] = part.data
        gathered = self._data[groups]
        values = self._metric.rows(gathered, by_score(gathered, scores))[:, 0]
        found[groups, first + pairs // len(self._data)] = values

    def _values(self, column: int) -> Floats:
        values: Floats = self._table[:, [column]].toarray().ravel()
        return values

    def _reached(self, scores: Floats) -> Floats:
        """The metric of every group, ranked by these scores."""
        values: Floats = self._metric.rows(self._data, by_score(self._data, scores))[:, 0]
        return values
