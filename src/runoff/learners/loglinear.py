"""Conditional log-linear model with a Gaussian prior (Collins & Koo 2005, equation 28)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from runoff.devices import device_name
from runoff.learners.loglinear_problem import LogLinearProblem
from runoff.learners.prior_width import PriorWidthLearner
from runoff.parameters import choice, flag, number, one_or_several, optional, parameter, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.nbest import NBest


@dataclass(eq=False, repr=False)
class LogLinear(PriorWidthLearner):
    """Conditional log-linear model: minimise `Σ -log p(right) + Σ w² / σ²` by L-BFGS.

    The baseline of Collins & Koo (2005). The weight of the first round's score is learned too, under a wide prior of
    its own (`base_weight.prior_scale`) that does not depend on sigma. One step costs two passes over the stored values,
    on all cores; the result does not depend on the number of cores.

    Parameters
    ----------
    sigma
        Width of the prior; small values regularise more. A list, or "auto" for `SIGMAS`: the best on `dev`, or
        by five folds of groups without dev data.
    right
        "best": only the best candidate is correct (ties by first-round score, then by order; the others that
        tie with it are left out). "tied": all candidates that tie for best are correct, as a set.
    scale
        "spread": measure every feature by its spread within groups, so that one prior fits features of any
        unit. "none": as they are. "auto": "none" if all values are ones, else "spread".
    min_groups
        Leave out features that occur in fewer groups.
    base
        Use the first round's score if there is one.
    max_iter, tolerance
        When L-BFGS stops: number of steps, and largest gradient component relative to the number of groups.
    early_stopping, patience
        With `dev` and a single sigma: keep the step with the best dev score, and stop after `patience` steps
        without a better one. A patience of None (`none` in the shell) looks at all steps.
    device
        Where the loss is summed up: None, with this package's compiled loops; "cuda", "cuda:1" or "cpu" with torch, for
        dense features, see `runoff.learners.dense_lists`. Weights differ in the last digits.
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
        Seed of the folds.
    verbose
        Show progress.
    calibration
        Where the confidence of choices is fitted: "auto" takes dev data, or folds where settings are chosen by folds;
        "folds" takes folds also where all settings are given; "none" fits none. See `runoff.calibrate`.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> train = NBest.from_arrays([[1, 0], [0, 1], [1, 1], [0, 1]], quality=[1, 0, 1, 0], sizes=[2, 2])
    >>> LogLinear(sigma=1.0).fit(train).predict(train).tolist()
    [0, 0]
    """

    name = "loglinear"
    title = "log-linear"
    sigma: float | Sequence[float] | Literal["auto"] = parameter("auto", one_or_several(number()))
    right: Literal["best", "tied"] = parameter("best", choice("best", "tied"))
    scale: Literal["auto", "spread", "none"] = parameter("auto", choice("auto", "spread", "none"))
    min_groups: int = parameter(1, whole(1))
    base: bool = parameter(True, flag)
    max_iter: int = parameter(200, whole(1))
    tolerance: float = parameter(1e-5, number(zero=True))
    early_stopping: bool = parameter(True, flag)
    patience: int | None = parameter(20, optional(whole(1)))
    device: str | None = parameter(None, optional(device_name))

    def _problem(self, train: NBest) -> LogLinearProblem:
        return LogLinearProblem.of(train, self)
