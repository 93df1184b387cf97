"""Mistakes and hard data, and what a conditional random field makes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from helpers.crf_data import RANKS, SET, STEPS, bits, lists, teaching
from runoff import CRF, DataError, NBest, UsageError


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"objective": "svm"}, "objective of CRF must be one of ml, la, ls, el, kl; found 'svm'."),
        ({"space": "trees"}, "space of CRF must be one of candidates, permutations"),
        ({"method": "newton"}, "method of CRF must be one of auto, lbfgs, sgd, adam"),
        (
            {"temperature": 0},
            'temperature of CRF must be a positive finite number, a list of these, or "auto"; found 0.',
        ),
        ({"temperature": float("inf")}, "temperature of CRF must be a positive finite number"),
        ({"loss_weight": -1}, "loss_weight of CRF must be a finite number of at least 0"),
        ({"rate": 0.0}, "rate of CRF must be a positive finite number"),
        ({"l2": float("nan")}, "l2 of CRF must be a finite number of at least 0"),
        ({"documents": 1}, "documents of CRF must be a whole number of at least 2"),
        ({"rate": []}, 'rate of CRF must be a positive finite number, a list of these, or "auto"; found [].'),
        ({"rate": [0.1, 0.0]}, "rate of CRF must be a positive finite number"),
        ({"l2": "little"}, "l2 of CRF must be a finite number of at least 0"),
        ({"l2": [0.1, "auto"]}, "l2 of CRF must be a finite number of at least 0"),
        ({"documents": [6, 8.5]}, "documents of CRF must be a whole number of at least 2, a list of these"),
        ({"space": "permutations", "documents": [6, 17]}, "can take up to 16 documents; found documents=17."),
        ({"documents": 6.0}, "documents of CRF must be a whole number of at least 2"),
        ({"orders": "some"}, "orders of CRF must be one of exact, enumerate"),
        ({"samples": 0}, "samples of CRF must be a whole number of at least 1"),
        ({"gain": "r^2"}, "gain of CRF must be one of r, 2^r-1"),
        ({"discount": "linear"}, "discount of CRF must be one of log, letor"),
        ({"average": 1}, "average of CRF must be true or false"),
        ({"epochs": 0}, 'epochs of CRF must be a whole number of at least 1, or "auto"'),
        ({"scale": "unit"}, "scale of CRF must be one of auto, spread, none"),
        ({"base": "yes"}, "base of CRF must be true or false"),
        ({"min_groups": 0}, "min_groups of CRF must be a whole number of at least 1"),
        ({"shuffle": None}, "shuffle of CRF must be true or false"),
        ({"max_epochs": 0}, "max_epochs of CRF must be a whole number of at least 1"),
        ({"patience": -1}, "patience of CRF must be a whole number of at least 1"),
        ({"max_iter": 0}, "max_iter of CRF must be a whole number of at least 1"),
        ({"tolerance": -1.0}, "tolerance of CRF must be a finite number of at least 0"),
        ({"checkpoint": 3}, "checkpoint of CRF must be a text"),
        ({"space": "permutations", "documents": 17}, 'orders="exact" can take up to 16 documents; found documents=17.'),
        (
            {"space": "permutations", "orders": "enumerate", "documents": 8},
            'orders="enumerate" can take up to 7 documents; found documents=8.',
        ),
        ({"space": "permutations", "method": "lbfgs"}, 'step by step: use method="sgd" or "adam".'),
    ],
    ids=str,
)
def test_wrong_parameters_are_answered_in_a_sentence(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError) as found:
        CRF(**wrong).fit(lists(0))
    assert words in str(found.value)


def test_limits_on_documents_do_not_concern_candidates() -> None:
    assert np.isfinite(CRF(**STEPS, documents=40, orders="enumerate").fit(lists(0)).model.weights).all()


def test_sixteen_documents_are_not_too_many() -> None:
    data = lists(23, groups=6, most=40)
    assert data.sizes.max() > 16
    model = CRF(**{**RANKS, "documents": 16, "epochs": 1, "average": False}).fit(data).model
    assert np.isfinite(model.weights).all()
    assert np.abs(model.weights).max() > 1e-3


@pytest.mark.parametrize("given", [{**SET, "epochs": 1}, STEPS, RANKS], ids=["lbfgs", "sgd", "orders"])
def test_texts_alone_teach_by_their_place_and_length(given: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    texts = [" ".join(["word"] * count) for count in rng.integers(1, 9, 120)]
    quality = [9.0 - len(text.split()) for text in texts]
    data = NBest.from_arrays(None, quality, sizes=[6] * 20, texts=texts)
    model = CRF(**given).fit(data[:15]).model
    assert model.preparation == ({"step": "list-features"},)
    held_out = data[15:]
    chosen = held_out.quality[held_out.offsets[:-1] + model.pick(held_out).indices]
    assert chosen.mean() > held_out.quality.mean() + 1


def test_groups_that_teach_nothing_change_nothing() -> None:
    rng = np.random.default_rng(0)
    X, quality = rng.normal(size=(40, 3)), rng.integers(0, 3, 40).astype(float)
    quality[::4], quality[1::4] = 0, 2
    plain = NBest.from_arrays(X, quality, sizes=[4] * 10)
    # Empty ones, single ones and ties, before, between and after.
    more = np.concatenate([rng.normal(size=(1, 3)), X[:20], rng.normal(size=(3, 3)), X[20:]])
    padded = NBest.from_arrays(
        more, [0.5, *quality[:20], 1, 1, 1, *quality[20:]], sizes=[0, 1, *[4] * 5, 0, 3, *[4] * 5, 0]
    )
    for given in ({**SET, "epochs": 1}, STEPS, RANKS, {**RANKS, "documents": 3}):
        found = CRF(**given, scale="none").fit(padded)
        assert bits(found) == bits(CRF(**given, scale="none").fit(plain))
        assert found.model.provenance["dropped_groups"] == 5


def test_data_that_cannot_teach_is_refused() -> None:
    for tied in (NBest.from_arrays([[1.0], [0.0]], [1, 1], sizes=[2]), NBest.from_arrays([[1.0]], [1], sizes=[1])):
        for space in ("candidates", "permutations"):
            with pytest.raises(DataError, match="better and a worse candidate"):
                CRF(space=space).fit(tied)
    with pytest.raises(DataError, match="no quality"):
        CRF().fit(NBest.from_arrays([[1.0], [0.0]], sizes=[2]))


def test_quality_that_is_too_large_is_refused_in_a_sentence() -> None:
    data = lists(24)
    with pytest.raises(DataError, match="divide the quality by a constant"), np.errstate(over="ignore"):
        CRF(**STEPS).fit(data.replace(quality=np.where(data.quality > 0, 1.7e308, -1.7e308)))
    with pytest.raises(DataError, match=r'the gain 2\^r - 1 is too large for the grade 2000; use gain="r"'):
        CRF(**RANKS, gain="2^r-1").fit(data.replace(quality=data.quality * 1000))
    grades = CRF(**RANKS).fit(data.replace(quality=data.quality * 1000)).model.weights
    assert grades == pytest.approx(CRF(**RANKS).fit(data).model.weights, abs=1e-9)


@pytest.mark.parametrize(
    "factor",
    [
        1e-300,
        1e3,
        1e300,
        8e307,
    ],
)
def test_the_unit_of_the_grades_does_not_matter(factor: float) -> None:
    data = lists(29)
    first, again = (CRF(**RANKS).fit(each).model for each in (data, data.replace(quality=data.quality * factor)))
    assert again.weights == pytest.approx(first.weights, abs=1e-9)


def test_candidates_may_have_negative_quality() -> None:
    data = lists(25)
    for given in (STEPS, {**SET, "epochs": 1}):
        assert bits(CRF(**given).fit(data.replace(quality=data.quality - 8))) == bits(CRF(**given).fit(data))


@pytest.mark.parametrize("gain", ["r", "2^r-1"])
def test_grades_without_any_gain_are_refused(gain: Any) -> None:
    data = lists(25)
    with pytest.raises(DataError):
        CRF(**RANKS, gain=gain).fit(data.replace(quality=data.quality - 8))


def test_groups_without_any_gain_are_counted() -> None:
    data = lists(25)
    below = np.where(data.group_of % 2 == 0, data.quality, data.quality - 8)
    provenance = CRF(**RANKS).fit(data.replace(quality=below)).model.provenance
    kept = [rows for rows in teaching(data) if data.group_of[rows[0]] % 2 == 0]
    assert provenance["dropped_groups"] == len(data) - len(kept)


@pytest.mark.parametrize("objective", ["ml", "kl", "el"])
@pytest.mark.parametrize("space", ["candidates", "permutations"])
def test_steps_that_run_away_are_told_in_a_sentence(objective: Any, space: Any) -> None:
    given = {**STEPS, "rate": 1e3, "l2": 1e3, "epochs": 100, "documents": 4}
    with pytest.raises(DataError, match="diverged: take a smaller rate"):
        CRF(objective, space, **given).fit(lists(26))


@pytest.mark.parametrize(
    "given", [{"objective": "kl", "temperature": 1e-310}, {"objective": "la", "loss_weight": 1e308}]
)
def test_strengths_beyond_all_numbers_are_no_silent_success(given: dict[str, Any]) -> None:
    try:
        provenance = CRF(**given, l2=0.1, epochs=1).fit(lists(27)).model.provenance
    except (DataError, UsageError):
        return
    assert np.isfinite(provenance["loss"])


def test_one_setting_that_runs_away_does_not_spoil_the_others() -> None:
    given = {"method": "sgd", "objective": "ml", "max_epochs": 5, "l2": 1e3}  # each step multiplies by 1e6
    huge = lists(26).replace(base=None)
    for dev in (None, lists(27)):
        provenance = CRF(**given, rate=[1e3, 1e-4]).fit(huge, dev).model.provenance
        assert provenance["rate"] == 1e-4
        assert len(provenance["chosen_by_folds" if dev is None else "chosen_on_dev"]) == 1
        refined = CRF(**{**given, "l2": [0.0, 1e9]}, rate=0.1).fit(huge, dev).model.provenance
        assert refined["l2"] == 0.0
        assert len(refined["chosen_by_folds" if dev is None else "chosen_on_dev"]) == 1
        with pytest.raises(DataError, match="diverged"):
            CRF(**{**given, "l2": [1e3, 0.0]}, rate=[1e3]).fit(huge, dev)
