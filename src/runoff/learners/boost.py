"""Boosting for reranking (Collins & Koo 2005): one feature per round, at the cost of the pairs that have it."""

from __future__ import annotations

import contextlib
import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from runoff.arrays import frozen
from runoff.errors import DataError, UsageError
from runoff.features.trees import MOST_DEPTH
from runoff.learners.base import Learner
from runoff.learners.boosting_problem import BoostingProblem
from runoff.learners.boosting_selection import SMOOTHINGS, choose_by_folds, choose_on_dev, early_note, usual_first
from runoff.learners.boosting_work import BoostingWork
from runoff.learners.checkpoint import Checkpoint
from runoff.learners.early_stopping import dev_entry
from runoff.learners.training_loop import EARLY, before_the_first_round, run_all
from runoff.model import LinearModel, TrainingPath
from runoff.parameters import choice, either, flag, number, optional, parameter, text, whole
from runoff.ranking import informative

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.learners.boosting_run import BoostingRun
    from runoff.nbest import NBest


def _patience(value: Any) -> str | None:
    return "a finite number of at least 1" if number()(value) or value < 1 else None


@dataclass(eq=False, repr=False)
class Boost(Learner):
    """Boosting over pairs of candidates: each round moves the weight of the one feature that helps most.

    The efficient algorithm of Collins & Koo (2005, figure 4): after a round only the pairs that have its
    feature are updated. Features must be binary; counts and real values are binarised at cut points, which the
    model keeps (`runoff.features.fit_thresholds`). The model keeps its training path, so that `model.prefix(n)`
    is the model after n rounds. Memory: about 8 bytes for every feature on which a pair differs.

    Parameters
    ----------
    rounds
        Number of rounds, or "auto": up to `max_rounds`, and then the prefix that is best on dev (or by five
        folds of groups, where there is no dev data).
    loss
        "exp": ExpLoss, `Σ S exp(-margin)`. "log": LogLoss, `Σ log(1 + Σ exp(-margin))`.
    depth
        0: one feature a round, as in the paper. From 1 to 6: a decision tree a round, by gradient boosting of the same
        pairs, without `smoothing`, `log_update`, `sample` and `cuts`. `runoff.learners.TreeBoost` has more settings.
    log_update
        How a round lowers LogLoss. "bound": the feature and the step that a bound on the loss promises most for
        (the paper's appendix B), at the cost of the groups that have the feature. "exact": the step that is best
        under the loss itself, of the feature that it serves best (section 4.6); a round costs a pass over all pairs.
    smoothing
        The paper's ε, or "auto": the best of its grid on dev (or by folds), trained in parallel, from the paper's
        best (0.0025) outwards.
    pairs
        "best": the best candidate against the rest. "all": every better candidate against every worse one,
        for whole rankings. "sample": those of "all" in groups that have at most `sample` of them; in larger
        groups `sample` draws with replacement, in proportion to the difference in quality. Under ExpLoss every
        draw weighs an equal share of the total weight of the group's pairs: the difference has already decided how
        often a pair is drawn, and the loss is an unbiased estimate of that of "all". Under
        LogLoss a pair that is drawn, once or more often, takes part in the contest of its better candidate like
        any other: `Σ log(1 + Σ exp(-margin))` over the worse candidates that were drawn.
    weighted
        Whether a pair weighs its difference in quality, or one. LogLoss has no weights: there it decides
        only whether "sample" prefers large differences or draws all pairs alike.
    sample
        Maximum number of pairs of a group for "sample".
    min_groups
        Leave out features that occur in fewer groups of the training data.
    cuts
        Maximum number of cut points of a column that is not binary, on either side of zero.
    base
        Use the first round's score if there is one; its weight is fitted first, alone.
    max_rounds
        Maximum number of rounds that "auto" tries.
    patience
        How far "auto" continues beyond the best prefix on dev: a run ends at this multiple of the rounds of that
        prefix, but not before 500. None (`none` in the shell): only at `max_rounds`.
    checkpoint
        File to which progress is saved; an interrupted run with the same data and parameters resumes from it
        and ends bit-identical. Ctrl-C ends the training early and keeps the model so far.
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
        Seed of folds and samples.
    verbose
        Show progress.
    calibration
        Where the confidence of choices is fitted: "auto" takes dev data, or folds where settings are chosen by folds;
        "folds" takes folds also where all settings are given; "none" fits none. See `runoff.calibrate`.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> train = NBest.from_arrays([[1, 0], [0, 1], [1, 1], [0, 1]], quality=[1, 0, 1, 0], sizes=[2, 2])
    >>> learner = Boost(rounds=3, min_groups=1).fit(train)
    >>> learner.predict(train).tolist(), len(learner.model.training_path)
    ([0, 0], 3)
    """

    name = "boost"
    rounds: int | Literal["auto"] = parameter("auto", either("auto", whole(0)))
    loss: Literal["exp", "log"] = parameter("exp", choice("exp", "log"))
    log_update: Literal["bound", "exact"] = parameter("bound", choice("bound", "exact"))
    smoothing: float | Literal["auto"] = parameter("auto", either("auto", number()))
    pairs: Literal["best", "all", "sample"] = parameter("best", choice("best", "all", "sample"))
    weighted: bool = parameter(True, flag)
    sample: int = parameter(50, whole(1))
    min_groups: int = parameter(5, whole(1))
    cuts: int = parameter(16, whole(1))
    base: bool = parameter(True, flag)
    max_rounds: int = parameter(10_000, whole(1))
    patience: float | None = parameter(3.0, optional(_patience))
    checkpoint: str | None = parameter(None, text)
    depth: int = parameter(0, whole(0, MOST_DEPTH))

    @property
    def keeps_missing(self) -> bool:
        """Trees do."""
        return self.depth > 0

    def _learn(self, train: NBest, dev: NBest | None, steps: tuple[dict[str, Any], ...]) -> LinearModel:
        if self.depth:
            return self._learn_trees(train, dev, steps)
        if informative(train).size == 0:
            raise DataError("no group of the training data has a better and a worse candidate: nothing to learn.")
        if self.loss == "exp" and self.log_update != "bound":
            raise UsageError('log_update is about LogLoss, and the loss is ExpLoss; set loss="log", or leave it out.')
        with self._open_checkpoint(train, dev) as checkpoint:
            return self._learn_from(train, dev, steps, checkpoint)

    def _learn_trees(self, train: NBest, dev: NBest | None, steps: tuple[dict[str, Any], ...]) -> LinearModel:
        """The same pairs and losses over trees; `TreeBoost` has more settings."""
        from runoff.learners.tree_boost import TreeBoost

        for name in ("smoothing", "log_update", "min_groups", "cuts", "patience"):
            if getattr(self, name) != self.parameters()[name]:
                raise UsageError(f"{name} is for single features, and depth={self.depth} asks for trees; leave it out.")
        shared = ("rounds", "loss", "base", "checkpoint", "metric", "group_by", "seed", "verbose")
        trees = TreeBoost(
            depth=self.depth,
            pairs="quality" if self.weighted else "equal",
            best=self.pairs == "best",
            sample=self.sample if self.pairs == "sample" else 0,
            max_rounds=min(self.max_rounds, TreeBoost.parameters()["max_rounds"]),
            missing="mean",  # they are estimated by now
            calibration="none",
            **{name: getattr(self, name) for name in shared},
        )
        model = trees.fit(train, dev).model
        self.history = trees.history
        notes = [*self._notes_on_data, *model.provenance.get("notes", [])]
        own = {"learner": self.name, "parameters": self.plain_params(), **({"notes": notes} if notes else {})}
        return dataclasses.replace(model, preparation=steps, provenance={**model.provenance, **own})

    def _learn_from(
        self, train: NBest, dev: NBest | None, steps: tuple[dict[str, Any], ...], checkpoint: Checkpoint | None
    ) -> LinearModel:
        smoothings = SMOOTHINGS if self.smoothing == "auto" else (float(self.smoothing),)
        rounds = self.max_rounds if self.rounds == "auto" else self.rounds
        fixed = self.rounds != "auto"
        provenance: dict[str, Any] = {"notes": []}
        by_folds = None
        is_open = "auto" in (self.rounds, self.smoothing)
        if dev is not None and is_open:
            self._choose_on(dev)
        elif is_open:
            by_folds = choose_by_folds(self, train, smoothings, rounds, checkpoint)
            smoothings, rounds = (by_folds.smoothing,), by_folds.rounds
            provenance |= {"chosen_by_folds": by_folds.scores, "notes": by_folds.notes}
        with before_the_first_round():
            problem = BoostingProblem.of(train, dev, self)
            runs = problem.runs(smoothings, "all groups")
        whole_folds = by_folds is None or by_folds.finished
        title = "boosting" if len(runs) == 1 else f"boosting, {len(runs)} smoothings"
        with contextlib.ExitStack() as ends:
            for each in runs:
                ends.callback(each.engine.close)
            finished = run_all(usual_first(runs), rounds, checkpoint=checkpoint, title=title, verbose=self.verbose)
        if not finished and not any(run.done for run in runs):
            raise KeyboardInterrupt(EARLY)  # there is no model yet
        run, best = runs[0], runs[0].done
        if dev is not None:
            on_dev = choose_on_dev(runs, fixed=fixed)
            run, best = next(each for each in runs if each.smoothing == on_dev.smoothing), on_dev.rounds
            provenance |= {"smoothing_scores": on_dev.scores} if len(runs) > 1 else {}
        provenance["notes"] += self._remarks(runs, rounds, best)
        provenance["finished"] = finished and whole_folds
        provenance["interrupted_in"] = ([] if whole_folds else ["folds"]) + ([] if finished else ["rounds"])
        provenance["warnings"] = problem.warnings() + ([] if checkpoint is None else checkpoint.trouble)
        self.work = BoostingWork(run.engine.additions, problem.index.n_items)
        self.history = run.history()
        return self._model_of(problem, run, best, steps, provenance, train)

    def _remarks(self, runs: Sequence[BoostingRun], rounds: int, best: int) -> list[str]:
        """Notes on the choice of the number of rounds."""
        if self.rounds != "auto":
            return []
        notes = early_note(sum(run.ended_early(rounds) for run in runs), len(runs), "", rounds, self.patience)
        if best == 0 and (runs[0].done or rounds == 0):
            where = "in the folds" if runs[0].dev is None else "on dev"
            notes.append(f"no prefix is better than the first round {where}: 0 rounds were chosen.")
        return notes

    def _open_checkpoint(self, train: NBest, dev: NBest | None) -> contextlib.AbstractContextManager[Checkpoint | None]:
        if self.checkpoint is None:
            return contextlib.nullcontext()
        # Where the number of rounds is fixed, neither dev data nor what is best on it changes the path.
        fixed = self.rounds != "auto"
        free = {"checkpoint", "verbose"} | ({"rounds", "max_rounds", "patience", "metric"} if fixed else set())
        kept = {name: value for name, value in self.get_params().items() if name not in free}
        if not fixed:
            kept["metric"] = self.metric_for(train).label
        return Checkpoint.open(self.checkpoint, kept, train, None if fixed else dev)

    def _model_of(
        self,
        problem: BoostingProblem,
        run: BoostingRun,
        rounds: int,
        steps: tuple[dict[str, Any], ...],
        provenance: dict[str, Any],
        train: NBest,
    ) -> LinearModel:
        training_path = TrainingPath(frozen(run.engine.features), frozen(run.engine.deltas))
        weights = training_path.weights(problem.train.features.n_columns, rounds)
        done = len(training_path)
        provenance |= {
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
        if run.dev is not None and problem.dev is not None:
            provenance["dev"] = dev_entry(run.dev.metric, problem.dev, float(run.dev.scores[rounds]))
        names = problem.train.features.column_names()
        return LinearModel(
            frozen(weights),
            names,
            problem.base_weight,
            (*steps, *problem.steps),
            self._provenance(train, **provenance),
            training_path,
        )
