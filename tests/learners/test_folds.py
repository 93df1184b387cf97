"""Folds inside learners: lists that belong together are never on both sides."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from runoff import NBest
from runoff.learners import LEARNERS
from runoff.nbest.blocks import Blocks

NOTE = "Folds keep lists together that share a reference: 24 lists in 8 blocks."
SETTINGS: dict[str, dict[str, Any]] = {
    "loglinear": {},
    "boost": {"max_rounds": 20},
    "perceptron": {"max_epochs": 2},
    "crf": {"max_epochs": 2},
    "regression": {"l2": "auto"},
    "listnet": {"max_epochs": 2},
    "svm": {"C": [0.001, 0.1]},
    "pro": {"sigma": [0.1, 1.0]},
}


def lists() -> NBest:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(72, 2))
    references = [f"{at // 3}" for at in range(24)]
    one = {"speaker": ["the same"] * 24}
    return NBest.from_arrays(X, quality=X[:, 0], sizes=[3] * 24, references=references, attributes=one)


@pytest.mark.parametrize("name", SETTINGS)
def test_learners_choose_their_parameters_by_folds_of_whole_blocks(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    real = Blocks.folds
    monkeypatch.setattr(Blocks, "folds", lambda *a: made.append(real(*a)) or made[-1])
    model = LEARNERS[name](**SETTINGS[name]).fit(lists()).model
    assert model.provenance["notes"][-1] == NOTE
    assert made
    assert all(np.unique(fold_of[start : start + 3]).size == 1 for fold_of in made for start in range(0, 24, 3))


@pytest.mark.parametrize("name", SETTINGS)
def test_where_all_lists_belong_together_there_is_nothing_to_choose_by(name: str) -> None:
    model = LEARNERS[name](**SETTINGS[name], group_by="speaker").fit(lists()).model
    assert np.isfinite(model.weights).all()


def test_without_shared_texts_there_is_no_note() -> None:
    data = lists()
    model = LEARNERS["loglinear"]().fit(data.replace(references=[str(at) for at in range(24)])).model
    assert "notes" not in model.provenance
