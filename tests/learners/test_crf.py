"""`CRF`: what L-BFGS finds, and what must not change it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy.optimize import minimize

from helpers.crf_data import RANKS, SET, STEPS, base_unit, bits, data_of, lists, losses_of, rows_of, teaching, total_of
from runoff import CRF, LogLinear, NBest, load
from runoff.learners import crf_batch
from runoff.learners.crf_problem import OBJECTIVES
from runoff.metrics import get
from runoff.model import LinearModel

if TYPE_CHECKING:
    from pathlib import Path

# ---------------------------------------------------------------- L-BFGS


def test_a_first_round_that_is_never_wrong_has_a_bounded_weight() -> None:
    rng = np.random.default_rng(0)
    base = np.sort(rng.normal(size=(200, 4)), axis=1)[:, ::-1].ravel()
    data = NBest.from_arrays(rng.normal(size=(800, 1)), quality=[1, 0, 0, 0] * 200, base=base, sizes=[4] * 200)
    assert 0 < CRF("ml", l2=0.0, max_iter=2000, tolerance=1e-9).fit(data).model.base_weight < 200


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("kind", ["dense", "sparse", "binary"])
def test_lbfgs_finds_the_minimum_of_the_plain_objective(objective: Any, kind: str) -> None:
    data = data_of(kind, 11, groups=15)
    learner = CRF(objective, **{**SET, "l2": 0.2}, scale="none", epochs=1, max_iter=1000, tolerance=1e-9).fit(data)
    many = len(teaching(data))
    behind = np.concatenate([data.base[rows].max() - data.base[rows] for rows in rows_of(data)]) / base_unit(data)
    prior = np.quantile(behind[behind > 0], 0.1, method="lower") / 10

    def mean(weights: np.ndarray) -> float:
        total = total_of(learner, data, weights) + (prior * weights[-1]) ** 2
        return total / many + 0.1 * float(weights[:-1] @ weights[:-1])

    found = np.append(learner.model.weights, learner.model.base_weight * base_unit(data))
    expected = minimize(mean, np.array([0.0, 0, 0, 0, 1]), method="BFGS", options={"gtol": 1e-7})
    assert found == pytest.approx(expected.x, abs=2e-4)
    assert mean(found) == pytest.approx(expected.fun, abs=1e-8)
    assert learner.model.provenance["loss"] == pytest.approx(mean(found), abs=1e-9)
    assert learner.model.provenance["converged"]
    assert np.abs(found).max() > 0.05


@pytest.mark.parametrize("scale", ["none", "spread"])
@pytest.mark.parametrize("base", [True, False])
def test_ml_with_one_right_answer_is_the_log_linear_model(scale: Any, base: bool) -> None:
    # LogLinear has the sum over groups and w²/sigma², CRF the mean and l2 w²/2: the same for l2 = 2 / (sigma² groups).
    rng = np.random.default_rng(0)
    sizes = rng.integers(2, 5, 20)
    X = rng.normal(size=(int(sizes.sum()), 4))
    quality = X[:, 0] + rng.normal(size=len(X))  # no two alike
    data = NBest.from_arrays(X, quality, sizes=sizes, base=quality + rng.normal(size=len(X)) if base else None)
    for sigma in (0.3, 2.0):
        other = LogLinear(sigma, "best", scale, tolerance=1e-9, max_iter=1000).fit(data).model
        given = {"l2": 2 / (sigma**2 * 20), "scale": scale, "epochs": 1, "tolerance": 1e-9, "max_iter": 1000}
        found = CRF("ml", **given).fit(data).model
        assert found.weights == pytest.approx(other.weights, abs=1e-4)
        assert found.base_weight == pytest.approx(other.base_weight, abs=1e-4)
        assert np.abs(found.weights).max() > 0.02


def test_pieces_and_threads_leave_the_solution_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    data = lists(1, base=True)
    whole = CRF("kl", **SET, epochs=1).fit(data)
    monkeypatch.setattr(crf_batch, "_STORED_PER_PIECE", 30)
    found = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("RUNOFF_THREADS", threads)
        found.append(bits(CRF("kl", **SET, epochs=1).fit(data)))
    assert found[0] == found[1] == found[2]
    assert np.frombuffer(found[0]) == pytest.approx(np.frombuffer(bits(whole)), abs=1e-4)


def test_the_prior_holds_back_features_but_not_the_first_round() -> None:
    data = lists(2, base=True)
    strong = CRF("ml", l2=1e6, epochs=1).fit(data).model
    assert strong.weights == pytest.approx(np.zeros(5), abs=1e-5)
    assert strong.base_weight > 0.1
    alone = NBest.from_arrays(np.zeros((data.n_candidates, 1)), data.quality, sizes=data.sizes, base=data.base)
    assert strong.base_weight == pytest.approx(CRF("ml", l2=1e6, epochs=1).fit(alone).model.base_weight, rel=1e-4)


def test_losses_are_measured_by_what_the_worst_choice_costs() -> None:
    data = data_of("dense", 12)
    provenance = CRF("el", **SET, epochs=1).fit(data).model.provenance
    worst = [np.ptp(data.quality[rows]) for rows in teaching(data)]
    assert provenance["loss_unit"] == pytest.approx(np.median(worst))
    assert losses_of(data).max() == pytest.approx(max(worst) / np.median(worst))
    # So the unit of the quality is of no importance.
    for factor in (1e-250, 1e-3, 1e4, 1e250):
        moved = data.replace(quality=data.quality * factor)
        for name in ("el", "kl", "la", "ls"):
            first, again = (CRF(name, **SET, epochs=1).fit(each).model for each in (data, moved))
            assert again.weights == pytest.approx(first.weights, abs=1e-3)


# ---------------------------------------------------------------- the same bits

MANY_WAYS = [
    STEPS,
    {**STEPS, "method": "adam", "average": False},
    RANKS,
    {**RANKS, "objective": "ls", "documents": 8, "samples": 20},
    {**RANKS, "objective": "el", "orders": "enumerate", "method": "adam"},
]


@pytest.mark.parametrize("way", MANY_WAYS, ids=str)
def test_the_same_seed_gives_the_same_bits_and_another_others(way: dict[str, Any]) -> None:
    data = lists(3, groups=20, most=12)
    assert bits(CRF(**way).fit(data)) == bits(CRF(**way).fit(data))
    assert bits(CRF(**way, seed=1).fit(data)) != bits(CRF(**way).fit(data))


def test_without_shuffling_only_what_is_drawn_depends_on_the_seed() -> None:
    data = lists(3, groups=20, most=12)
    for way, drawn in ((STEPS, False), ({**RANKS, "documents": 12}, False), (RANKS, True)):
        found = [bits(CRF(**way, shuffle=False, seed=seed).fit(data)) for seed in (0, 1)]
        assert (found[0] != found[1]) == drawn
    assert bits(CRF(**STEPS, shuffle=False).fit(data)) != bits(CRF(**STEPS).fit(data))


def test_the_same_bits_whatever_the_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    train, dev = lists(4), lists(5)
    found = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("RUNOFF_THREADS", threads)
        learners = [
            CRF("kl").fit(train, dev),
            CRF("la", "permutations", max_epochs=3).fit(train, dev),
            CRF("kl", temperature=1.0, method="adam", max_epochs=3).fit(train),
            CRF("ml", "permutations", rate=[0.1, 0.01], l2=[0, 0.1], documents=[4, 3], max_epochs=3).fit(train),
        ]
        found.append([(bits(each), each.model.provenance) for each in learners])
    assert found[0] == found[1] == found[2]


def test_exact_and_enumerated_orders_teach_the_same() -> None:
    data = lists(6)
    for objective in ("ml", "la", "el", "kl"):
        for discount in ("log", "letor"):
            given = {**RANKS, "objective": objective, "discount": discount, "gain": "2^r-1"}
            exact, enumerated = (CRF(**given, orders=how).fit(data).model for how in ("exact", "enumerate"))
            assert exact.weights == pytest.approx(enumerated.weights, abs=1e-9)
            assert np.abs(exact.weights).max() > 1e-3


def test_it_learns_to_rank() -> None:
    train, test = lists(12, groups=150), lists(13, groups=150)
    judge, nothing = get("ndcg"), LinearModel(np.zeros(5), test.features.column_names(), 0.0)
    chance = judge.score(judge.rows(test, nothing.ranking(test)).sum(axis=0))  # the order of the data
    for objective in OBJECTIVES:
        for given in ({**RANKS, "documents": 6}, {**RANKS, "documents": 8, "samples": 50}, {**SET, "epochs": 1}):
            learner = CRF(**{**given, "objective": objective}, metric="ndcg").fit(train)
            assert learner.score(test) > chance + 0.1


# ---------------------------------------------------------------- units, first-round scores, scikit-learn


def test_the_unit_of_a_feature_or_of_the_first_round_does_not_matter() -> None:
    data = lists(14, base=True)
    X = np.asarray(data.features.values).reshape(-1, 5)
    units = np.array([1e-3, 1.0, 32.0, 1e4, 0.5])
    moved = NBest.from_arrays(X * units, data.quality, sizes=data.sizes, base=1e3 * data.base - 7.0)
    for given in (STEPS, RANKS, {**SET, "epochs": 1}):
        first, again = CRF(**given).fit(data).model, CRF(**given).fit(moved).model
        assert again.weights * units == pytest.approx(first.weights, abs=1e-4)
        assert again.base_weight * 1e3 == pytest.approx(first.base_weight, abs=1e-4)
    plain, as_it_is = (CRF(**STEPS, scale="none").fit(each).model for each in (data, moved))
    assert as_it_is.weights * units != pytest.approx(plain.weights, abs=1e-2)


@pytest.mark.parametrize("given", [STEPS, RANKS, {**SET, "epochs": 1}], ids=["sgd", "orders", "lbfgs"])
def test_base_scores_can_be_left_aside(given: dict[str, Any]) -> None:
    data = lists(15, base=True)
    without = CRF(**given, base=False).fit(data)
    assert without.model.base_weight == 0.0
    assert bits(without) == bits(CRF(**given).fit(data.replace(base=None)))
    assert CRF(**given).fit(data).model.base_weight > 0


def test_rare_features_are_left_out() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    X[:, 2] = 0
    X[[0, 4, 8], 2] = 1.0  # in three groups of four
    data = NBest.from_arrays(X, rng.normal(size=40) + X[:, 2], sizes=[4] * 10)
    assert CRF(**STEPS, min_groups=3).fit(data).model.weights[2] != 0
    model = CRF(**STEPS, min_groups=4).fit(data).model
    assert model.weights[2] == 0
    fewer = NBest.from_arrays(X[:, :2], data.quality, sizes=[4] * 10)
    assert model.weights[:2] == pytest.approx(CRF(**STEPS).fit(fewer).model.weights, abs=1e-6)


def test_scikit_learn_copies_and_searches_and_files_keep_it(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV

    learner = CRF("la", "permutations", loss_weight=3.0, documents=5)
    assert clone(learner).get_params() == learner.get_params()
    assert repr(learner) == "CRF(objective='la', space='permutations', loss_weight=3.0, documents=5)"
    data = lists(16)
    search = GridSearchCV(CRF(**RANKS), {"objective": ["ml", "kl"], "rate": [1e-9, 0.1]}, cv=3).fit(data)
    assert search.best_params_["rate"] == 0.1
    model = search.best_estimator_.model
    model.save(tmp_path / "m.runoff")
    again = load(tmp_path / "m.runoff")
    assert again.scores(data).tobytes() == model.scores(data).tobytes()
    assert again.provenance == json.loads(json.dumps(model.provenance))


def test_places_are_learned_from_and_remembered(tmp_path: Path) -> None:
    """They become columns, the model's file prepares new data by itself, and a column's unit changes no place."""
    draw = np.random.default_rng(5)
    sizes, level = [5] * 60, np.repeat(draw.normal(size=60) * 10, 5)
    table = np.column_stack([level + draw.normal(size=300) ** 3 * 5, draw.normal(size=300)])
    quality = np.concatenate([np.argsort(np.argsort(part)) == 2 for part in table[:, 0].reshape(60, 5)]).astype(float)
    data = NBest.from_arrays(table, quality=quality, sizes=sizes, feature_names=["score", "noise"])
    learner = CRF("ml", l2=1e-3, group_ranks=True).fit(data)
    assert {"rank:score", "rank:noise"} <= set(learner.model.names.to_pylist())
    learner.model.save(tmp_path / "places.runoff")
    np.testing.assert_array_equal(load(tmp_path / "places.runoff").scores(data), learner.model.scores(data))
    other = NBest.from_arrays(table * 3, sizes=sizes, feature_names=["score", "noise"])
    shifted = data.replace(features=other.features)
    alike = learner.model.prepare(shifted).features.to_scipy().toarray()[:, 2:]
    np.testing.assert_array_equal(alike, learner.model.prepare(data).features.to_scipy().toarray()[:, 2:])
