"""Learners that minimise a smooth loss under a Gaussian prior, whose width is chosen on dev data or by folds."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, Self, cast

import numpy as np
from scipy.optimize import minimize

from runoff.arrays import frozen
from runoff.engines import HERE, current
from runoff.learners.base import Learner
from runoff.learners.early_stopping import DevScorer, EarlyStopping, dev_entry
from runoff.learners.feature_scaling import warn_of_unused_features
from runoff.model import LinearModel
from runoff.parallel import one_blas_thread
from runoff.progress import progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Floats, Ints
    from runoff.nbest import NBest
    from runoff.progress import ProgressCallback

SIGMAS = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
FOLDS = 5


class WidthProblem(Protocol):
    """A loss as a function of one vector: scaled weights, then the scaled weight of the base score."""

    @property
    def data(self) -> NBest:
        """The training lists."""

    @property
    def groups(self) -> Ints:
        """Those that the loss is over."""

    @property
    def scale(self) -> Floats:
        """Factor from the solver's weights to the data's; 0 leaves a feature out."""

    @property
    def base_scale(self) -> float:
        """The same for the weight of the base score."""

    def within(self, groups: Ints) -> Self:
        """The same problem over some of the groups, without copies."""

    def in_data_units(self, point: Floats) -> tuple[Floats, float]:
        """Weights and base weight for features as the data has them."""

    def loss(self, point: Floats, sigma: float) -> tuple[float, Floats]:
        """Loss and gradient at a point in the solver's units."""


class PriorWidthLearner(Learner):
    """What the log-linear model and pairwise ranking optimisation share: one problem, solved for several widths."""

    title: ClassVar[str]  # of the progress line
    sigma: float | Sequence[float] | Literal["auto"]
    min_groups: int
    max_iter: int
    tolerance: float
    early_stopping: bool
    patience: int | None

    @abstractmethod
    def _problem(self, train: NBest) -> WidthProblem:
        """What is minimised."""

    def _facts(self, problem: WidthProblem) -> dict[str, Any]:  # noqa: ARG002 - for problems of which there is more
        """What the provenance says about the problem."""
        return {}

    def _learn(self, train: NBest, dev: NBest | None, steps: tuple[dict[str, Any], ...]) -> LinearModel:
        problem = self._problem(train)
        scorer = None if dev is None else DevScorer(dev, self.metric_for(train), train.features.column_names())
        provenance: dict[str, Any] = {"dropped_groups": len(train) - problem.groups.size, **self._facts(problem)}
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
        with progress(self.title, self.max_iter, verbose=self.verbose) as step:
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

    def _choose_on_dev(self, problem: WidthProblem, scorer: DevScorer, provenance: dict[str, Any]) -> float:
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

    def _choose_by_folds(self, problem: WidthProblem, provenance: dict[str, Any]) -> float:
        """The best sigma in cross-validation; folds share the data without copies."""
        train, sigmas = problem.data, self._sigmas
        fold_of = self.folds_within(train, FOLDS)
        folds = int(fold_of.max()) + 1
        if folds < 2:
            return sigmas[len(sigmas) // 2]
        scorer = DevScorer(train, self.metric_for(train), train.features.column_names())
        sums: list[Any] = [0.0] * len(sigmas)
        # What is on a device of this process stays there.
        engine = current() if getattr(self, "device", None) is None else HERE
        silent = self.clone().set_params(verbose=False)
        shared = engine.share((silent, problem, fold_of, scorer))
        with progress("choosing sigma by folds", folds, verbose=self.verbose) as step:
            for fold, found in enumerate(engine.map(_fold_sums, range(folds), shared, alone=True)):
                sums = [each + own for each, own in zip(sums, found, strict=True)]
                step(fold + 1)
        scores = [float(scorer.metric.score(np.asarray(each))) for each in sums]
        provenance["sigma_scores"] = dict(zip(map(str, sigmas), scores, strict=True))
        return sigmas[int(np.argmax(scorer.metric.signed(np.array(sums))))]

    def fold_sums(self, fold: int, problem: WidthProblem, fold_of: Ints, scorer: DevScorer) -> list[Any]:
        """Summed statistics of a fold's choices for every sigma, by models of the other folds."""
        inside = problem.groups[fold_of[problem.groups] != fold]
        if inside.size == 0:
            return [0.0] * len(self._sigmas)
        part, start, sums = problem.within(inside), None, []
        for sigma in self._sigmas:
            start = self._solve(part, sigma, start=start)
            sums.append(scorer.rows(start.weights, start.base)[fold_of == fold].sum(axis=0))
        return sums

    def _solve(
        self,
        problem: WidthProblem,
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


def _fold_sums(fold: int, shared: tuple[PriorWidthLearner, WidthProblem, Ints, DevScorer]) -> list[Any]:
    learner, problem, fold_of, scorer = shared
    return learner.fold_sums(fold, problem, fold_of, scorer)


@dataclass(frozen=True)
class Solution:
    """Weights in the units of the data, and the point in the solver's units for a warm start."""

    weights: Floats
    base: float
    loss: float
    steps: int
    point: Floats
    converged: bool  # or stopped by dev data; False: `max_iter` was reached first
