"""The naive algorithm beside the engine and beside the readable one of the tests; the bound of appendix B."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.naive_boosting import Naive, figure_3
from runoff import NBest
from runoff.learners.base_weight import fit_base_weight
from runoff.pairs import make_pairs
from runoff.tasks.parsing.papers.naive_boosting import (
    _differences,
    bound_of_appendix_b,
    compared_with_engine,
    naive_rounds,
)


def binary_lists(seed: int, groups: int = 40, size: int = 5, columns: int = 12) -> NBest:
    rng = np.random.default_rng(seed)
    rows = [np.flatnonzero(rng.random(columns) < 0.3).tolist() for _ in range(groups * size)]
    table = np.zeros((groups * size, columns))
    for at, own in enumerate(rows):
        table[at, own] = 1.0
    quality = table @ rng.normal(size=columns) + rng.normal(size=len(table))
    return NBest.from_arrays(table, quality, sizes=[size] * groups, base=rng.normal(size=len(table)))


def test_the_naive_rounds_are_those_of_figure_3() -> None:
    # The paper's figure 3 in ordinary floats, from the helpers of the tests.
    data = binary_lists(0)
    pairs = make_pairs(data)
    leads = data.base[pairs.better] - data.base[pairs.worse]
    margins = fit_base_weight(leads, pairs.weight, pairs.contests, "exp") * leads
    path, ahead = figure_3(Naive.of(data, pairs, margins, 2), 0.0025, 30)
    found = naive_rounds(_differences(data, pairs, 2), pairs.weight, margins, 0.0025, 30)
    assert min(ahead) > 1e-9  # no tie that floats could break otherwise
    assert [k for k, _ in found] == [k for k, _ in path]
    assert [delta for _, delta in found] == pytest.approx([delta for _, delta in path], abs=1e-9)


def test_the_engine_does_the_same_with_less_work() -> None:
    facts = compared_with_engine(binary_lists(1), 0.0025, 40, lists=40)
    assert facts["same"] == facts["rounds"] == facts["engine_rounds"] == 40
    assert facts["largest_difference"] < 1e-12
    assert facts["additions"] < facts["naive_additions"]


def test_the_bound_of_appendix_b_is_one() -> None:
    facts = bound_of_appendix_b(binary_lists(2), seed=0, draws=100)
    assert facts["tried"] > 20
    assert facts["worst"] < 1e-9
