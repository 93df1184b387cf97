"""Rounds of boosting over an index from features to pairs and back (Collins & Koo 2005, figure 4).

`sums` and `bounds` are those of `boosting_sums`. `index` is (spans, items, starts, members,
columns), as `PairIndex` has them; `state` holds the running totals; a path is `places` and `deltas`, and
`totals` gets the running total after every round.

LogLoss (appendix B, which the authors never ran): a contest is a better candidate with all its worse ones. When one
margin of a contest moves, the shares of all its pairs move: a round settles every contest that it touches, once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from runoff.kernels.boosting_changes import add_each, exp_part, taken
from runoff.kernels.boosting_contests import log_part, settle
from runoff.kernels.boosting_exact import lowest_loss
from runoff.kernels.boosting_sums import SIDE, add, strongest
from runoff.kernels.compilation import compiled
from runoff.kernels.prefetch import prefetch

if TYPE_CHECKING:
    import numpy.typing as npt

    from runoff.arrays import Columns, Floats, Ints

    Codes: TypeAlias = npt.NDArray[np.uint32]
    Index: TypeAlias = tuple[Ints, Codes, Ints, Codes, Ints]
    Bounds: TypeAlias = tuple[Floats, Floats, Floats]
    Contests: TypeAlias = tuple[Floats, Floats, Floats, Ints, Columns]

FAR, NEAR, NEXT = 24, 8, 2  # pairs ahead whose weights, whose items, and whose rare sums are fetched
OFTEN = 4  # additions to every sum, on average, from which on those of a round are added up first
LINE = 16  # items in a line of the cache


@compiled
def best_move(plus: float, minus: float, total: float, smoothing: float) -> float:  # pragma: no cover - compiled
    """Equation 17."""
    delta: float = 0.5 * np.log((plus + smoothing * total) / (minus + smoothing * total))
    return delta


@compiled
def _look_ahead(
    at: int, first: int, last: int, weights: Floats, sums: Floats, index: Index
) -> None:  # pragma: no cover - compiled
    """Fetch what the pairs after `at` need: without it most of a round is waiting for memory."""
    spans, items, _, members, _ = index
    if at + FAR < last:
        pair = np.int64(members[at + FAR] >> SIDE)
        prefetch(spans, 2 * pair)
        prefetch(weights, pair)
    if first <= at + NEAR < last:
        begin = spans[2 * np.int64(members[at + NEAR] >> SIDE)]
        for line in range(4):
            prefetch(items, begin + LINE * line)
    if first <= at + NEXT < last:
        pair = np.int64(members[at + NEXT] >> SIDE)
        for item in range(spans[2 * pair + 1], spans[2 * pair + 2]):
            prefetch(sums, np.int64(items[item]))


@compiled
def exp_rounds(
    least: float,
    smoothing: float,
    state: Floats,
    weights: Floats,
    sums: Floats,
    bounds: Bounds,
    index: Index,
    costs: Ints,
    places: Ints,
    deltas: Floats,
    totals: Floats,
) -> int:  # pragma: no cover - compiled
    """Rounds under ExpLoss, until one leaves a total below `least` or no feature has any gain; their number.

    `weights` are the weights of the pairs, `sums` the sums of their rounded values. A round costs O(items of
    the pairs that have its feature), which `costs` has for every place.
    """
    spans, items, starts, members, columns = index
    total = state[0]
    done = 0
    changes, is_touched = np.zeros(sums.size), np.zeros(sums.size, np.bool_)
    touched, amounts = np.empty(sums.size, np.uint32), np.empty(sums.size)
    while done < places.size and (done == 0 or total >= least):
        place = strongest(sums, bounds, columns)
        if place < 0:
            break
        delta = best_move(sums[2 * place], sums[2 * place + 1], total, smoothing)
        if costs[place] > OFTEN * sums.size:
            count, change = exp_part(place, delta, weights, index, changes, is_touched, touched, False)
            taken(touched, count, changes, is_touched, amounts)
            add_each(touched[:count], amounts, sums, bounds)
            total += change
            places[done], deltas[done], totals[done] = place, delta, total
            done += 1
            continue
        down, up = np.exp(-delta), np.exp(delta)
        first, last = starts[place], starts[place + 1]
        for at in range(first - FAR, last):
            _look_ahead(at, first, last, weights, sums, index)
            if at >= first:
                pair = np.int64(members[at] >> SIDE)
                before = weights[pair]
                after = before * (up if members[at] & SIDE else down)
                weights[pair] = after
                change = np.rint(after) - np.rint(before)
                total += change
                add(change, spans[2 * pair], spans[2 * pair + 2], items, sums, bounds)
        places[done], deltas[done], totals[done] = place, delta, total
        done += 1
    state[0] = total
    return done


@compiled
def exp_replay(
    least: float, state: Floats, weights: Floats, index: Index, places: Ints, deltas: Floats, totals: Floats
) -> int:  # pragma: no cover - compiled
    """What `exp_rounds` does to the weights of the pairs and to the total, along a known path."""
    _, _, starts, members, _ = index
    total = state[0]
    done = 0
    while done < places.size and (done == 0 or total >= least):
        down, up = np.exp(-deltas[done]), np.exp(deltas[done])
        for at in range(starts[places[done]], starts[places[done] + 1]):
            pair = members[at] >> SIDE
            before = weights[pair]
            after = before * (up if members[at] & SIDE else down)
            weights[pair] = after
            total += np.rint(after) - np.rint(before)
        totals[done] = total
        done += 1
    state[0] = total
    return done


@compiled
def sum_up(amounts: Floats, spans: Ints, items: Codes, sums: Floats) -> None:  # pragma: no cover - compiled
    """Sums of whole amounts of the pairs over the features on which they differ, from nothing. O(items)."""
    sums[:] = 0.0
    for pair in range(amounts.size):
        for at in range(spans[2 * pair], spans[2 * pair + 2]):
            sums[items[at]] += amounts[pair]


@compiled
def margins_of(start: Floats, weights: Floats, spans: Ints, items: Codes) -> Floats:  # pragma: no cover - compiled
    """Margins of the pairs under weights of the features, from the start margins. O(items)."""
    margins = np.empty(start.size)
    for pair in range(start.size):
        margin = 0.0
        for at in range(spans[2 * pair], spans[2 * pair + 2]):
            weight = weights[items[at] >> SIDE]
            margin += -weight if items[at] & SIDE else weight
        margins[pair] = start[pair] + margin
    return margins


@compiled
def _log_round(
    place: int,
    delta: float,
    scales: Floats,
    state: Floats,
    contested: Contests,
    shares: Floats,
    sums: Floats,
    bounds: Bounds,
    index: Index,
    known: bool,
) -> int:  # pragma: no cover - compiled
    """Move one weight and settle the contests that it touches; returns the number of additions."""
    spans, items, starts, members, _ = index
    margins, amounts, losses, contests, contest_of = contested
    at, last, additions = starts[place], starts[place + 1], 0
    while at < last:
        contest = contest_of[members[at] >> SIDE]
        first, behind = contests[contest], contests[contest + 1]
        while at < last and np.int64(members[at] >> SIDE) < behind:
            margins[members[at] >> SIDE] += -delta if members[at] & SIDE else delta
            at += 1
        loss = np.rint(settle(margins, first, behind, shares) * scales[1])
        state[1] += loss - losses[contest]
        losses[contest] = loss
        for pair in range(first, behind):
            amount = np.rint(shares[pair] * scales[0])
            change = amount - amounts[pair]
            if change != 0.0:
                amounts[pair] = amount
                state[0] += change
                additions += spans[2 * pair + 2] - spans[2 * pair]
                if not known:
                    if pair + 1 < behind:
                        for item in range(spans[2 * pair + 3], spans[2 * pair + 4]):
                            prefetch(sums, np.int64(items[item]))
                    add(change, spans[2 * pair], spans[2 * pair + 2], items, sums, bounds)
    return additions


@compiled
def log_rounds(
    least: float,
    smoothing: float,
    scales: Floats,
    state: Floats,
    contested: Contests,
    shares: Floats,
    sums: Floats,
    bounds: Bounds,
    index: Index,
    costs: Ints,
    places: Ints,
    deltas: Floats,
    totals: Floats,
    additions: Ints,
    known: bool,
    exact: bool,
) -> int:  # pragma: no cover - compiled
    """Rounds under LogLoss, by the bound of appendix B or `exact`; along a `known` path without touching the sums.

    `contested` is (margins, amounts, losses, contests, contest of every pair): amounts are the shares of the
    pairs in whole units of `1 / scales[0]`, losses those of the contests in units of `1 / scales[1]`, and
    `state` has the totals of both. A round costs O(items of the contests that have its feature), and where it is exact
    a pass over all items; sums are not kept then.
    """
    done = 0
    codes = 0 if known or exact else sums.size
    changes, is_touched = np.zeros(codes), np.zeros(codes, np.bool_)
    touched, amounts = np.empty(codes, np.uint32), np.empty(codes)
    room = np.empty(contested[3].size if exact else 0), np.empty(contested[3].size if exact else 0)
    while done < places.size and (done == 0 or min(state[0], state[1]) >= least):
        if exact and not known:
            smooth = smoothing * state[0] / scales[0]
            place, delta, gain = lowest_loss(smooth, shares, contested[4], index, *room)
            if gain * scales[1] < 1.0:
                break
            places[done], deltas[done] = place, delta
        elif not known:
            place = strongest(sums, bounds, index[4])
            if place < 0:
                break
            places[done] = place
            deltas[done] = best_move(sums[2 * place], sums[2 * place + 1], state[0], smoothing)
        if not (known or exact) and costs[places[done]] > OFTEN * sums.size:
            count, share, loss, additions[done] = log_part(
                places[done], deltas[done], scales, contested, shares, index, changes, is_touched, touched, False
            )
            taken(touched, count, changes, is_touched, amounts)
            add_each(touched[:count], amounts, sums, bounds)
            state[0] += share
            state[1] += loss
        else:
            additions[done] = _log_round(
                places[done], deltas[done], scales, state, contested, shares, sums, bounds, index, known or exact
            )
        totals[done] = state[1]
        done += 1
    return done
