"""Boosting as figure 3 of Collins & Koo (2005) writes it down: every round recomputes all sums."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from runoff.learners.base_weight import fit_base_weight
from runoff.learners.boosting_engine import ExpEngine, PairIndex
from runoff.pairs import make_pairs

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.nbest import NBest
    from runoff.pairs import Pairs
    from runoff.reproduce.results import Facts

START_BITS, LEAST = 51, 2.0**46  # of the whole units in which the engine sums, so that equal sums are equal


def naive_rounds(
    differences: sparse.csc_array, weights: Floats, margins: Floats, smoothing: float, rounds: int
) -> list[tuple[int, float]]:
    """Column and move of every round. O(rounds pairs columns)."""
    exponents = np.log(weights) - margins
    amounts = np.exp(exponents - exponents.max())
    amounts = np.ldexp(amounts, START_BITS - np.frexp(amounts.sum())[1])
    positive, negative = (differences > 0).T.tocsr(), (differences < 0).T.tocsr()
    path: list[tuple[int, float]] = []
    for _ in range(rounds):
        units = np.rint(amounts)
        plus, minus, total = positive @ units, negative @ units, units.sum()
        gains = (plus - minus) ** 2 / np.maximum(1.0, plus + minus + 2.0 * np.sqrt(plus * minus))
        if gains.max(initial=0.0) < 1.0:
            break
        k = int(np.argmax(gains))
        delta = 0.5 * math.log((plus[k] + smoothing * total) / (minus[k] + smoothing * total))
        path.append((k, delta))
        # The kernel multiplies by one of three numbers.
        side = differences[:, [k]].toarray().ravel()
        amounts = amounts * np.where(side > 0, math.exp(-delta), np.where(side < 0, math.exp(delta), 1.0))
        if np.rint(amounts).sum() < LEAST:
            amounts = np.ldexp(amounts, START_BITS - np.frexp(amounts.sum())[1])
    return path


def compared_with_engine(data: NBest, smoothing: float, rounds: int, *, lists: int, min_groups: int = 2) -> Facts:
    """The same rounds by figure 3 and by figure 4, on the first lists that have a pair."""
    some = data[:lists]
    pairs = make_pairs(some)
    base = some.base if some.base is not None else np.zeros(some.n_candidates)
    leads = base[pairs.better] - base[pairs.worse]
    margins = fit_base_weight(leads, pairs.weight, pairs.contests, "exp") * leads
    engine = ExpEngine(PairIndex.build(some, pairs, min_groups), margins, smoothing)
    engine.run(rounds)
    differences = _differences(some, pairs, min_groups)
    path = naive_rounds(differences, pairs.weight, margins, smoothing, rounds)
    features = [column for column, _ in path]
    moves = np.array([delta for _, delta in path])
    same = int(sum(a == b for a, b in zip(features, engine.features.tolist(), strict=False)))
    return {
        "lists": len(some),
        "pairs": len(pairs),
        "rounds": len(path),
        "engine_rounds": int(engine.deltas.size),
        "same": same,
        "largest_difference": float(np.abs(moves[:same] - engine.deltas[:same]).max(initial=0.0)),
        "naive_additions": len(path) * engine.index.n_items,
        "additions": int(engine.additions.sum()),
    }


def bound_of_appendix_b(data: NBest, seed: int, *, draws: int = 400) -> Facts:
    """LogLoss after the best bounded move of random features at random margins, beside what appendix B promises."""
    rng = np.random.default_rng([seed, 20])
    some = data[:100]
    pairs = make_pairs(some)
    differences = _differences(some, pairs, 1)
    contests = pairs.contests
    worst, tried = -np.inf, 0
    for _ in range(draws):
        margins = rng.normal(size=len(pairs)) * 2
        side = differences[:, [int(rng.integers(differences.shape[1]))]].toarray().ravel()
        amounts, before = _log_shares(margins, contests)
        plus, minus = float(amounts[side > 0].sum()), float(amounts[side < 0].sum())
        if plus <= 0 or minus <= 0:
            continue
        _, after = _log_shares(margins + 0.5 * math.log(plus / minus) * side, contests)
        worst = max(worst, after - (before - (math.sqrt(plus) - math.sqrt(minus)) ** 2))
        tried += 1
    return {"worst": float(worst) if tried else None, "tried": tried}


def _differences(data: NBest, pairs: Pairs, min_groups: int) -> sparse.csc_array:
    """Features that the better candidate of a pair has and the worse has not, and the reverse."""
    present: Any = data.features.to_scipy() > 0
    table = sparse.csr_array(present.astype(np.float64))
    group = np.repeat(np.arange(len(data)), data.sizes)
    rows, columns = table.nonzero()
    seen = np.zeros(table.shape[1], np.int64)
    np.add.at(seen, np.unique(np.column_stack([group[rows], columns]), axis=0)[:, 1], 1)
    kept = sparse.diags_array((seen >= min_groups).astype(np.float64))
    return sparse.csc_array((table[pairs.better] - table[pairs.worse]) @ kept)


def _log_shares(margins: Floats, contests: Ints) -> tuple[Floats, float]:
    """Appendix B's q of every pair, and LogLoss."""
    offsets = np.asarray(contests)
    shares, loss = np.empty(margins.size), 0.0
    for start, stop in itertools.pairwise(offsets):
        parts = np.exp(-margins[start:stop])
        total = 1.0 + parts.sum()
        shares[start:stop] = parts / total
        loss += math.log(total)
    return shares, loss
