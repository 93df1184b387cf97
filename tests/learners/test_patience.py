"""`patience=none`: all rounds, epochs or steps are looked at."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from runoff import UsageError
from runoff.learners import CRF, LEARNERS, AdaRank, Boost, ListNet, LogLinear, Perceptron, Pro, TreeBoost
from runoff.nbest import NBest

FEW = {"max_epochs": 15, "patience": 1}
LEARNER = [
    (Perceptron(tau=0.5, **FEW), "epochs_tried"),
    (CRF(method="sgd", temperature=1.0, rate=0.1, l2=0.0, **FEW), "epochs_tried"),
    (ListNet(rate=0.1, l2=0.0, **FEW), "epochs_tried"),
    (AdaRank(max_rounds=40, patience=1), "rounds_tried"),
    (Boost(max_rounds=700, smoothing=0.1, min_groups=1, patience=1), "rounds_tried"),
    (TreeBoost(max_rounds=80, patience=0.1), "rounds_tried"),
]


def lists(seed: int) -> NBest:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 6)).round(1)
    return NBest.from_arrays(X, quality=(X[:, 0] + 3 * rng.normal(size=120)).round(), sizes=[6] * 20)


def test_every_learner_with_patience_is_tried() -> None:
    having = {name for name, kind in LEARNERS.items() if "patience" in kind.parameters()}
    assert having == {learner.name for learner, _ in LEARNER} | {LogLinear.name, Pro.name}


@pytest.mark.parametrize(("learner", "tried"), LEARNER, ids=lambda each: getattr(each, "name", ""))
def test_without_patience_more_is_tried(learner: Any, tried: str) -> None:
    impatient = learner.clone().fit(lists(0), lists(1)).model.provenance[tried]
    endless = learner.clone().set_params(patience="none")
    assert endless.patience is None
    assert endless.fit(lists(0), lists(1)).model.provenance[tried] > impatient


@pytest.mark.parametrize("kind", [LogLinear, Pro])
def test_without_patience_all_steps_are_looked_at(kind: type[LogLinear | Pro]) -> None:
    histories = {patience: kind(sigma=1.0, patience=patience).fit(lists(0), lists(1)).history for patience in (1, None)}
    assert len(histories[1]) < len(histories[None])


def test_only_what_takes_none_takes_the_word() -> None:
    assert LogLinear().set_params(scale="none").scale == "none"
    with pytest.raises(UsageError, match="patience of Perceptron must be a whole number of at least 1, or none; found"):
        Perceptron(patience=0).fit(lists(0))
    with pytest.raises(UsageError, match="max_epochs of Perceptron must be a whole number"):
        Perceptron().set_params(max_epochs="none").fit(lists(0))
