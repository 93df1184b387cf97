"""What the objectives of Volkovs, Larochelle & Zemel (2011) promise, and their way through lists to feature weights."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from helpers.crf_data import base_unit, data_of, features_of, orders_of, teaching, total_of
from runoff import CRF, NBest
from runoff.kernels.crf import batch_objective
from runoff.kernels.crf_objectives import EL, KL, LA, LS, ML, objective
from runoff.kernels.crf_orders import orders_pass
from runoff.kernels.crf_steps import Moves
from runoff.learners.crf_problem import OBJECTIVES, CRFProblem

CRF_SPACES = ["candidates", "permutations"]
KINDS = {"ml": ML, "la": LA, "ls": LS, "el": EL, "kl": KL}


def value_of(name: str, energies: Any, losses: Any, strength: float = 1.0) -> tuple[float, np.ndarray]:
    """Value of the compiled objective, and minus its derivative by every energy, which is how figure 1 shows it."""
    slopes = np.zeros(len(losses))
    value = objective(KINDS[name], strength, -np.asarray(energies, float), np.asarray(losses, float), slopes)
    return value, slopes


# ---------------------------------------------------------------- figure 1

ENERGIES, LOSSES = np.array([-1, -0.5, 0, 0.5, 1]), np.array([5.0, 1, 0, 1, 5])


def figure_1(name: str) -> np.ndarray:
    slopes = value_of(name, ENERGIES, LOSSES)[1]
    return slopes / np.linalg.norm(slopes)


def test_figure_1_by_formulas_of_its_own() -> None:
    # Minus the derivatives by E of equations 2, 4, 5, 6 and 8, written out for one right answer, the third.
    target = np.array([0.0, 0, 1, 0, 0])
    p = np.exp(-ENERGIES) / np.exp(-ENERGIES).sum()
    augmented = np.exp(-ENERGIES + LOSSES) / np.exp(-ENERGIES + LOSSES).sum()
    scaled = np.exp(-LOSSES * ENERGIES + LOSSES) / np.exp(-LOSSES * ENERGIES + LOSSES).sum()
    q = np.exp(-LOSSES) / np.exp(-LOSSES).sum()
    expected = {
        "ml": p - target,
        "la": augmented - target,
        "ls": scaled * LOSSES - (scaled @ LOSSES) * target,
        "el": p * (LOSSES - p @ LOSSES),
        "kl": p - q,
    }
    for name, slopes in expected.items():
        assert figure_1(name) == pytest.approx(slopes / np.linalg.norm(slopes), abs=1e-14)


def test_figure_1_in_numbers() -> None:
    # By a pocket calculator, from e^1, e^0.5, 1, e^-0.5, e^-1 = 2.7183, 1.6487, 1, 0.6065, 0.3679 (sum 6.3414) and
    # e^-5, e^-1, 1 = 0.00674, 0.36788, 1 (sum 1.74924).
    assert value_of("ml", ENERGIES, LOSSES)[0] == pytest.approx(math.log(6.3414), abs=1e-4)
    assert value_of("el", ENERGIES, LOSSES)[0] == pytest.approx((5 * 3.0862 + 2.2552) / 6.3414, abs=1e-4)
    slopes = value_of("kl", ENERGIES, LOSSES)[1]
    assert slopes == pytest.approx([0.4248, 0.0497, -0.4140, -0.1147, 0.0542], abs=2e-4)


def test_only_expected_loss_and_kl_lower_energies_of_wrong_answers() -> None:
    wrong = LOSSES > 0
    for name in ("ml", "la", "ls"):
        assert (figure_1(name)[wrong] > 0).all()
        assert figure_1(name)[2] < 0
    for name in ("el", "kl"):
        assert (figure_1(name)[wrong] < 0).any()
        assert figure_1(name)[2] < 0


def test_each_objective_has_the_temper_that_the_paper_describes() -> None:
    ml, la, ls, el, kl = map(figure_1, OBJECTIVES)
    wrong = LOSSES > 0
    # ML raises wrong answers in proportion to how probable they are.
    assert ml[wrong] / np.exp(-ENERGIES)[wrong] == pytest.approx(np.full(4, ml[0] / math.e))
    # LA and LS see the worst violator; LS sees nothing else.
    for slopes in (la, ls):
        assert slopes[wrong].argmax() == 0
    shares = {name: each[0] / each[wrong].sum() for name, each in (("ml", ml), ("la", la), ("ls", ls))}
    assert shares["ml"] < 0.6 < shares["la"] < 0.9 < 0.999 < shares["ls"]
    # EL lowers all that have a low loss, the wrong and already more probable one more than the right one.
    assert (el < 0).tolist() == [False, True, True, True, False]
    assert el[1] < el[2]
    # KL lowers the right one and the low loss of low probability, and no other.
    assert (kl < 0).tolist() == [False, False, True, True, False]


# ---------------------------------------------------------------- theorems

lists_of_answers = st.integers(2, 8).flatmap(
    lambda n: st.tuples(
        st.lists(st.floats(-50, 50), min_size=n, max_size=n),
        st.lists(st.one_of(st.just(0.0), st.floats(1e-3, 20)), min_size=n - 1, max_size=n - 1),
    )
)


@settings(deadline=None)
@given(lists_of_answers)
def test_la_and_ls_lie_above_the_loss_of_the_prediction(given_: tuple[list[float], list[float]]) -> None:
    energies, losses = np.array(given_[0]), np.array([*given_[1], 0.0])
    loss = losses[np.argmin(energies)]
    slack = 1e-12 * (1 + np.abs(energies).max() * (1 + losses.max()))
    assert value_of("la", energies, losses)[0] >= loss - slack
    assert value_of("ls", energies, losses)[0] >= loss - slack
    # The weight of the loss carries over to the bound.
    assert value_of("la", energies, losses, 3.0)[0] >= 3 * loss - slack
    # The expected loss is no bound, but lies between the losses.
    assert -slack <= value_of("el", energies, losses)[0] <= losses.max() + slack
    assert value_of("kl", energies, losses, 0.5)[0] >= -slack


def test_expected_loss_is_no_bound_and_ml_none_on_the_loss() -> None:
    # Were these bounds too, the test above would say nothing about LA and LS.
    energies, losses = [0.0, 0.1], [10.0, 0.0]
    assert value_of("el", energies, losses)[0] < 10
    assert value_of("ml", energies, losses)[0] < 10
    assert value_of("la", energies, losses)[0] > 10
    assert value_of("ls", energies, losses)[0] > 10


def test_expected_loss_becomes_the_loss_as_the_model_gets_sure() -> None:
    rng = np.random.default_rng(0)
    energies, losses = rng.normal(size=6), np.array([3.0, 0, 1, 0, 2, 5])
    gaps = [abs(value_of("el", size * energies, losses)[0] - losses[energies.argmin()]) for size in (1, 10, 100, 1000)]
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[3] < 1e-12


@settings(deadline=None)
@given(lists_of_answers)
def test_kl_becomes_ml_as_it_gets_cold(given_: tuple[list[float], list[float]]) -> None:
    energies, losses = np.array(given_[0]), np.array([*given_[1], 0.0])
    right = int(np.sum(losses == 0))
    ml, slopes = value_of("ml", energies, losses)
    kl, cold = value_of("kl", energies, losses, 1e-5)  # the smallest loss is 100 of these
    # What is wanted is then even over the right answers, whose entropy is log(right).
    assert kl == pytest.approx(ml - math.log(right), rel=1e-12, abs=1e-11)
    assert cold == pytest.approx(slopes, abs=1e-12)


def test_kl_is_nothing_where_the_model_is_what_is_wanted() -> None:
    losses = np.array([0.0, 2, 0.5, 0, 1])
    for temperature in (0.1, 1.0, 10.0):
        value, slopes = value_of("kl", losses / temperature + 3.0, losses, temperature)
        assert value == pytest.approx(0, abs=1e-14)
        assert slopes == pytest.approx(np.zeros(5), abs=1e-15)
        assert value_of("kl", losses / temperature + [0, 0, 0, 1, 0], losses, temperature)[0] > 1e-3


# ---------------------------------------------------------------- from lists to feature weights


def slopes_of(learner: CRF, data: NBest, weights: np.ndarray, groups: list[np.ndarray] | None = None) -> np.ndarray:
    """Derivatives of the sum by differences of the fourth order."""
    step, found = 1e-4, np.empty(weights.size)
    for at in range(weights.size):
        along = step * (np.arange(weights.size) == at)
        moved = [total_of(learner, data, weights + times * along, groups) for times in (-2, -1, 1, 2)]
        found[at] = (moved[0] - 8 * moved[1] + 8 * moved[2] - moved[3]) / (12 * step)
    return found


def at_work(learner: CRF, data: NBest, weights: np.ndarray) -> tuple[float, np.ndarray]:
    """Value and gradient as the learner finds them, summed over groups."""
    problem = CRFProblem(data, learner)
    (setting,) = problem.settings()
    gradient = np.zeros(weights.size)
    if learner.space == "candidates":
        given_ = problem.groups, problem.lists, problem.aim(setting), weights[:-1], float(weights[-1])
        value, gradient[-1] = batch_objective(*given_, gradient[:-1])
        return value, gradient
    (run,) = problem.runs([setting], 1, "", None)
    aim, space, plain_steps = problem.orders_aim(setting), problem.space(setting), Moves(1.0, 0.0, adam=False)
    for group in problem.groups:  # a step of length 1 is minus the gradient
        run.state.weights[:] = weights
        orders_pass(np.array([group]), problem.lists, aim, plain_steps, run.state, space)
        gradient += weights - run.state.weights
    return float(run.state.loss[0]), gradient


FIXED = {"scale": "none", "l2": 0.0, "rate": 0.1, "temperature": 0.6, "loss_weight": 1.7}


@pytest.mark.parametrize("name", OBJECTIVES)
@pytest.mark.parametrize("kind", ["dense", "sparse", "binary"])
@pytest.mark.parametrize("base", [True, False])
def test_gradients_of_lists_of_candidates(name: str, kind: str, base: bool) -> None:
    data, learner = data_of(kind, 1, base=base), CRF(name, **FIXED)
    weights = np.random.default_rng(2).normal(size=5)
    value, gradient = at_work(learner, data, weights)
    assert value == pytest.approx(total_of(learner, data, weights), rel=1e-12)
    assert gradient == pytest.approx(slopes_of(learner, data, weights), abs=1e-8)
    assert (gradient[-1] != 0) == base


@pytest.mark.parametrize("name", OBJECTIVES)
@pytest.mark.parametrize("how", ["exact", "enumerate"])
@pytest.mark.parametrize(("gain", "discount", "kind"), [("r", "log", "dense"), ("2^r-1", "letor", "sparse")])
def test_gradients_of_rankings(name: str, how: Any, gain: Any, discount: Any, kind: str) -> None:
    data = data_of(kind, 3, groups=6, grades=True)
    learner = CRF(name, "permutations", orders=how, gain=gain, discount=discount, documents=5, **FIXED)
    weights = np.random.default_rng(4).normal(size=5)
    value, gradient = at_work(learner, data, weights)  # LS is enumerated up to 7 documents either way
    assert value == pytest.approx(total_of(learner, data, weights), rel=1e-11)
    assert gradient == pytest.approx(slopes_of(learner, data, weights), abs=1e-7)


@pytest.mark.parametrize("name", ["la", "ls"])
def test_bounds_on_the_average_loss_of_rankings(name: str) -> None:
    data = data_of("dense", 5, groups=30, grades=True)
    learner = CRF(name, "permutations", documents=5, **{**FIXED, "loss_weight": 1.0})
    X, groups = features_of(data), teaching(data)
    for seed in range(20):
        weights = 3 * np.random.default_rng(seed).normal(size=5)
        losses = []
        for rows in groups:
            by_order, loss = orders_of(X[rows] @ weights, data.quality[rows], "log")
            losses.append(loss[by_order.argmax()])  # the prediction (eq. 14)
        assert at_work(learner, data, weights)[0] / len(groups) >= np.mean(losses) > 0


@pytest.mark.parametrize("discount", ["log", "letor"])
def test_kl_of_rankings_becomes_ml_as_it_gets_cold(discount: Any) -> None:
    data = data_of("dense", 6, groups=8, grades=True)
    weights = np.random.default_rng(7).normal(size=5)
    right = sum(
        math.log(np.sum(orders_of(np.zeros(rows.size), data.quality[rows], discount)[1] == 0))
        for rows in teaching(data)
    )
    common = {"space": "permutations", "documents": 5, "discount": discount}
    ml, slopes = at_work(CRF("ml", **common, **FIXED), data, weights)
    gaps = []
    for temperature in (0.3, 0.01, 1e-5):
        kl, cold = at_work(CRF("kl", **common, **{**FIXED, "temperature": temperature}), data, weights)
        gaps.append(abs(kl - (ml - right)))
    assert gaps[0] > gaps[1] > gaps[2]
    assert gaps[2] < 1e-9
    assert cold == pytest.approx(slopes, abs=1e-10)
    assert right > 0


# ---------------------------------------------------------------- steps


def touched_by(data: NBest, rows: np.ndarray) -> np.ndarray:
    """Columns that a visit has slopes for: features that its candidates have, and the first round's score."""
    stored = data.features
    columns = np.zeros(stored.n_columns + 1, bool)
    columns[stored.indices[stored.indptr[rows[0]] : stored.indptr[rows[-1] + 1]]] = columns[-1] = True
    return columns


def by_steps(learner: CRF, data: NBest, epochs: int) -> tuple[np.ndarray, np.ndarray]:
    """Weights after the last step, and their mean after every step, for visits in the order of the data."""
    weights, first, second, steps = np.array([0.0, 0, 0, 0, 1]), np.zeros(5), np.zeros(5), []
    t = np.zeros(5)  # steps that a column had a part in
    for rows in teaching(data) * epochs:
        slope = slopes_of(learner, data, weights, [rows])
        if learner.method == "adam":  # Kingma & Ba (2015), algorithm 1
            moved = touched_by(data, rows)
            first = np.where(moved, 0.9 * first + 0.1 * slope, first)
            second = np.where(moved, 0.999 * second + 0.001 * slope**2, second)
            t += moved
            counted = np.maximum(t, 1)
            slope = moved * (first / (1 - 0.9**counted)) / (np.sqrt(second / (1 - 0.999**counted)) + 1e-8)
        # Of the penalty l2 w² / 2, which all weights but that of the first round have at every step.
        weights = weights * (1 - learner.rate * learner.l2 * np.array([1, 1, 1, 1, 0])) - learner.rate * slope
        steps.append(weights)
    return weights, np.mean(steps, axis=0)


plain_descents = pytest.mark.parametrize(
    ("method", "kind", "space"), list(itertools.product(["sgd", "adam"], ["dense", "sparse", "binary"], CRF_SPACES))
)


def both_descents(method: Any, kind: str, space: Any, *, average: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weights that the learner finds, those after the last plain step, and the mean of those after every plain step."""
    data = data_of(kind, 8, groups=5, grades=True)
    given_ = {**FIXED, "l2": 0.3, "rate": 0.05, "documents": 5, "shuffle": False, "epochs": 3, "average": average}
    learner = CRF("kl", space, method, **given_)
    last, mean = by_steps(learner, data, 3)
    model = learner.fit(data).model
    return np.append(model.weights, model.base_weight * base_unit(data)), last, mean


@plain_descents
def test_steps_are_those_of_a_plain_descent(method: Any, kind: str, space: Any) -> None:
    found, last, _ = both_descents(method, kind, space, average=False)
    assert found == pytest.approx(last, abs=1e-7)


@plain_descents
def test_the_average_is_over_the_weights_after_every_step(method: Any, kind: str, space: Any) -> None:
    found, last, mean = both_descents(method, kind, space, average=True)
    assert found == pytest.approx(mean, abs=1e-7)
    assert last != pytest.approx(mean, abs=1e-3)


@pytest.mark.parametrize("average", [True, False])
@pytest.mark.parametrize(("rate", "l2"), [(0.5, 2.0), (0.5, 1.9), (0.5, 6.0), (1.0, 0.9)])
def test_steps_with_much_l2_are_those_of_a_plain_descent(average: bool, rate: float, l2: float) -> None:
    # All at once, turned round, and by a tenth: what weights have in common is taken apart and put back.
    data = data_of("sparse", 8, groups=8, grades=True)
    given_ = {**FIXED, "l2": l2, "rate": rate, "shuffle": False, "epochs": 4, "average": average}
    learner = CRF("kl", "candidates", "sgd", **given_)
    expected = by_steps(learner, data, 4)[average]
    model = learner.fit(data).model
    found = np.append(model.weights, model.base_weight * base_unit(data))
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-7)


def rare_and_common() -> NBest:
    """Forty groups, one column of which only two have."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(160, 2)), np.zeros(160)])
    X[[0, 4], 2] = 1.0
    quality = (X @ [1.0, -0.5, 3.0] + rng.normal(size=160)).round(2)
    return NBest.from_arrays(sparse.csr_array(X), quality, sizes=[4] * 40, base=X[:, 0] + rng.normal(size=160))


@pytest.mark.parametrize("objective_", ["ml", "kl"])
def test_steps_end_where_l_bfgs_does_under_the_same_l2(objective_: Any) -> None:
    # A rare feature is held back at every step, not only by the two groups that have it.
    given_ = {**FIXED, "objective": objective_, "l2": 0.05, "temperature": 0.3}
    data = rare_and_common()
    batch = CRF(**given_, tolerance=1e-9).fit(data).model
    steps = CRF(**{**given_, "rate": 0.01}, method="sgd", epochs=600, average=False).fit(data).model
    assert steps.weights == pytest.approx(batch.weights, abs=0.01)
    assert steps.base_weight == pytest.approx(batch.base_weight, abs=0.01)
    assert batch.weights[2] > 0.05


def test_the_first_step_of_adam_is_as_long_for_a_column_that_comes_late() -> None:
    # Kingma & Ba (2015), section 2.1: a first step has about the length of the rate.
    X = np.zeros((40, 2))
    X[:38:2, 0] = 1.0
    X[38, 1] = 1.0
    data = NBest.from_arrays(sparse.csr_array(X), [1.0, 0.0] * 20, sizes=[2] * 20)
    given_ = {**FIXED, "rate": 0.01, "method": "adam", "average": False, "epochs": 1, "shuffle": False}
    assert CRF("ml", **given_).fit(data).model.weights[1] == pytest.approx(0.01, rel=1e-4)


def test_the_average_of_one_step_is_that_step() -> None:
    data = NBest.from_arrays([[1.0, 0.0], [0.0, 1.0]], [1, 0], sizes=[2])
    given_ = {"method": "sgd", "rate": 1.0, "l2": 0.0, "temperature": 1.0, "epochs": 1, "scale": "none"}
    last = CRF(**given_, average=False).fit(data).model.weights
    # p - q by hand: 1/2 against 1 / (1 + e^-1).
    assert last == pytest.approx([1 / (1 + math.exp(-1)) - 0.5, 0.5 - 1 / (1 + math.exp(-1))])
    assert CRF(**given_, average=True).fit(data).model.weights == pytest.approx(last)
