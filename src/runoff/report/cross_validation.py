"""Cross-validation: every choice is made by a model that was not trained on that group."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from runoff import tasks
from runoff.engines import current
from runoff.errors import UsageError
from runoff.metrics import Resampling, grade_for, metrics_of
from runoff.nbest.blocks import blocks
from runoff.progress import progress
from runoff.ranking import chosen
from runoff.report.evaluation import evaluate_ranking

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.learners import Learner
    from runoff.model import LinearModel
    from runoff.nbest import NBest
    from runoff.report.evaluation import Evaluation
    from runoff.report.scored import Asked
    from runoff.tasks import Task


def cross_validate(
    learner: Learner,
    data: NBest,
    metric: Asked = None,
    *,
    folds: int = 5,
    group_by: str | None = None,
    task: Task | None = None,
    resampling: Resampling | None = None,
    verbose: bool = False,
) -> Evaluation:
    """Train on all folds of groups but one, choose in that one, and evaluate all choices together.

    A learner without a metric chooses its parameters by the first of `metric`, and this defaults to what the learner
    would choose by. Includes the task's baselines; the task is that of the models unless it is given. Folds are drawn
    by the seed of `resampling`. Lists that share a reference or an input stay in one fold; `group_by` (default: the
    learner's) names an attribute of the lists, such as a speaker, that decides instead, or is "none": see
    `runoff.blocks`. Costs `folds` times the learner's training. The learner itself is not changed.

    Examples
    --------
    >>> import numpy as np
    >>> from runoff.nbest import NBest
    >>> from runoff.learners import LogLinear
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> data = NBest.from_arrays(X, quality=X[:, 0], sizes=[5] * 40)
    >>> cross_validate(LogLinear(sigma=1.0), data)["quality"].better
    True
    """
    if not 2 <= folds <= len(data):
        raise UsageError(f"{len(data)} groups can be split into 2 to {len(data)} folds; found {folds}.")
    resampling = resampling or Resampling()
    asked = metrics_of(data, metric or learner.metric, learner.own_metric)
    if learner.metric is None:
        learner = learner.clone().set_params(metric=asked[0])
    data = grade_for(data, asked)
    group_by = learner.get_params()["group_by"] if group_by is None else group_by
    kept, resampling = blocks(data, group_by), replace(resampling, group_by=group_by)
    fold_of = kept.folds(folds, resampling.seed)
    scores = np.empty(data.n_candidates)
    group_of = np.repeat(fold_of, data.sizes)
    fresh = learner.clone().set_params(verbose=False, group_by=group_by, calibration="none")
    if "checkpoint" in fresh.get_params():  # belongs to one training, not to all folds
        fresh.set_params(checkpoint=None)
    engine = current()
    shared = map(engine.share, (fresh, data, fold_of))
    models = []
    with progress("folds", folds, verbose=verbose) as step:
        for fold, (model, found) in enumerate(engine.map(_of_fold, range(folds), *shared, alone=True)):
            models = [model]
            scores[group_of == fold] = found
            step(fold + 1)
    task = task or tasks.task_of(models[0], data)
    notes = [f"{folds}-fold cross-validation (fold seed {resampling.seed}): no model saw the groups in which it chose."]
    notes += [kept.note()] if kept.note() else []
    return evaluate_ranking(chosen(data, scores), data, asked, resampling, notes, task=task)


def _of_fold(fold: int, learner: Learner, data: NBest, fold_of: Ints) -> tuple[LinearModel, Floats]:
    """A model of the other folds, and its scores of the fold."""
    model = learner.clone().fit(data[fold_of != fold]).model
    if model.provenance.get("finished") is False:  # Ctrl-C: an incomplete cross-validation is no result
        raise KeyboardInterrupt
    return model, model.scores(data[fold_of == fold])
