"""Places and differences of first-round scores, against loops over every list."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import NBest
from runoff.tasks.text.distinct_texts import DistinctTexts
from runoff.tasks.text.features.position import BASE_NAMES, NAMES, position_features

SCORES = st.lists(st.lists(st.sampled_from([-3.0, -1.5, 0.0, 0.25, 2.0]), max_size=6), max_size=4)


def table_of(groups: list[list[float]], scored: bool = True) -> tuple[tuple[str, ...], np.ndarray]:
    flat = [score for group in groups for score in group]
    texts = [f"t{at}" for at in range(len(flat))]
    sizes = [len(group) for group in groups]
    return position_features(
        DistinctTexts.of(NBest.from_arrays(texts=texts, sizes=sizes, base=flat if scored else None))
    )


def plain(scores: list[float]) -> list[list[float]]:
    order = sorted(range(len(scores)), key=lambda row: -scores[row])  # stable: the earlier of equal ones
    total = sum(math.exp(score) for score in scores)
    rows = []
    for row, score in enumerate(scores):
        place = order.index(row)
        spread = statistics.pstdev(scores)
        rows.append(
            [
                math.log(1 + place),
                float(place == 0),
                float(place == 1),
                place / len(scores),
                score - max(scores),
                score - scores[order[place - 1]] if place else 0.0,
                (score - statistics.fmean(scores)) / spread if spread else 0.0,
                math.exp(score) / total,
            ]
        )
    return rows


@settings(deadline=None)
@given(SCORES)
def test_with_scores(groups: list[list[float]]) -> None:
    names, table = table_of(groups)
    assert names == (*NAMES, *BASE_NAMES)
    expected = [row for group in groups for row in plain(group)]
    assert table.shape == (len(expected), 8)
    assert table.ravel() == pytest.approx(np.ravel(expected), abs=1e-12)


@settings(deadline=None)
@given(SCORES)
def test_without_scores_the_order_is_the_lists(groups: list[list[float]]) -> None:
    names, table = table_of(groups, scored=False)
    assert names == NAMES
    expected = [row[:4] for group in groups for row in plain([0.0] * len(group))]
    assert table.shape == (len(expected), 4)
    assert table.ravel() == pytest.approx(np.ravel(expected), abs=1e-12)


def test_equal_scores_are_no_spread_from_their_mean() -> None:
    # 0.1 + 0.1 + 0.1 = 0.30000000000000004 in doubles: the mean is not 0.1.
    _, table = table_of([[0.1, 0.1, 0.1]])
    assert table[:, 6].tolist() == [0.0, 0.0, 0.0]


def test_large_scores_have_probabilities() -> None:
    _, table = table_of([[-1e4, -1e4 - 1.0], [1e5, 0.0]])
    assert table[:, 7] == pytest.approx([1 / (1 + math.exp(-1)), 1 / (1 + math.exp(1)), 1.0, 0.0])
