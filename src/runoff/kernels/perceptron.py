"""Passes of the perceptron over groups: violated pairs are inversions, found in O(k log k) for k candidates.

Amounts (`phi`, margins, `u`) are whole numbers, multiples of `1 / order.scale`: their sums are exact, so that the
ways to find the violated pairs agree to the last bit, whatever the order in which they add.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.kernels.compilation import compiled
from runoff.kernels.groups import largest_of
from runoff.kernels.inversions import inversions
from runoff.kernels.sparse_rows import add, dot

if TYPE_CHECKING:
    import numpy.typing as npt

    from runoff.arrays import Columns, Floats, Ints, Singles
    from runoff.kernels.inversions import Room


FASTEST, ALL_PAIRS, INVERSIONS, TABLE = 0, 1, 2, 3  # ways to find the violated pairs of a group
MANY = 150  # pairs of a candidate, from which on looking for inversions is faster than looking at all pairs
TIME, UPDATES, MISTAKES, LOGGED = 0, 1, 2, 3  # places in `PerceptronState.counters`


class PerceptronLists(NamedTuple):
    """Features (CSR) and first-round scores of all candidates, one group after the other."""

    offsets: Ints
    indptr: Ints
    indices: Columns
    values: Singles | None
    base: Floats


class Order(NamedTuple):
    """What is asked of every group; all arrays are by place in rank order, groups one after the other.

    A candidate must beat the one at `place` where it stands among the first `prefix[place]` of the group, by
    `tau * g`; prefixes never fall. `g(j, l) = phi[j] + shift - phi[l]`, or `table[rank of l, rank of j]`, where 0
    asks for nothing.
    """

    rows: Ints  # row of the candidate at each place
    ranks: Ints
    prefix: Ints
    phi: Ints  # not negative
    shift: int
    table: npt.NDArray[np.int64]
    bits: int  # that a number of candidates takes
    scale: float  # a power of two


class PerceptronState(NamedTuple):
    """What learning changes. `sums` has every change times the moment it was made at, for the average; or nothing."""

    weights: Floats
    sums: Floats
    base: Floats  # weight of the first round's score, and its sum
    dual: Floats  # slack: how far each candidate was moved
    counters: Ints
    later: Floats = np.empty(0)  # by candidate: what of its features is to be added to `sums` later, by `settle`


class Log(NamedTuple):
    """Changes in the order in which they were made: `amount` times the features of `row`, at `time`."""

    row: Ints
    amount: Floats
    time: Ints


@compiled
def group_pass(
    visits: Ints,
    lists: PerceptronLists,
    order: Order,
    tau: float,
    slack: float,
    way: int,
    state: PerceptronState,
    log: Log,
    space: Room | None = None,
) -> int:  # pragma: no cover - compiled
    """Visit groups and move the weights once for each (Shen & Joshi 2005, algorithm 2).

    Returns the number of visits made: fewer than asked for when the log is full (an empty one keeps nothing), and
    -1 when scores are no longer finite. Nothing is allocated for a group. O(stored values + k log k) a group, or
    O(k²) by ALL_PAIRS, which FASTEST takes for small groups, and by TABLE. Without `space` for the largest group
    inversions are not looked for, nor is the code compiled that would.
    """
    most = largest_of(visits, lists.offsets)
    indptr, indices, values, base = lists.indptr, lists.indices, lists.values, lists.base
    weights, sums, later, dual = state.weights, state.sums, state.later, state.dual
    scores, z, u = np.empty(most), np.empty(most), np.empty(most, np.int64)
    change = np.zeros(weights.size)
    unit = 1.0 / order.scale  # exact: the scale is a power of two
    gap = tau * (order.shift * unit)
    for visit in range(visits.size):
        start, stop = lists.offsets[visits[visit]], lists.offsets[visits[visit] + 1]
        n = stop - start
        if 0 < log.row.size < state.counters[LOGGED] + n:
            return visit
        size, base_weight = 0.0, state.base[0]
        for row in range(start, stop):  # as they lie in memory
            score = base_weight * base[row] + dot(indptr[row], indptr[row + 1], indices, values, weights)
            if slack > 0.0:
                # A dimension of its own for every candidate (Li et al. 2002), with the value `slack` for it alone.
                score += slack * slack * dual[row]
            scores[row - start] = score
            size += abs(score)
        for place in range(n):
            z[place] = scores[order.rows[start + place] - start]
            if way != TABLE:
                z[place] -= tau * (order.phi[start + place] * unit)
            u[place] = 0
        if not np.isfinite(size):
            return -1
        prefix, phi = order.prefix[start:stop], order.phi[start:stop]
        if way == TABLE:
            ranks = order.ranks[start:stop]
            mistakes = _by_table(prefix, ranks, order.table, order.scale, tau, z[:n], u[:n])
        elif space is None:
            mistakes = _all_pairs(prefix, phi, order.shift, gap, z[:n], u[:n])
        elif way == INVERSIONS or (way == FASTEST and prefix.sum() > MANY * n):
            mistakes = inversions(prefix, phi, order.shift, gap, order.bits, z[:n], u[:n], space)
        else:
            mistakes = _all_pairs(prefix, phi, order.shift, gap, z[:n], u[:n])
        if mistakes:
            time = state.counters[TIME]
            for place in range(n):
                scores[order.rows[start + place] - start] = u[place] * unit
            # Where the group has every column many times over, the change is added up first and then taken over once;
            # else its part in `sums` waits until these are asked for.
            at_once = sums.size > 0 and indptr[stop] - indptr[start] > 4 * weights.size
            for row in range(start, stop):
                amount = scores[row - start]
                if amount == 0.0:
                    continue
                add(amount, indptr[row], indptr[row + 1], indices, values, change if at_once else weights)
                if later.size and not at_once:
                    later[row] += time * amount
                elif sums.size and not at_once:
                    add(time * amount, indptr[row], indptr[row + 1], indices, values, sums)
                state.base[0] += amount * base[row]
                state.base[1] += time * amount * base[row]
                if slack > 0.0:
                    dual[row] += amount
                if log.row.size:
                    _note(row, amount, time, state.counters, log)
            if at_once:
                for column in range(weights.size):
                    weights[column] += change[column]
                    sums[column] += time * change[column]
                    change[column] = 0.0
            state.counters[UPDATES] += 1
            state.counters[MISTAKES] += mistakes
        state.counters[TIME] += 1
    return int(visits.size)


@compiled
def pair_pass(
    visits: Ints,
    lists: PerceptronLists,
    order: Order,
    tau: float,
    slack: float,
    way: int,
    state: PerceptronState,
    log: Log,
) -> int:  # pragma: no cover - compiled
    """Visit every pair and move the weights for each that is violated (Shen & Joshi 2005, algorithm 1).

    Returns as `group_pass` does. A score is computed again only when the weights have moved since. O(k²) a group,
    and O(stored values of two candidates) for a violated pair.
    """
    most = largest_of(visits, lists.offsets)
    indptr, indices, values, base = lists.indptr, lists.indices, lists.values, lists.base
    weights, sums, later, dual = state.weights, state.sums, state.later, state.dual
    scores, seen = np.empty(most), np.empty(most, np.int64)
    version = 0
    for visit in range(visits.size):
        start, stop = lists.offsets[visits[visit]], lists.offsets[visits[visit] + 1]
        n = stop - start
        if 0 < log.row.size < state.counters[LOGGED] + n * n:
            return visit
        seen[:n] = -1
        first = 0
        for better in range(n):
            while first < n and order.prefix[start + first] <= better:
                first += 1
            for worse in range(first, n):
                if way == TABLE:
                    units = order.table[order.ranks[start + worse], order.ranks[start + better]]
                    if units == 0:
                        continue
                else:
                    units = order.phi[start + better] + order.shift - order.phi[start + worse]
                for place in (better, worse):
                    if seen[place] != version:
                        row = order.rows[start + place]
                        own = dot(indptr[row], indptr[row + 1], indices, values, weights)
                        scores[place] = state.base[0] * base[row] + own
                        if slack > 0.0:
                            scores[place] += slack * slack * dual[row]
                        seen[place] = version
                lead = scores[better] - scores[worse]
                if not np.isfinite(lead):
                    return -1
                margin = units / order.scale
                time = state.counters[TIME]
                state.counters[TIME] += 1
                if lead <= tau * margin:
                    for place, amount in ((better, margin), (worse, -margin)):
                        row = order.rows[start + place]
                        add(amount, indptr[row], indptr[row + 1], indices, values, weights)
                        if later.size:
                            later[row] += time * amount
                        elif sums.size:
                            add(time * amount, indptr[row], indptr[row + 1], indices, values, sums)
                        state.base[0] += amount * base[row]
                        state.base[1] += time * amount * base[row]
                        if slack > 0.0:
                            dual[row] += amount
                        if log.row.size:
                            _note(row, amount, time, state.counters, log)
                    state.counters[UPDATES] += 1
                    state.counters[MISTAKES] += 1
                    version += 1
    return int(visits.size)


@compiled
def pairs_in_table(offsets: Ints, ranks: Ints, prefix: Ints, table: Ints) -> Ints:  # pragma: no cover - compiled
    """How many pairs of every group a table asks for. O(k²) a group."""
    counts = np.zeros(offsets.size - 1, np.int64)
    for group in range(counts.size):
        start, stop = offsets[group], offsets[group + 1]
        for worse in range(start, stop):
            for better in range(start, start + prefix[worse]):
                counts[group] += table[ranks[worse], ranks[better]] != 0
    return counts


@compiled
def settle(lists: PerceptronLists, state: PerceptronState) -> None:  # pragma: no cover - compiled
    """Bring `sums` up to date: one addition for every stored value of the candidates that were moved."""
    indices, values, sums, later = lists.indices, lists.values, state.sums, state.later
    for row in range(later.size):
        if later[row] != 0.0:
            add(later[row], lists.indptr[row], lists.indptr[row + 1], indices, values, sums)
            later[row] = 0.0


@compiled
def _note(row: int, amount: float, time: int, counters: Ints, log: Log) -> None:  # pragma: no cover - compiled
    at = counters[LOGGED]
    log.row[at], log.amount[at], log.time[at] = row, amount, time
    counters[LOGGED] += 1


@compiled
def _all_pairs(
    prefix: Ints, phi: Ints, shift: int, gap: float, z: Floats, u: Ints
) -> int:  # pragma: no cover - compiled
    mistakes = 0
    for worse in range(z.size):
        limit, less, lost = z[worse], shift - phi[worse], 0
        for better in range(prefix[worse]):
            if z[better] - gap <= limit:
                amount = phi[better] + less
                u[better] += amount
                lost += amount
                mistakes += 1
        u[worse] -= lost
    return mistakes


@compiled
def _by_table(
    prefix: Ints, ranks: Ints, table: Ints, scale: float, tau: float, score: Floats, u: Ints
) -> int:  # pragma: no cover - compiled
    mistakes = 0
    for worse in range(score.size):
        for better in range(prefix[worse]):
            amount = table[ranks[worse], ranks[better]]
            if amount != 0 and score[better] - score[worse] <= tau * (amount / scale):
                u[better] += amount
                u[worse] -= amount
                mistakes += 1
    return mistakes
