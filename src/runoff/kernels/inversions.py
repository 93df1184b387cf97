"""Pairs of candidates whose scores contradict their ranks, found in O(k log k) for k candidates of a group."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    import numpy.typing as npt

    from runoff.arrays import Floats, Ints

    Places: TypeAlias = npt.NDArray[np.uint64]


_DIGIT, _DIGITS = 11, 6
_BUCKETS = 1 << _DIGIT
_SPLIT = 5
_FAN = 1 << _SPLIT


class Room(NamedTuple):
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
def room(most: int) -> Room:  # pragma: no cover - compiled
    """Space for groups of up to so many candidates."""
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
    return Room(
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
def inversions(
    prefix: Ints, phi: Ints, shift: int, gap: float, bits: int, z: Floats, u: Ints, space: Room
) -> int:  # pragma: no cover - compiled
    """Move `u` for all violated pairs in O(k log k): candidates enter a tree over their sorted scores in rank order.

    A number and a sum of phi travel packed in one whole number. The worse candidate at `l` asks the tree when it
    holds the `prefix[l]` better ones: which of them score too little? The better one at `j` asks when it holds all
    that `j` need not beat, and takes what is in it from what is in the whole group.
    """
    n = z.size
    mask = (1 << bits) - 1
    _sort(z, space)
    order, places, enoughs, lows, running = space.order, space.places, space.enoughs, space.lows, space.running
    levels, later, tree = space.levels, space.later, space.tree
    rising = space.rising
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
def _sort(z: Floats, room: Room) -> None:  # pragma: no cover - compiled
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
def _by_digits(digits: int, n: int, room: Room) -> None:  # pragma: no cover - compiled
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
