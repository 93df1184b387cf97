"""Maximise the metric of the expected statistics: minimum risk for scores that are no mean of their lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from runoff.learners.expected_score_problem import ExpectedScoreProblem
from runoff.learners.prior_width import PriorWidthLearner
from runoff.parameters import choice, flag, number, one_or_several, optional, parameter, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.nbest import NBest


@dataclass(eq=False, repr=False)
class ExpectedScore(PriorWidthLearner):
    """Maximise the metric's score of the expected statistics: corpus BLEU, not the mean of sentence BLEU.

    With `p` the softmax of the scores in every list, minimise `-lists * score(Σ_lists Σ_candidates p * statistics) /
    unit + Σ w² / σ²` by L-BFGS. Smith & Eisner (2006) minimise the risk of a corpus so; Rosti et al. (2010, 2011) call
    it expected BLEU. A corpus score weighs long lists more, and has one brevity penalty for all of them: learners that
    see the quality of single sentences make texts too short (Nakov, Guzmán & Vogel 2012), which no later weight of the
    length repairs in full. For metrics that are a mean over lists it is `CRF(objective="el")` with another prior.

    The loss is not convex: it starts from the first round's choices under the tightest prior, and every wider one from
    the solution of the one before. `unit` is the difference that the median list can make, times the number of lists. A
    step costs two passes over the stored values.

    Parameters
    ----------
    sigma
        Width of the prior; small values regularise more. A list, or "auto" for 0.03, 0.1, …, 10: the best on `dev`, or
        by five folds of groups without dev data.
    scale
        "spread": measure every feature by its spread within groups, so that one prior fits features of any
        unit. "none": as they are. "auto": "none" if all values are ones, else "spread".
    min_groups
        Leave out features that occur in fewer groups.
    base
        Use the first round's score if there is one, under a wide prior of its own.
    max_iter, tolerance
        When the solver stops: number of steps, and largest gradient component per group.
    early_stopping, patience
        With a given sigma and dev data: stop `patience` steps after the best on dev, and take the weights from there.
    metric
        What is maximised, what chooses on dev data or by folds, and what `score` returns; a metric of the one candidate
        that is chosen. Default: the data's usual metric, else quality.
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
    >>> ExpectedScore(sigma=1.0).fit(train).predict(train).tolist()
    [0, 0]
    """

    name = "expected"
    title = "expected score"
    sigma: float | Sequence[float] | Literal["auto"] = parameter("auto", one_or_several(number()))
    scale: Literal["auto", "spread", "none"] = parameter("auto", choice("auto", "spread", "none"))
    min_groups: int = parameter(1, whole(1))
    base: bool = parameter(True, flag)
    max_iter: int = parameter(200, whole(1))
    tolerance: float = parameter(1e-6, number(zero=True))
    early_stopping: bool = parameter(True, flag)
    patience: int | None = parameter(20, optional(whole(1)))

    def _problem(self, train: NBest) -> ExpectedScoreProblem:
        return ExpectedScoreProblem.of(train, self.metric_for(train), self)

    def _facts(self, problem: Any) -> dict[str, Any]:
        return {"unit": problem.unit}
