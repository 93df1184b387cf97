"""The column of the first round's choice."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import NBest
from runoff.features import prepare
from runoff.features.first_choice import COLUMN, STEP, apply_first_choice


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 2), max_size=5), min_size=1, max_size=5), st.booleans(), st.booleans())
def test_one_in_every_group_that_has_candidates(groups: list[list[int]], scored: bool, with_features: bool) -> None:
    flat = [float(score) for group in groups for score in group]
    data = NBest.from_arrays(
        np.arange(len(flat), dtype=float)[:, None] if with_features else None,
        sizes=[len(group) for group in groups],
        base=flat if scored else None,
        feature_names=["a"] if with_features else None,
    )
    made = apply_first_choice(data, {}).features
    assert made.column_names().to_pylist() == (["a", COLUMN] if with_features else [COLUMN])
    expected = []
    for group in groups:
        first = group.index(max(group)) if group and scored else 0
        expected += [float(at == first) for at in range(len(group))]
    table = made.to_scipy().toarray()
    assert table[:, -1].tolist() == expected
    if with_features:
        assert table[:, 0].tolist() == list(range(len(flat)))


def test_rows_that_came_interleaved_stay_so() -> None:
    data = NBest.from_arrays(groups=["p", "q", "p", "q"], base=[0.0, 1.0, 2.0, 0.0])
    made = prepare(data, [{"step": STEP}])
    assert made.rows is not None
    assert made.in_input_order(made.features.to_scipy().toarray()[:, 0]).tolist() == [0.0, 1.0, 1.0, 0.0]


def test_every_candidate_twice_has_one_first_choice() -> None:
    data = NBest.from_arrays(texts=["a", "a"], sizes=[2], base=[1.0, 1.0])
    assert apply_first_choice(data, {}).features.to_scipy().toarray()[:, 0] == pytest.approx([1.0, 0.0])
