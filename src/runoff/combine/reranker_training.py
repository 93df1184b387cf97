"""Training the rerankers of a combination, whose probabilities of training lists are those of other folds."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize_scalar

from runoff import metrics
from runoff.combine.rerankers import Reranker, add_system, held_out_scores, systems_alone
from runoff.errors import DataError, UsageError
from runoff.kernels.groups import softmax
from runoff.learners.feature_scaling import spread_within
from runoff.learners.featurized import with_featurizer
from runoff.registry import TASKS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from runoff.arrays import Floats
    from runoff.learners import Learner
    from runoff.nbest import NBest

_LEAST, _MOST = -6.0, 6.0  # logarithms of sharpness, in units of 1 / spread
_NEVER = 1e-300


@dataclass(frozen=True, eq=False)
class Reranked:
    """Lists with rerankers as systems, and these rerankers as they are of all training lists."""

    rerankers: tuple[Reranker, ...]
    train: NBest  # with scores by models of other folds
    dev: NBest | None


def train_rerankers(
    learners: Mapping[str, Learner],
    train: NBest,
    dev: NBest | None = None,
    *,
    task: str,
    featurizer: Mapping[str, Any] | None = None,
    folds: int = 3,
    seed: int = 0,
    group_by: str | None = None,
    verbose: bool = False,
) -> Reranked:
    """Train rerankers, for a filter that has them as systems.

    Parameters
    ----------
    learners
        Learners by the names that their models get as systems.
    train, dev
        Lists with references. `dev` is for what learners choose; without it they choose by folds.
    task
        The task, whose featurizer makes features of whole candidates; lists that bring theirs are taken as they are.
    featurizer
        Its settings.
    folds, seed, group_by
        Folds of the training lists, for the scores from which the filter learns: what each learner has chosen is kept,
        and its models of the other folds score every fold.
    verbose
        Show progress.

    Notes
    -----
    Costs `folds` + 1 trainings for every learner, besides what learners choose. Which features are frequent enough is
    counted in all training lists once; nothing else of a list is known to the models that score it.
    """
    if not learners:
        raise UsageError("name at least one learner as a reranker.")
    made_by = TASKS[task].featurizer(**(featurizer or {}))
    train = dataclasses.replace(train, rows=None)
    metric = next(iter(learners.values())).metric_for(train)
    made = train if made_by is None else made_by.fit_transform(train, metric)
    made_dev = dev if dev is None or made_by is None else made_by.transform(dataclasses.replace(dev, rows=None))
    graded = metrics.grade_for(made, [metric])
    found, scored = [], systems_alone(train)
    scored_dev = None if dev is None else systems_alone(dataclasses.replace(dev, rows=None))
    for name, learner in learners.items():
        fitted = learner.clone().fit(made, made_dev)
        model = fitted.model
        if model.provenance.get("finished") is False:
            raise KeyboardInterrupt
        how: dict[str, Any] = {"folds": folds, "seed": seed, "group_by": group_by, "verbose": verbose}
        scores = held_out_scores(fitted.settled(), made, like=model, **how)
        sharpness = best_sharpness(graded, scores)
        scored = add_system(scored, name, sharpness * scores)
        if made_dev is not None and scored_dev is not None:
            scored_dev = add_system(scored_dev, name, sharpness * model.scores(made_dev))
        found.append(Reranker(name, model if made_by is None else with_featurizer(model, made_by), sharpness))
    return Reranked(tuple(found), scored, scored_dev)


def best_sharpness(data: NBest, scores: Floats) -> float:
    """What to multiply scores by, so that softmax makes it most likely that the best candidates are drawn.

    The likelihood is that of all candidates with the highest quality of their list together.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> quality = np.tile([1.0, 0.0], 4)
    >>> quality[:2] = 0.0, 1.0  # the first of two is the best in three of four lists: log odds of log 3
    >>> data = NBest.from_arrays(quality=quality, sizes=[2] * 4)
    >>> round(best_sharpness(data, np.tile([1.0, 0.0], 4)), 2)  # log 3
    1.1
    """
    if data.quality is None:
        raise DataError("how sharp a reranker's probabilities are is told by references or a quality; there is none.")
    unit = spread_within(data, scores)
    if not unit:
        return 1.0
    filled = data.sizes > 0
    starts = data.offsets[:-1][filled]
    best = np.zeros(len(data))
    best[filled] = np.maximum.reduceat(data.quality, starts)
    right = data.quality >= best[data.group_of]

    def unlikely(logarithm: float) -> float:
        shares = softmax(data.offsets, np.exp(logarithm) / unit * scores)
        mass = np.add.reduceat(np.where(right, shares, 0.0), starts)
        return -float(np.log(np.maximum(mass, _NEVER)).mean())

    found: Any = minimize_scalar(unlikely, bounds=(_LEAST, _MOST), method="bounded")
    return float(np.exp(found.x) / unit)
