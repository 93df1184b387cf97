"""Which smoothing, and how many rounds: by dev data, or by folds of groups that are held out in turn."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.learners.boosting_problem import BoostingProblem
from runoff.learners.boosting_run import LEAST_ROUNDS
from runoff.learners.early_stopping import sum_curves
from runoff.learners.prefix_scorer import earliest_best
from runoff.learners.training_loop import EARLY, before_the_first_round, run_all
from runoff.ranking import informative

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from runoff.arrays import Floats
    from runoff.learners.boost import Boost
    from runoff.learners.boosting_run import BoostingRun
    from runoff.learners.checkpoint import Checkpoint
    from runoff.metrics import Metric
    from runoff.nbest import NBest

SMOOTHINGS = (1e-4, 2.5e-4, 5e-4, 7.5e-4, 1e-3, 2.5e-3, 5e-3, 7.5e-3)  # the paper's grid
USUAL = 2.5e-3  # the best of them in the paper
FOLDS = 5


@dataclass
class BoostingSelection:
    """A smoothing and a number of rounds, the best score of every smoothing that was tried, and notes."""

    smoothing: float
    rounds: int
    scores: dict[str, Any] | str
    finished: bool = True
    notes: list[str] = field(default_factory=list)


def usual_first(runs: Iterable[BoostingRun]) -> list[BoostingRun]:
    """Runs ordered from the usual smoothing outwards, so that an interrupted training has tried the likely ones."""
    return sorted(runs, key=lambda run: abs(math.log(run.smoothing / USUAL)))


def choose_on_dev(runs: Sequence[BoostingRun], *, fixed: bool) -> BoostingSelection:
    """The smoothing and prefix that are best on dev, of equal ones the earliest; of runs cut short, those with rounds.

    Where the number of rounds is fixed every run is judged by its end.
    """
    tried = [run for run in runs if run.done] or runs
    paths = [run.dev for run in tried if run.dev is not None]
    return _best([run.smoothing for run in tried], [path.sums for path in paths], paths[0].metric, fixed=fixed)


def choose_by_folds(
    learner: Boost, train: NBest, smoothings: tuple[float, ...], rounds: int, checkpoint: Checkpoint | None
) -> BoostingSelection:
    """The smoothing and number of rounds that are best in cross-validation.

    After Ctrl-C the folds that are complete decide, or the runs of the first one. Costs five trainings of every
    smoothing.
    """
    fixed = learner.rounds != "auto"
    fold_of = learner.folds_within(train, FOLDS)
    folds = int(fold_of.max()) + 1
    if informative(train).size < 2 or folds < 2:  # nothing to hold out: the paper's best smoothing, and few rounds
        smoothing = smoothings[0] if len(smoothings) == 1 else USUAL
        scores = "too few groups to choose by; defaults were taken"
        return BoostingSelection(smoothing, rounds if fixed else min(rounds, 100), scores)
    curves: dict[float, list[Floats]] = {smoothing: [] for smoothing in smoothings}
    finished, ended_early, runs_made = True, 0, 0
    for fold in range(folds):
        inside, outside = train[fold_of != fold], train[fold_of == fold]
        if informative(inside).size == 0:
            continue
        title = f"fold {fold + 1} of {folds}"
        try:
            with before_the_first_round():
                runs = BoostingProblem.of(inside, outside, learner).runs(smoothings, title)
        except KeyboardInterrupt:
            if not any(curves.values()):
                raise
            finished = False
            break  # choose by the folds before
        finished = run_all(
            usual_first(runs),
            rounds,
            checkpoint=checkpoint,
            title=title,
            verbose=learner.verbose,
            stopping="stopping the folds, to choose by what they have shown so far",
        )
        if finished or not any(curves.values()):
            for run in runs:
                curves[run.smoothing] += [run.dev.sums] if run.dev is not None and (finished or run.done) else []
        if not finished:
            break
        runs_made += len(runs)
        ended_early += sum(run.ended_early(rounds) for run in runs)
    tried = [smoothing for smoothing in smoothings if curves[smoothing]]
    if not tried:
        raise KeyboardInterrupt(EARLY)
    sums = [sum_curves(curves[smoothing]) for smoothing in tried]
    choice = _best(tried, sums, learner.metric_for(train), fixed=fixed)
    choice.rounds = rounds if fixed else choice.rounds
    choice.finished = finished
    choice.notes = early_note(ended_early, runs_made, "in the folds ", rounds, learner.patience)
    return choice


def early_note(ended: int, of: int, where: str, rounds: int, patience: float | None) -> list[str]:
    """A note that some runs were stopped early.

    Examples
    --------
    >>> early_note(2, 8, "", 10_000, 3.0)[0].split(",")[0]
    '2 of 8 runs ended before 10'
    """
    if not ended or patience is None:
        return []
    return [
        f"{ended} of {of} runs {where}ended before {rounds:,} rounds, at {patience:g} times the rounds of their best "
        f"prefix or at {LEAST_ROUNDS}; a larger patience looks further."
    ]


def _best(smoothings: Sequence[float], sums: Sequence[Floats], metric: Metric, *, fixed: bool) -> BoostingSelection:
    prefixes = [len(each) - 1 if fixed else earliest_best(each, metric) for each in sums]
    peaks = np.array([each[at] for each, at in zip(sums, prefixes, strict=True)])
    best = earliest_best(peaks, metric)
    scores = {
        f"{smoothing:g}": {"rounds": at, "score": score}
        for smoothing, at, score in zip(smoothings, prefixes, metric.score(peaks).tolist(), strict=True)
    }
    return BoostingSelection(smoothings[best], prefixes[best], scores)
