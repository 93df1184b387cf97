"""Which decision is shown: perfect before better, readable before long, then by the largest lead."""

from __future__ import annotations

import pytest

from runoff import LinearModel, NBest
from runoff.metrics import Quality
from runoff.pipeline.showcase import clearest_improvement
from runoff.tasks import ROWS

MODEL = LinearModel.of({"x": 1.0, "y": 0.5})


def groups(**rows: tuple[float, float, float, int]) -> NBest:
    """Two candidates each, of which the second has a quality and features, in an input of some words."""
    quality, features, inputs = [], [], []
    for good, x, y, words in rows.values():
        quality += [0.0, good]
        features += [[0.0, 0.0], [x, y]]
        inputs.append("word " * words)
    return NBest.from_arrays(
        features, quality, sizes=[2] * len(rows), feature_names=["x", "y"], group_ids=list(rows), inputs=inputs
    )


def shown(data: NBest, about: list[str] | None = None) -> str | None:
    return clearest_improvement(MODEL, data, Quality(), ROWS, about or [])


def test_nothing_is_shown_where_nothing_is_better() -> None:
    assert shown(groups(a=(0.0, 1, 0, 8), b=(-1.0, 1, 0, 8), c=(1.0, -1, 0, 8))) is None


def test_a_perfect_choice_comes_before_a_better_one() -> None:
    assert shown(groups(better=(0.5, 9, 0, 8), perfect=(1.0, 1, 0, 8))) == "perfect"


def test_an_input_of_readable_length_comes_before_a_larger_lead() -> None:
    assert shown(groups(long=(1.0, 9, 0, 21), short=(1.0, 9, 0, 5), readable=(1.0, 1, 0, 6))) == "readable"


def test_the_largest_lead_decides_and_about_says_of_which_features() -> None:
    data = groups(a=(1.0, 3, 0, 8), b=(1.0, 1, 2, 8))
    assert shown(data) == "a"
    assert shown(data, ["y"]) == "b"
    assert shown(data, ["no such feature"]) == "a"


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [1, 3, 0, 2]])
def test_interleaved_rows_give_the_same_group(order: list[int]) -> None:
    rows, quality, ids = [[0, 0], [3, 0], [0, 0], [1, 2]], [0, 1, 0, 1], ["a", "a", "b", "b"]
    data = NBest.from_arrays(
        [rows[at] for at in order],
        [quality[at] for at in order],
        groups=[ids[at] for at in order],
        feature_names=["x", "y"],
        base=[[1, 0, 1, 0][at] for at in order],
    )
    assert shown(data) == "a"
    assert shown(data, ["y"]) == "b"
