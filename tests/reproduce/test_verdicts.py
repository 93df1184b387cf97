"""The rules of verdicts."""

from __future__ import annotations

import numpy as np
import pytest

from runoff import UsageError
from runoff.metrics import Difference
from runoff.reproduce.results import Compared, Results, kept_rows
from runoff.reproduce.verdicts import FAILS, HOLDS, OPEN, alike, all_of, apart, better, exactly, sooner, untold


def compared(delta: float, low: float, high: float, p: float) -> Compared:
    return Compared("a", "b", "F", Difference(delta, low, high, p), p, 100)


@pytest.mark.parametrize(
    ("delta", "p", "verdict"),
    [(1.0, 0.01, HOLDS), (1.0, 0.05, OPEN), (-1.0, 0.01, FAILS), (-1.0, 0.2, OPEN), (0.0, 0.01, OPEN)],
)
def test_better_needs_the_sign_and_the_test(delta: float, p: float, verdict: str) -> None:
    assert better(compared(delta, delta - 1, delta + 1, p)).verdict == verdict


@pytest.mark.parametrize(
    ("delta", "low", "high", "p", "verdict"),
    [
        (0.1, -0.2, 0.3, 0.5, HOLDS),
        (0.1, -0.2, 0.6, 0.5, OPEN),  # could be more than the margin
        (0.8, 0.2, 1.4, 0.01, FAILS),
        (0.8, -0.1, 1.7, 0.1, OPEN),
        (0.3, 0.1, 0.4, 0.01, HOLDS),  # different beyond chance, and alike all the same
    ],
)
def test_alike_is_about_the_whole_interval(delta: float, low: float, high: float, p: float, verdict: str) -> None:
    assert alike(compared(delta, low, high, p), 0.5).verdict == verdict


def test_a_claim_of_several_parts() -> None:
    yes, no, open_ = exactly(True, "yes"), exactly(False, "no"), untold("open")
    assert all_of([yes, yes]).verdict == HOLDS
    assert all_of([yes, open_]).verdict == OPEN
    assert all_of([yes, open_, no]).verdict == FAILS
    assert all_of([]).verdict == OPEN
    assert all_of([yes, no]).reason == "yes; no"
    # One failure at p = 0.03 would be found by chance among four.
    weak = better(compared(-1, -2, 0, 0.03))
    assert all_of([weak]).verdict == FAILS
    assert all_of([weak, yes, yes, yes]).verdict == OPEN


def test_amounts_and_intervals() -> None:
    assert [sooner(a, b, "").verdict for a, b in ((1, 2), (2, 1), (1, 1))] == [HOLDS, FAILS, OPEN]
    high, low, wide = [5.0, 4.0, 6.0], [2.0, 1.0, 3.0], [3.0, 1.0, 5.0]
    assert [apart(a, b, "").verdict for a, b in ((high, low), (low, high), (high, wide))] == [HOLDS, FAILS, OPEN]


def test_lines_are_compared_in_pairs_and_blocks_as_a_whole() -> None:
    rng = np.random.default_rng(0)
    base = rng.random(60)
    rows = {"a": np.column_stack([base + 0.05, np.ones(60)]), "b": np.column_stack([base, np.ones(60)])}
    plain = Results({name: {"rows": kept_rows(each, "quality")} for name, each in rows.items()})
    found = plain.compare("a", "b")
    assert found.difference.delta == pytest.approx(0.05)
    assert found.p < 0.001
    # All groups in three blocks: nothing can be told from three.
    blocks = np.repeat([0, 1, 2], 20)
    whole = Results({name: {"rows": kept_rows(each, "quality", blocks)} for name, each in rows.items()})
    assert whole.compare("a", "b").p > 0.2
    with pytest.raises(UsageError, match="there is no experiment 'c'"):
        plain.compare("a", "c")


def test_cells_of_lines_inside_an_experiment() -> None:
    results = Results({"a": {"cells": {"F": [1.0, 0.5, 1.5]}, "lines": {"A0": {"F": [2.0, None, None]}}}})
    assert results.value("a", "F") == 1.0
    assert results.value("a/A0", "F") == 2.0
    assert results.cell("a/A1", "F") is None
    assert results.cell("b", "F") is None
    with pytest.raises(UsageError, match="no value for 'P'"):
        results.value("a", "P")
