"""Boosting on data at the edge of what numbers and lists can be: a right result or a sentence."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.boosting_data import binary
from runoff import Boost, DataError, LogLinear, NBest
from runoff.metrics import get

pytestmark = pytest.mark.filterwarnings("error")
everything = pytest.mark.parametrize(
    ("loss", "pairs"), [(loss, pairs) for loss in ("exp", "log") for pairs in ("best", "all", "sample")]
)


def small(loss: str, pairs: str, **more: object) -> Boost:
    settings = {"rounds": 20, "smoothing": 0.0025, "sample": 5, "min_groups": 1, **more}
    return Boost(loss=loss, pairs=pairs, **settings)


@everything
@pytest.mark.parametrize("scale", [1e300, 1e-300])
def test_the_unit_of_quality_does_not_matter(loss: str, pairs: str, scale: float) -> None:
    data = binary(1)
    data = data.replace(quality=data.quality / np.abs(data.quality).max())
    plain = small(loss, pairs).fit(data).model
    scaled = small(loss, pairs).fit(data.replace(quality=data.quality * scale)).model
    assert scaled.training_path.columns.tolist() == plain.training_path.columns.tolist()
    assert scaled.training_path.deltas.tolist() == pytest.approx(plain.training_path.deltas.tolist(), rel=1e-9)
    assert scaled.provenance["loss"] == pytest.approx(
        plain.provenance["loss"] * (scale if loss == "exp" else 1.0), rel=1e-9
    )


@everything
def test_quality_whose_differences_are_no_numbers_is_refused(loss: str, pairs: str) -> None:
    data = binary(1)
    huge = data.replace(quality=data.quality / np.abs(data.quality).max() * 1.7e308)
    with pytest.raises(DataError, match=r"quality goes up to .*divide quality by a constant"):
        small(loss, pairs).fit(huge)


@everything
def test_empty_groups_one_group_and_ties(loss: str, pairs: str) -> None:
    table, quality = [[0, 1], [1, 0]] * 2, [0, 1, 0, 1]
    plain = NBest.from_arrays(table, quality, sizes=[2, 2])
    gaps = NBest.from_arrays(table, quality, sizes=[0, 2, 0, 2, 0])
    tied = NBest.from_arrays([*table, [1, 0], [0, 1]], [*quality, 2, 2], sizes=[2, 2, 2])
    expected = small(loss, pairs).fit(plain).model
    for data in (gaps, tied):
        model = small(loss, pairs).fit(data).model
        assert model.weights.tolist() == expected.weights.tolist()
        assert model.provenance["dropped_groups"] == len(data) - 2
        assert model.pick(data).indices[data.sizes > 0].tolist()[:2] == [1, 1]
        # The same where rounds and smoothing are chosen, by folds of groups or on dev data with such groups.
        for dev in (None, data):
            chosen = small(loss, pairs, rounds="auto", smoothing="auto", max_rounds=20).fit(data, dev).model
            assert chosen.pick(plain).indices.tolist() == [1, 1]
    one = small(loss, pairs, rounds="auto", smoothing="auto").fit(plain[0]).model
    assert one.pick(plain).indices.tolist() == [1, 1]
    with pytest.raises(DataError, match="better and a worse candidate"):
        small(loss, pairs).fit(plain.replace(quality=np.ones(4)))


@everything
def test_what_all_candidates_share_is_never_chosen(loss: str, pairs: str) -> None:
    rng = np.random.default_rng(0)
    table = np.hstack([np.ones((60, 1)), rng.random((60, 3)) < 0.5])
    data = NBest.from_arrays(table, quality=table[:, 1] + rng.random(60), sizes=[6] * 10, base=np.full(60, 3.0))
    model = small(loss, pairs).fit(data).model
    assert len(model.training_path) == 20
    assert 0 not in model.training_path.columns
    assert model.base_weight == 0.0
    assert model.provenance["columns_left_out"] == 1


@pytest.mark.parametrize(
    ("part", "value"),
    [("features", np.inf), ("base", np.nan), ("base", np.inf), ("quality", np.nan), ("quality", np.inf)],
)
def test_what_is_no_number_does_not_become_data(part: str, value: float) -> None:
    parts = {"features": np.eye(2), "base": np.zeros(2), "quality": np.array([1.0, 0.0])}
    parts[part].flat[-1] = value
    with pytest.raises(DataError, match=r"must be (a )?finite.*candidate 1"):
        NBest.from_arrays(parts["features"], parts["quality"], base=parts["base"], sizes=[2])


@everything
def test_a_run_that_has_learned_everything_and_one_that_reaches_its_limit(loss: str, pairs: str) -> None:
    done = NBest.from_arrays([[1.0], [0.0]] * 3, [1, 0] * 3, sizes=[2] * 3)
    model = small(loss, pairs, rounds=1000).fit(done).model
    # Every round divides the loss by about 20 (smoothing 1/400), so that 1,000 of them go far below the smallest
    # number: ExpLoss is measured in ever finer units, LogLoss ends where its own end, at 2**-900.
    assert len(model.training_path) == 1000 if loss == "exp" else 100 < len(model.training_path) < 1000
    assert np.isfinite(model.weights).all()
    assert model.pick(done).indices.tolist() == [0, 0, 0]
    limited = small(loss, pairs, rounds="auto", max_rounds=3).fit(binary(1), binary(2)).model
    assert limited.provenance["rounds_tried"] == 3
    assert 0 <= limited.provenance["rounds"] <= 3


def with_errors(data: NBest) -> NBest:
    """Lists whose word error rate is known without texts: ten words a group, as many edits as quality is below top."""
    edits = np.maximum(np.round(2 * (data.quality.max() - data.quality)), 0)
    counts = np.zeros((data.n_candidates, 4))
    counts[:, 0], counts[:, 3] = edits, 10
    return data.replace(quality=-edits, stats={"wer": counts})


def first_round_errors(data: NBest) -> float:
    tops = [start + int(np.argmax(data.base[start:stop])) for start, stop in zip(data.offsets, data.offsets[1:])]  # noqa: B905
    return float(10 * -data.quality[tops].sum() / len(tops))


def test_of_error_rates_the_lowest_is_chosen_on_dev() -> None:
    train, dev = with_errors(binary(1, groups=80)), with_errors(binary(2, groups=60))
    learner = Boost(max_rounds=120, metric="wer").fit(train, dev)
    provenance = learner.model.provenance
    scores = [entry["dev"] for entry in learner.history]
    assert min(scores) < max(scores)
    assert provenance["dev"]["score"] == pytest.approx(min(scores)) == pytest.approx(-learner.score(dev))
    assert provenance["rounds"] == scores.index(min(scores)) + 1
    by_smoothing = {float(name): each["score"] for name, each in provenance["smoothing_scores"].items()}
    assert min(by_smoothing.values()) < max(by_smoothing.values())
    assert provenance["smoothing"] == min(by_smoothing, key=by_smoothing.get)
    assert provenance["dev"]["score"] < first_round_errors(dev)


def test_of_error_rates_the_lowest_is_chosen_by_folds() -> None:
    data = with_errors(binary(1, groups=80))
    provenance = Boost(max_rounds=60, metric="wer").fit(data).model.provenance
    by_smoothing = {float(name): each["score"] for name, each in provenance["chosen_by_folds"].items()}
    assert min(by_smoothing.values()) < max(by_smoothing.values())
    assert provenance["smoothing"] == min(by_smoothing, key=by_smoothing.get)
    # No rounds at all is one of the choices, and there the first round decides: the worst would not be below it.
    assert max(by_smoothing.values()) < first_round_errors(data)


@pytest.mark.parametrize("with_dev", [True, False])
def test_of_error_rates_the_lowest_chooses_sigma(with_dev: bool) -> None:
    train, dev = with_errors(binary(1, groups=80)), with_errors(binary(2, groups=60))
    provenance = LogLinear(metric="wer").fit(train, dev if with_dev else None).model.provenance
    scores = {float(name): score for name, score in provenance["sigma_scores"].items()}
    assert min(scores.values()) < max(scores.values())
    assert scores[provenance["sigma"]] == min(scores.values())


def test_early_stopping_keeps_the_step_with_the_lowest_error_rate() -> None:
    train, dev = with_errors(binary(1, groups=80)), with_errors(binary(2, groups=60))
    learner = LogLinear(sigma=10.0, metric="wer").fit(train, dev)
    scores = [entry["dev"] for entry in learner.history]
    assert min(scores) < max(scores)
    metric = get("wer")
    chosen = metric.score(metric.rows(dev, learner.model.ranking(dev)).sum(axis=0))
    assert float(chosen) == pytest.approx(min(scores))
