"""Conditional log-linear model with a Gaussian prior (Collins & Koo 2005, equation 28)."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from scipy.optimize import minimize

from runoff.arrays import frozen
from runoff.learners.base import Learner
from runoff.learners.early_stopping import DevScorer, EarlyStopping, dev_entry
from runoff.learners.feature_scaling import warn_of_unused_features
from runoff.learners.loglinear_problem import LogLinearProblem
from runoff.model import LinearModel
from runoff.parallel import one_blas_thread
from runoff.parameters import choice, flag, number, one_or_several, optional, parameter, whole
from runoff.progress import progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Floats
    from runoff.nbest import NBest
    from runoff.progress import ProgressCallback

SIGMAS = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
FOLDS = 5


@dataclass(eq=False, repr=False)
class LogLinear(Learner):
    """Conditional log-linear model: minimise `Σ -log p(right) + Σ w² / σ²` by L-BFGS.

    The baseline of Collins & Koo (2005). The weight of the first round's score is learned too, under a wide prior of
    its own (`base_weight.prior_scale`) that does not depend on sigma. One step costs two passes over the stored values,
    on all cores; the result does not depend on the number of cores.

    Parameters
    ----------
    sigma
        Width of the prior; small values regularise more. A list, or "auto" for `SIGMAS`: the best on `dev`, or
        by five folds of groups without dev data.
    right
        "best": only the best candidate is correct (ties by first-round score, then by order; the others that
        tie with it are left out). "tied": all candidates that tie for best are correct, as a set.
    scale
        "spread": measure every feature by its spread within groups, so that one prior fits features of any
        unit. "none": as they are. "auto": "none" if all values are ones, else "spread".
    min_groups
        Leave out features that occur in fewer groups.
    base
        Use the first round's score if there is one.
    max_iter, tolerance
        When L-BFGS stops: number of steps, and largest gradient component relative to the number of groups.
    early_stopping, patience
        With `dev` and a single sigma: keep the step with the best dev score, and stop after `patience` steps
        without a better one. A patience of None (`none` in the shell) looks at all steps.
    metric
        What chooses on dev data or by folds, and what `score` returns; default: the data's usual metric, else quality.
    group_by
        What folds keep together: the name of an attribute of the lists, such as a speaker, or "none". Default: lists
        that share a reference or an input; see `runoff.blocks`.
    group_ranks, leaves, products
        Add features: the ranks within the group of dense columns, see `runoff.features.fit_group_ranks`; the leaves of
        so many boosted trees, see `runoff.learners.fit_leaves`; the products of features that are there together in so
        many groups, see `runoff.features.fit_products`.
    missing
        What stands in place of missing values: the "mean" of the list; what the other columns say ("regress"); or
        "auto", the second where columns go together, see `runoff.features.fit_estimates`.
    seed
        Seed of the folds.
    verbose
        Show progress.
    calibration
        Where the confidence of choices is fitted: "auto" takes dev data, or folds where settings are chosen by folds;
        "folds" takes folds also where all settings are given; "none" fits none. See `runoff.calibrate`.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> train = NBest.from_arrays([[1, 0], [0, 1], [1, 1], [0, 1]], quality=[1, 0, 1, 0], sizes=[2, 2])
    >>> LogLinear(sigma=1.0).fit(train).predict(train).tolist()
    [0, 0]
    """

    name = "loglinear"
    sigma: float | Sequence[float] | Literal["auto"] = parameter("auto", one_or_several(number()))
    right: Literal["best", "tied"] = parameter("best", choice("best", "tied"))
    scale: Literal["auto", "spread", "none"] = parameter("auto", choice("auto", "spread", "none"))
    min_groups: int = parameter(1, whole(1))
    base: bool = parameter(True, flag)
    max_iter: int = parameter(200, whole(1))
    tolerance: float = parameter(1e-5, number(zero=True))
    early_stopping: bool = parameter(True, flag)
    patience: int | None = parameter(20, optional(whole(1)))

    def _learn(self, train: NBest, dev: NBest | None, steps: tuple[dict[str, Any], ...]) -> LinearModel:
        problem = LogLinearProblem.of(train, self)
        scorer = None if dev is None else DevScorer(dev, self.metric_for(train), train.features.column_names())
        provenance: dict[str, Any] = {"dropped_groups": len(train) - problem.groups.size}
        provenance["warnings"] = warn_of_unused_features(problem.scale, self.min_groups)
        is_given = isinstance(self.sigma, Real)
        if dev is not None and (self.early_stopping or not is_given):
            self._choose_on(dev)
        if is_given:
            sigma = float(cast("float", self.sigma))
        elif scorer is not None:
            sigma = self._choose_on_dev(problem, scorer, provenance)
        else:
            sigma = self._choose_by_folds(problem, provenance)
        with progress("log-linear", self.max_iter, verbose=self.verbose) as step:
            stop = EarlyStopping(self.patience) if self.early_stopping and is_given else None
            solution = self._solve(problem, sigma, step=step, scorer=scorer, stop=stop, history=self.history)
        provenance.update(sigma=sigma, steps=solution.steps, loss=solution.loss, converged=solution.converged)
        if scorer is not None:
            score = scorer.score(solution.weights, solution.base)
            provenance["dev"] = dev_entry(scorer.metric, scorer.data, score)
        return LinearModel(
            frozen(solution.weights),
            train.features.column_names(),
            solution.base,
            steps,
            self._provenance(train, **provenance),
        )

    @property
    def _sigmas(self) -> tuple[float, ...]:
        """What is tried, from the smallest on: each starts from the solution of the one before."""
        return SIGMAS if isinstance(self.sigma, str) else tuple(sorted(map(float, np.atleast_1d(self.sigma))))

    def _choose_on_dev(self, problem: LogLinearProblem, scorer: DevScorer, provenance: dict[str, Any]) -> float:
        sums, scores = [], []
        start = None
        sigmas = self._sigmas
        with progress("choosing sigma", len(sigmas), verbose=self.verbose) as step:
            for done, sigma in enumerate(sigmas, 1):
                start = self._solve(problem, sigma, start=start)
                sums.append(scorer.sums(start.weights, start.base))
                scores.append(float(scorer.metric.score(sums[-1])))
                step(done, f"sigma {sigma:g}: {scorer.metric.label} {scores[-1]:.4f}")
        provenance["sigma_scores"] = dict(zip(map(str, sigmas), scores, strict=True))
        return sigmas[int(np.argmax(scorer.metric.signed(np.array(sums))))]

    def _choose_by_folds(self, problem: LogLinearProblem, provenance: dict[str, Any]) -> float:
        """The best sigma in cross-validation; folds share the data without copies."""
        train, sigmas = problem.data, self._sigmas
        fold_of = self.folds_within(train, FOLDS)
        folds = int(fold_of.max()) + 1
        if folds < 2:
            return sigmas[len(sigmas) // 2]
        scorer = DevScorer(train, self.metric_for(train), train.features.column_names())
        sums: list[Any] = [0.0] * len(sigmas)
        with progress("choosing sigma by folds", folds * len(sigmas), verbose=self.verbose) as step:
            for fold in range(folds):
                inside = problem.groups[fold_of[problem.groups] != fold]
                if inside.size == 0:
                    continue
                part, start = problem.within(inside), None
                for at, sigma in enumerate(sigmas):
                    start = self._solve(part, sigma, start=start)
                    sums[at] = sums[at] + scorer.rows(start.weights, start.base)[fold_of == fold].sum(axis=0)
                    step(fold * len(sigmas) + at + 1, f"sigma {sigma:g}")
        scores = [float(scorer.metric.score(np.asarray(each))) for each in sums]
        provenance["sigma_scores"] = dict(zip(map(str, sigmas), scores, strict=True))
        return sigmas[int(np.argmax(scorer.metric.signed(np.array(sums))))]

    def _solve(
        self,
        problem: LogLinearProblem,
        sigma: float,
        *,
        start: Solution | None = None,
        step: ProgressCallback | None = None,
        scorer: DevScorer | None = None,
        stop: EarlyStopping | None = None,
        history: list[dict[str, float]] | None = None,
    ) -> Solution:
        def report(intermediate_result: Any) -> None:
            point, loss = intermediate_result.x, float(intermediate_result.fun)
            entry = {"step": float(len(losses) + 1), "loss": loss}
            losses.append(loss)
            weights, base = problem.in_data_units(point)
            state = f"loss {loss:,.4f}"
            goodness = None
            if history is not None:
                if scorer is not None:
                    sums = scorer.sums(weights, base)
                    entry["dev"], goodness = float(scorer.metric.score(sums)), float(scorer.metric.signed(sums))
                    state += f", dev {scorer.metric.label} {entry['dev']:.4f}"
                history.append(entry)
            if step is not None:
                step(len(losses), state)
            if stop is not None and goodness is not None:
                stop.see(goodness, (weights, base, loss, len(losses)))

        losses: list[float] = []
        first = np.zeros(problem.scale.size + 1) if start is None else start.point
        if start is None:
            first[-1] = 1.0 if problem.base_scale else 0.0
        with one_blas_thread():
            found = minimize(
                problem.loss,
                first,
                args=(sigma,),
                jac=True,
                method="L-BFGS-B",
                callback=report,
                options={"maxiter": self.max_iter, "gtol": self.tolerance * problem.groups.size, "ftol": 1e-10},
            )
        if stop is not None and stop.best is not None:
            weights, base, loss, steps = stop.best
            return Solution(weights, base, loss, steps, found.x, converged=True)
        weights, base = problem.in_data_units(found.x)
        return Solution(weights, base, float(found.fun), len(losses), found.x, converged=bool(found.success))


@dataclass(frozen=True)
class Solution:
    """Weights in the units of the data, and the point in the solver's units for a warm start."""

    weights: Floats
    base: float
    loss: float
    steps: int
    point: Floats
    converged: bool  # or stopped by dev data; False: `max_iter` was reached first
