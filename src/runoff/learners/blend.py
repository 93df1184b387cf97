"""A blend of learners: the default where a task has no learner of its own."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from runoff.arrays import frozen
from runoff.errors import DataError
from runoff.features import facts
from runoff.learners.adarank import AdaRank
from runoff.learners.base import Learner
from runoff.learners.crf import CRF
from runoff.learners.early_stopping import DevScorer, dev_entry
from runoff.learners.feature_scaling import spread_within
from runoff.learners.loglinear import FOLDS, LogLinear
from runoff.learners.perceptron import Perceptron
from runoff.metrics import RankingMetric
from runoff.model import LinearModel
from runoff.ranking import informative

if TYPE_CHECKING:
    from runoff.metrics import Metric
    from runoff.nbest import NBest

_MOST_CELLS = 1 << 24  # groups times columns up to which a round of AdaRank takes milliseconds


def members(train: NBest, metric: Metric) -> dict[str, Learner]:
    """The learners that are blended for these lists and this metric.

    Examples
    --------
    >>> from runoff.metrics import MAP, Quality
    >>> from runoff.nbest import NBest
    >>> train = NBest.from_arrays([[1.0], [2.0]], quality=[0, 1], sizes=[2])
    >>> list(members(train, Quality()))
    ['loglinear', 'crf-ml', 'crf-el', 'perceptron']
    >>> list(members(train, MAP()))[-1]
    'adarank'
    """
    cells = len(train) * train.features.n_columns
    ranks = isinstance(metric, RankingMetric) and cells <= _MOST_CELLS and facts(train).spread.any()
    always = {
        "loglinear": LogLinear(right="tied"),
        "crf-ml": CRF(objective="ml"),
        "crf-el": CRF(objective="el"),
        "perceptron": Perceptron(),
    }
    return always | ({"adarank": AdaRank()} if ranks else {})


@dataclass(eq=False, repr=False)
class Blend(Learner):
    """The mean of models that differ: log-linear, two random fields, a perceptron, and AdaRank for whole rankings.

    Each member chooses its own parameters, on dev data or by five folds of groups. The log-linear model and the first
    random field (ml) take all candidates that tie for best as correct, as a set and one by one; the second random field
    (el) minimises the expected loss; the perceptron (ORUM) learns from all pairs; AdaRank, for metrics of whole
    rankings, gives no feature a negative weight, which helps with few lists, and is left out where groups times
    features are many millions. Their weights are divided by the spread of their scores within groups and averaged: one
    linear model, whose scores have the spread of the log-linear model's.

    Which learner is best differs from set to set, and on few lists by chance; the mean varies less. Where all were
    compared, see benchmarks/default_learner.py, no single learner was as reliable. Costs the members' trainings, one
    after the other.

    Parameters
    ----------
    metric
        What chooses on dev data or by folds, and what `score` returns; default: the data's usual metric, else quality.
    group_by
        What folds keep together: the name of an attribute of the lists, such as a speaker, or "none". Default: lists
        that share a reference or an input; see `runoff.blocks`.
    seed
        Seed of everything that is drawn.
    verbose
        Show progress.
    calibration
        Where the confidence of choices is fitted: "auto" takes dev data, or folds where settings are chosen by folds;
        "folds" takes folds also where all settings are given; "none" fits none. See `runoff.calibrate`.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> train = NBest.from_arrays([[1, 0], [0, 1], [1, 1], [0, 1]], quality=[1, 0, 1, 0], sizes=[2, 2])
    >>> Blend().fit(train).predict(train).tolist()
    [0, 0]
    """

    name = "blend"
    _settled_members: dict[str, Learner] = field(default_factory=dict, init=False)
    _fitted_members: dict[str, Learner] = field(default_factory=dict, init=False)

    def settled(self) -> Self:
        """A blend whose members train as these did at last."""
        found = super().settled()
        found.__dict__["_settled_members"] = {name: each.settled() for name, each in self._fitted_members.items()}
        return found

    def _has_chosen(self, model: LinearModel) -> bool:  # noqa: ARG002 - its members always choose
        return True

    def _learn(self, train: NBest, dev: NBest | None, steps: tuple[dict[str, Any], ...]) -> LinearModel:
        if informative(train).size == 0:
            raise DataError("no group of the training data has a better and a worse candidate: nothing to learn.")
        metric = self.metric_for(train)
        self.folds_within(train, FOLDS) if dev is None else self._choose_on(dev)  # as the members do
        data = dataclasses.replace(train, rows=None)  # scores in the order of the groups
        wanted = self._settled_members or members(data, metric)
        self._fitted_members = {name: learner.clone() for name, learner in wanted.items()}
        found = {name: self._fitted(learner, data, dev) for name, learner in self._fitted_members.items()}
        models = list(found.values())
        spreads = [spread_within(data, model.scores(data)) for model in models]
        usable = [0 < spread < np.inf for spread in spreads]  # a member that orders nothing adds nothing
        unit = next((spread for spread, is_usable in zip(spreads, usable, strict=True) if is_usable), 1.0)
        shares = [unit / spread / sum(usable) if ok else 0.0 for spread, ok in zip(spreads, usable, strict=True)]
        weights = np.sum([share * model.weights for share, model in zip(shares, models, strict=True)], axis=0)
        base_weight = sum(share * model.base_weight for share, model in zip(shares, models, strict=True))
        kept = [{"share": share, **model.provenance} for share, model in zip(shares, models, strict=True)]
        provenance: dict[str, Any] = {"members": dict(zip(found, kept, strict=True))}
        provenance["warnings"] = list(dict.fromkeys(each for member in kept for each in member["warnings"]))
        names = train.features.column_names()
        if dev is not None:
            scorer = DevScorer(dev, metric, names)
            provenance["dev"] = dev_entry(scorer.metric, scorer.data, scorer.score(weights, base_weight))
        return LinearModel(frozen(weights), names, base_weight, steps, self._provenance(train, **provenance))

    def _fitted(self, learner: Learner, train: NBest, dev: NBest | None) -> LinearModel:
        learner.set_params(**{**self.get_params(), "calibration": "none"})
        model = learner.fit(train, dev).model
        if model.provenance.get("finished") is False:  # Ctrl-C left a model that is not what it should become
            raise KeyboardInterrupt
        self.history = self.history or learner.history
        return model
