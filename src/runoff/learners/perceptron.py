"""Perceptrons with the margin you choose (Shen & Joshi 2004, 2005)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from runoff.arrays import frozen
from runoff.errors import DataError
from runoff.learners.base import Learner, informative
from runoff.learners.checkpoint import Checkpoint
from runoff.learners.orders import MARGIN_OF
from runoff.learners.parameters import choice, either, flag, number, text, whole
from runoff.learners.perceptron_problem import Problem
from runoff.learners.running import EARLY, before_the_first_round, run_all
from runoff.learners.watch import DevWatch
from runoff.model import LinearModel
from runoff.nbest.grouping import folds_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.arrays import Floats
    from runoff.learners.parameters import Check
    from runoff.learners.perceptron_run import PerceptronRun, Setting
    from runoff.nbest import NBest

FOLDS = 5
_TOO_FEW, _FEW_EPOCHS = "too few groups to choose by; defaults were taken", 10


class Perceptron(Learner):
    """Perceptron over chosen pairs of candidates, each with a margin of its own.

    For every pair that the order asks for, the better candidate must lead by more than `tau * g`, where g is the
    margin of their ranks; where it does not, the weights move by `g` times the difference of their features (Shen &
    Joshi 2004, 2005). A visit to a group of k costs its stored values and O(k log k) for the named orders and margins,
    O(k²) for most functions of your own.

    Parameters
    ----------
    order
        Which candidates must beat which, by rank in quality (1 is best, ties share the lowest).
        "best-vs-rest": one best candidate beats all that are worse. "splitting": the first `top` beat the others.
        "gap": the first `top` beat those from `bottom` on (by default at 30% and 70% of the list). "ordinal": every
        candidate beats all worse ones. "insensitive": those that are more than `epsilon` ranks worse. "orum": as
        "ordinal", with uneven margins (of more than `epsilon`). "mt": rank j beats rank l where 2j < l and j + 20 < l.
        "auto": the best of four by dev or folds. A function of two ranks, the better and the worse: whether it asks.
    margin
        "even": 1. "uneven": 1/j - 1/l, so that the top of the list matters most. "auto": uneven for "gap", "orum" and
        "mt", else even. A function of two ranks.
    tau
        Scale of the margins, in units of the score. "auto": the best of a few by dev or folds.
    update
        "group": once for all violated pairs of a group (algorithm 2). "pair": at once for each (algorithm 1), slower.
    average
        True: the mean of the weights over all visits. False: the last weights. "voted": every weight vector that there
        was votes for its winner, exactly as in Freund & Schapire (1999); the model keeps them all as differences.
    epochs
        Passes over the groups; "auto": up to `max_epochs`, ending `patience` epochs after the best by dev or folds.
    top, bottom
        Ranks (whole numbers) or shares of the list (fractions) for "splitting" and "gap". `top` of None or "tied" is
        all that tie for best.
    epsilon
        See `order`.
    scale
        "spread": measure every feature by its spread within groups. "none": as they are. "auto": "none" if all
        values are ones, else "spread".
    base, base_scale
        Use the first round's score where the data has it, as a feature whose spread within groups is `base_scale`.
    slack
        Value of a dimension that every training candidate has for itself alone (Li et al. 2002), which makes any data
        separable; 0 for none.
    min_groups
        Leave out features that occur in fewer groups.
    shuffle
        Visit the groups in an order drawn anew for every epoch, or as they came.
    max_epochs, patience
        See `epochs`.
    checkpoint
        File in which progress is kept; an interrupted run with the same data and parameters goes on from it and ends
        in the same bits. Ctrl-C ends the training early and leaves the model so far.
    metric
        What is best on dev, and what `score` returns; default: mean quality of the picks.
    seed
        Seed of the order of visits and of the folds.
    verbose
        Show progress.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> train = NBest.from_arrays([[1, 0], [0, 1], [1, 1], [0, 1]], quality=[1, 0, 1, 0], sizes=[2, 2])
    >>> learner = Perceptron(order="ordinal", tau=1.0, epochs=5).fit(train)
    >>> learner.predict(train).tolist(), learner.model.made["converged"]
    ([0, 0], True)
    """

    name = "perceptron"
    checks: ClassVar[dict[str, Check]] = {
        "order": lambda value: _rule(value, ("auto", *MARGIN_OF)),
        "margin": lambda value: _rule(value, ("auto", "even", "uneven")),
        "tau": either("auto", number(zero=True)),
        "update": choice("group", "pair"),
        "average": lambda value: None if value == "voted" else flag(value) and 'true, false or "voted"',
        "epochs": either("auto", whole(1)),
        "top": lambda value: None if value in (None, "tied") else _limit(value) and f'{_limit(value)}, or "tied"',
        "bottom": lambda value: None if value is None else _limit(value),
        "epsilon": number(zero=True),
        "scale": choice("auto", "spread", "none"),
        "base": flag,
        "base_scale": number(),
        "slack": number(zero=True),
        "min_groups": whole(1),
        "shuffle": flag,
        "max_epochs": whole(1),
        "patience": whole(1),
        "checkpoint": text,
    }

    def __init__(
        self,
        order: str | Callable[[int, int], bool] = "orum",
        margin: str | Callable[[int, int], float] = "auto",
        tau: float | Literal["auto"] = "auto",
        update: Literal["group", "pair"] = "group",
        average: bool | Literal["voted"] = True,
        epochs: int | Literal["auto"] = "auto",
        top: float | Literal["tied"] | None = None,
        bottom: float | None = None,
        epsilon: float = 0.0,
        scale: Literal["auto", "spread", "none"] = "auto",
        base: bool = True,
        base_scale: float = 1.0,
        slack: float = 0.0,
        min_groups: int = 1,
        shuffle: bool = True,
        max_epochs: int = 50,
        patience: int = 10,
        checkpoint: str | None = None,
        metric: str | None = None,
        seed: int = 0,
        verbose: bool = False,
    ) -> None:
        self.order = order
        self.margin = margin
        self.tau = tau
        self.update = update
        self.average = average
        self.epochs = epochs
        self.top = top
        self.bottom = bottom
        self.epsilon = epsilon
        self.scale = scale
        self.base = base
        self.base_scale = base_scale
        self.slack = slack
        self.min_groups = min_groups
        self.shuffle = shuffle
        self.max_epochs = max_epochs
        self.patience = patience
        self.checkpoint = checkpoint
        self.metric = metric
        self.seed = seed
        self.verbose = verbose

    def _learn(self, train: NBest, dev: NBest | None, steps: tuple[dict[str, Any], ...]) -> LinearModel:
        if informative(train).size == 0:
            raise DataError("no group of the training data has a better and a worse candidate: nothing to learn.")
        with before_the_first_round():
            problem = Problem(train, self)
            settings = problem.settings()
            checkpoint = self._open_checkpoint(train, dev)
        made: dict[str, Any] = {}
        epochs = self.max_epochs if self.epochs == "auto" else self.epochs
        if dev is None and (self.epochs == "auto" or len(settings) > 1):
            setting, epochs = self._choose_by_folds(problem, settings, epochs, made, checkpoint)
            settings = [setting]
        watch = None if dev is None else DevWatch(dev, self.metric_for(dev), train.features.column_names())
        runs = problem.runs(settings, epochs, "all groups", watch)
        title = "perceptron" if made.get("finished", True) else "perceptron, chosen by the folds so far"
        finished = self._run(runs, title, checkpoint)
        if not finished and not any(run.done for run in runs):
            raise KeyboardInterrupt(EARLY)
        run = runs[0] if watch is None else _choose_on_dev(runs, watch, made)
        best = run.so_far()
        self.history = run.history
        made |= {
            "order": run.setting.rule.name,
            "tau": run.setting.tau,
            "epochs": best.epoch,
            "epochs_tried": len(run.history),
            "converged": run.converged,
            "mistakes": int(run.history[best.epoch - 1]["mistakes"]) if best.epoch else None,
            "violated_pairs_found_by": run.asked.looks,
            "pairs": run.asked.pairs,
            "dropped_groups": len(train) - run.groups.size,
            "finished": finished and made.get("finished", True),
            "warnings": [] if checkpoint is None else checkpoint.trouble,
        }
        if watch is not None and best.epoch:
            score = float(watch.metric.score(run.curve[best.epoch - 1]))
            made["dev"] = {"metric": watch.metric.signature, "score": score}
        return LinearModel(
            frozen(best.weights),
            train.features.column_names(),
            best.base,
            steps,
            self._made(train, **made),
            votes=run.votes(),
        )

    def _open_checkpoint(self, train: NBest, dev: NBest | None) -> Checkpoint | None:
        if self.checkpoint is None:
            return None
        free = {"checkpoint", "verbose"} | ({"epochs", "max_epochs"} if self.epochs != "auto" else set())
        kept = {name: value for name, value in self.plain_params().items() if name not in free}
        return Checkpoint.open(self.checkpoint, kept, train, dev)

    def _run(self, runs: list[PerceptronRun], title: str, checkpoint: Checkpoint | None) -> bool:
        visits = max(run.most for run in runs)
        return run_all(runs, visits, checkpoint=checkpoint, title=title, verbose=self.verbose)

    def _choose_by_folds(
        self,
        problem: Problem,
        settings: list[Setting],
        epochs: int,
        made: dict[str, Any],
        checkpoint: Checkpoint | None,
    ) -> tuple[Setting, int]:
        """The setting and number of epochs that are best when every fold is chosen by the others."""
        train = problem.train
        if informative(train).size < 2:
            made["chosen_by_folds"] = _TOO_FEW
            return settings[-1], min(epochs, _FEW_EPOCHS) if self.epochs == "auto" else epochs
        folds = min(FOLDS, len(train))
        fold_of = folds_of(len(train), folds, self.seed)
        metric = self.metric_for(train)
        curves: list[list[Floats]] = [[] for _ in settings]
        for fold in range(folds):
            outside = train[fold_of == fold]
            watch = DevWatch(outside, metric, train.features.column_names())
            title = f"fold {fold + 1} of {folds}"
            runs = problem.runs(settings, epochs, title, watch, fold_of != fold)
            if not runs:
                continue
            made["finished"] = self._run(runs, title, checkpoint)
            for several, run in zip(curves, runs, strict=True):
                several += [np.array(run.curve)] if run.curve else []
            if not made["finished"]:
                break  # Ctrl-C: choose by what there is
        if not all(curves):
            if made.get("finished") is False:
                raise KeyboardInterrupt(EARLY)
            made["chosen_by_folds"] = _TOO_FEW
            return settings[-1], min(epochs, _FEW_EPOCHS) if self.epochs == "auto" else epochs
        sums = [_added_up(several) for several in curves]
        ends = [len(each) - 1 if self.epochs != "auto" else int(np.argmax(metric.signed(each))) for each in sums]
        peaks = np.array([each[at] for each, at in zip(sums, ends, strict=True)])
        best = int(np.argmax(metric.signed(peaks)))
        made["chosen_by_folds"] = {
            str(setting): {"epochs": at + 1, "score": score}
            for setting, at, score in zip(settings, ends, metric.score(peaks).tolist(), strict=True)
        }
        return settings[best], ends[best] + 1


def _choose_on_dev(runs: list[PerceptronRun], watch: DevWatch, made: dict[str, Any]) -> PerceptronRun:
    scored = [run for run in runs if run.best is not None and run.curve]
    if not scored:
        return runs[0]
    sums = np.array([run.curve[run.best.epoch - 1] for run in scored if run.best is not None])
    if len(runs) > 1:
        made["chosen_on_dev"] = {
            str(run.setting): {"epochs": run.so_far().epoch, "score": score}
            for run, score in zip(scored, watch.metric.score(sums).tolist(), strict=True)
        }
    return scored[int(np.argmax(watch.metric.signed(sums)))]


def _added_up(curves: list[Floats]) -> Floats:
    """Sum of the curves of several folds; one that ended early goes on as it was."""
    epochs = np.arange(max(map(len, curves)))
    total: Floats = np.sum([curve[np.minimum(epochs, len(curve) - 1)] for curve in curves], axis=0)
    return total


def _rule(value: Any, names: tuple[str, ...]) -> str | None:
    if callable(value) or (isinstance(value, str) and value in names):
        return None
    return f"one of {', '.join(names)}, or a function of two ranks"


def _limit(value: Any) -> str | None:
    if whole(1)(value) is None or (isinstance(value, float) and 0 < value < 1):
        return None
    return "a rank (a whole number of at least 1) or a share of the list (a fraction)"
