"""What boosting works on: sampled pairs under LogLoss, units of the first round's score, features left out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.naive_boosting import Naive, exact_log, shares_and_losses
from runoff import Boost, NBest
from runoff.errors import DataError
from runoff.learners.boosting_problem import BoostingProblem, in_own_units
from runoff.pairs import make_pairs


def groups_of_six(seed: int, groups: int = 12, columns: int = 8) -> NBest:
    """Up to 15 pairs a group, so that samples of a few pairs leave most of them out."""
    rng = np.random.default_rng(seed)
    rows = 6 * groups
    table = (rng.random((rows, columns)) < 0.4).astype(float)
    quality = rng.integers(0, 5, rows) + table[:, 0]
    return NBest.from_arrays(table, quality, sizes=[6] * groups, base=quality + 3 * rng.normal(size=rows))


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 12), st.booleans())
def test_log_loss_over_sampled_pairs_is_naive_boosting_over_them(seed: int, sample: int, weighted: bool) -> None:
    data = groups_of_six(seed)
    learner = Boost(
        25, loss="log", smoothing=1e-3, pairs="sample", sample=sample, weighted=weighted, min_groups=1, seed=7
    )
    model = learner.fit(data).model
    pairs = make_pairs(data, "sample", weighted=weighted, sample=sample, seed=7)
    margins = model.base_weight * (data.base[pairs.better] - data.base[pairs.worse])
    naive = Naive.of(data, pairs, margins, 1)
    expected = exact_log(naive, 1e-3, 25)
    assert model.training_path.columns.tolist() == [column for column, _ in expected]
    assert model.training_path.deltas.tolist() == pytest.approx([delta for _, delta in expected], rel=1e-9)
    # A contest is a better candidate against the worse ones that were drawn, each once.
    contests: dict[int, set[int]] = {}
    for better, worse in zip(pairs.better.tolist(), pairs.worse.tolist(), strict=True):
        contests.setdefault(better, set()).add(worse)
    scores = model.scores(data)
    by_hand = sum(
        math.log1p(sum(math.exp(scores[worse] - scores[better]) for worse in several))
        for better, several in contests.items()
    )
    assert model.provenance["loss"] == pytest.approx(by_hand, rel=1e-9)


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 12))
def test_log_loss_over_sampled_pairs_falls_as_appendix_b_promises(seed: int, sample: int) -> None:
    # A round lowers LogLoss by at least (√W+ - √W-)² of its feature, where W sums the shares q of the pairs, and
    # it takes the feature for which that is most (Collins, Schapire & Singer 2002; smoothing takes a small part).
    data = groups_of_six(seed)
    learner = Boost(10, loss="log", smoothing=1e-12, pairs="sample", sample=sample, min_groups=1)
    model = learner.fit(data).model
    pairs = make_pairs(data, "sample", sample=sample)
    naive = Naive.of(data, pairs, model.base_weight * (data.base[pairs.better] - data.base[pairs.worse]), 1)
    for turn, column in enumerate(model.training_path.columns.tolist()):
        before = naive.margins_at(
            list(zip(model.training_path.columns[:turn], model.training_path.deltas[:turn], strict=True))
        )
        shares, losses = shares_and_losses(before, naive.contests)
        plus, minus = naive.sums(shares)
        promises = (np.sqrt(plus) - np.sqrt(minus)) ** 2
        assert promises[column] == pytest.approx(promises.max(), rel=1e-6, abs=1e-9)
        assert learner.history[turn]["loss"] <= losses.sum() - promises[column] + 1e-5 * losses.sum()


def test_large_differences_are_drawn_more_often_and_counted_once() -> None:
    # Qualities 3, 2, 0: the three pairs differ by 1, 3 and 2 of 6. One draw in each of 6,000 such groups takes
    # them in these shares; five standard errors of a share p are 5 √(p (1 - p) / 6,000) < 0.033.
    copies = 6000
    data = NBest.from_arrays(quality=[3.0, 2.0, 0.0] * copies, sizes=[3] * copies)
    pairs = make_pairs(data, "sample", sample=1)
    kinds = 3 * (pairs.better % 3) + pairs.worse % 3
    shares = [np.mean(kinds == kind) for kind in (1, 2, 5)]
    assert shares == pytest.approx([1 / 6, 3 / 6, 2 / 6], abs=0.033)
    # Every draw weighs what its group weighs, 6: the difference, which made the draw likely, is not counted again.
    assert np.unique(pairs.weight).tolist() == [6.0]
    alike = make_pairs(data, "sample", sample=1, weighted=False)
    kinds = 3 * (alike.better % 3) + alike.worse % 3
    assert [np.mean(kinds == kind) for kind in (1, 2, 5)] == pytest.approx([1 / 3] * 3, abs=0.033)


@pytest.mark.parametrize("loss", ["exp", "log"])
@pytest.mark.parametrize("scale", [1e8, 2.0**-40, 1e300, 1.6e308, 1e-290])
def test_the_unit_of_the_first_rounds_score_does_not_matter(loss: str, scale: float) -> None:
    data = groups_of_six(3)
    data = data.replace(base=data.base / np.abs(data.base).max())
    learner = Boost(20, loss=loss, smoothing=1e-3, min_groups=1)
    plain = learner.fit(data).model
    scaled = learner.fit(data.replace(base=data.base * scale)).model
    assert plain.base_weight > 0
    assert scaled.training_path.columns.tolist() == plain.training_path.columns.tolist()
    assert scaled.training_path.deltas.tolist() == pytest.approx(plain.training_path.deltas.tolist(), rel=1e-9)
    assert scaled.base_weight * scale == pytest.approx(plain.base_weight, rel=1e-9)
    assert math.isfinite(scaled.provenance["loss"])


def test_scores_that_hardly_differ_are_refused_and_equal_ones_weigh_nothing() -> None:
    data = groups_of_six(3)
    with pytest.raises(DataError, match=r"first-round scores differ by at most .*set base=false"):
        Boost(5, smoothing=1e-3).fit(data.replace(base=data.base * 1e-305))
    constant = data.replace(base=np.full(data.n_candidates, 1e8))
    assert Boost(5, smoothing=1e-3).fit(constant).model.base_weight == 0.0
    pairs = make_pairs(data)
    differences, exponent = in_own_units(data.base, pairs)
    assert np.ldexp(differences, exponent).tolist() == (data.base[pairs.better] - data.base[pairs.worse]).tolist()
    assert 0.5 <= np.abs(differences).max() < 1


def test_what_leaves_nothing_to_learn_from_is_said() -> None:
    data = groups_of_six(1, groups=4)
    assert BoostingProblem.of(data, None, Boost(min_groups=1)).warnings() == []
    rare = Boost(3, smoothing=1e-3, min_groups=5).fit(data).model.provenance
    assert rare["columns_left_out"] == 8
    (warning,) = rare["warnings"]
    assert "all 8 features were left out" in warning
    assert "the most frequent one in 4. Lower min_groups" in warning
    same = NBest.from_arrays([[1.0], [1.0]] * 3, [1, 0] * 3, sizes=[2] * 3)
    (warning,) = Boost(3, smoothing=1e-3, min_groups=1).fit(same).model.provenance["warnings"]
    assert "none of the 1 features can be learned from" in warning


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("loss", ["exp", "log"])
@pytest.mark.parametrize("floor", [-1e4, -1e6, -1e9, -1e300])
def test_one_floor_score_changes_nothing_else(loss: str, floor: float) -> None:
    data = groups_of_six(3, groups=40)
    worst = int(np.argmin(data.quality[:6]))
    low = data.base.copy()
    low[worst] = -200.0  # so low that its pair has a weight of nothing
    floored = low.copy()
    floored[worst] = floor
    learner = Boost(20, loss=loss, smoothing=1e-3, min_groups=1)
    expected, found = learner.fit(data.replace(base=low)).model, learner.fit(data.replace(base=floored)).model
    assert expected.base_weight > 0.1
    assert found.base_weight == pytest.approx(expected.base_weight, rel=1e-9)
    assert found.training_path.columns.tolist() == expected.training_path.columns.tolist()
    assert found.training_path.deltas.tolist() == pytest.approx(expected.training_path.deltas.tolist(), rel=1e-6)
    assert found.provenance["warnings"] == []


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("loss", ["exp", "log"])
def test_a_first_round_that_is_never_wrong_is_told_and_its_weight_stays_moderate(loss: str) -> None:
    data = groups_of_six(3)
    data = data.replace(base=3.0 * data.quality)
    model = Boost(5, loss=loss, smoothing=1e-3, min_groups=1).fit(data).model
    differences = np.abs(np.diff(np.sort(data.base.reshape(-1, 6))))
    assert 0 < model.base_weight * np.median(differences[differences > 0]) < 100  # it was 1,000 small differences
    chosen = data.quality.reshape(-1, 6)[np.arange(12), model.pick(data).indices]
    assert chosen.tolist() == data.quality.reshape(-1, 6).max(axis=1).tolist()
    (warning,) = model.provenance["warnings"]
    assert "first round's score has no pair of the training data wrong" in warning
    assert "base=false" in warning
    assert Boost(5, loss=loss, smoothing=1e-3, min_groups=1, base=False).fit(data).model.provenance["warnings"] == []


def test_dev_data_without_a_feature_to_learn_from_is_named() -> None:
    data = groups_of_six(1)
    names = [f"other{at}" for at in range(8)]
    table = data.features.to_scipy().toarray()
    strange = NBest.from_arrays(table, data.quality, sizes=data.sizes, base=data.base, feature_names=names)
    with pytest.raises(DataError, match="the dev data has none of the features"):
        Boost(max_rounds=20, smoothing=1e-3, min_groups=1).fit(data, strange)
    assert Boost(max_rounds=20, smoothing=1e-3, min_groups=1).fit(data, data).model.provenance["warnings"] == []
