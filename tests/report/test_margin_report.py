"""Margins by hand, what must not change them, and what is said where there are none."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import DataError, LinearModel, LogLinear, ModelError, NBest, UsageError
from runoff.report import Margins, margins
from runoff.report.margin_picture import draw_margins


def six_groups() -> NBest:
    """Margins of x: 3-2 = 1; 5-4 = 1 (the stronger of two best); 1-4 = -3; 2-2 = 0; nothing worse; nothing at all."""
    return NBest.from_arrays(
        np.array([[3, 1, 2, 0, 5, 4, 4, 1, 2, 2, 2, 7, 8]], float).T,
        quality=[1, 0, 0, 1, 1, 0, 0, 2, 1, 1, 0, 1, 1],
        sizes=[3, 3, 3, 2, 2, 0],
        feature_names=["x"],
    )


X = LinearModel.of({"x": 1.0})


def test_margins_by_hand() -> None:
    found = margins(X, six_groups())["data"]
    assert found.values[:4].tolist() == [1, 1, -3, 0]
    assert np.isnan(found.values[4:]).all()
    assert (found.groups.right, found.groups.tied, found.groups.wrong, found.without) == (2, 1, 1, 2)
    assert found.groups.shares == (0.5, 0.25, 0.25)
    score = found.units["score"]
    assert score.mean == -0.25
    # Sorted -3, 0, 1, 1; quantile p lies at place 3p: 25% at 0.75 between -3 and 0, the median between 0 and 1.
    assert (score.quantiles[25], score.quantiles[50], score.quantiles[75]) == (-0.75, 0.5, 1.0)
    assert list(score.quantiles) == [1, 5, 25, 50, 75, 95, 99]


def test_pairs_by_hand() -> None:
    # Group 1: 3>1, 3>2 right. Group 2: 0<4 wrong, 5>4 right. Group 3: 1<4, 1<2, 2<4 wrong. Group 4: 2=2.
    pairs = margins(X, six_groups())["data"].pairs
    assert (pairs.right, pairs.tied, pairs.wrong, pairs.total) == (3, 1, 4, 8)


def test_units_by_hand() -> None:
    # Variances within the groups that have a margin: 2/3, 14/3, 14/9 and 0; where scores differ, on average 62/27.
    found = margins(X, six_groups())["data"]
    assert found.spread == pytest.approx(math.sqrt(62 / 27), rel=1e-14)
    assert found.units["spread"].mean == pytest.approx(-0.25 / math.sqrt(62 / 27), rel=1e-14)
    # Weights 2 and 3 and a base weight of 6: length 7. Base scores are all 0, so scores are 2x.
    data = six_groups().replace(base=np.zeros(13))
    other = margins(LinearModel.of({"x": 2.0, "elsewhere": 3.0}, base_weight=6.0), data)["data"]
    assert other.norm == 7
    assert other.units["geometric"].mean == pytest.approx(2 * -0.25 / 7, rel=1e-14)


@settings(deadline=None)  # the first call compiles
@given(st.floats(-290, 290), st.integers(0, 2**32 - 1))
def test_longer_weights_change_the_score_and_nothing_else(exponent: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = NBest.from_arrays(rng.normal(size=(40, 3)), rng.integers(0, 3, 40), sizes=[4] * 10, base=rng.normal(size=40))
    weights, factor = {str(at): float(weight) for at, weight in enumerate(rng.normal(size=3))}, 10.0**exponent
    longer = {name: factor * weight for name, weight in weights.items()}
    plain = margins(LinearModel.of(weights, base_weight=1.0), data)["data"]
    scaled = margins(LinearModel.of(longer, base_weight=factor), data)["data"]
    assert (scaled.groups, scaled.pairs) == (plain.groups, plain.pairs)
    assert scaled.norm == pytest.approx(factor * plain.norm, rel=1e-9, abs=0)
    for unit, by in (("spread", 1.0), ("geometric", 1.0), ("score", factor)):
        before, after = plain.units[unit], scaled.units[unit]
        expected = {at: pytest.approx(by * value, rel=1e-6, abs=1e-9 * by) for at, value in before.quantiles.items()}
        assert after.quantiles == expected
        assert after.mean == pytest.approx(by * before.mean, rel=1e-6, abs=1e-9 * by)


def test_the_right_groups_are_those_in_which_the_model_picks_a_best_candidate() -> None:
    rng = np.random.default_rng(0)
    data = NBest.from_arrays(rng.normal(size=(300, 2)), rng.integers(0, 4, 300), sizes=[6] * 50)
    model = LinearModel.of({"0": 1.0, "1": -0.5})
    quality = data.quality.reshape(50, 6)
    picked = quality[np.arange(50), model.pick(data).indices] == quality.max(axis=1)
    assert ((margins(model, data)["data"].values > 0) == picked).all()


def test_interleaved_rows_have_the_same_margins() -> None:
    rows, groups = np.array([[1.0], [5.0], [2.0], [7.0], [0.0]]), [0, 1, 0, 1, 0]
    data = NBest.from_arrays(rows, [1, 0, 0, 1, 0], groups=groups, feature_names=["x"])
    # Group 0: best 1, strongest worse 2. Group 1: best 7, worse 5.
    assert margins(X, data)["data"].values.tolist() == [-1.0, 2.0]


def test_better_is_by_the_metric_that_was_asked_for() -> None:
    data = NBest.from_arrays([[1], [3]], [5.0, 0.0], sizes=[2], texts=["x", "a"], references=["a"], feature_names=["x"])
    assert margins(X, data)["data"].values.tolist() == [-2.0]
    by_errors = margins(X, data, "wer")["data"]
    assert (by_errors.values.tolist(), by_errors.metric) == ([2.0], "wer")
    # Metrics of rankings read the quality that is there, so several of them are one and the same question.
    assert margins(X, data, "map,ndcg@1-3")["data"].values.tolist() == [-2.0]


def test_several_sets_print_as_text_html_and_json() -> None:
    data = six_groups()
    found = margins(X, {"train": data[:2], "dev": data})
    text = str(found)
    # train: margins 1 and 1, pairs 3 right and 1 wrong.
    assert "train  groups       2  100.0%   0.0%   0.0%" in text
    assert "       pairs        4   75.0%   0.0%  25.0%" in text
    assert "dev: 2 group(s) have no candidate worse than the best (1 of them have no candidates), so no margin." in text
    assert "signature: quality|mean|groups:2|" in text
    assert "<table>" in found._repr_html_()
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert [each["name"] for each in plain["sets"]] == ["train", "dev"]
    assert plain["sets"][1]["groups"] == {"right": 2, "tied": 1, "wrong": 1}
    assert plain["sets"][1]["margins"]["score"]["quantiles"]["50"] == 0.5


def test_a_set_has_the_same_margins_whatever_stands_beside_it() -> None:
    data = six_groups()
    assert margins(X, {"dev": data, "train": data[:2]})["dev"] == margins(X, {"dev": data})["dev"]


def test_unseen_features_are_said() -> None:
    data = NBest.from_arrays(np.eye(2), quality=[0, 1], sizes=[2], feature_names=["x", "new"])
    assert "1 of 2 features were not seen in training" in str(margins(X, data))


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (LinearModel.of({"x": 0.0}), "all weights are 0, so every score and every margin is 0."),
        (LinearModel.of({"y": 0.1}), "the model gives all candidates of a group the same score"),
    ],
)
def test_a_model_that_does_not_distinguish_has_margins_of_zero(model: LinearModel, sentence: str) -> None:
    data = NBest.from_arrays([[1, 1], [2, 1], [4, 1]], [0, 1, 2], sizes=[3], feature_names=["x", "y"])
    found = margins(model, data)
    only = found["data"]
    assert (only.groups.tied, only.pairs.tied, only.spread) == (1, 3, 0.0)
    assert all(each.mean == 0 and set(each.quantiles.values()) == {0.0} for each in only.units.values())
    assert sentence in str(found)


def test_a_voted_model_has_no_geometric_margin() -> None:
    class Voted(LinearModel):
        def scores(self, data: NBest) -> np.ndarray:
            return np.array([0.25, 0.75] * len(data))

    model = Voted(X.weights, X.names)
    object.__setattr__(model, "votes", "ballots")
    data = NBest.from_arrays([[0], [1], [0], [1]], [0, 1, 1, 0], sizes=[2, 2], feature_names=["x"])
    found = margins(model, data)
    assert found["data"].values.tolist() == [0.5, -0.5]
    assert list(found["data"].units) == ["spread", "score"]
    assert "because the model votes" in str(found)
    assert "Length of the weight vector" not in str(found)


def test_a_learner_that_has_learned_is_a_model_too() -> None:
    data = six_groups()
    learner = LogLinear(sigma=1.0).fit(data)
    assert margins(learner, data) == margins(learner.model, data)


def test_questions_that_cannot_be_answered_get_a_sentence() -> None:
    data = six_groups()
    with pytest.raises(DataError, match=r"^none of the 2 group.* no margin to report"):
        margins(X, data[4:])
    with pytest.raises(DataError, match=r"^dev: none of the 1 group"):
        margins(X, {"train": data, "dev": data[4]})
    with pytest.raises(DataError, match=r"^b: this data has neither references nor quality"):
        margins(X, {"a": data, "b": data.replace(quality=None)})
    with pytest.raises(UsageError, match="need one metric to rank candidates; give one of: wer, exact"):
        margins(X, data, "wer,exact")
    with pytest.raises(UsageError, match="at least one data set"):
        margins(X, {})
    with pytest.raises(UsageError, match="no data set 'test'; there are: data"):
        margins(X, data)["test"]
    with pytest.raises(UsageError, match="expected a model"):
        margins("model", data)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="found list"):
        margins(X, [data])  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="too large to add up"):
        margins(LinearModel.of({"x": 1e307}), data)
    with pytest.raises(ModelError, match=r"^dev: the model weighs the first round's score"):
        margins(LinearModel.of({}, base_weight=1.0), {"dev": data})


@pytest.fixture
def two_sets() -> Margins:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(400, 1))
    data = NBest.from_arrays(rows, rows[:, 0] + rng.normal(size=400) > 0.5, sizes=[4] * 100, feature_names=["x"])
    return margins(X, {"_train $1$": data[:60], "a name that is too long to be shown whole": data[60:]})


def test_the_picture_names_every_set_and_is_the_same_each_time(two_sets: Margins, tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg", "c.png"):
        draw_margins(two_sets, tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")
    drawn = (tmp_path / "a.svg").read_text()
    first = two_sets["_train $1$"].groups.shares[0]
    assert f"{first:.1%} right in _train $1$" in drawn
    assert "right in a name t…ong to be shown whole" in drawn


def test_margins_of_zero_can_be_drawn(tmp_path: Path) -> None:
    draw_margins(margins(LinearModel.of({"x": 0.0}), six_groups()), tmp_path / "zero.png")
    assert (tmp_path / "zero.png").read_bytes().startswith(b"\x89PNG")


def test_a_picture_has_a_known_ending(two_sets: Margins, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.png, \.svg or \.pdf; found 'margins.jpeg'"):
        draw_margins(two_sets, tmp_path / "margins.jpeg")
