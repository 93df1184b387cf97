"""Boosting for reranking (Collins & Koo 2005): one feature a round, at the cost of what it touches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from runoff.arrays import frozen
from runoff.errors import DataError
from runoff.learners.base import Learner, informative
from runoff.learners.boosting_problem import Problem
from runoff.learners.checkpoint import Checkpoint
from runoff.learners.dev_path import earliest_best
from runoff.learners.parameters import choice, either, flag, number, text, whole
from runoff.learners.running import EARLY, before_the_first_round, run_all
from runoff.learners.work import Work
from runoff.model import LinearModel, Path
from runoff.nbest.grouping import folds_of

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.learners.boosting_run import BoostingRun
    from runoff.learners.parameters import Check
    from runoff.nbest import NBest

SMOOTHINGS = (1e-4, 2.5e-4, 5e-4, 7.5e-4, 1e-3, 2.5e-3, 5e-3, 7.5e-3)  # the paper's grid
FOLDS = 5


class Boost(Learner):
    """Boosting over pairs of candidates: each round moves the weight of the one feature that helps most.

    The efficient algorithm of Collins & Koo (2005, figure 4): after a round only the pairs that have its
    feature are looked at again. Features must be binary; counts and real values get cut points, which the
    model keeps (`runoff.features.learn_thresholds`). The model keeps its path, so that `model.prefix(n)` is
    the model after n rounds. Memory: about 8 bytes for every feature on which a pair differs.

    Parameters
    ----------
    rounds
        Number of rounds, or "auto": up to `max_rounds`, and then the prefix that is best on dev (or by five
        folds of groups, where there is no dev data). A run ends early when the best prefix lies at a third of it.
    loss
        "exp": ExpLoss, `Σ S exp(-margin)`. "log": LogLoss by the algorithm of the paper's appendix B.
    smoothing
        The paper's ε, or "auto": the best of its grid on dev (or by folds), trained in parallel.
    pairs
        "best": the best candidate against the rest. "all": every better candidate against every worse one,
        for whole rankings. "sample": those of "all" in groups that have at most `sample` of them; in larger
        groups `sample` draws with replacement, in proportion to the difference in quality. Under ExpLoss every
        draw weighs an equal share of what the group's pairs weigh together: as the difference decided how often
        a pair is drawn, it is not counted again, and the loss is an unbiased estimate of that of "all". Under
        LogLoss a pair that is drawn, once or more often, takes part in the contest of its better candidate like
        any other: `Σ log(1 + Σ exp(-margin))` over the worse candidates that were drawn.
    weighted
        Whether a pair weighs its difference in quality, or one. LogLoss knows no weights: there it decides
        only whether "sample" draws large differences more often or all pairs alike.
    sample
        Most pairs of a group for "sample".
    min_groups
        Leave out features that occur in fewer groups of the training data.
    cuts
        Cut points of a column that is not binary, on either side of zero.
    base
        Use the first round's score where the data has it; its weight is fitted first, alone.
    max_rounds
        Most rounds that "auto" tries.
    checkpoint
        File in which progress is kept; an interrupted run with the same data and parameters goes on from it
        and ends in the same bits. Ctrl-C ends the training early and leaves the model so far.
    metric
        What is best on dev, and what `score` returns; default: mean quality of the picks.
    seed
        Seed of folds and samples.
    verbose
        Show progress.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> train = NBest.from_arrays([[1, 0], [0, 1], [1, 1], [0, 1]], quality=[1, 0, 1, 0], sizes=[2, 2])
    >>> learner = Boost(rounds=3, min_groups=1).fit(train)
    >>> learner.predict(train).tolist(), len(learner.model.path)
    ([0, 0], 3)
    """

    name = "boost"
    checks: ClassVar[dict[str, Check]] = {
        "rounds": either("auto", whole(0)),
        "loss": choice("exp", "log"),
        "smoothing": either("auto", number()),
        "pairs": choice("best", "all", "sample"),
        "weighted": flag,
        "sample": whole(1),
        "min_groups": whole(1),
        "cuts": whole(1),
        "base": flag,
        "max_rounds": whole(1),
        "checkpoint": text,
    }

    def __init__(
        self,
        rounds: int | Literal["auto"] = "auto",
        loss: Literal["exp", "log"] = "exp",
        smoothing: float | Literal["auto"] = "auto",
        pairs: Literal["best", "all", "sample"] = "best",
        weighted: bool = True,
        sample: int = 50,
        min_groups: int = 5,
        cuts: int = 16,
        base: bool = True,
        max_rounds: int = 10_000,
        checkpoint: str | None = None,
        metric: str | None = None,
        seed: int = 0,
        verbose: bool = False,
    ) -> None:
        self.rounds = rounds
        self.loss = loss
        self.smoothing = smoothing
        self.pairs = pairs
        self.weighted = weighted
        self.sample = sample
        self.min_groups = min_groups
        self.cuts = cuts
        self.base = base
        self.max_rounds = max_rounds
        self.checkpoint = checkpoint
        self.metric = metric
        self.seed = seed
        self.verbose = verbose

    def _learn(self, train: NBest, dev: NBest | None, steps: tuple[dict[str, Any], ...]) -> LinearModel:
        if informative(train).size == 0:
            raise DataError("no group of the training data has a better and a worse candidate: nothing to learn.")
        smoothings = SMOOTHINGS if self.smoothing == "auto" else (float(self.smoothing),)
        rounds = self.max_rounds if self.rounds == "auto" else self.rounds
        made: dict[str, Any] = {}
        checkpoint = self._open_checkpoint(train, dev)
        if dev is None and "auto" in (self.rounds, self.smoothing):
            smoothing, rounds = self._choose_by_folds(train, smoothings, rounds, made, checkpoint)
            smoothings = (smoothing,)
        with before_the_first_round():
            problem = Problem.of(train, dev, self)
            runs = problem.runs(smoothings, "all groups")
        title = "boosting" if made.get("finished", True) else "boosting, chosen by the folds so far"
        finished = run_all(runs, rounds, checkpoint=checkpoint, title=title, verbose=self.verbose)
        if not finished and not any(run.done for run in runs):
            raise KeyboardInterrupt(EARLY)  # a model of nothing would only look like one
        run, best = self._choose_on_dev(runs, made)
        best = min(best, len(run.engine.deltas)) if self.rounds == "auto" else len(run.engine.deltas)
        self.work = Work(run.engine.additions, problem.index.n_items)
        self.history = run.history()
        made["finished"] = finished and made.get("finished", True)
        made["warnings"] = problem.notes() + ([] if checkpoint is None else checkpoint.trouble)
        return self._model_of(problem, run, best, steps, made, train)

    def _open_checkpoint(self, train: NBest, dev: NBest | None) -> Checkpoint | None:
        if self.checkpoint is None:
            return None
        # Where the number of rounds is fixed, neither dev data nor what is best on it changes the path.
        fixed = self.rounds != "auto"
        free = {"checkpoint", "verbose"} | ({"rounds", "max_rounds", "metric"} if fixed else set())
        kept = {name: value for name, value in self.get_params().items() if name not in free}
        return Checkpoint.open(self.checkpoint, kept, train, None if fixed else dev)

    def _model_of(
        self,
        problem: Problem,
        run: BoostingRun,
        rounds: int,
        steps: tuple[dict[str, Any], ...],
        made: dict[str, Any],
        train: NBest,
    ) -> LinearModel:
        path = Path(frozen(run.engine.features), frozen(run.engine.deltas))
        weights = path.weights(problem.train.features.n_columns, rounds)
        done = len(path)
        made |= {
            "rounds": rounds,
            "rounds_tried": done,
            "smoothing": run.smoothing,
            "loss": float(run.engine.losses[rounds - 1]) if rounds else run.start_loss,
            "drift": run.engine.drift(),
            "work": self.work.after(done),
            "savings": self.work.savings(1, done) if done else 0.0,
            "savings_by_rounds": self.work.intervals(),
            "active": int(np.count_nonzero(weights)),
            "columns_left_out": problem.train.features.n_columns - problem.index.columns.size,
            "pairs": len(problem.index.pairs),
            "dropped_groups": len(train) - problem.index.pairs.groups,
        }
        if run.dev is not None:
            made["dev"] = {"metric": run.dev.metric.signature, "score": float(run.dev.scores[rounds])}
        names = problem.train.features.column_names()
        return LinearModel(
            frozen(weights), names, problem.base_weight, (*steps, *problem.steps), self._made(train, **made), path
        )

    def _choose_on_dev(self, runs: list[BoostingRun], made: dict[str, Any]) -> tuple[BoostingRun, int]:
        """The smoothing and prefix that are best on dev; the whole of the only run where there is no dev data."""
        if runs[0].dev is None:
            return runs[0], len(runs[0].engine.deltas)
        metric = runs[0].dev.metric
        sums = [each.dev.sums for each in runs if each.dev is not None]
        prefixes = [earliest_best(each, metric) if self.rounds == "auto" else len(each) - 1 for each in sums]
        peaks = np.array([each[at] for each, at in zip(sums, prefixes, strict=True)])
        if len(runs) > 1:
            made["smoothing_scores"] = {
                f"{run.smoothing:g}": {"rounds": at, "score": peak}
                for run, at, peak in zip(runs, prefixes, metric.score(peaks).tolist(), strict=True)
            }
        best = earliest_best(peaks, metric)
        return runs[best], prefixes[best]

    def _choose_by_folds(
        self,
        train: NBest,
        smoothings: tuple[float, ...],
        rounds: int,
        made: dict[str, Any],
        checkpoint: Checkpoint | None,
    ) -> tuple[float, int]:
        """The smoothing and number of rounds that are best when every fold is chosen by the others."""
        if informative(train).size < 2:  # nothing to hold out: the paper's best smoothing, and few rounds
            made["chosen_by_folds"] = "too few groups to choose by; defaults were taken"
            few = min(rounds, 100) if self.rounds == "auto" else rounds
            return (smoothings[0] if len(smoothings) == 1 else 2.5e-3), few
        folds = min(FOLDS, len(train))
        fold_of = folds_of(len(train), folds, self.seed)
        curves: list[list[Floats]] = [[] for _ in smoothings]
        metric = self.metric_for(train)
        for fold in range(folds):
            inside, outside = train[fold_of != fold], train[fold_of == fold]
            if informative(inside).size == 0:
                continue
            title = f"fold {fold + 1} of {folds}"
            try:
                with before_the_first_round():
                    runs = Problem.of(inside, outside, self).runs(smoothings, title)
            except KeyboardInterrupt:
                if made.get("finished") is None:
                    raise
                made["finished"] = False
                break  # choose by the folds before
            made["finished"] = run_all(runs, rounds, checkpoint=checkpoint, title=title, verbose=self.verbose)
            for several, run in zip(curves, runs, strict=True):
                several += [run.dev.sums] if run.dev is not None else []
            if not made["finished"]:
                break  # Ctrl-C: choose by what there is
        sums = [_added_up(several) for several in curves]
        prefixes = [earliest_best(each, metric) if self.rounds == "auto" else rounds for each in sums]
        peaks = np.array([each[min(at, len(each) - 1)] for each, at in zip(sums, prefixes, strict=True)])
        best = earliest_best(peaks, metric)
        made["chosen_by_folds"] = {
            f"{smoothing:g}": {"rounds": at, "score": peak}
            for smoothing, at, peak in zip(smoothings, prefixes, metric.score(peaks).tolist(), strict=True)
        }
        return smoothings[best], prefixes[best]


def _added_up(curves: list[Floats]) -> Floats:
    """Sum of the curves of several folds; one that ended early goes on as it was."""
    rounds = np.arange(max(map(len, curves)))
    total = np.zeros((rounds.size, curves[0].shape[1]))
    for curve in curves:
        total += curve[np.minimum(rounds, len(curve) - 1)]
    return total
