"""Passes of the perceptron over groups: violated pairs are inversions, found in O(k log k) for k candidates.

Amounts (`phi`, margins, `u`) are whole numbers, multiples of `1 / order.scale`: their sums are exact, so that the
ways to find the violated pairs agree to the last bit, whatever the order in which they add.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    import numpy.typing as npt

    from runoff.arrays import Columns, Floats, Ints, Singles

    Places: TypeAlias = npt.NDArray[np.uint64]

FASTEST, ALL_PAIRS, INVERSIONS, TABLE = 0, 1, 2, 3  # ways to find the violated pairs of a group
MANY = 150  # pairs of a candidate, from which on looking for inversions is faster than looking at all pairs
TIME, UPDATES, MISTAKES, LOGGED = 0, 1, 2, 3  # places in `State.counters`
_DIGIT, _DIGITS = 11, 6
_BUCKETS = 1 << _DIGIT
_SPLIT = 5
_FAN = 1 << _SPLIT


class Lists(NamedTuple):
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


class State(NamedTuple):
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
    visits: Ints, lists: Lists, order: Order, tau: float, slack: float, way: int, state: State, log: Log
) -> int:  # pragma: no cover - compiled
    """Visit groups and move the weights once for each (Shen & Joshi 2005, algorithm 2).

    Returns the number of visits made: fewer than asked for when the log is full (an empty one keeps nothing), and
    -1 when scores are no longer finite. Nothing is allocated for a group. O(stored values + k log k) a group, or
    O(k²) by ALL_PAIRS, which FASTEST takes for small groups, and by TABLE.
    """
    most = 0
    for group in visits:
        most = max(most, lists.offsets[group + 1] - lists.offsets[group])
    indptr, indices, values, base = lists.indptr, lists.indices, lists.values, lists.base
    weights, sums, later, dual = state.weights, state.sums, state.later, state.dual
    scores, z, u = np.empty(most), np.empty(most), np.empty(most, np.int64)
    change = np.zeros(weights.size)
    room = _room(most if way in (FASTEST, INVERSIONS) else 0)
    unit = 1.0 / order.scale  # exact: the scale is a power of two
    gap = tau * (order.shift * unit)
    for visit in range(visits.size):
        start, stop = lists.offsets[visits[visit]], lists.offsets[visits[visit] + 1]
        n = stop - start
        if 0 < log.row.size < state.counters[LOGGED] + n:
            return visit
        size, base_weight = 0.0, state.base[0]
        for row in range(start, stop):  # as they lie in memory
            score = base_weight * base[row] + _dot(indptr[row], indptr[row + 1], indices, values, weights)
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
        elif way == INVERSIONS or (way == FASTEST and prefix.sum() > MANY * n):
            mistakes = _inversions(prefix, phi, order.shift, gap, order.bits, z[:n], u[:n], room)
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
                _add(amount, indptr[row], indptr[row + 1], indices, values, change if at_once else weights)
                if later.size and not at_once:
                    later[row] += time * amount
                elif sums.size and not at_once:
                    _add(time * amount, indptr[row], indptr[row + 1], indices, values, sums)
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
    visits: Ints, lists: Lists, order: Order, tau: float, slack: float, way: int, state: State, log: Log
) -> int:  # pragma: no cover - compiled
    """Visit every pair and move the weights for each that is violated (Shen & Joshi 2005, algorithm 1).

    Returns as `group_pass` does. A score is computed again only when the weights have moved since. O(k²) a group,
    and O(stored values of two candidates) for a violated pair.
    """
    most = 0
    for group in visits:
        most = max(most, lists.offsets[group + 1] - lists.offsets[group])
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
                        dot = _dot(indptr[row], indptr[row + 1], indices, values, weights)
                        scores[place] = state.base[0] * base[row] + dot
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
                        _add(amount, indptr[row], indptr[row + 1], indices, values, weights)
                        if later.size:
                            later[row] += time * amount
                        elif sums.size:
                            _add(time * amount, indptr[row], indptr[row + 1], indices, values, sums)
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
def settle(lists: Lists, state: State) -> None:  # pragma: no cover - compiled
    """Bring `sums` up to date: one addition for every stored value of the candidates that were moved."""
    indices, values, sums, later = lists.indices, lists.values, state.sums, state.later
    for row in range(later.size):
        if later[row] != 0.0:
            _add(later[row], lists.indptr[row], lists.indptr[row + 1], indices, values, sums)
            later[row] = 0.0


# Loops over one candidate get plain arrays: handing over a whole tuple of them for every row would cost more than
# the row itself. Columns are unsigned, which spares the compiled code the question whether they count from the end.


@compiled
def _dot(
    first: int, last: int, indices: Columns, values: Singles | None, weights: Floats
) -> float:  # pragma: no cover - compiled
    total = 0.0
    for at in range(first, last):
        if values is None:
            total += weights[np.uint32(indices[at])]
        else:
            total += weights[np.uint32(indices[at])] * values[at]
    return total


@compiled
def _add(
    amount: float, first: int, last: int, indices: Columns, values: Singles | None, weights: Floats
) -> None:  # pragma: no cover - compiled
    for at in range(first, last):
        if values is None:
            weights[np.uint32(indices[at])] += amount
        else:
            weights[np.uint32(indices[at])] += amount * values[at]


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


class _Room(NamedTuple):
    """Space to work in, for the largest group."""

    order: Ints  # from the lowest score to the highest
    spare: Ints
    keys: Ints
    counts: Ints
    places: Ints
    rising: Floats  # scores in that order
    enoughs: Ints  # by place in that order: how many would score too little to beat it
    lows: Ints  # and how many it beats by enough
    running: Ints
    later: Ints  # by branch: all ones for the branches after it
    levels: Places  # where each level of the tree starts
    tree: Ints


@compiled
def _room(most: int) -> _Room:  # pragma: no cover - compiled
    n_levels, width = 1, most >> _SPLIT
    while width:
        n_levels, width = n_levels + 1, width >> _SPLIT
    levels = np.zeros(n_levels, np.uint64)
    size, width = 0, most
    for level in range(n_levels):
        levels[level] = size
        size, width = size + width + _FAN, width >> _SPLIT
    later = np.zeros((_FAN, _FAN), np.int64)
    for branch in range(_FAN):
        later[branch, branch + 1 :] = -1
    return _Room(
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(_BUCKETS, np.int64),
        np.empty(most, np.int64),
        np.empty(most + 1),
        np.empty(most + 1, np.int64),
        np.empty(most + 1, np.int64),
        np.empty(most + 1, np.int64),
        later,
        levels,
        np.empty(size, np.int64),
    )


@compiled
def _inversions(
    prefix: Ints, phi: Ints, shift: int, gap: float, bits: int, z: Floats, u: Ints, room: _Room
) -> int:  # pragma: no cover - compiled
    """The same as `_all_pairs` in O(k log k): candidates enter a tree over their sorted scores in rank order.

    A number and a sum of phi travel packed in one whole number. The worse candidate at `l` asks the tree when it
    holds the `prefix[l]` better ones: which of them score too little? The better one at `j` asks when it holds all
    that `j` need not beat, and takes what is in it from what is in the whole group.
    """
    n = z.size
    mask = (1 << bits) - 1
    _sort(z, room)
    order, places, enoughs, lows, running = room.order, room.places, room.enoughs, room.lows, room.running
    levels, later, tree = room.levels, room.later, room.tree
    rising = room.rising
    running[0] = 0
    for at in range(n):
        member = order[at]
        places[member], rising[at] = at, z[member]
        running[at + 1] = running[at] + (phi[member] << bits) + 1
    _thresholds(n, gap, rising, lows, enoughs)
    for level in range(levels.size):
        first = np.int64(levels[level])
        tree[first : first + (n >> level * _SPLIT) + _FAN] = 0
    mistakes = worse = better = held = 0
    for entered in range(n):
        while worse < n and prefix[worse] == entered:
            found = _below(enoughs[places[worse]], levels, tree)
            number = found & mask
            u[worse] -= (found >> bits) + number * (shift - phi[worse])
            mistakes += number
            worse += 1
        while better < prefix[entered]:
            low = lows[places[better]]
            found = running[n] - running[low] - held + _below(low, levels, tree)
            u[better] += (found & mask) * (phi[better] + shift) - (found >> bits)
            better += 1
        item = (phi[entered] << bits) + 1
        held += item
        _enter(places[entered], item, levels, later, tree)
    return mistakes


@compiled
def _thresholds(n: int, gap: float, rising: Floats, lows: Ints, enoughs: Ints) -> None:  # pragma: no cover - compiled
    """By place in rising order: how many score less than it by more than the gap, and how many at most the gap more."""
    if gap == 0.0:
        start = 0
        while start < n:  # nearly always runs of one
            end = start + 1
            while end < n and rising[end] == rising[start]:
                end += 1
            for at in range(start, end):
                lows[at], enoughs[at] = start, end
            start = end
        return
    # The better sides (score less gap) and the worse sides (score) are merged: each is told how many of the others come
    # before it. Both write at every step and one of them moves on, so there is no branch to be guessed.
    rising[n] = np.inf
    better = worse = 0
    while better + worse < 2 * n:
        lows[better], enoughs[worse] = worse, better
        first = rising[better] - gap <= rising[worse]
        better += first
        worse += not first


# A tree of running sums with 32 branches: entering adds to the later ones of a node's 32 sums at every level, all at
# once by vector instructions and without a branch, and a question is one look at every level. Places are unsigned,
# which spares the compiled code the question whether they count from the end.


@compiled
def _enter(place: int, item: int, levels: Places, later: Ints, tree: Ints) -> None:  # pragma: no cover - compiled
    at = np.uint64(place)
    for level in range(levels.size):
        own = at & np.uint64(_FAN - 1)
        first = levels[level] + at - own
        for branch in range(_FAN):
            tree[first + np.uint64(branch)] += item & later[own, branch]
        at >>= np.uint64(_SPLIT)


@compiled
def _below(place: int, levels: Places, tree: Ints) -> int:  # pragma: no cover - compiled
    """Sum of the items that entered at lower places."""
    at, total = np.uint64(place), 0
    for level in range(levels.size):
        total += tree[levels[level] + at]
        at >>= np.uint64(_SPLIT)
    return total


@compiled
def _sort(z: Floats, room: _Room) -> None:  # pragma: no cover - compiled
    """Places from the lowest to the highest z in `room.order`; O(k) whatever the numbers are."""
    low, high = z.min(), z.max()
    if low == high:
        for at in range(z.size):
            room.order[at] = at
        return
    # Two digits of the relative height bring nearly all into order, and insertion the rest.
    unit = ((1 << 2 * _DIGIT) - 1) / (high - low)
    if np.isfinite(unit):
        for at in range(z.size):
            room.keys[at] = np.int64((z[at] - low) * unit)
        _by_digits(2, z.size, room)
        if _insert(z, room.order, 4 * z.size):
            return
    for at in range(z.size):
        # The bits of a float, taken as a whole number, stand in its order when those of negative ones are turned.
        bits = np.float64(z[at]).view(np.int64)
        room.keys[at] = ~bits if bits < 0 else bits ^ np.int64(-(2**63))
    _by_digits(_DIGITS, z.size, room)


@compiled
def _by_digits(digits: int, n: int, room: _Room) -> None:  # pragma: no cover - compiled
    """Radix sort by an even number of digits, lowest first, back and forth between two arrays."""
    source, target = room.order, room.spare
    for at in range(n):
        source[at] = at
    for digit in range(digits):
        right = digit * _DIGIT
        room.counts[:] = 0
        for at in range(n):
            room.counts[(room.keys[at] >> right) & (_BUCKETS - 1)] += 1
        total = 0
        for bucket in range(_BUCKETS):
            room.counts[bucket], total = total, total + room.counts[bucket]
        for at in range(n):
            member = source[at]
            bucket = (room.keys[member] >> right) & (_BUCKETS - 1)
            target[room.counts[bucket]] = member
            room.counts[bucket] += 1
        source, target = target, source


@compiled
def _insert(z: Floats, places: Ints, most: int) -> bool:  # pragma: no cover - compiled
    """Finish a nearly sorted order by insertion; False when that takes more than `most` moves."""
    moves = 0
    for at in range(1, z.size):
        member, to = places[at], at
        while to > 0 and z[places[to - 1]] > z[member]:
            places[to] = places[to - 1]
            to -= 1
        places[to] = member
        moves += at - to
        if moves > most:
            return False
    return True
