"""A model prepares the same data once in a row, keeps one result, and does not keep the data alive."""

from __future__ import annotations

import copy
import dataclasses
import gc
import pickle
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import runoff.model.linear as module
from runoff import LinearModel, NBest
from runoff.features.first_choice import COLUMN


def data(seed: int = 0) -> NBest:
    return NBest.from_arrays(np.random.default_rng(seed).normal(size=(6, 2)), sizes=[3, 3], feature_names=["a", "b"])


@pytest.fixture
def model() -> LinearModel:
    made = LinearModel.of({"a": 1.0, COLUMN: 0.5})
    return dataclasses.replace(made, preparation=({"step": "first-choice"},))


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[NBest]:
    seen: list[weakref.ref[NBest]] = []
    real = module.prepare

    def counted(given: NBest, steps: Any, **how: Any) -> NBest:
        seen.append(weakref.ref(given))
        return real(given, steps, **how)

    monkeypatch.setattr(module, "prepare", counted)
    return seen


def test_the_same_data_in_a_row_is_prepared_once(model: LinearModel, calls: list[Any]) -> None:
    one, other = data(0), data(1)
    model.pick(one), model.scores(one), model.ranks(one), model.unseen(one)
    assert len(calls) == 1
    model.pick(other)
    model.pick(one)
    assert len(calls) == 3  # one slot


def test_equal_data_is_not_the_same_data(model: LinearModel, calls: list[Any]) -> None:
    expected = model.scores(data(0)).tolist()
    assert model.scores(data(0)).tolist() == expected
    assert model.scores(data(1)).tolist() != expected


def test_many_data_that_come_and_go_are_never_taken_for_each_other(model: LinearModel) -> None:
    # New objects often get the address of one that is gone.
    for seed in range(50):
        given = data(seed)
        table = given.features.to_scipy().toarray()
        assert model.scores(given) == pytest.approx(table[:, 0] + 0.5 * np.tile([1, 0, 0], 2))
        del given


def test_data_is_not_kept_alive(model: LinearModel) -> None:
    given = data()
    model.pick(given)
    gone = weakref.ref(given)
    del given
    gc.collect()
    assert gone() is None


def test_a_changed_model_prepares_anew(model: LinearModel) -> None:
    given = data()
    model.pick(given)
    bare = dataclasses.replace(model, preparation=())
    assert bare.prepare(given).features.n_columns == 2
    assert model.prepare(given).features.n_columns == 3


def test_several_threads_get_their_own_answers(model: LinearModel) -> None:
    every = [data(seed) for seed in range(8)]
    expected = [dataclasses.replace(model).scores(one).tolist() for one in every]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(20):
            assert [found.tolist() for found in pool.map(model.scores, every)] == expected


def test_a_copy_chooses_alike(model: LinearModel) -> None:
    given = data()
    expected = model.scores(given).tolist()
    assert copy.deepcopy(model).scores(given).tolist() == expected
    assert copy.copy(model).scores(given).tolist() == expected


def test_a_model_that_has_chosen_can_be_sent_to_another_process(model: LinearModel) -> None:
    given = data()
    expected = model.scores(given).tolist()
    assert pickle.loads(pickle.dumps(model)).scores(given).tolist() == expected
