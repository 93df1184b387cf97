"""Fitting a calibrated confidence: on dev data, on other lists, or on folds of the training lists."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from runoff import metrics
from runoff.engines import current
from runoff.learners.feature_scaling import spread_within
from runoff.metrics.base import PickMetric, required_quality
from runoff.model.calibration import AnswerShares, Calibration
from runoff.parallel import one_blas_thread
from runoff.progress import progress
from runoff.ranking import informative

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from runoff.arrays import Bools, Floats, Ints
    from runoff.learners.base import Learner
    from runoff.metrics import Metric
    from runoff.model import LinearModel
    from runoff.nbest import NBest

FEWEST = 20  # lists below which nothing can be said
SHARPNESSES = 2.0 ** np.arange(-5, 9)  # in units of 1 / spread
_WIDTH = 3.0  # of the priors of intercept (around 0) and slope (around 1)
_STEPS = 50
FOLDS = 5
ENOUGH = 1_000  # held-out lists after which no further fold is trained
INTERRUPTED = "the calibration was interrupted: the model has no confidence. `runoff.calibrate` can give it one."


def calibrate(
    model: LinearModel, data: NBest, metric: str | Metric | None = None, *, fitted_on: str = "other lists"
) -> LinearModel:
    """Give the model a confidence, fitted on lists with quality or references that it was not trained on.

    The confidence is that the choice is the best of its list, by the metric's quality; or that it is right, where
    quality is only 0 or 1. Fewer than 20 lists leave the model as it is. Costs a scoring, and O(candidates) for each of
    14 values of the sharpness.

    Examples
    --------
    >>> import numpy as np
    >>> from runoff.model import LinearModel
    >>> from runoff.nbest import NBest
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(800, 1))
    >>> quality = np.repeat(x[::2, 0] < x[1::2, 0] + rng.normal(size=400), 2) ^ np.tile([True, False], 400)
    >>> data = NBest.from_arrays(x, quality=quality, sizes=[2] * 400, feature_names=["x"])
    >>> choices = calibrate(LinearModel.of({"x": 9.0}), data).pick(data)
    >>> right = np.mean(data.quality[data.offsets[:-1] + choices.indices])
    >>> right, confidence, softmax = np.round([right, choices.confidences.mean(), choices.probabilities.mean()], 2)
    >>> print(right, confidence, softmax)
    0.82 0.82 0.96
    """
    asked = metrics.resolve(metric or model.metric or data.metric, default="quality")
    data = metrics.grade_for(dataclasses.replace(data, rows=None), asked)
    return with_calibration(model, data, model.scores(data), asked[0], fitted_on)


def with_calibration(model: LinearModel, data: NBest, scores: Floats, metric: Metric, fitted_on: str) -> LinearModel:
    """The model with a confidence from scores that it, or models like it, gave to held-out lists of graded data."""
    if int((data.sizes > 0).sum()) < FEWEST:
        return dataclasses.replace(model, calibration=None)
    return dataclasses.replace(model, calibration=fit_calibration(data, scores, metric, fitted_on))


def calibrate_by_folds(learner: Learner, model: LinearModel, train: NBest, fold_of: Ints) -> LinearModel:
    """Give the model a confidence from training lists, each scored by a model of the other folds.

    Costs up to five trainings with the settings that were chosen; fewer where a fold has many lists.
    """
    metric = learner.metric_for(train)
    train = dataclasses.replace(metrics.grade_for(train, [metric]), rows=None)
    found = held_out_scores(learner.settled(), model, train, fold_of, verbose=learner.verbose)
    if found is None:
        return dataclasses.replace(model, provenance=_with_warning(model, INTERRUPTED))
    return with_calibration(model, train[found.groups], found.scores, metric, found.of)


@dataclass(frozen=True)
class HeldOutScores:
    """Scores of training lists by models of the other folds, of the size that the model's own have."""

    groups: Bools  # the lists that are scored
    scores: Floats  # of their candidates
    of: str  # in words


def held_out_scores(
    settled: Learner, model: LinearModel, train: NBest, fold_of: Ints, *, verbose: bool = False
) -> HeldOutScores | None:
    """Scores of folds by what the learner makes of the others, until enough lists are scored; None after Ctrl-C."""
    folds = int(fold_of.max(initial=0)) + 1
    scores, is_scored, trained = np.zeros(train.n_candidates), np.zeros(len(train), bool), 0
    unit = spread_within(train, model.scores(train))
    engine = current()
    shared = map(engine.share, (settled, train, fold_of))

    def wanted() -> Iterator[int]:
        ahead = 0  # lists of folds that are under way or done
        for fold in range(folds):
            inside = fold_of == fold
            if ahead < ENOUGH and inside.any() and informative(train[~inside]).size:
                ahead += int(inside.sum())
                yield fold

    with progress(f"{settled.name} by folds", folds, verbose=verbose) as step:
        for found in engine.map(_fold_scores, wanted(), *shared, alone=True):
            if found is None:
                return None
            # Some learners' scores grow with the number of lists; what counts is their size on the training lists.
            scale, inside = unit / found.spread if found.spread else 1.0, fold_of == found.fold
            scores[np.repeat(inside, train.sizes)] = scale * found.scores
            is_scored |= inside
            trained += 1
            step(found.fold + 1)
    of = f"{trained} of {folds} folds" if trained < folds else f"{folds} folds"
    return HeldOutScores(is_scored, scores[np.repeat(is_scored, train.sizes)], f"{of} of the training lists")


class _FoldScores(NamedTuple):
    fold: int
    scores: Floats  # of the fold's candidates
    spread: float  # of the model's scores within the lists that it was trained on


def _fold_scores(fold: int, settled: Learner, train: NBest, fold_of: Ints) -> _FoldScores | None:
    """Scores of a fold by what the learner makes of the others; None after Ctrl-C."""
    part = train[fold_of != fold]
    try:
        found = settled.fit(part).model
    except KeyboardInterrupt:
        return None
    if found.provenance.get("finished") is False:
        return None
    return _FoldScores(fold, found.scores(train[fold_of == fold]), spread_within(part, found.scores(part)))


def fit_calibration(data: NBest, scores: Floats, metric: Metric, fitted_on: str) -> Calibration:
    """Fit the sharpness on a grid, and intercept and slope by logistic regression with a wide prior."""
    shares = AnswerShares(data, scores, metric.label)
    means, good = good_choices(data, metric, shares.top)
    alone = shares.alone
    unit = spread_within(data, scores) or 1.0
    rate = (good.sum() + 1) / (good.size + 2)
    found = Calibration(
        means,
        # Where quality is compared within the list, one answer is always the best.
        alone=1.0 if means == "best" else float((good[alone].sum() + 2 * rate) / (alone.sum() + 2)),
        metric=metric.label,
        lists=good.size,
        fitted_on=fitted_on,
    )
    rest, best = good[~alone].astype(np.float64), -np.inf
    with one_blas_thread():  # so that sums do not depend on the number of threads
        for sharpness in (SHARPNESSES / unit).tolist() if rest.size else ():
            intercept, slope, value = fit_logistic(shares.log_odds(sharpness)[~alone], rest)
            if value > best:
                best = value
                found = dataclasses.replace(found, sharpness=sharpness, intercept=intercept, slope=slope)
    return found


def good_choices(
    data: NBest, metric: Metric, chosen: Any, means: Literal["best", "right"] | None = None
) -> tuple[Literal["best", "right"], Bools]:
    """Whether the candidate of every list with candidates is a best one, or a right one where quality is 0 or 1.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(quality=[2, 2, 0, 0, 1], sizes=[3, 2])
    >>> means, good = good_choices(data, metrics.get("quality"), [1, 3])
    >>> means, good.tolist()
    ('best', [True, False])
    """
    quality = metric.quality(data) if isinstance(metric, PickMetric) else required_quality(data, "confidence")
    if means is None:
        means = "right" if bool(np.all((quality == 0) | (quality == 1))) else "best"
    if means == "right":
        return means, quality[chosen] >= 1
    best = np.maximum.reduceat(quality, data.offsets[:-1][data.sizes > 0])
    return means, quality[chosen] >= best


def _with_warning(model: LinearModel, warning: str) -> dict[str, Any]:
    return {**model.provenance, "warnings": [*model.provenance.get("warnings", []), warning]}


def fit_logistic(x: Floats, y: Floats) -> tuple[float, float, float]:
    """Intercept and slope (not below 0) of the most likely logistic curve, and its penalised log-likelihood."""
    found = _newton(np.column_stack([np.ones(x.size), x]), y, np.array([0.0, 1.0]))
    if found[0][1] < 0:
        intercept, value = _newton(np.ones((x.size, 1)), y, np.zeros(1))
        return float(intercept[0]), 0.0, value - 0.5 / _WIDTH**2
    return float(found[0][0]), float(found[0][1]), found[1]


def _newton(columns: Floats, y: Floats, centre: Floats) -> tuple[Floats, float]:
    """Logistic regression with Gaussian priors around `centre`, by Newton's method with halved steps."""

    def value(at: Floats) -> float:
        z = columns @ at
        return float(np.sum(y * z - np.logaddexp(0.0, z)) - 0.5 * np.sum(((at - centre) / _WIDTH) ** 2))

    at, best = centre.copy(), value(centre)
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-np.clip(columns @ at, -700, 700)))
        slope = columns.T @ (y - p) - (at - centre) / _WIDTH**2
        curvature = (columns * (p * (1 - p))[:, None]).T @ columns + np.eye(at.size) / _WIDTH**2
        step = np.linalg.solve(curvature, slope)
        while (after := value(at + step)) < best and np.abs(step).max() > 1e-9:
            step = step / 2
        if after <= best + 1e-10:
            return at, best
        at, best = at + step, after
    return at, best
