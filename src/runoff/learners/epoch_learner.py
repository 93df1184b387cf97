"""Learners that train in epochs, and choose settings and the number of epochs on dev data or by folds."""

from __future__ import annotations

import contextlib
import threading
from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from runoff.arrays import frozen
from runoff.errors import DataError
from runoff.learners.base import Learner
from runoff.learners.checkpoint import Checkpoint
from runoff.learners.early_stopping import DevScorer, dev_entry, sum_curves
from runoff.learners.feature_scaling import warn_of_unused_features
from runoff.learners.training_loop import EARLY, before_the_first_round, run_all
from runoff.model import LinearModel
from runoff.parallel import one_blas_thread
from runoff.parameters import choice, either, flag, optional, parameter, text, whole
from runoff.ranking import informative

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from runoff.arrays import Bools, Floats
    from runoff.learners.epoch_run import EpochRun
    from runoff.metrics import Metric
    from runoff.model import Votes
    from runoff.nbest import NBest

FOLDS = 5
_TOO_FEW, _FEW_EPOCHS = "too few groups to choose by; defaults were taken", 10


class EpochProblem(Protocol):
    """Training data as a learner works on it."""

    train: NBest

    @property
    def scale(self) -> Floats:
        """Units of the learner per unit of the data, for every column; 0 for a column that is left out."""

    def fingerprint(self) -> str:
        """What the functions among the parameters evaluate to, so that a checkpoint can identify them."""

    def settings(self) -> list[Any]:
        """Everything to try; the last is the default where nothing can be tried."""

    def runs(
        self, settings: Sequence[Any], epochs: int, stage: str, scorer: DevScorer | None, inside: Bools | None = None
    ) -> Sequence[EpochRun]:
        """One run for every setting, over all groups or those `inside`; none where these are uninformative."""


@dataclass(eq=False, repr=False, kw_only=True)
class EpochLearner(Learner):
    """What learners share that visit the groups in epochs."""

    epochs: int | Literal["auto"] = parameter("auto", either("auto", whole(1)))
    scale: Literal["auto", "spread", "none"] = parameter("auto", choice("auto", "spread", "none"))
    base: bool = parameter(True, flag)
    min_groups: int = parameter(1, whole(1))
    shuffle: bool = parameter(True, flag)
    max_epochs: int = parameter(50, whole(1))
    patience: int | None = parameter(10, optional(whole(1)))
    checkpoint: str | None = parameter(None, text)

    @property
    def chooses_epochs(self) -> bool:
        """Whether the number of epochs is to be chosen."""
        return self.epochs == "auto"

    @property
    def has_epochs(self) -> bool:
        """Whether its runs consist of epochs, and not of one minimisation."""
        return True

    @abstractmethod
    def _problem(self, train: NBest) -> EpochProblem:
        """Set up the training problem."""

    @abstractmethod
    def _facts(self, run: Any) -> dict[str, Any]:
        """Facts about the chosen run, for the provenance."""

    def _refinements(self, problem: Any) -> Mapping[str, Callable[[Any], list[Any]]]:  # noqa: ARG002 - for learners that refine
        """What to try after all settings: variants of the best so far, by the name of what varies, in this order."""
        return {}

    def _notes(self, train: NBest) -> list[str]:  # noqa: ARG002 - for learners that have notes
        """Notes on the parameters, for the provenance."""
        return []

    def _notes_on(self, run: Any) -> list[str]:  # noqa: ARG002 - for learners that have notes
        """Notes on the chosen run, for the provenance."""
        return []

    def _votes(self, run: Any) -> Votes | None:  # noqa: ARG002 - for learners whose vectors vote
        """The vectors that vote, if they do."""
        return None

    def _learn(self, train: NBest, dev: NBest | None, steps: tuple[dict[str, Any], ...]) -> LinearModel:
        if informative(train).size == 0:
            raise DataError("no group of the training data has a better and a worse candidate: nothing to learn.")
        with before_the_first_round():
            problem = self._problem(train)
        with self._open_checkpoint(problem, dev) as checkpoint:
            return self._learn_from(problem, dev, steps, checkpoint)

    def _learn_from(
        self, problem: EpochProblem, dev: NBest | None, steps: tuple[dict[str, Any], ...], checkpoint: Checkpoint | None
    ) -> LinearModel:
        train, settings, refinements = problem.train, problem.settings(), self._refinements(problem)
        provenance: dict[str, Any] = {}
        epochs = self.max_epochs if self.epochs == "auto" else self.epochs
        is_open = self.chooses_epochs or len(settings) > 1 or bool(refinements)
        if dev is not None and is_open:
            self._choose_on(dev)
        elif is_open:
            setting, epochs = self._choose_by_folds(problem, settings, refinements, epochs, provenance, checkpoint)
            settings, refinements = [setting], {}
        scorer = None if dev is None else DevScorer(dev, self.metric_for(train), train.features.column_names())
        title = self.name if provenance.get("finished", True) else f"{self.name}, chosen by the folds so far"
        runs = list(problem.runs(settings, epochs, "all groups", scorer))
        finished = self._run(runs, title, checkpoint)
        if scorer is not None:
            for name, varied in refinements.items():
                best_run = _best_on_dev(runs, scorer)
                if best_run is None or not finished:
                    break
                more = problem.runs(varied(best_run.setting), epochs, "all groups", scorer)
                finished = self._run(more, f"{title}, choosing {name}", checkpoint)
                runs += more
        # A run that was stopped after its last step is finished.
        finished = finished or (not refinements and all(run.ended for run in runs))
        if not finished and not any(run.begun for run in runs):
            raise KeyboardInterrupt(EARLY)  # there is no model yet
        run = runs[0] if scorer is None else self._choose_on_dev(runs, scorer, provenance)
        if run.failed:
            raise DataError(run.failed)
        best = run.so_far()
        self.history = run.history
        provenance |= {
            **self._facts(run),
            **({"epochs": best.epoch, "epochs_tried": len(run.history)} if self.has_epochs else {}),
            **({"converged": run.converged} if run.converges else {}),
            "dropped_groups": len(train) - run.groups.size,
            "finished": finished and provenance.get("finished", True),
            "interrupted_in": ([] if provenance.get("finished", True) else ["folds"])
            + ([] if finished else ["rounds"]),
            "warnings": warn_of_unused_features(problem.scale, self.min_groups)
            + ([] if checkpoint is None else checkpoint.trouble),
            "notes": [*self._notes(train), *self._notes_on(run)],
        }
        if scorer is not None and best.epoch:
            score = float(scorer.metric.score(run.curve[best.epoch - 1]))
            provenance["dev"] = dev_entry(scorer.metric, scorer.data, score)
        names = train.features.column_names()
        record = self._provenance(train, **provenance)
        return LinearModel(frozen(best.weights), names, best.base, steps, record, votes=self._votes(run))

    def _open_checkpoint(
        self, problem: EpochProblem, dev: NBest | None
    ) -> contextlib.AbstractContextManager[Checkpoint | None]:
        if self.checkpoint is None:
            return contextlib.nullcontext()
        # With a fixed number of epochs, more or fewer of them are the same run, longer or shorter.
        free = {"checkpoint", "verbose"} | ({"epochs", "max_epochs"} if self.epochs != "auto" else set())
        kept = {name: value for name, value in self.plain_params().items() if name not in free}
        kept |= {"metric": self.metric_for(problem.train).label, "functions": problem.fingerprint()}
        return Checkpoint.open(self.checkpoint, kept, problem.train, dev)

    def _run(
        self, runs: Sequence[EpochRun], title: str, checkpoint: Checkpoint | None, stopping: str = "stopping"
    ) -> bool:
        visits, stop = max(run.most for run in runs), threading.Event()
        for run in runs:
            run.stopping = stop
        with one_blas_thread():
            return run_all(
                runs, visits, checkpoint=checkpoint, title=title, verbose=self.verbose, stopping=stopping, stop=stop
            )

    def _choose_by_folds(
        self,
        problem: EpochProblem,
        settings: Sequence[Any],
        refinements: Mapping[str, Callable[[Any], list[Any]]],
        epochs: int,
        provenance: dict[str, Any],
        checkpoint: Checkpoint | None,
    ) -> tuple[Any, int]:
        """The setting and number of epochs that are best in cross-validation."""
        metric, fixed = self.metric_for(problem.train), not self.chooses_epochs
        tried, provenance["finished"] = self._run_folds(problem, settings, epochs, "", checkpoint)
        chosen = self._best_by_folds(tried, metric, fixed)
        for name, varied in refinements.items():
            if chosen is None or not provenance["finished"]:
                break
            more, provenance["finished"] = self._run_folds(
                problem, varied(chosen[0]), epochs, f", choosing {name}", checkpoint
            )
            if provenance["finished"]:  # incomplete ones are left out
                tried += more
                chosen = self._best_by_folds(tried, metric, fixed)
        if chosen is None:
            if any(each.failed for each in tried):
                raise DataError(next(each.failed for each in tried if each.failed))
            if not provenance["finished"]:
                raise KeyboardInterrupt("before the first epoch of a fold had ended")
            provenance["chosen_by_folds"] = _TOO_FEW
            return settings[-1], epochs if fixed else min(epochs, _FEW_EPOCHS)
        setting, best, provenance["chosen_by_folds"] = chosen
        return setting, epochs if fixed else best

    def _run_folds(
        self, problem: EpochProblem, settings: Sequence[Any], epochs: int, purpose: str, checkpoint: Checkpoint | None
    ) -> tuple[list[_Tried], bool]:
        """Curves of every setting on the folds, and whether all were finished."""
        train, metric = problem.train, self.metric_for(problem.train)
        fold_of = self.folds_within(train, FOLDS)
        folds = int(fold_of.max()) + 1
        tried = [_Tried(setting) for setting in settings]
        for fold in range(folds):
            scorer = DevScorer(train[fold_of == fold], metric, train.features.column_names())
            stage = f"fold {fold + 1} of {folds}"
            runs = problem.runs(settings, epochs, stage, scorer, fold_of != fold)
            if not runs:
                continue
            finished = self._run(
                runs, f"{stage}{purpose}", checkpoint, "stopping the folds, to choose by what they have shown so far"
            )
            for each, run in zip(tried, runs, strict=True):
                each.curves += [np.array(run.curve)] if run.curve else []
                each.failed = run.failed or each.failed
            if not finished:
                return tried, False
        return tried, True

    def _best_by_folds(
        self, tried: Sequence[_Tried], metric: Metric, fixed: bool
    ) -> tuple[Any, int, dict[str, Any]] | None:
        """The best setting, its number of epochs, and the scores of all; None where there are no scores."""
        # After Ctrl-C some settings may have been tried in fewer folds, or in none.
        usable = [each for each in tried if each.curves and not each.failed]
        if not usable:
            return None
        complete = min(len(each.curves) for each in usable)
        sums = [sum_curves(each.curves[:complete]) for each in usable]
        ends = [len(each) - 1 if fixed else int(np.argmax(metric.signed(each))) for each in sums]
        peaks = np.array([each[at] for each, at in zip(sums, ends, strict=True)])
        best = int(np.argmax(metric.signed(peaks)))
        scores = {
            str(each.setting): self._entry(end + 1, score)
            for each, end, score in zip(usable, ends, metric.score(peaks).tolist(), strict=True)
        }
        return usable[best].setting, ends[best] + 1, scores

    def _choose_on_dev(self, runs: Sequence[EpochRun], scorer: DevScorer, provenance: dict[str, Any]) -> EpochRun:
        best = _best_on_dev(runs, scorer)
        if best is None:
            return next((run for run in runs if run.begun and not run.failed), runs[0])
        if len(runs) > 1:
            scored = [(run, run.best) for run in runs if run.best is not None and not run.failed]
            provenance["chosen_on_dev"] = {
                str(run.setting): self._entry(at.epoch, float(scorer.metric.score(run.curve[at.epoch - 1])))
                for run, at in scored
            }
        return best

    def _entry(self, epochs: int, score: float) -> dict[str, Any]:
        """Entry of a setting that was tried, for the provenance."""
        return {"epochs": epochs, "score": score} if self.has_epochs else {"score": score}


@dataclass
class _Tried:
    """A setting in the folds: its curves, and why it failed, if it did."""

    setting: Any
    curves: list[Floats] = field(default_factory=list)
    failed: str = ""


def _best_on_dev(runs: Sequence[EpochRun], scorer: DevScorer) -> EpochRun | None:
    """The run that is best on dev, the first of equal ones; None where no epoch has ended."""
    scored = [(run, run.best) for run in runs if run.best is not None and not run.failed]
    if not scored:
        return None
    sums = np.array([run.curve[best.epoch - 1] for run, best in scored])
    return scored[int(np.argmax(scorer.metric.signed(sums)))][0]
