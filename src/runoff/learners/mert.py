"""Minimum error rate training (Och 2003)."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from runoff.arrays import frozen
from runoff.errors import DataError, UsageError, brief
from runoff.features.added_columns import texts
from runoff.learners.base import Learner
from runoff.learners.early_stopping import DevScorer, dev_entry
from runoff.learners.feature_scaling import warn_of_unused_features
from runoff.learners.mert_run import MertProblem, MertRun
from runoff.learners.training_loop import EARLY, before_the_first_round, run_all
from runoff.model import LinearModel
from runoff.parameters import flag, optional, parameter, whole
from runoff.ranking import informative
from runoff.tables import counted

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.nbest import NBest


def _weights(value: Any) -> str | None:
    fits = isinstance(value, Mapping) and all(isinstance(name, str) and not _finite(value[name]) for name in value)
    return None if fits else "finite weights by the names of features"


def _finite(value: Any) -> str | None:
    is_number = isinstance(value, Real) and not isinstance(value, (bool, np.bool_))
    return None if is_number and np.isfinite(float(value)) else "a finite number"


@dataclass(eq=False, repr=False)
class Mert(Learner):
    """Minimum error rate training: exact line searches under the metric itself, for few dense features (Och 2003).

    Along a line of weights the score of every candidate is a line, and a list is led by the upper envelope of its
    lines. Where a leader changes, the metric's summed statistics do; so corpus BLEU, word error rate or PARSEVAL are
    known at every point of the line, and the middle of the best interval is taken. A search goes along every feature
    and some random directions, in random order, each from where the one before has ended, in rounds until one gains
    nothing; it is made from `start` and from random points, since there are many local optima. The first round's score
    is one more feature. What is found is never worse on the training lists than the start.

    Nothing but the metric on the training lists counts, so that it needs many lists for its features: of the order of
    a hundred lists for each. More than 200 features that differ within lists are refused. Only the direction of the
    weights matters; they get the length of the start, in units in which every feature has the spread 1.

    A line search costs O(n log k) for n candidates in lists of k, or O(n) where there is room to keep the order by
    every feature (8 bytes for every value, beside a table of as many), and O(c log c) for c changes of a leader.
    Metrics of whole rankings, such as NDCG, change wherever two candidates of different grades swap: O(k³ log k) a
    list. Searches run in parallel; the result does not depend on the number of cores.

    Parameters
    ----------
    restarts
        Searches from random points, beside the one from the start: every other one near the start. The best on dev is
        taken, of those no worse than the start on the training lists; without dev data the best on the training lists.
    directions
        Random directions a round, beside one for every feature.
    smooth
        Judge an interval by the mean of its metric and that of so many neighbours on either side (Cer, Jurafsky &
        Manning 2008); none is taken that is worse than where the search stands. 0: by its own.
    start, start_base
        Weights by the names of features, 0 for others, and the weight of the first round's score. Default: the first
        round's score alone. Weights of features that are the same within all lists stay as they are here.
    base
        Use the first round's score if there is one.
    min_groups
        Leave out features that occur in fewer groups.
    max_rounds
        Of one search.
    metric
        What is searched under, and what `score` returns; default: the data's usual metric, else quality.
    group_by
        What folds of `cross_validate` keep together: the name of an attribute of the lists, such as a speaker, or
        "none". Default: lists that share a reference or an input; see `runoff.blocks`.
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
        Seed of starting points, directions and their order.
    verbose
        Show progress.
    calibration
        Where the confidence of choices is fitted: "auto" takes dev data, or folds where settings are chosen by folds;
        "folds" takes folds also where all settings are given; "none" fits none. See `runoff.calibrate`.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> train = NBest.from_arrays([[1, 0], [0, 1], [1, 1], [0, 1]], quality=[1, 0, 1, 0], sizes=[2, 2])
    >>> Mert().fit(train).predict(train).tolist()
    [0, 0]
    """

    name = "mert"
    restarts: int = parameter(10, whole(0))
    directions: int = parameter(10, whole(0))
    smooth: int = parameter(0, whole(0))
    start: Mapping[str, float] | None = parameter(None, optional(_weights))
    start_base: float = parameter(0.0, _finite)
    base: bool = parameter(True, flag)
    min_groups: int = parameter(1, whole(1))
    max_rounds: int = parameter(100, whole(1))

    def check_params(self) -> None:
        """Raise a `UsageError` for a value that a parameter does not take."""
        super().check_params()
        if self.start is None:
            self.refuse_unused("no start", "start_base")
        if not self.base:
            self.refuse_unused("base=False", "start_base")

    def _learn(self, train: NBest, dev: NBest | None, steps: tuple[dict[str, Any], ...]) -> LinearModel:
        if informative(train).size == 0:
            raise DataError("no group of the training data has a better and a worse candidate: nothing to learn.")
        stop = threading.Event()
        with before_the_first_round():
            metric = self.metric_for(train)
            problem = MertProblem.of(train, metric, base=self.base, min_groups=self.min_groups, smooth=self.smooth)
            given = self._given(train)
            start = self._start(problem, given)
            points = enumerate(self._points(start))
            runs = [MertRun(problem, point, self.seed, at, self.directions, stop) for at, point in points]
        title = f"mert, {counted(len(runs), 'searches')}" if len(runs) > 1 else "mert"
        finished = run_all(runs, self.max_rounds, title=title, verbose=self.verbose, stop=stop)
        if not finished and not any(run.done for run in runs):
            raise KeyboardInterrupt(EARLY)  # there is no model yet
        length = _length(start) or 1.0
        ends = [*(run.point * length for run in runs), start]  # if all else fails, the start
        found = [problem.in_data_units(end, given) for end in ends]
        at, provenance = self._choose(train, dev, found)
        run = runs[at] if at < len(runs) else None
        self.history = (
            [] if run is None else [{"round": n + 1.0, "loss": -score} for n, score in enumerate(run.history)]
        )
        provenance |= {"search": at, "rounds": 0 if run is None else run.done, "finished": finished}
        provenance["interrupted_in"] = [] if finished else ["rounds"]
        provenance["warnings"] = warn_of_unused_features(problem.is_used, self.min_groups)
        weights, base_weight = found[at]
        names = train.features.column_names()
        return LinearModel(frozen(weights), names, base_weight, steps, self._provenance(train, **provenance))

    def _given(self, train: NBest) -> Floats:
        """The weights of `start`, in the order of the columns."""
        weights, names = np.zeros(train.features.n_columns), list(self.start or {})
        places = pc.index_in(texts(names), value_set=train.features.column_names())
        if places.null_count:
            unknown = texts(names).filter(places.is_null())[0].as_py()
            raise UsageError(f"start names the feature {brief(unknown)}, which the training data does not have.")
        weights[places.to_numpy().astype(np.int64)] = [float((self.start or {})[name]) for name in names]
        return weights

    def _start(self, problem: MertProblem, given: Floats) -> Floats:
        """Where the first search starts."""
        if self.start is not None:
            return problem.point_of(given, self.start_base)
        return (problem.columns < 0).astype(np.float64)  # the first round's score alone, if it is there

    def _points(self, start: Floats) -> list[Floats]:
        """Where searches start: from `start`, and from random points, every other one of which is near it."""
        random = np.random.default_rng([self.seed, 0]).normal(size=(self.restarts, start.size))
        near = start / (_length(start) or 1.0)
        return [start, *(point + near * _length(point) if at % 2 else point for at, point in enumerate(random))]

    def _choose(self, train: NBest, dev: NBest | None, found: list[tuple[Floats, float]]) -> tuple[int, dict[str, Any]]:
        """The best weights, of which the last are those to be improved; and what the provenance says about it."""
        metric, names = self.metric_for(train), train.features.column_names()
        scorer = DevScorer(train, metric, names)
        sums = np.array([scorer.sums(*weights) for weights in found])
        scores, signed = scorer.metric.score(sums), scorer.metric.signed(sums)
        if dev is None:
            at = int(np.argmax(signed))
            self._chosen_on = counted(len(train), "training lists")
            facts: dict[str, Any] = {}
        else:
            judge = DevScorer(dev, metric, names)
            on_dev = np.array([judge.sums(*weights) for weights in found])
            at = int(np.argmax(np.where(signed >= signed[-1], judge.metric.signed(on_dev), -np.inf)))
            self._choose_on(dev)
            facts = {"dev": dev_entry(judge.metric, judge.data, float(judge.metric.score(on_dev[at])))}
        on_train = dev_entry(scorer.metric, scorer.data, float(scores[at]))
        facts["reached"] = {**on_train, "start": float(scores[-1]), "searches": scores[:-1].tolist()}
        return at, facts


def _length(point: Floats) -> float:
    return float(np.sqrt(np.sum(point**2)))
