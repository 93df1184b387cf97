"""Pairwise ranking optimisation (Hopkins & May 2011)."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from runoff.arrays import frozen
from runoff.errors import DataError
from runoff.kernels.pro import logistic_loss, sampled_pairs
from runoff.learners.base_weight import prior_scale_of
from runoff.learners.corpus_quality import CREDITS, credited
from runoff.learners.feature_scaling import column_scales, scaled_base, spread_within
from runoff.learners.prior_width import PriorWidthLearner
from runoff.metrics.base import required_quality
from runoff.parameters import choice, flag, number, one_or_several, optional, parameter, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Floats, Ints
    from runoff.nbest import NBest


@dataclass(eq=False, repr=False)
class Pro(PriorWidthLearner):
    """Pairwise ranking optimisation: a logistic regression that tells the better of two sampled candidates (2011).

    After Hopkins & May: of each list some thousand pairs are drawn, those that differ little in quality are dropped,
    and the few that differ most are learned from: minimise `Σ log(1 + exp(-w · (better - worse))) + Σ w² / σ²` by
    L-BFGS. (The paper adds every difference with both signs; without an intercept both say the same.) It takes any
    number of features, and the loss is convex.

    The weight of the first round's score is learned too, under a wide prior of its own, as in `LogLinear`. Drawing
    costs O(pairs log pairs) a list once; a step costs the stored values of the candidates that are in a pair, on one
    core.

    Parameters
    ----------
    pairs
        Pairs that are drawn of every list, with replacement; a list that has no more gives all, each once.
    kept
        How many of these are learned from: those whose qualities differ most.
    threshold
        Pairs that differ by no more are dropped; in units of the spread of quality within lists. (In the paper 0.05, in
        a BLEU from 0 to 1.)
    sigma
        Width of the prior; small values regularise more. A list, or "auto" for `prior_width.SIGMAS`: the best on `dev`,
        or by five folds of groups without dev data.
    scale
        "spread": measure every feature by its spread within groups, so that one prior fits features of any
        unit. "none": as they are. "auto": "none" if all values are ones, else "spread".
    credit
        What ranks the candidates in training. "list": their own quality. "corpus": what each adds to the metric's score
        of all lists to first order, see `runoff.metrics.linear_quality`: for BLEU, whose mean over sentences rewards
        texts that are too short.
    min_groups
        Leave out features that occur in fewer groups.
    base
        Use the first round's score if there is one.
    max_iter, tolerance
        When L-BFGS stops: number of steps, and largest gradient component relative to the number of groups.
    early_stopping, patience
        With `dev` and a single sigma: keep the step with the best dev score, and stop after `patience` steps
        without a better one. A patience of None (`none` in the shell) looks at all steps.
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
        Seed of the pairs and of the folds.
    verbose
        Show progress.
    calibration
        Where the confidence of choices is fitted: "auto" takes dev data, or folds where settings are chosen by folds;
        "folds" takes folds also where all settings are given; "none" fits none. See `runoff.calibrate`.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> train = NBest.from_arrays([[1, 0], [0, 1], [1, 1], [0, 1]], quality=[1, 0, 1, 0], sizes=[2, 2])
    >>> Pro(sigma=1.0).fit(train).predict(train).tolist()
    [0, 0]
    """

    name = "pro"
    title = "pairwise ranking"
    pairs: int = parameter(5_000, whole(1))
    kept: int = parameter(50, whole(1))
    threshold: float = parameter(0.5, number(zero=True))
    sigma: float | Sequence[float] | Literal["auto"] = parameter("auto", one_or_several(number()))
    scale: Literal["auto", "spread", "none"] = parameter("auto", choice("auto", "spread", "none"))
    min_groups: int = parameter(1, whole(1))
    base: bool = parameter(True, flag)
    max_iter: int = parameter(200, whole(1))
    tolerance: float = parameter(1e-5, number(zero=True))
    early_stopping: bool = parameter(True, flag)
    patience: int | None = parameter(20, optional(whole(1)))
    credit: Literal["list", "corpus"] = parameter("list", choice(*CREDITS))

    def _problem(self, train: NBest) -> ProProblem:
        return ProProblem.of(credited(train, self.metric_for(train), self.credit), self)

    def _facts(self, problem: Any) -> dict[str, Any]:
        return {"pairs": problem.better.size}


@dataclass(frozen=True)
class ProProblem:
    """The loss over sampled pairs as a function of one vector: scaled weights, then that of the base score."""

    data: NBest
    groups: Ints  # those with a pair
    better: Ints  # rows of the data, group by group
    worse: Ints
    group: Ints  # of every pair
    base: Floats  # in units of the solver
    scale: Floats
    base_scale: float
    base_prior: float

    @classmethod
    def of(cls, data: NBest, learner: Pro) -> ProProblem:
        """Draw the pairs, and set up scales."""
        quality = required_quality(data, "pairwise ranking optimisation")
        spread = spread_within(data, quality)
        seeds = np.random.default_rng([learner.seed, 2]).integers(1, 2**63, len(data)).astype(np.uint64)
        least = learner.threshold * spread
        ends, better, worse = sampled_pairs(
            frozen(data.offsets), frozen(quality), learner.pairs, learner.kept, least, seeds
        )
        if better.size == 0:
            why = "no group of the training data has a better and a worse candidate: nothing to learn."
            if spread > 0:
                why = f"no two candidates of a list differ by more than the threshold, {least:g}; set a lower one."
            raise DataError(why)
        group = np.repeat(np.arange(len(data)), np.diff(ends))
        base, base_scale = scaled_base(data, used=learner.base)
        scale = column_scales(data, learner.scale, learner.min_groups)
        prior = prior_scale_of(data, base, 1.0)
        return cls(data, np.unique(group), better, worse, group, base, scale, base_scale, prior)

    def within(self, groups: Ints) -> ProProblem:
        """The same problem over some of the groups, without copies of the data."""
        kept = np.isin(self.group, groups)
        better, worse, group = self.better[kept], self.worse[kept], self.group[kept]
        return dataclasses.replace(self, groups=groups, better=better, worse=worse, group=group)

    @cached_property
    def _places(self) -> tuple[Ints, Ints, Ints]:
        """Rows that are in a pair, and the places of the better and the worse among them."""
        rows, places = np.unique(np.concatenate([self.better, self.worse]), return_inverse=True)
        return rows, places[: self.better.size], places[self.better.size :]

    def in_data_units(self, point: Floats) -> tuple[Floats, float]:
        """Weights and base weight for features as the data has them."""
        return point[:-1] * self.scale, float(point[-1] * self.base_scale)

    def loss(self, point: Floats, sigma: float) -> tuple[float, Floats]:
        """Loss and gradient at a point in the solver's units."""
        features, gradient, slopes = self.data.features, np.zeros(point.size), np.zeros(point.size - 1)
        rows, better, worse = self._places
        loss, base_slope = logistic_loss(
            better,
            worse,
            rows,
            features.indptr,
            features.indices,
            features.values,
            self.base,
            point[:-1] * self.scale,
            float(point[-1]),
            np.empty(rows.size),
            slopes,
        )
        gradient[:-1] = slopes * self.scale + 2 * point[:-1] / sigma**2
        gradient[-1] = base_slope + 2 * self.base_prior**2 * point[-1]
        prior = float(np.sum(point[:-1] ** 2)) / sigma**2 + (self.base_prior * float(point[-1])) ** 2
        return loss + prior, gradient
