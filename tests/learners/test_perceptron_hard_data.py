"""Perceptrons on first-round scores, on data that is hard to learn from, and with parameters that are wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from helpers.perceptron_data import ONE, dense, lists
from runoff import DataError, ModelError, NBest, Perceptron, UsageError


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"order": "ordinal", "top": 3}, "top has no effect with ordinal; it belongs to splitting and gap"),
        ({"order": "splitting", "epsilon": 2.0}, "epsilon has no effect with splitting"),
        ({"order": "gap", "top": 8, "bottom": 3}, "bottom must lie below top; found top=8 and bottom=3"),
        (
            {"order": "ordinal", "margin": lambda p, q: 10.0 ** (-3 * p * q)},
            "the smallest margin, .* is too small beside",
        ),
    ],
    ids=["top", "epsilon", "bottom", "margin"],
)
def test_what_would_be_ignored_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Perceptron(**given).fit(lists(19))


def test_votes_over_whole_rankings_are_warned_of() -> None:
    learner = Perceptron(average="voted", metric="ndcg", tau=1.0, epochs=1).fit(lists(19))
    assert "whole rankings are better served by average=true" in learner.model.provenance["notes"][0]
    assert Perceptron(average="voted", tau=1.0, epochs=1).fit(lists(19)).model.provenance["notes"] == []


# ---------------------------------------------------------------- first-round scores and hard data


def test_the_first_rounds_score_is_a_feature_with_a_unit_of_its_own() -> None:
    # Two candidates, one point apart from their mean: the spread is 1, and so the scores are a column of themselves.
    rng = np.random.default_rng(0)
    X = rng.integers(-2, 3, (40, 3)).astype(float)
    sign = np.tile([1.0, -1.0], 20) * np.repeat(rng.choice([1.0, -1.0], 20), 2)
    quality = X[:, 0] + sign + rng.normal(size=40)
    given = {"order": "ordinal", "tau": 1.5, "epochs": 5, "scale": "none"}
    for size in (1.0, 4.0):
        column = NBest.from_arrays(np.column_stack([X, size * sign]), quality, sizes=[2] * 20)
        scores = NBest.from_arrays(X, quality, sizes=[2] * 20, base=7.0 + 50.0 * sign)
        expected = Perceptron(**given).fit(column).model.weights
        found = Perceptron(**given, base_scale=size).fit(scores).model
        assert found.weights == pytest.approx(expected[:3], abs=1e-9)
        assert 50.0 * found.base_weight == pytest.approx(size * expected[3], abs=1e-9)
        assert found.base_weight > 0


@pytest.mark.parametrize("factor", [1e-200, 1e-3, 1e3, 1e200])
def test_the_unit_of_the_first_rounds_scores_does_not_matter(factor: float) -> None:
    data = lists(21)
    model = Perceptron(**ONE).fit(data).model
    moved = data.replace(base=data.base * factor)
    again = Perceptron(**ONE).fit(moved).model
    assert again.base_weight * factor == pytest.approx(model.base_weight, rel=1e-6)
    assert again.pick(moved).indices.tolist() == model.pick(data).indices.tolist()


def test_base_scores_can_be_left_aside() -> None:
    data = lists(21)
    without = Perceptron("ordinal", **ONE, base=False).fit(data).model
    assert without.base_weight == 0.0
    assert (
        without.weights.tobytes() == Perceptron("ordinal", **ONE).fit(data.replace(base=None)).model.weights.tobytes()
    )
    assert Perceptron("ordinal", **ONE).fit(data).model.base_weight > 0
    with pytest.raises(ModelError, match="has none"):
        Perceptron(**ONE).fit(data, lists(22, base=False))


def test_rare_features_are_left_out() -> None:
    rng = np.random.default_rng(0)
    X = (rng.random((60, 6)) < 0.4).astype(float)
    X[:, 5] = 0
    X[[0, 4, 8], 5] = 1  # in three groups of four
    data = NBest.from_arrays(sparse.csr_array(X), rng.normal(size=60) + X[:, 5], sizes=[4] * 15)
    assert Perceptron(**ONE, min_groups=3).fit(data).model.weights[5] != 0
    model = Perceptron(**ONE, min_groups=4).fit(data).model
    assert model.weights[5] == 0
    fewer = NBest.from_arrays(sparse.csr_array(X[:, :5]), data.quality, sizes=[4] * 15)
    assert model.weights[:5].tobytes() == Perceptron(**ONE).fit(fewer).model.weights.tobytes()


def test_texts_alone_teach_by_their_place_and_length() -> None:
    rng = np.random.default_rng(0)
    texts = [" ".join(["word"] * count) for count in rng.integers(1, 9, 120)]
    quality = [-abs(len(text.split()) - 1.0) for text in texts]
    data = NBest.from_arrays(None, quality, sizes=[6] * 20, texts=texts)
    model = Perceptron(**ONE).fit(data[:15]).model
    assert model.preparation == ({"step": "list-features"},)
    held_out = data[15:]
    chosen = held_out.quality[held_out.offsets[:-1] + model.pick(held_out).indices]
    assert chosen.mean() > held_out.quality.mean() + 1


def test_groups_that_teach_nothing_change_nothing() -> None:
    rng = np.random.default_rng(0)
    X, quality = rng.normal(size=(40, 3)), rng.normal(size=40)
    plain = NBest.from_arrays(X, quality, sizes=[4] * 10)
    # Empty ones, single ones and ties, before, between and after.
    more = np.concatenate([rng.normal(size=(1, 3)), X[:20], rng.normal(size=(3, 3)), X[20:]])
    padded = NBest.from_arrays(
        more, [0.5, *quality[:20], 1, 1, 1, *quality[20:]], sizes=[0, 1, *[4] * 5, 0, 3, *[4] * 5, 0]
    )
    given = {**ONE, "scale": "none"}
    found = Perceptron(**given).fit(padded).model
    assert found.weights.tobytes() == Perceptron(**given).fit(plain).model.weights.tobytes()
    assert found.provenance["dropped_groups"] == 5
    assert found.pick(padded).indices[[0, 1, 7]].tolist() == [-1, 0, -1]


def test_one_group_is_learned_from_with_stated_defaults() -> None:
    data = NBest.from_arrays([[1, 0], [0, 1], [1, 1]], quality=[1, 0, 0.5], sizes=[3])
    learner = Perceptron().fit(data)
    assert "too few groups" in learner.model.provenance["chosen_by_folds"]
    assert learner.predict(data).tolist() == [0]
    assert Perceptron(tau=10.0, epochs=25).fit(data).model.provenance["epochs"] <= 25


def test_data_that_cannot_teach_is_refused() -> None:
    for tied in (NBest.from_arrays([[1.0], [0.0]], [1, 1], sizes=[2]), NBest.from_arrays([[1.0]], [1], sizes=[1])):
        with pytest.raises(DataError, match="better and a worse candidate"):
            Perceptron().fit(tied)
    with pytest.raises(DataError, match="no quality"):
        Perceptron().fit(NBest.from_arrays([[1.0], [0.0]], sizes=[2]))


def test_numbers_that_overflow_are_refused_and_large_ones_are_not() -> None:
    data = lists(23)
    for update in ("group", "pair"):
        with pytest.raises(DataError, match="scores overflowed"):
            Perceptron(**ONE, slack=1e200, update=update).fit(data)
    # Single precision ends at 3e38, and scores of a few thousand updates by such features do not leave the doubles.
    large = data.replace(features=NBest.from_arrays(dense(data) * 1e37, data.quality, sizes=data.sizes).features)
    chosen = Perceptron(**ONE, scale="none", base=False).fit(large).predict(large)
    assert (
        chosen.tolist()
        == Perceptron(**{**ONE, "tau": 0.7e-74}, scale="none", base=False).fit(data).predict(data).tolist()
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"order": "best"},
        {"order": 3},
        {"margin": "wide"},
        {"margin": None},
        {"tau": -1},
        {"tau": float("nan")},
        {"tau": "large"},
        {"tau": True},
        {"update": "all"},
        {"average": "mean"},
        {"average": 1},
        {"epochs": 0},
        {"epochs": 2.5},
        {"epochs": "many"},
        {"top": 0},
        {"top": 1.5},
        {"top": "best"},
        {"top": True},
        {"bottom": "tied"},
        {"bottom": 0.0},
        {"epsilon": -0.1},
        {"epsilon": float("inf")},
        {"scale": "unit"},
        {"scale": None},
        {"base": "yes"},
        {"base_scale": 0},
        {"slack": -1},
        {"slack": "some"},
        {"min_groups": 0},
        {"shuffle": 1},
        {"max_epochs": 0},
        {"patience": 0},
        {"checkpoint": 3},
        {"metric": 3},
        {"seed": -1},
        {"seed": 1.5},
        {"verbose": "no"},
    ],
    ids=str,
)
def test_parameters_that_do_not_exist_are_refused_with_a_sentence(wrong: dict[str, Any]) -> None:
    ((name, value),) = wrong.items()
    with pytest.raises(UsageError) as error:
        Perceptron(**wrong).fit(lists(0))
    words = str(error.value)
    assert words.startswith(f"{name} of Perceptron must be ")
    assert words.endswith(f"; found {value!r}.")


def test_every_parameter_is_checked() -> None:
    from runoff.parameters import checks_of

    assert set(Perceptron.parameters()) == set(checks_of(Perceptron))
