"""Perceptrons with a choice of orders and margins (Shen & Joshi 2004, 2005)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from runoff import metrics
from runoff.learners.corpus_quality import CREDITS
from runoff.learners.epoch_learner import EpochLearner
from runoff.learners.perceptron_orders import MARGIN_OF
from runoff.learners.perceptron_problem import PerceptronProblem
from runoff.parameters import choice, either, flag, number, optional, parameter, whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.learners.perceptron_run import PerceptronRun
    from runoff.model import Votes
    from runoff.nbest import NBest
    from runoff.parameters import Check


def _rule(*names: str) -> Check:
    expected = f"one of {', '.join(names)}, or a function of two ranks"
    return lambda value: None if callable(value) or (isinstance(value, str) and value in names) else expected


def _average(value: Any) -> str | None:
    return None if value == "voted" else flag(value) and 'true, false or "voted"'


def _limit(value: Any) -> str | None:
    if whole(1)(value) is None or (isinstance(value, float) and 0 < value < 1):
        return None
    return "a rank (a whole number of at least 1) or a share of the list (a fraction)"


@dataclass(eq=False, repr=False)
class Perceptron(EpochLearner):
    """Perceptron over chosen pairs of candidates, each with a margin of its own.

    For every pair that the order asks for, the better candidate must lead by more than `tau * g`, where g is the
    margin of their ranks; where it does not, the weights move by `g` times the difference of their features (Shen &
    Joshi 2004, 2005). A visit to a group of k costs its stored values and O(k log k) for the named orders and margins,
    O(k²) for most custom functions.

    Parameters
    ----------
    order
        Which candidates must beat which, by rank in quality (1 is best, ties share the lowest).
        "best-vs-rest": one best candidate beats all that are worse. "splitting": the first `top` beat the others.
        "gap": the first `top` beat those from `bottom` on (by default at 30% and 70% of the list). "ordinal": every
        candidate beats all worse ones. "insensitive": those that are more than `epsilon` ranks worse. "orum": as
        "ordinal", with uneven margins (of more than `epsilon`). "mt": rank j beats rank l where 2j < l and j + 20 < l.
        "auto": the best of four on dev or by folds. Or a function of two ranks, the better and the worse: whether the
        first must beat the second.
    margin
        "even": 1. "uneven": 1/j - 1/l, so that the top of the list matters most. "auto": uneven for "gap", "orum" and
        "mt", else even. A function of two ranks.
    tau
        Scale of the margins, in units of the score. "auto": the best of a few on dev or by folds.
    update
        "group": once for all violated pairs of a group (algorithm 2). "pair": after each (algorithm 1), slower.
    average
        True: the mean of the weights over all visits. False: the last weights. "voted": every intermediate weight
        vector votes for its winner, exactly as in Freund & Schapire (1999); the model keeps them all as differences.
    epochs
        Passes over the groups; "auto": up to `max_epochs`, stopping `patience` epochs after the best on dev or by
        folds.
    top, bottom
        Ranks (whole numbers) or shares of the list (fractions) for "splitting" and "gap". `top` may be "tied": all that
        tie for best, which is also what None means for "splitting".
    epsilon
        See `order`.
    scale
        "spread": measure every feature by its spread within groups. "none": as they are. "auto": "none" if all
        values are ones, else "spread".
    base, base_scale
        Use the first round's score if there is one, as a feature whose spread within groups is `base_scale`.
    slack
        Value of an extra dimension for every single training candidate (Li et al. 2002), which makes any data
        separable; 0 for none.
    credit
        What ranks the candidates in training. "list": their own quality. "corpus": what each adds to the metric's score
        of all lists to first order, see `runoff.metrics.linear_quality`. "auto": the better of the two on dev or by
        folds for BLEU, whose mean over sentences rewards texts that are too short, else "list".
    mixing
        Iterative parameter mixing (McDonald, Hall & Mann 2010): every epoch is made by so many parts of the groups at
        the same time, each from the mean of where all have ended before, on any number of workers; 0 for one pass over
        all groups. Another algorithm, whose epochs learn less: with many parts it needs more of them.
    min_groups
        Leave out features that occur in fewer groups.
    shuffle
        Shuffle the groups before every epoch, or visit them in the order of the data.
    max_epochs, patience
        See `epochs`. A patience of None (`none` in the shell) tries all `max_epochs`.
    checkpoint
        File to which progress is saved; an interrupted run with the same data and parameters resumes from it and ends
        bit-identical. Ctrl-C ends the training early and keeps the model so far.
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
        Seed of the shuffling and of the folds.
    verbose
        Show progress.
    calibration
        Where the confidence of choices is fitted: "auto" takes dev data, or folds where settings are chosen by folds;
        "folds" takes folds also where all settings are given; "none" fits none. See `runoff.calibrate`.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> train = NBest.from_arrays([[1, 0], [0, 1], [1, 1], [0, 1]], quality=[1, 0, 1, 0], sizes=[2, 2])
    >>> learner = Perceptron(order="ordinal", tau=1.0, epochs=5).fit(train)
    >>> learner.predict(train).tolist(), learner.model.provenance["converged"]
    ([0, 0], True)
    """

    name = "perceptron"
    order: str | Callable[[int, int], bool] = parameter("orum", _rule("auto", *MARGIN_OF))
    margin: str | Callable[[int, int], float] = parameter("auto", _rule("auto", "even", "uneven"))
    tau: float | Literal["auto"] = parameter("auto", either("auto", number(zero=True)))
    update: Literal["group", "pair"] = parameter("group", choice("group", "pair"))
    average: bool | Literal["voted"] = parameter(True, _average)
    top: float | Literal["tied"] | None = parameter(None, optional(either("tied", _limit)))
    bottom: float | None = parameter(None, optional(_limit))
    epsilon: float = parameter(0.0, number(zero=True))
    base_scale: float = parameter(1.0, number())
    slack: float = parameter(0.0, number(zero=True))
    credit: Literal["auto", "list", "corpus"] = parameter("auto", choice("auto", *CREDITS))
    mixing: int = parameter(0, whole(0))

    def _problem(self, train: NBest) -> PerceptronProblem:
        return PerceptronProblem(train, self)

    def _facts(self, run: PerceptronRun) -> dict[str, Any]:
        epoch = run.so_far().epoch
        return {
            "order": run.setting.rule.name,
            "tau": run.setting.tau,
            "credit": run.setting.credit,
            "mistakes": int(run.history[epoch - 1]["mistakes"]) if epoch else None,
            "violated_pairs_found_by": run.compiled.search_method,
            "pairs": run.compiled.pairs,
        }

    def _notes(self, train: NBest) -> list[str]:
        return [*self._notes_on_mixing(), *self._notes_on_votes(train)]

    def _notes_on_mixing(self) -> list[str]:
        if not self.mixing:
            return []
        return [
            f"trained by iterative parameter mixing over {self.mixing:,} parts of the lists (McDonald et al. 2010)."
        ]

    def _notes_on_votes(self, train: NBest) -> list[str]:
        if self.average != "voted" or isinstance(self.metric_for(train), metrics.PickMetric):
            return []
        return [
            "votes choose a winner: candidates without any follow in the first round's order, so that whole rankings "
            "are better served by average=true."
        ]

    def _votes(self, run: PerceptronRun) -> Votes | None:
        return run.votes()
