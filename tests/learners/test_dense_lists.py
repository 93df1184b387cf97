"""Training on a device of torch, here the CPU: against the compiled loops, definitions and finite differences."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import check_grad

from helpers.crf_data import plain, rows_of
from runoff import CRF, DataError, LogLinear, NBest, UsageError
from runoff.learners.crf_problem import OBJECTIVES, CRFProblem
from runoff.learners.dense_lists import DenseLists
from runoff.learners.dense_objectives import CRFObjective, log_likelihood
from runoff.learners.loglinear_problem import LogLinearProblem
from runoff.nbest import Features

pytest.importorskip("torch", reason="torch is not installed: pip install 'runoff[gpu]'")

GIVEN = {"l2": 0.01, "temperature": 0.5, "loss_weight": 2.0}


def ragged(seed: int = 0, *, groups: int = 60, ones: bool = False, base: bool = True) -> NBest:
    """Groups of no, one or up to 40 candidates, some all equally good, with a third of the values at zero."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 12, groups)
    sizes[[0, 1, 2, -1]] = 0, 1, 40, 0
    n = int(sizes.sum())
    X = rng.normal(size=(n, 6)) * (rng.random((n, 6)) < 0.7)
    quality = np.round(X @ np.linspace(1, -1, 6) + rng.normal(size=n))
    starts = np.cumsum(sizes) - sizes
    quality[starts[3] : starts[3] + sizes[3]] = 1.0  # nothing to choose
    return NBest.from_arrays(
        (X != 0).astype(float) if ones else X,
        quality,
        sizes=sizes,
        base=quality / 2 + rng.normal(3.0, 20.0, n) if base else None,
    )


def losses_of(data: NBest) -> np.ndarray:
    """What every candidate lacks to the best of its group."""
    return np.concatenate([data.quality[rows].max() - data.quality[rows] for rows in rows_of(data) if rows.size])


def weights(learner: Any, data: NBest, dev: NBest | None = None) -> np.ndarray:
    model = learner.fit(data, dev).model
    return np.append(model.weights, model.base_weight)


def agree(learner: Any, data: NBest, dev: NBest | None = None, within: float = 1e-9) -> None:
    usual = weights(learner.set_params(device="none"), data, dev)  # as the shell has it
    steps = learner.model.provenance["steps"]
    found = weights(learner.set_params(device="cpu"), data, dev)
    assert learner.model.provenance["steps"] == steps
    np.testing.assert_allclose(found, usual, rtol=0, atol=within * np.abs(usual).max())
    assert np.abs(usual).max() > 0.01


@pytest.mark.parametrize("right", ["best", "tied"])
@pytest.mark.parametrize("base", [True, False])
@pytest.mark.parametrize("ones", [True, False])
def test_the_log_linear_model_is_that_of_the_compiled_loops(right: Any, base: bool, ones: bool) -> None:
    agree(LogLinear(sigma=1.0, right=right), ragged(1, ones=ones, base=base))


def test_settings_are_chosen_by_folds_and_on_dev_data_as_without_a_device() -> None:
    data, dev = ragged(2), ragged(3)
    for learner in (LogLinear(), LogLinear(sigma=[0.1, 1.0])):
        for given in (None, dev):
            agree(learner.clone(), data, given)
    for given in (None, dev):
        agree(CRF("kl", l2=[0.001, 0.1], temperature=[0.1, 1.0]), data, given, within=1e-6)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("base", [True, False])
def test_a_random_field_is_that_of_the_compiled_loops(objective: Any, base: bool) -> None:
    # EL and LS are flat where they end: what is left of the tolerance is divided by little curvature.
    agree(CRF(objective, **GIVEN), ragged(4, base=base), within=1e-6)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_objectives_are_their_definitions_and_gradients_their_slopes(objective: str) -> None:
    data = ragged(5, base=False)
    losses, rows = losses_of(data), rows_of(data)
    some = np.array([at for at in range(0, len(data), 2) if rows[at].size])
    lists = DenseLists(data, "cpu", np.zeros(data.n_candidates), losses)
    inside = lists.inside(some)
    strength = {"la": 2.0, "kl": 0.5}.get(objective, 1.0)
    point = np.random.default_rng(0).normal(size=6)
    X = data.features.to_scipy().toarray().astype(np.float64)

    def sums(at: np.ndarray) -> tuple[float, np.ndarray]:
        return lists.sums(CRFObjective(objective, strength), at, 0.0, inside)[:2]

    expected = sum(plain(objective, strength, X[rows[at]] @ point, losses[rows[at]]) for at in some)
    assert sums(point)[0] == pytest.approx(expected, rel=1e-12)
    assert check_grad(lambda at: sums(at)[0], lambda at: sums(at)[1], point) < 1e-4


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_score_that_is_no_number_is_no_value(objective: str) -> None:
    data = ragged(5, base=False)
    lists = DenseLists(data, "cpu", np.zeros(data.n_candidates), losses_of(data))
    inside = lists.inside(np.arange(len(data)))
    with np.errstate(over="ignore"):
        assert np.isnan(lists.sums(CRFObjective(objective, 1.0), np.full(6, 1e308), 0.0, inside)[0])


def test_the_gradient_of_the_whole_loss_is_its_slope() -> None:
    problem = LogLinearProblem.of(ragged(6), LogLinear(device="cpu"))
    point = np.random.default_rng(0).normal(size=7)
    slope = check_grad(lambda p: problem.loss(p, 2.0)[0], lambda p: problem.loss(p, 2.0)[1], point)
    assert slope < 1e-4


def totals(lists: DenseLists, inside: Any) -> tuple[float, list[float], float]:
    value, gradient, slope = lists.sums(log_likelihood, np.linspace(-1, 1, 6), 0.1, inside)
    return value, gradient.tolist(), slope


def test_blocks_and_where_they_are_kept_do_not_matter() -> None:
    data = ragged(7)
    given = data.base, LogLinearProblem.of(data, LogLinear()).role
    whole = DenseLists(data, "cpu", *given)
    expected = totals(whole, whole.inside(np.arange(0, len(data), 2)))
    for block in (1, 30, 200):
        for memory, kept in ((0, 0.0), (None, 1.0)):
            lists = DenseLists(data, "cpu", *given, block=block, memory=memory)
            assert lists.kept == kept
            found = totals(lists, lists.inside(np.arange(0, len(data), 2)))
            for one, other in zip(found, expected, strict=True):
                assert one == pytest.approx(other, rel=1e-12)
            assert found == totals(lists, lists.inside(np.arange(0, len(data), 2)))  # the same bits


def test_some_groups_are_the_lists_of_these_groups() -> None:
    data = ragged(8)
    some = np.sort(np.random.default_rng(0).permutation(len(data))[:20])
    of_all, of_some = (LogLinearProblem.of(each, LogLinear(device="cpu", scale="none")) for each in (data, data[some]))
    part = of_all.within(some[of_some.groups])
    found, expected = part._sums(np.ones(6), 0.5), of_some._sums(np.ones(6), 0.5)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_rows_in_any_order_of_columns_and_with_columns_twice() -> None:
    data = ragged(9)
    table = data.features.to_scipy()
    rows = [
        np.flatnonzero(np.arange(table.nnz) >= 0)[a:b] for a, b in zip(table.indptr, table.indptr[1:], strict=False)
    ]
    order = np.concatenate([np.random.default_rng(0).permutation(each) for each in rows if each.size])
    mixed = Features.from_csr(table.indptr, table.indices[order], table.data[order], 6)
    halves = Features.from_csr(2 * table.indptr, np.repeat(table.indices, 2), np.repeat(table.data / 2, 2), 6)
    full = np.random.default_rng(1).normal(size=(data.n_candidates, 6)).astype(np.float32)
    turned = Features.from_csr(
        6 * np.arange(len(full) + 1), np.tile(np.arange(6)[::-1], len(full)), full[:, ::-1].ravel(), 6
    )
    role = LogLinearProblem.of(data, LogLinear()).role
    for features, same in ((mixed, table.toarray()), (halves, table.toarray()), (turned, full)):
        made = [
            DenseLists(dataclasses.replace(data, features=each), "cpu", data.base, role)
            for each in (features, Features.of(same))
        ]
        found, expected = (totals(each, each.inside(np.arange(len(data)))) for each in made)
        for one, other in zip(found, expected, strict=True):
            assert one == pytest.approx(other, rel=1e-6)


def test_missing_values_are_filled_before_and_refused_by_the_lists() -> None:
    data = ragged(10)
    table = data.features.to_scipy().toarray()
    table[5, 2] = np.nan
    holed = data.replace(features=Features.of(table))
    agree(LogLinear(sigma=1.0), holed)
    with pytest.raises(DataError, match="some feature values are missing"):
        DenseLists(holed, "cpu", data.base, np.ones(data.n_candidates))
    with pytest.raises(DataError, match="some feature values are missing"):
        CRFProblem(holed, CRF(device="cpu"))


def test_lists_without_features_learn_the_weight_of_the_first_round() -> None:
    data = ragged(11)
    agree(LogLinear(sigma=1.0), NBest.from_arrays(None, data.quality, sizes=data.sizes, base=data.quality + data.base))


def test_one_group_is_enough() -> None:
    agree(LogLinear(sigma=1.0), NBest.from_arrays([[1.0, 2.0], [0.5, 1.0], [0.0, 3.0]], [1, 0, 0], sizes=[3]))


def test_sparse_features_are_refused_with_the_size_of_their_table() -> None:
    X = sparse.eye_array(200, format="csr") + sparse.csr_array(([1.0], ([0], [50])), (200, 200))
    data = NBest.from_arrays(X, np.arange(200.0), sizes=[100, 100])
    with pytest.raises(UsageError, match=r"0\.50% of these 200 columns .* 0\.0 GB\. Leave device out"):
        LogLinear(sigma=1.0, device="cpu").fit(data)


@pytest.mark.parametrize(
    ("device", "said"),
    [
        ("gpu", "there is no device 'gpu'; give one of cpu, cuda, cuda:1"),
        ("cuda:77", "there is no device 'cuda:77' here; this torch sees"),
        ("meta", "the device 'meta' has no double precision"),
        (" ", "device of LogLinear must be the name of a device, or none"),
    ],
)
def test_a_device_that_cannot_be_used_is_named(device: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        LogLinear(sigma=1.0, device=device).fit(ragged())


@pytest.mark.parametrize("given", [{"method": "sgd"}, {"method": "adam"}, {"space": "permutations"}])
def test_steps_after_every_group_have_no_device(given: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="a device is for L-BFGS"):
        CRF(device="cpu", **given).fit(ragged())


def test_training_twice_gives_the_same_bits() -> None:
    first, second = (weights(CRF("el", **GIVEN, device="cpu"), ragged(12)) for _ in range(2))
    assert first.tobytes() == second.tobytes()
