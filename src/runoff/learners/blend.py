"""A blend of learners: the default where a task has no learner of its own."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from runoff.errors import DataError
from runoff.features import facts
from runoff.learners.adarank import AdaRank
from runoff.learners.bagging import OF_MEMBERS, mean_of
from runoff.learners.base import Learner
from runoff.learners.calibrate import held_out_scores, with_calibration
from runoff.learners.crf import CRF
from runoff.learners.early_stopping import dev_entry_of
from runoff.learners.feature_scaling import spread_within
from runoff.learners.loglinear import LogLinear
from runoff.learners.perceptron import Perceptron
from runoff.learners.prior_width import FOLDS
from runoff.learners.tree_boost import TreeBoost
from runoff.learners.tree_share import TreeShare, choose_share, too_much_for_trees
from runoff.metrics import RankingMetric
from runoff.model import scaled, weighted_sum
from runoff.ranking import informative

if TYPE_CHECKING:
    from runoff.arrays import Ints
    from runoff.metrics import Metric
    from runoff.model import LinearModel
    from runoff.model.calibration import Calibration
    from runoff.nbest import NBest

TREES = "trees"
_TREE_SETTINGS: dict[str, Any] = {"loss": "list", "depth": 3, "max_rounds": 300}
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

    Where held-out lists speak for it, boosted trees join in.

    Each member chooses its own parameters, on dev data or by five folds of groups. The log-linear model and the first
    random field (ml) take all candidates that tie for best as correct, as a set and one by one; the second random field
    (el) minimises the expected loss; the perceptron (ORUM) learns from all pairs; AdaRank, for metrics of whole
    rankings, gives no feature a negative weight, which helps with few lists, and is left out where groups times
    features are many millions. Their weights are divided by the spread of their scores within groups and averaged: one
    linear model, whose scores have the spread of the log-linear model's.

    Trees see features that act together. A quarter to all of the scores comes from `TreeBoost` where that gains more
    than its standard error on dev data, or on lists of folds by models of the others: then the model is a
    `runoff.model.TreeModel`. They are not tried on fewer than 50 lists, or where they would take long; the provenance
    says so under "trees".

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
    _settled: _Settled | None = field(default=None, init=False)
    _fitted_members: dict[str, Learner] = field(default_factory=dict, init=False)
    _share: TreeShare = field(default_factory=TreeShare, init=False)

    def settled(self) -> Self:
        """A blend whose members train as these did at last."""
        found = self.clone().set_params(calibration="none", verbose=False)
        members = {name: each.settled() for name, each in self._fitted_members.items()}
        found.__dict__["_settled"] = _Settled(members, self._share)
        return found

    def _has_chosen(self, model: LinearModel) -> bool:  # noqa: ARG002 - its members always choose
        return True

    def _learn(self, train: NBest, dev: NBest | None, steps: tuple[dict[str, Any], ...]) -> LinearModel:
        if informative(train).size == 0:
            raise DataError("no group of the training data has a better and a worse candidate: nothing to learn.")
        metric = self.metric_for(train)
        fold_of = self.folds_within(train, FOLDS) if dev is None else np.zeros(len(train), np.int64)  # as the members
        if dev is not None:
            self._choose_on(dev)
        data = dataclasses.replace(train, rows=None)  # scores in the order of the groups
        wanted = members(data, metric) if self._settled is None else self._settled.members
        self._fitted_members = {name: learner.clone() for name, learner in wanted.items()}
        found = {name: self._fitted(learner, data, dev) for name, learner in self._fitted_members.items()}
        grown = found.pop(TREES, None)
        linear, shares = mean_of(data, list(found.values()))
        kept = [{"share": share, **model.provenance} for share, model in zip(shares, found.values(), strict=True)]
        provenance: dict[str, Any] = {"members": dict(zip(found, kept, strict=True))}
        provenance["warnings"] = list(dict.fromkeys(each for member in kept for each in member["warnings"]))
        model, calibration = linear, None
        if self._settled is not None:
            self._share = self._settled.share
            model = linear if grown is None else _with_trees(data, linear, grown, self._share.share)
        else:
            model, calibration = self._with_trees_if_better(data, dev, fold_of, linear, provenance)
        if dev is not None:
            provenance["dev"] = dev_entry_of(model, dev, metric)
        record = self._provenance(train, **provenance)
        return dataclasses.replace(model, preparation=steps, provenance=record, calibration=calibration)

    def _with_trees_if_better(
        self, data: NBest, dev: NBest | None, fold_of: Ints, linear: LinearModel, provenance: dict[str, Any]
    ) -> tuple[LinearModel, Calibration | None]:
        """The model with the share of trees that held-out lists speak for, and the calibration by the same scores."""
        trees = TreeBoost(**_TREE_SETTINGS)
        together = "the lists all belong together, and leave no folds" if dev is None and fold_of.max() < 1 else ""
        self._share = TreeShare(tried=False, why=too_much_for_trees(data, trees.max_rounds) or together)
        if self._share.why:
            provenance["trees"] = self._share.to_dict()
            return linear, None
        grown = self._fitted(trees, data, dev)
        both = [linear, _in_units_of(data, linear, grown)]
        metric = self.metric_for(data)
        if dev is not None:
            judged, of = dataclasses.replace(dev, rows=None), "dev data"
            of_linear, of_trees = (model.scores(judged) for model in both)
        else:
            settled = [each.settled().set_params(**self._for_members()) for each in (self, trees)]
            first, second = (
                held_out_scores(each, model, data, fold_of, verbose=self.verbose)
                for each, model in zip(settled, both, strict=True)
            )
            if first is None or second is None:
                raise KeyboardInterrupt  # there is no blend yet
            judged, of, of_linear, of_trees = data[first.groups], first.of, first.scores, second.scores
        self._share = choose_share(judged, of_linear, of_trees, metric, seed=self.seed, group_by=self.group_by)
        provenance["trees"] = {**self._share.to_dict(), "judged_on": of, **_facts(grown)}
        share = self._share.share
        model = weighted_sum(both, [1 - share, share]) if share else linear
        if share:
            self._fitted_members[TREES] = trees
        if self.calibration == "none":
            return model, None
        scores = (1 - share) * of_linear + share * of_trees
        return model, with_calibration(model, judged, scores, metric, of).calibration

    def _fitted(self, learner: Learner, train: NBest, dev: NBest | None) -> LinearModel:
        model = learner.set_params(**self._for_members()).fit(train, dev).model
        if model.provenance.get("finished") is False:  # Ctrl-C left a model that is not what it should become
            raise KeyboardInterrupt
        self.history = self.history or learner.history
        return model

    def _for_members(self) -> dict[str, Any]:
        """Parameters of the members: the blend's own, but the features are made once for all."""
        return {**self.get_params(), "calibration": "none", **OF_MEMBERS}


@dataclass(frozen=True)
class _Settled:
    """What training chose at last."""

    members: dict[str, Learner]
    share: TreeShare


def _in_units_of(data: NBest, linear: LinearModel, grown: LinearModel) -> LinearModel:
    """The trees with scores of the spread that the linear ones have."""
    own = spread_within(data, grown.scores(data))
    return scaled(grown, (spread_within(data, linear.scores(data)) or 1.0) / own) if own else grown


def _with_trees(data: NBest, linear: LinearModel, grown: LinearModel, share: float) -> LinearModel:
    return weighted_sum([linear, _in_units_of(data, linear, grown)], [1 - share, share])


def _facts(grown: LinearModel) -> dict[str, Any]:
    """What the provenance says about the trees themselves."""
    return {name: grown.provenance[name] for name in ("rounds", "rounds_tried", "parameters")}
