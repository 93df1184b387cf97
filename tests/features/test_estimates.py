"""Missing values estimated from the other columns: what is estimated, how well, and what models make of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from runoff import Blend, Boost, NBest, UsageError, load
from runoff.features import fit_estimates, prepare, source_columns
from runoff.features.estimates import MOST_COLUMNS, is_estimates
from runoff.features.gaussian import Gaussian
from runoff.features.steps import added_columns
from runoff.features.telling_gaps import telling_gaps
from runoff.learners import CRF, LogLinear, TreeBoost
from runoff.nbest import Features

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.learners import Learner


def lists(seed: int = 0, groups: int = 60, share: float = 0.2) -> tuple[NBest, Any]:
    """Lists with a level of their own, four columns that go together; and the whole table."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 9, groups)
    n = int(sizes.sum())
    truth = rng.normal(size=n)
    level = np.repeat(5 * rng.normal(size=(groups, 4)), sizes, axis=0)
    whole = (level + truth[:, None] * [1.0, 2.0, -1.0, 0.5] + 0.1 * rng.normal(size=(n, 4))).astype(np.float32)
    X = np.where(rng.random(whole.shape) < share, np.nan, whole)
    data = NBest.from_arrays(X, np.round(truth), sizes=sizes, feature_names=list("abcd"))
    return data, whole


def table(data: NBest) -> dict[str, Any]:
    return dict(zip(data.features.column_names().to_pylist(), data.features.to_scipy().toarray().T, strict=True))


def test_estimates_are_far_better_than_means_where_lists_have_levels() -> None:
    data, whole = lists()
    gaps = np.isnan(data.features.to_scipy().toarray())
    gaps &= (data.sizes[data.group_of] >= 5)[:, None]  # a list that knows nothing has no level
    (step,) = fit_estimates(data)
    estimated = prepare(data, [step]).features.to_scipy().toarray()
    means = prepare(data, []).features.to_scipy().toarray()
    known = ~np.isnan(data.features.to_scipy().toarray())
    np.testing.assert_array_equal(estimated[known], whole[known])
    errors = [np.sqrt(np.mean((each - whole)[gaps] ** 2)) for each in (estimated, means)]
    assert errors[0] < 0.4 * errors[1]


def test_the_same_as_a_slow_loop_over_lists() -> None:
    data, _ = lists(1)
    (step,) = fit_estimates(data)
    found = prepare(data, [step]).features.to_scipy().toarray()
    X, d = data.features.to_scipy().toarray().astype(np.float64), 4
    covariance, mean, unit = step["covariance"].reshape(2 * d, 2 * d), step["mean"], step["unit"]
    for start, stop in zip(data.offsets[:-1], data.offsets[1:], strict=True):
        part = X[start:stop]
        levels = [np.mean(each[~np.isnan(each)]) if (~np.isnan(each)).any() else np.nan for each in part.T]
        for at, row in enumerate(part):
            full = np.concatenate([row - levels, levels]) / unit
            gone = np.isnan(full)
            weights = covariance[np.ix_(gone, ~gone)] @ np.linalg.inv(covariance[np.ix_(~gone, ~gone)])
            full[gone] = mean[gone] + weights @ (full[~gone] - mean[~gone])
            full *= unit
            expected = np.where(np.isnan(row), full[:d] + full[d:], row)
            np.testing.assert_allclose(found[start + at], expected, rtol=1e-5, atol=1e-6)


def test_each_list_by_itself_and_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    data, _ = lists(2)
    (step,) = fit_estimates(data)
    together = prepare(data, [step]).features.to_scipy().toarray()
    alone = [prepare(data[[at]], [step]).features.to_scipy().toarray() for at in range(len(data))]
    np.testing.assert_array_equal(np.concatenate(alone), together)
    monkeypatch.setattr("runoff.features.estimates._CANDIDATES_PER_PIECE", 20)
    np.testing.assert_array_equal(prepare(data, [step]).features.to_scipy().toarray(), together)


def test_columns_that_miss_nothing_in_training_are_estimated_too() -> None:
    data, whole = lists(3, share=0.0)
    (step,) = fit_estimates(data)
    assert fit_estimates(data, "auto") == ()
    gaps = np.zeros(whole.shape, np.bool_)
    gaps[::3, 1] = True
    blanked = data.replace(features=Features.of(np.where(gaps, np.nan, whole), data.features.column_names()))
    for steps, keeps in (((step,), False), (fit_estimates(data, beside=True), True)):
        found = table(prepare(blanked, steps, keep_missing=keeps))
        assert list(found) == list("abcd")
        long = gaps[:, 1] & (data.sizes[data.group_of] >= 5)
        assert np.abs(found["b"] - whole[:, 1])[long].mean() < 0.5


def test_beside_keeps_what_is_missing() -> None:
    data, _ = lists(4)
    steps = fit_estimates(data, beside=True)
    found, in_place = table(prepare(data, steps, keep_missing=True)), table(prepare(data, fit_estimates(data)))
    for name in "abcd":
        np.testing.assert_array_equal(found[name], table(data)[name])
        np.testing.assert_array_equal(found[f"estimated:{name}"], in_place[name])
    assert added_columns(steps) == [f"estimated:{name}" for name in "abcd"]
    assert source_columns(["estimated:b"], steps) == list("abcd")
    assert source_columns(["b"], fit_estimates(data)) == list("abcd")


def test_auto_asks_for_columns_that_go_together_few_of_them_and_lists_enough() -> None:
    data, _ = lists(5)
    assert fit_estimates(data, "auto")[0]["columns"] == list("abcd")
    assert fit_estimates(data[:19], "auto") == ()
    noise = np.random.default_rng(0).normal(size=(400, 5))
    noise[::7, 2] = np.nan
    assert fit_estimates(NBest.from_arrays(noise, sizes=[4] * 100), "auto") == ()
    mixed = data.features.to_scipy().toarray()
    wide = np.tile(mixed, (1, 30))
    assert fit_estimates(data.replace(features=Features.of(wide)), "auto") == ()


def test_wide_sparse_columns_stay_as_they_are() -> None:
    from scipy import sparse

    data, _ = lists(6)
    rng = np.random.default_rng(1)
    words = sparse.random_array((data.n_candidates, 5_000), density=0.001, rng=rng, format="csr")
    words.data[::9] = np.nan
    features = Features.of(sparse.hstack([data.features.to_scipy(), words], format="csr"))
    (step,) = fit_estimates(data.replace(features=features))
    assert step["columns"] == features.column_names().to_pylist()[:4]
    most = NBest.from_arrays(rng.normal(size=(300, MOST_COLUMNS + 9)), sizes=[3] * 100)
    assert len(fit_estimates(most)[0]["columns"]) == MOST_COLUMNS


def test_a_constant_column_is_filled_with_its_constant_and_has_no_flag() -> None:
    data, _ = lists(15)
    X = np.column_stack([data.features.to_scipy().toarray(), np.full(data.n_candidates, 7.0)])
    X[::5, 4] = np.nan
    data = data.replace(features=Features.of(X, list("abcde")))
    (step,) = fit_estimates(data, "auto")
    assert step["columns"] == list("abcde")
    assert step["flags"] == []
    np.testing.assert_allclose(prepare(data, [step]).features.to_scipy().toarray()[:, 4], 7.0)


def test_nothing_to_estimate_from() -> None:
    for X in ([[np.nan], [1.0]], [[1.0, np.nan], [1.0, 3.0]], [[np.nan, np.nan], [np.nan, np.nan]]):
        assert fit_estimates(NBest.from_arrays(X, sizes=[2])) == ()


def test_columns_of_any_unit_and_constant_within_lists() -> None:
    data, whole = lists(7)
    X = data.features.to_scipy().toarray() * np.float32([1e-30, 1e30, 1, 1])
    X[:, 3] = np.repeat(np.arange(len(data), dtype=np.float32) / 3, data.sizes)
    X[::4, 3] = np.nan
    found = prepare(
        data.replace(features=Features.of(X, list("abcd"))), fit_estimates(data.replace(features=Features.of(X)))
    )
    made = prepare(data.replace(features=Features.of(X)), fit_estimates(data.replace(features=Features.of(X))))
    assert np.isfinite(found.features.to_scipy().toarray()).all()
    filled = made.features.to_scipy().toarray()[:, 3]
    known = np.repeat(np.bincount(data.group_of, ~np.isnan(X[:, 3]), len(data)) > 0, data.sizes)
    np.testing.assert_allclose(filled[known], np.repeat(np.arange(len(data)) / 3, data.sizes)[known], rtol=1e-5)
    gaps = np.isnan(X[:, 1])
    assert np.abs(made.features.to_scipy().toarray()[:, 1] / 1e30 - whole[:, 1])[gaps].mean() < 2


# ---------------------------------------------------------------- where missing says something


def test_telling_gaps_as_by_shuffling() -> None:
    rng = np.random.default_rng(8)
    X = np.where(rng.random((300, 2)) < 0.4, np.nan, 1.0)
    sizes, quality = [5] * 60, rng.integers(0, 3, 300).astype(float)
    quality[np.isnan(X[:, 0])] += rng.random(np.isnan(X[:, 0]).sum()) < 0.5
    data = NBest.from_arrays(X, quality, sizes=sizes)
    apart = quality - np.repeat(quality.reshape(-1, 5).mean(axis=1), 5)
    sums = [apart[np.isnan(X[:, 0])].sum(), apart[np.isnan(X[:, 1])].sum()]
    shuffled = rng.permuted(np.tile(apart.reshape(1, -1, 5), (4_000, 1, 1)), axis=2).reshape(4_000, -1)
    shares = [np.mean(np.abs(shuffled[:, np.isnan(X[:, at])].sum(axis=1)) >= abs(sums[at])) for at in (0, 1)]
    assert shares[0] < 0.0125 < 0.05 < shares[1]  # two columns share the 5%
    assert telling_gaps(data, np.array([0, 1])).tolist() == [True, False]


@pytest.mark.parametrize("telling", [False, True])
def test_flags_where_missing_goes_with_quality(telling: bool) -> None:
    data, whole = lists(9, groups=200)
    assert data.quality is not None
    gone = np.random.default_rng(0).random(data.n_candidates) < np.where(data.quality > 0, 0.5 if telling else 0.2, 0.2)
    X = whole.copy()
    X[gone, 0] = np.nan
    model = LogLinear(sigma=1.0).fit(data.replace(features=Features.of(X, list("abcd")))).model
    assert ("a missing" in model.names.to_pylist()) is telling


# ---------------------------------------------------------------- learners and models


@pytest.mark.parametrize("learner", [LogLinear(sigma=1.0), TreeBoost(rounds=20), CRF("la", epochs=3)])
def test_learners_gain_where_columns_go_together(learner: Learner, tmp_path: Path) -> None:
    (train, _), (test, _) = lists(10, groups=120, share=0.4), lists(11, groups=120, share=0.4)
    means, estimates = (learner.clone().set_params(missing=how).fit(train) for how in ("mean", "regress"))
    assert estimates.score(test) > means.score(test)
    model = estimates.model
    model.save(tmp_path / "model")
    kept = load(tmp_path / "model")
    np.testing.assert_array_equal(kept.scores(test), model.scores(test))
    assert any("4 columns are estimated from each other" in note for note in model.provenance["notes"])
    group = int(np.flatnonzero(test.sizes > 1)[0])
    found = model.explain(test, group=group)
    assert found.difference == pytest.approx(found.winner.score - found.rival.score)


def test_boosting_over_trees_estimates_once() -> None:
    data, _ = lists(14)
    model = Boost(rounds=10, depth=3, missing="regress", calibration="none").fit(data).model
    assert [step["step"] for step in model.preparation] == ["estimates"]
    assert model.names.to_pylist() == [*"abcd", *(f"estimated:{name}" for name in "abcd")]
    assert any("are estimated" in note for note in model.provenance["notes"])


def test_a_blend_estimates_once_for_all_members() -> None:
    data, _ = lists(10, groups=30)
    model = Blend(missing="regress", calibration="none").fit(data).model
    assert [step["step"] for step in model.preparation] == ["estimates"]
    assert all(
        "notes" not in each or "estimated" not in str(each["notes"]) for each in model.provenance["members"].values()
    )
    assert np.isfinite(model.scores(data)).all()


def test_ranks_and_leaves_are_of_estimates() -> None:
    data, _ = lists(12, groups=80)
    for learner in (LogLinear(sigma=1.0), TreeBoost(rounds=5)):
        fitted = learner.set_params(missing="regress", group_ranks=True, leaves=4, calibration="none").fit(data)
        assert np.isfinite(fitted.model.scores(data)).all()
        assert "rank:a" in fitted.model.names.to_pylist()


def test_auto_says_nothing_and_regress_says_when_there_is_nothing_to_do() -> None:
    train = NBest.from_arrays([[1.0], [2.0], [3.0]] * 5, quality=[0, 1, 2] * 5, sizes=[3] * 5)
    assert "notes" not in LogLinear(sigma=1.0).fit(train).model.provenance
    (note,) = LogLinear(sigma=1.0, missing="regress").fit(train).model.provenance["notes"]
    assert note.startswith("missing=regress changes nothing")
    with pytest.raises(UsageError, match="auto, mean, regress"):
        LogLinear(missing="median").fit(train)


def test_steps_of_files_are_checked() -> None:
    (step,) = fit_estimates(lists(13)[0])
    assert is_estimates(step)
    wrong: list[dict[str, Any]] = [
        {"columns": ["a", "a", "b", "c"]},
        {"columns": ["a"]},
        {"beside": "a"},
        {"flags": None},
        {"flags": ["z"]},
        {"unit": -step["unit"]},
        {"unit": step["unit"][:-1]},
        {"mean": step["mean"] * np.nan},
        {"mean": step["mean"].astype(np.float32)},
        {"mean": step["mean"].tolist()},
        {"covariance": -step["covariance"]},
        {"covariance": np.zeros_like(step["covariance"])},
        {"mark": 3},
    ]
    assert [is_estimates({**step, **each}) for each in wrong] == [False] * len(wrong)
    assert not is_estimates({name: value for name, value in step.items() if name != "unit"})
    assert Gaussian(step["mean"], step["covariance"].reshape(8, 8)).is_usable
