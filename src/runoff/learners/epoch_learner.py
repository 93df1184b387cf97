"""Learners that visit groups in epochs, and choose settings and the number of epochs on dev data or by folds."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

import numpy as np

from runoff.arrays import frozen
from runoff.errors import DataError
from runoff.learners.base import Learner, informative
from runoff.learners.checkpoint import Checkpoint
from runoff.learners.parameters import either, flag, text, whole
from runoff.learners.running import EARLY, before_the_first_round, run_all
from runoff.learners.watch import DevWatch, added_up
from runoff.model import LinearModel
from runoff.nbest.grouping import folds_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Bools, Floats
    from runoff.learners.epochs import EpochRun
    from runoff.learners.parameters import Check
    from runoff.model import Votes
    from runoff.nbest import NBest

FOLDS = 5
_TOO_FEW, _FEW_EPOCHS = "too few groups to choose by; defaults were taken", 10


class Problem(Protocol):
    """Training data as a learner works on it."""

    train: NBest

    def fingerprint(self) -> str:
        """What the functions among the parameters come down to, by which a checkpoint knows them."""

    def settings(self) -> list[Any]:
        """Everything to try; the last is what to take where nothing can be tried."""

    def runs(
        self, settings: Sequence[Any], epochs: int, stage: str, watch: DevWatch | None, inside: Bools | None = None
    ) -> Sequence[EpochRun]:
        """One run for every setting, over all groups or those `inside`; none where these teach nothing."""


class EpochLearner(Learner):
    """What the learners share whose runs are epochs of visits."""

    epoch_checks: ClassVar[dict[str, Check]] = {
        "epochs": either("auto", whole(1)),
        "shuffle": flag,
        "max_epochs": whole(1),
        "patience": whole(1),
        "checkpoint": text,
    }
    epochs: int | Literal["auto"]
    shuffle: bool
    max_epochs: int
    patience: int
    checkpoint: str | None
    seed: int
    verbose: bool

    @property
    def chooses_epochs(self) -> bool:
        """Whether the number of epochs is to be chosen."""
        return self.epochs == "auto"

    @abstractmethod
    def _problem(self, train: NBest) -> Problem:
        """Set up what is learned from."""

    @abstractmethod
    def _facts(self, run: Any) -> dict[str, Any]:
        """What the record of the model says about the run that was chosen."""

    def _notes(self, train: NBest) -> list[str]:  # noqa: ARG002 - for learners that have something to say
        """Sentences for the person about what was asked for."""
        return []

    def _votes(self, run: Any) -> Votes | None:  # noqa: ARG002 - for learners whose vectors vote
        """The vectors that choose together, where they do."""
        return None

    def _learn(self, train: NBest, dev: NBest | None, steps: tuple[dict[str, Any], ...]) -> LinearModel:
        if informative(train).size == 0:
            raise DataError("no group of the training data has a better and a worse candidate: nothing to learn.")
        with before_the_first_round():
            problem = self._problem(train)
            settings = problem.settings()
            checkpoint = self._open_checkpoint(problem, dev)
        made: dict[str, Any] = {}
        epochs = self.max_epochs if self.epochs == "auto" else self.epochs
        if dev is None and (self.chooses_epochs or len(settings) > 1):
            setting, epochs = self._choose_by_folds(problem, settings, epochs, made, checkpoint)
            settings = [setting]
        watch = None if dev is None else DevWatch(dev, self.metric_for(dev), train.features.column_names())
        runs = problem.runs(settings, epochs, "all groups", watch)
        title = self.name if made.get("finished", True) else f"{self.name}, chosen by the folds so far"
        finished = self._run(runs, title, checkpoint)
        if not finished and not any(run.done for run in runs):
            raise KeyboardInterrupt(EARLY)  # a model of nothing would only look like one
        run = runs[0] if watch is None else _choose_on_dev(runs, watch, made)
        if run.failed:
            raise DataError(run.failed)
        best = run.so_far()
        self.history = run.history
        made |= {
            **self._facts(run),
            "epochs": best.epoch,
            "epochs_tried": len(run.history),
            "converged": run.converged,
            "dropped_groups": len(train) - run.groups.size,
            "finished": finished and made.get("finished", True),
            "interrupted_in": ([] if made.get("finished", True) else ["folds"]) + ([] if finished else ["rounds"]),
            "warnings": [] if checkpoint is None else checkpoint.trouble,
            "notes": self._notes(train),
        }
        if watch is not None and best.epoch:
            made["dev"] = {
                "metric": watch.metric.signature,
                "score": float(watch.metric.score(run.curve[best.epoch - 1])),
                "first_round": watch.score(np.zeros(len(watch.names)), 0.0),
            }
        names = train.features.column_names()
        record = self._made(train, **made)
        return LinearModel(frozen(best.weights), names, best.base, steps, record, votes=self._votes(run))

    def _open_checkpoint(self, problem: Problem, dev: NBest | None) -> Checkpoint | None:
        if self.checkpoint is None:
            return None
        # Where the number of epochs is fixed, more or fewer of them are the same run, longer or shorter.
        free = {"checkpoint", "verbose"} | ({"epochs", "max_epochs"} if self.epochs != "auto" else set())
        kept = {name: value for name, value in self.plain_params().items() if name not in free}
        return Checkpoint.open(self.checkpoint, {**kept, "functions": problem.fingerprint()}, problem.train, dev)

    def _run(
        self, runs: Sequence[EpochRun], title: str, checkpoint: Checkpoint | None, stopping: str = "stopping"
    ) -> bool:
        visits = max(run.most for run in runs)
        return run_all(runs, visits, checkpoint=checkpoint, title=title, verbose=self.verbose, stopping=stopping)

    def _choose_by_folds(
        self,
        problem: Problem,
        settings: Sequence[Any],
        epochs: int,
        made: dict[str, Any],
        checkpoint: Checkpoint | None,
    ) -> tuple[Any, int]:
        """The setting and number of epochs that are best when every fold is chosen by the others."""
        train, metric = problem.train, self.metric_for(problem.train)
        folds = min(FOLDS, len(train))
        fold_of = folds_of(len(train), folds, self.seed)
        curves: list[list[Floats]] = [[] for _ in settings]
        failed: dict[str, str] = {}
        for fold in range(folds):
            watch = DevWatch(train[fold_of == fold], metric, train.features.column_names())
            title = f"fold {fold + 1} of {folds}"
            runs = problem.runs(settings, epochs, title, watch, fold_of != fold)
            if not runs:
                continue
            made["finished"] = self._run(
                runs, title, checkpoint, "stopping the folds, to choose by what they have shown so far"
            )
            for several, run in zip(curves, runs, strict=True):
                several += [np.array(run.curve)] if run.curve else []
                failed[str(run.setting)] = run.failed or failed.get(str(run.setting), "")
            if not made["finished"]:
                break  # Ctrl-C: choose by what there is
        fixed = not self.chooses_epochs
        # After Ctrl-C some settings may have been tried in fewer folds, or in none: those in none are left out.
        tried = [at for at, several in enumerate(curves) if several and not failed[str(settings[at])]]
        if not tried:
            if any(failed.values()):
                raise DataError(next(filter(None, failed.values())))
            if made.get("finished") is False:
                raise KeyboardInterrupt("before the first epoch of a fold had ended")
            made["chosen_by_folds"] = _TOO_FEW
            return settings[-1], epochs if fixed else min(epochs, _FEW_EPOCHS)
        complete = min(len(curves[at]) for at in tried)
        sums = [added_up(curves[at][:complete]) for at in tried]
        ends = [len(each) - 1 if fixed else int(np.argmax(metric.signed(each))) for each in sums]
        peaks = np.array([each[at] for each, at in zip(sums, ends, strict=True)])
        best = int(np.argmax(metric.signed(peaks)))
        made["chosen_by_folds"] = {
            str(settings[at]): {"epochs": end + 1, "score": score}
            for at, end, score in zip(tried, ends, metric.score(peaks).tolist(), strict=True)
        }
        return settings[tried[best]], epochs if fixed else ends[best] + 1


def _choose_on_dev(runs: Sequence[EpochRun], watch: DevWatch, made: dict[str, Any]) -> EpochRun:
    scored = [(run, run.best) for run in runs if run.best is not None and not run.failed]
    if not scored:
        return runs[0]
    sums = np.array([run.curve[best.epoch - 1] for run, best in scored])
    if len(runs) > 1:
        made["chosen_on_dev"] = {
            str(run.setting): {"epochs": best.epoch, "score": score}
            for (run, best), score in zip(scored, watch.metric.score(sums).tolist(), strict=True)
        }
    return scored[int(np.argmax(watch.metric.signed(sums)))][0]
