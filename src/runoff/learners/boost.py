"""Boosting for reranking (Collins & Koo 2005): one feature a round, at the cost of what it touches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from runoff.arrays import frozen
from runoff.errors import DataError, UsageError
from runoff.features import learn_thresholds, prepare
from runoff.learners.base import Learner, informative
from runoff.learners.base_weight import fit_base_weight
from runoff.learners.boosting_engine import ExpEngine, LogEngine, PairIndex
from runoff.learners.boosting_run import Run, run_all
from runoff.learners.checkpoint import Checkpoint
from runoff.learners.dev_path import DevPath, best_prefix
from runoff.learners.parameters import choice, either, flag, number, text, whole
from runoff.learners.work import Work
from runoff.model import LinearModel, Path
from runoff.pairs import make_pairs

if TYPE_CHECKING:
    from runoff.arrays import Floats
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
        for whole rankings. "sample": at most `sample` of those a group, large differences more often.
    weighted
        Whether a pair weighs its difference in quality, or one; LogLoss knows no weights.
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
        if self.pairs == "sample" and self.loss == "log":
            raise UsageError('pairs="sample" weighs its pairs, which LogLoss cannot; take loss="exp", or pairs="all".')
        if informative(train).size == 0:
            raise DataError("no group of the training data has a better and a worse candidate: nothing to learn.")
        smoothings = SMOOTHINGS if self.smoothing == "auto" else (float(self.smoothing),)
        rounds = self.max_rounds if self.rounds == "auto" else self.rounds
        made: dict[str, Any] = {}
        checkpoint = Checkpoint.open(self.checkpoint, train, self.get_params()) if self.checkpoint else None
        if dev is None and "auto" in (self.rounds, self.smoothing):
            smoothing, rounds = self._choose_by_folds(train, smoothings, rounds, made, checkpoint)
            smoothings = (smoothing,)
        problem = Problem.of(train, dev, self)
        runs = problem.runs(smoothings, "all groups")
        patient = self.rounds != "auto"
        finished = run_all(runs, rounds, patient=patient, checkpoint=checkpoint, verbose=self.verbose)
        run, best = self._choose_on_dev(runs, made)
        best = min(best, len(run.engine.deltas)) if self.rounds == "auto" else len(run.engine.deltas)
        self.work = Work(run.engine.additions, problem.index.n_items)
        self.history = run.history()
        made["finished"] = finished and made.get("finished", True)
        return self._model_of(problem, run, best, steps, made, train)

    def _model_of(
        self,
        problem: Problem,
        run: Run,
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

    def _choose_on_dev(self, runs: list[Run], made: dict[str, Any]) -> tuple[Run, int]:
        """The smoothing and prefix that are best on dev; the whole of the only run where there is no dev data."""
        if runs[0].dev is None:
            return runs[0], len(runs[0].engine.deltas)
        metric = runs[0].dev.metric
        sign = 1 if metric.higher_is_better else -1
        scores = [each.dev.scores for each in runs if each.dev is not None]
        if self.rounds == "auto":
            prefixes = [best_prefix(each, metric) for each in scores]
        else:
            prefixes = [each.size - 1 for each in scores]
        peaks = [float(each[at]) for each, at in zip(scores, prefixes, strict=True)]
        if len(runs) > 1:
            made["smoothing_scores"] = {
                f"{run.smoothing:g}": {"rounds": at, "score": peak}
                for run, at, peak in zip(runs, prefixes, peaks, strict=True)
            }
        best = int(np.argmax(sign * np.array(peaks)))
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
            return (smoothings[0] if len(smoothings) == 1 else 2.5e-3), min(rounds, 100)
        folds = min(FOLDS, len(train))
        fold_of = np.random.default_rng(self.seed).permutation(len(train)) % folds
        sums: list[Any] = [0.0] * len(smoothings)
        metric = self.metric_for(train)
        for fold in range(folds):
            inside, outside = train[fold_of != fold], train[fold_of == fold]
            if informative(inside).size == 0:
                continue
            title = f"fold {fold + 1} of {folds}"
            runs = Problem.of(inside, outside, self).runs(smoothings, title)
            patient = self.rounds != "auto"
            made["finished"] = run_all(
                runs, rounds, patient=patient, checkpoint=checkpoint, title=title, verbose=self.verbose
            )
            sums = [total + _padded(run.dev.sums, rounds) for total, run in zip(sums, runs, strict=True) if run.dev]
            if not made["finished"]:
                break  # Ctrl-C: choose by what there is
        scores = [metric.score(each) for each in sums]
        prefixes = [best_prefix(each, metric) if self.rounds == "auto" else rounds for each in scores]
        peaks = [float(each[at]) for each, at in zip(scores, prefixes, strict=True)]
        best = int(np.argmax(np.array(peaks) * (1 if metric.higher_is_better else -1)))
        made["chosen_by_folds"] = {
            f"{smoothing:g}": {"rounds": at, "score": peak}
            for smoothing, at, peak in zip(smoothings, prefixes, peaks, strict=True)
        }
        return smoothings[best], prefixes[best]


@dataclass(frozen=True)
class Problem:
    """Training data made binary, its pairs and their index, and the weight of the first round's score."""

    train: NBest
    dev: NBest | None
    steps: tuple[dict[str, Any], ...]
    index: PairIndex
    base_weight: float
    margins: Floats
    learner: Boost

    @classmethod
    def of(cls, train: NBest, dev: NBest | None, learner: Boost) -> Problem:
        """Cut real values, make pairs, fit the base weight and build the index."""
        steps = (learn_thresholds(train, learner.cuts),)
        binary = prepare(train, steps)
        held_out = None if dev is None else prepare(dev, steps)
        pairs = make_pairs(binary, learner.pairs, weighted=learner.weighted, sample=learner.sample, seed=learner.seed)
        base_weight, margins = 0.0, np.zeros(len(pairs))
        if learner.base and binary.base is not None:
            differences = binary.base[pairs.better] - binary.base[pairs.worse]
            base_weight = fit_base_weight(differences, pairs.weight, pairs.contests, learner.loss)
            margins = base_weight * differences
        index = PairIndex.build(binary, pairs, learner.min_groups)
        return cls(binary, held_out, steps, index, base_weight, margins, learner)

    def runs(self, smoothings: tuple[float, ...], stage: str) -> list[Run]:
        """One run for every smoothing, all over the same index, named after the stage of the training."""
        engine = ExpEngine if self.learner.loss == "exp" else LogEngine
        return [
            Run(f"{stage}, {each!r}", engine(self.index, self.margins, each), each, self._dev()) for each in smoothings
        ]

    def _dev(self) -> DevPath | None:
        if self.dev is None:
            return None
        metric = self.learner.metric_for(self.dev)
        return DevPath(self.dev, metric, self.train.features.column_names(), self.base_weight)


def _padded(sums: Floats, rounds: int) -> Floats:
    """Sums of a run that ended early, going on as they were."""
    missing = rounds + 1 - len(sums)
    return np.concatenate([sums, np.repeat(sums[-1:], missing, axis=0)]) if missing > 0 else sums
