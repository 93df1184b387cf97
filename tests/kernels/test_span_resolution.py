"""The best sets of spans equal those of an enumeration of all sets."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest

from runoff.kernels.span_resolution import resolve_spans


def enumerated(starts: Any, stops: Any, once: Any, gains: Any) -> list[tuple[float, tuple[int, ...]]]:
    """All sets without overlap and without a label twice, best first: the slow way."""
    found = []
    for size in range(len(starts) + 1):
        for chosen in combinations(range(len(starts)), size):
            spans = sorted((starts[at], stops[at]) for at in chosen)
            labels = [once[at] for at in chosen if once[at] >= 0]
            if all(a[1] <= b[0] for a, b in pairwise(spans)) and len(set(labels)) == len(labels):
                found.append((float(sum(gains[at] for at in chosen)), chosen))
    return sorted(found, reverse=True)


@pytest.mark.parametrize("seed", range(12))
def test_equal_to_all_sets(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n_tokens, n_spans, n_once, k = 7, int(rng.integers(0, 10)), 3, 15
    starts = rng.integers(0, n_tokens, n_spans)
    stops = np.minimum(starts + rng.integers(1, 4, n_spans), n_tokens)
    order = np.argsort(stops, kind="stable")
    starts, stops = starts[order].astype(np.int32), stops[order].astype(np.int32)
    once = rng.integers(-1, n_once, n_spans).astype(np.int32)
    gains = rng.normal(size=n_spans)
    totals, chosen = np.zeros(k), np.zeros((k, n_spans), np.bool_)
    many = resolve_spans(n_tokens, starts, stops, once, gains, n_once, k, totals, chosen)
    right = enumerated(starts.tolist(), stops.tolist(), once.tolist(), gains.tolist())[:k]
    assert many == len(right)
    np.testing.assert_allclose(totals[:many], [total for total, _ in right], atol=1e-12)
    assert [tuple(np.flatnonzero(row)) for row in chosen[:many]] == [each for _, each in right]


def test_a_long_sentence_with_many_proposals() -> None:
    rng = np.random.default_rng(1)
    starts = np.sort(rng.integers(0, 999, 400)).astype(np.int32)
    stops = (starts + 1).astype(np.int32)
    once, gains = (np.arange(400) % 7 - 1).astype(np.int32), rng.random(400)
    totals, chosen = np.zeros(1), np.zeros((1, 400), np.bool_)
    assert resolve_spans(1000, starts, stops, once, gains, 6, 1, totals, chosen) == 1
    picked = np.flatnonzero(chosen[0])
    assert len(set(starts[picked].tolist())) == picked.size
    assert all((once[picked] == label).sum() <= 1 for label in range(6))
    assert totals[0] == pytest.approx(gains[picked].sum())
