"""Trainings whose models count only when they have ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runoff.learners import Learner
    from runoff.model import LinearModel
    from runoff.nbest import NBest


def fitted(learner: Learner, train: NBest, dev: NBest | None = None) -> LinearModel:
    """The model of a training that has ended.

    Learners answer Ctrl-C by the model so far; an experiment with such a model would be kept as if it were finished,
    so that the interruption goes on here.
    """
    model = learner.fit(train, dev).model
    if model.provenance.get("finished") is False:
        raise KeyboardInterrupt
    return model
