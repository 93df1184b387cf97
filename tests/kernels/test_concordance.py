"""Leads and pairs, against going through all pairs one by one and against SciPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import somersd

from runoff.arrays import frozen
from runoff.kernels.concordance import concordance, leads
from runoff.kernels.ordering import best_first

# Few values, so that quality and scores tie often, alone and together.
candidates = st.lists(st.tuples(st.integers(0, 3), st.integers(-2, 2)), max_size=12)


def arrays(groups: list[list[tuple[int, int]]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    offsets = np.cumsum([0, *map(len, groups)])
    rows = np.array([row for group in groups for row in group], np.float64).reshape(-1, 2)
    return frozen(offsets), frozen(rows[:, 0].copy()), frozen(rows[:, 1].copy())


def counted(offsets: np.ndarray, quality: np.ndarray, score: np.ndarray) -> np.ndarray:
    return concordance(offsets, frozen(best_first(offsets, quality, score)), quality, score)


@settings(deadline=None)  # the first call compiles
@given(st.lists(candidates, max_size=5))
def test_pairs_are_those_that_a_double_loop_finds(groups: list[list[tuple[int, int]]]) -> None:
    expected = []
    for group in groups:
        gaps = [a - b for better, a in group for worse, b in group if better > worse]
        expected.append([sum(g > 0 for g in gaps), sum(g == 0 for g in gaps), sum(g < 0 for g in gaps)])
    assert counted(*arrays(groups)).tolist() == expected


@settings(deadline=None)  # the first call compiles
@given(st.lists(candidates, max_size=5))
def test_leads_are_those_of_the_definition(groups: list[list[tuple[int, int]]]) -> None:
    found = leads(*arrays(groups))
    for group, lead in zip(groups, found, strict=True):
        top = max((quality for quality, _ in group), default=0)
        others = [score for quality, score in group if quality < top]
        if others:
            assert lead == max(score for quality, score in group if quality == top) - max(others)
        else:
            assert np.isnan(lead)


@pytest.mark.parametrize("seed", range(3))
def test_right_less_wrong_is_somers_d(seed: int) -> None:
    # SciPy's d of scores given quality: (concordant - discordant) over the pairs that differ in quality.
    rng = np.random.default_rng(seed)
    quality, score = rng.integers(0, 5, 200).astype(float), rng.integers(0, 30, 200).astype(float)
    right, tied, wrong = counted(frozen(np.array([0, 200])), frozen(quality), frozen(score))[0]
    assert (right - wrong) / (right + tied + wrong) == pytest.approx(somersd(quality, score).statistic, rel=1e-12)
    assert tied > 0
