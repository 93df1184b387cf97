"""Proof from a single file: every group is chosen by a model that never saw it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.errors import UsageError
from runoff.nbest.grouping import folds_of
from runoff.progress import progress
from runoff.ranking import by_score
from runoff.report.evaluation import evaluate_ranking
from runoff.report.scored import Settings, judged_by
from runoff.tasks.text import TextReranker

if TYPE_CHECKING:
    from runoff.learners import Learner
    from runoff.metrics import Metric
    from runoff.nbest import NBest
    from runoff.report.evaluation import Evaluation


def cross_validate(
    learner: Learner,
    data: NBest,
    metric: str | Metric | None = None,
    *,
    folds: int = 5,
    resamples: int = 1_000,
    confidence: float = 0.95,
    trials: int = 10_000,
    seed: int = 0,
    verbose: bool = False,
) -> Evaluation:
    """Learn on all folds of groups but one, choose in that one, and judge all choices together.

    Beside a learner for texts stand the choices that need no training. Costs `folds` times the learner's training.
    The learner itself is left as it was.

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
        raise UsageError(f"{len(data)} groups can be cut into 2 to {len(data)} folds; found {folds}.")
    metric = metric or data.metric or learner.metric
    _, data = judged_by(data, metric)
    fold_of = folds_of(len(data), folds, seed)
    scores = np.empty(data.n_candidates)
    group_of = np.repeat(fold_of, data.sizes)
    with progress("folds", folds, show=verbose) as step:
        for fold in range(folds):
            fresh = type(learner)(**learner.get_params()).set_params(verbose=False)
            if "checkpoint" in fresh.get_params():  # belongs to one training, not to five
                fresh.set_params(checkpoint=None)
            model = fresh.fit(data[fold_of != fold]).model
            if model.provenance.get("finished") is False:  # Ctrl-C: half a proof is none
                raise KeyboardInterrupt
            scores[group_of == fold] = model.scores(data[fold_of == fold])
            step(fold + 1)
    note = f"Every group was chosen by a model of the other {folds - 1} folds (fold seed {seed})."
    settings = Settings(resamples, confidence, trials, seed)
    for_texts = learner.name == TextReranker.name
    return evaluate_ranking(by_score(data, scores), data, metric, settings, [note], with_rivals=for_texts)
