"""L-BFGS over all groups: what ends it, what it costs in threads and memory, and columns in bundles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from threadpoolctl import threadpool_info, threadpool_limits

from helpers.crf_data import bits, lists
from runoff import CRF, DataError, NBest
from runoff.learners import crf_batch, crf_problem
from runoff.learners.column_bundles import bundle_columns
from runoff.learners.crf_batch import BatchRun
from runoff.learners.crf_problem import CRFProblem

GIVEN = {"objective": "kl", "temperature": 0.5, "l2": 0.01}


def blas_threads() -> list[int]:
    return [each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"]


@pytest.mark.parametrize("dev", [True, False])
def test_the_threads_of_blas_are_left_as_they_were(monkeypatch: pytest.MonkeyPatch, dev: bool) -> None:
    monkeypatch.setenv("RUNOFF_THREADS", "4")
    with threadpool_limits(3, "blas"):
        before = blas_threads()
        for _ in range(3):  # several runs end in an order that nobody knows
            CRF("kl").fit(lists(1), lists(2) if dev else None)
            assert blas_threads() == before
    assert 3 in before


# ---------------------------------------------------------------- what ends it


def test_the_unit_of_the_objective_does_not_end_the_search() -> None:
    # What KL wants departs from even odds by loss / T, and so do the weights: T times as hot, T times as small.
    data = lists(3, groups=100)
    given = {"l2": 0.1, "scale": "none", "base": False}
    warm = CRF("kl", **given, temperature=1e4).fit(data).model
    for temperature in (1e6, 1e8):
        hot = CRF("kl", **given, temperature=temperature).fit(data).model
        assert hot.provenance["converged"]
        assert hot.weights * (temperature / 1e4) == pytest.approx(warm.weights, rel=1e-3)
    assert np.abs(warm.weights).max() > 1e-6


def test_a_search_that_ran_out_of_steps_has_not_converged() -> None:
    data = lists(3, groups=100)
    short = CRF(**GIVEN, max_iter=2).fit(data).model.provenance
    assert (short["converged"], short["steps"], short["finished"]) == (False, 2, True)
    assert not {"epochs", "epochs_tried"} & set(short)
    whole = CRF(**GIVEN).fit(data).model.provenance
    assert whole["converged"]
    assert whole["steps"] > 5
    assert whole["loss"] < short["loss"]


def test_nothing_to_learn_from_is_the_end_at_once() -> None:
    data = NBest.from_arrays([[1.0], [1.0], [2.0], [2.0]], [1, 0, 0, 1], sizes=[2, 2])
    provenance = CRF(**GIVEN).fit(data).model.provenance
    assert provenance["converged"]
    assert provenance["steps"] == 0


def run_of(data: NBest, **given: Any) -> BatchRun:
    problem = CRFProblem(data, CRF(**{**GIVEN, **given}))
    (run,) = problem.runs(problem.settings(), 1, "", None)
    return run


def test_a_search_that_is_stopped_keeps_its_point_and_is_no_visit(monkeypatch: pytest.MonkeyPatch) -> None:
    data = lists(4, base=True)
    whole, stopped = run_of(data), run_of(data)
    look_up = BatchRun._look_up

    def stop_at_three(self: BatchRun, intermediate_result: Any) -> None:
        if self._latest.get("step") == 2:
            self.stopping.set()
        look_up(self, intermediate_result)

    assert not stopped.begun
    with monkeypatch.context() as patch:
        patch.setattr(BatchRun, "_look_up", stop_at_three)
        stopped.advance(1)
    assert (stopped.done, stopped.begun, stopped.ended, stopped.converged) == (0, True, False, False)
    assert stopped.state.counters[0] == 3
    assert stopped.words().startswith("kl, temperature 0.5, l2 0.01: step 3, loss ")
    three = CRF(**GIVEN, max_iter=3).fit(data).model
    assert np.append(*stopped.weights()).tobytes() == np.append(three.weights, three.base_weight).tobytes()
    # From there it goes the whole way again, from the start and to the same bits.
    stopped.stopping.clear()
    whole.advance(1)
    stopped.advance(1)
    assert stopped.done == whole.done == 1
    assert stopped.state.weights.tobytes() == whole.state.weights.tobytes()


def test_one_setting_without_a_value_does_not_spoil_the_others() -> None:
    for data in ((lists(27),), (lists(27), lists(26))):
        provenance = CRF("kl", temperature=[1e-310, 1.0], l2=0.1).fit(*data).model.provenance
        assert provenance["temperature"] == 1.0
        assert len(provenance["chosen_by_folds" if len(data) == 1 else "chosen_on_dev"]) == 1
        with pytest.raises(DataError, match=r"no finite value on this data: take a temperature nearer to 1\."):
            CRF("kl", temperature=1e-310, l2=0.1).fit(*data)
    with pytest.raises(DataError, match="take a loss weight nearer to 1"), np.errstate(over="ignore"):
        CRF("la", loss_weight=1.7e308, l2=0.1).fit(lists(27))


# ---------------------------------------------------------------- losses


@pytest.mark.parametrize("objective", ["kl", "el"])
def test_a_few_sentinels_among_the_qualities_leave_the_rest_as_it_was(objective: Any) -> None:
    train, test = lists(5, groups=300), lists(6, groups=200)
    quality = train.quality.copy()
    quality[[7, 500, 900]] = -1e6
    given = {"objective": objective, "temperature": 0.3, "l2": 0.001}
    plain, marked = (CRF(**given).fit(each) for each in (train, train.replace(quality=quality)))
    assert marked.model.provenance["loss_unit"] == plain.model.provenance["loss_unit"]
    assert marked.score(test) > 0.95 * plain.score(test)
    nothing = NBest.from_arrays(np.zeros((test.n_candidates, 5)), test.quality, sizes=test.sizes)
    assert plain.score(test) > 1.5 * plain.score(nothing)


# ---------------------------------------------------------------- pieces and bundles


def test_however_many_the_groups_the_pieces_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    data = lists(7, groups=3000)
    assert len(run_of(data)._pieces) == 1
    monkeypatch.setattr(crf_batch, "_STORED_PER_PIECE", 1)
    run = run_of(data)
    assert len(run._pieces) == 16  # each has a gradient of its own
    assert np.array_equal(np.concatenate(run._pieces), run.groups)


def alike(seed: int, *, ones: bool) -> NBest:
    """Lists in which many columns are alike within a group."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 6, 40)
    rows = []
    for size in sizes:
        patterns = rng.integers(0, 2 if ones else 4, (size, 4)) / (1 if ones else 2)
        rows.append(patterns[:, rng.integers(0, 4, 12)] * rng.integers(0, 2, 12))
    X = np.concatenate(rows)
    quality = X @ rng.normal(size=12) + rng.normal(size=len(X))
    return NBest.from_arrays(sparse.csr_array(X), quality, sizes=sizes, base=quality + rng.normal(size=len(X)))


@pytest.mark.parametrize("objective", ["ml", "la", "ls", "el", "kl"])
@pytest.mark.parametrize("scale", ["none", "spread"])
@pytest.mark.parametrize("ones", [True, False])
def test_bundles_give_the_same_value_and_slopes(
    monkeypatch: pytest.MonkeyPatch, objective: Any, scale: Any, ones: bool
) -> None:
    data = alike(8, ones=ones)
    given = {"objective": objective, "scale": scale, "loss_weight": 2.0, "min_groups": 3}
    plain = run_of(data, **given)
    assert plain._problem.bundles is None  # too little data to be worth it
    monkeypatch.setattr(crf_problem, "bundle_columns", lambda data: bundle_columns(data, worth=0))
    monkeypatch.setattr(crf_batch, "_STORED_PER_PIECE", 100)
    folded = run_of(data, **given)
    assert folded._problem.bundles is not None
    assert len(folded._pieces) > 1
    point = np.random.default_rng(9).normal(size=13)
    value, slopes = plain._mean(point)
    again, same = folded._mean(point)
    assert again == pytest.approx(value, rel=1e-12)
    assert same == pytest.approx(slopes, abs=1e-12)
    assert np.abs(slopes).max() > 0.01


def test_scaled_columns_are_not_copied() -> None:
    data = lists(10)
    problem = CRFProblem(data, CRF("kl", temperature=1.0, l2=0.1, scale="spread"))
    assert problem.lists.values is data.features.values
    by_steps = CRFProblem(data, CRF("kl", temperature=1.0, l2=0.1, scale="spread", method="sgd"))
    assert by_steps.lists.values is not data.features.values


def test_features_of_the_smallest_numbers_are_learned_from_without_a_murmur() -> None:
    data = lists(11, base=True)
    X = np.asarray(data.features.values).reshape(-1, 5)
    tiny = NBest.from_arrays(np.round(X * 100) * 1e-44, data.quality, sizes=data.sizes, base=data.base)
    large = NBest.from_arrays(np.round(X * 100), data.quality, sizes=data.sizes, base=data.base)
    for given in ({}, {"method": "sgd", "rate": 0.05, "epochs": 3}, {"method": "adam", "rate": 0.05, "epochs": 3}):
        with np.errstate(all="raise", under="ignore"):
            model = CRF(**GIVEN, **given).fit(tiny).model
        expected = CRF(**GIVEN, **given).fit(large).model
        picks = model.pick(tiny).indices
        assert np.mean(picks == expected.pick(large).indices) > 0.9
        assert np.isfinite(model.weights).all()


def test_the_same_bits_with_pieces_in_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crf_problem, "bundle_columns", lambda data: bundle_columns(data, worth=0))
    monkeypatch.setattr(crf_batch, "_STORED_PER_PIECE", 50)
    found = set()
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("RUNOFF_THREADS", threads)
        found.add(bits(CRF(**GIVEN).fit(alike(12, ones=False))))
    assert len(found) == 1
