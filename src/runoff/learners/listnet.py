"""ListNet with top-one probabilities (Cao, Qin, Liu, Tsai & Li 2007)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from runoff.learners.crf import CRF
from runoff.learners.crf_problem import CRFProblem
from runoff.learners.crf_run import CRFSetting
from runoff.learners.epoch_learner import EpochLearner
from runoff.parameters import either, number, parameter

if TYPE_CHECKING:
    from runoff.learners.crf_run import CRFRun
    from runoff.nbest import NBest


@dataclass(eq=False, repr=False)
class ListNet(EpochLearner):
    """Cross entropy between the softmax of the grades and the softmax of the scores, by a step after every group.

    As in Cao et al. (2007), with a linear score and k = 1; the loss in the provenance excludes the entropy of the
    grades, which does not depend on the weights. It is the KL objective of `CRF` over candidates, the loss being the
    difference from the best grade and the temperature 1. Groups whose grades are all the same are left out. A visit
    costs the group's stored values.

    Parameters
    ----------
    rate
        Learning rate; "auto": the best of a few on dev, or by five folds of groups.
    l2
        L2 penalty: weight of half the squared weights, except that of the first round's score; the paper has none.
    epochs
        Passes over the groups; "auto": up to `max_epochs`, stopping `patience` epochs after the best on dev or by
        folds.
    scale
        "spread": measure every feature by its spread within groups. "none": as they are. "auto": "none" if all values
        are ones, else "spread".
    base
        Use the first round's score if there is one; its weight starts at 1 in units of its spread within groups.
    min_groups
        Leave out features that occur in fewer groups.
    shuffle
        Shuffle the groups before every epoch, or visit them in the order of the data.
    max_epochs, patience
        See `epochs`. A patience of None (`none` in the shell) tries all `max_epochs`.
    checkpoint
        File to which progress is saved; an interrupted run with the same data and parameters resumes from it.
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
    >>> ListNet(rate=0.1, epochs=10).fit(train).predict(train).tolist()
    [0, 0]
    """

    name = "listnet"
    rate: float | Literal["auto"] = parameter("auto", either("auto", number()))
    l2: float = parameter(0.0, number(zero=True))

    def _problem(self, train: NBest) -> CRFProblem:
        crf = CRF(objective="kl", space="candidates", method="sgd", average=False, **self.get_params())
        problem = ListNetProblem(train, crf)
        # The CRF divides losses by a unit of its own; this temperature undoes that.
        crf.temperature = 1.0 / problem.loss_unit
        return problem

    def _facts(self, run: CRFRun) -> dict[str, Any]:
        epoch = run.so_far().epoch
        return {
            "rate": run.setting.rate,
            "l2": run.setting.l2,
            "loss": run.history[epoch - 1]["loss"] if epoch else None,
        }


@dataclass(frozen=True)
class ListNetSetting(CRFSetting):
    """What a run tries; its objective and temperature are always the same."""

    def __str__(self) -> str:
        return f"rate {self.rate!r}, l2 {self.l2!r}"


class ListNetProblem(CRFProblem):
    """The problem of a CRF, with ListNet's settings."""

    def settings(self) -> list[CRFSetting]:
        """Everything to try."""
        return [ListNetSetting(**vars(each)) for each in super().settings()]
