"""HMM alignment: where a target word comes from depends on where the one before came from.

Vogel, Ney and Tillmann (1996), "HMM-based word alignment in statistical translation", with NULL as Och and Ney (2003)
have it: a word from NULL keeps the position before it, and has the same probability everywhere. Position 0 is the
place before the sentence. A jump has a weight by its width, over the sum of the weights of all jumps that stay in the
sentence; all jumps beyond the table's reach to one side have the same weight, so that a pair costs O(target words
times source words times the smaller of source words and reach) time, and its cells as memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats, Ints

_REASSOCIATED = {"reassoc", "nsz"}


@compiled
def totals(weights: Floats, length: int) -> Floats:  # pragma: no cover - compiled
    """Sum of the weights of all jumps from position 0 to `length` into a sentence of that length."""
    reach = (weights.size - 3) // 2
    middle = reach + 1
    out = np.zeros(length + 1)
    for at in range(length + 1):
        low, high = max(1, at - reach), min(length, at + reach)
        for to in range(low, high + 1):
            out[at] += weights[middle + to - at]
        out[at] += (low - 1) * weights[0] + (length - high) * weights[-1]
    return out


@compiled(fastmath=_REASSOCIATED)
def _dot(one: Floats, other: Floats) -> float:  # pragma: no cover - compiled
    """Inner product, in the order that is fastest.

    A loop that also stores must not be compiled like this: whether it is vectorised, and so in which order it adds,
    then depends on where its arrays lie in memory.
    """
    total = 0.0
    for at in range(one.size):
        total += one[at] * other[at]
    return total


@compiled
def posteriors(
    emissions: Floats, weights: Floats, null: float, real: Floats, of_null: Floats, jumps: Floats, chances: Floats
) -> float:  # pragma: no cover - compiled
    """Probability of every source position for every target word, in `real`, and of NULL; the log-likelihood.

    `emissions[j, i]` is p(target word j | source word i), NULL at 0; `null` is the probability of NULL. Adds the
    expected number of jumps of every width to `jumps`, and to `chances` what each would be expected to be for a
    weight of 1 (`new_weights`). Scaled at every word as in Rabiner (1989).
    """
    n, length = emissions.shape[0], emissions.shape[1] - 1
    reach = (weights.size - 3) // 2
    middle = reach + 1
    over = (1.0 - null) / totals(weights, length)
    memory, scales = np.empty((n + 1, length + 1)), np.empty(n)
    memory[0] = 0.0
    memory[0, 0] = 1.0
    log_likelihood = 0.0
    for j in range(n):
        into = real[j]
        into[:] = 0.0
        _arrive(memory[j], over, weights, into)
        total = 0.0
        for i in range(length + 1):
            into[i] *= emissions[j, i]  # nothing arrives at 0
            memory[j + 1, i] = into[i] + null * emissions[j, 0] * memory[j, i]
            total += memory[j + 1, i]
        scales[j] = total
        log_likelihood += np.log(total)
        turn = 1.0 / total
        for i in range(length + 1):
            into[i] *= turn
            memory[j + 1, i] *= turn
    back, before, beside = np.ones(length + 1), np.empty(length + 1), np.empty(length + 1)
    left, departed, raw = np.empty(length + 2), np.zeros(length + 1), np.zeros(weights.size)
    for j in range(n - 1, -1, -1):
        stay = null * emissions[j, 0] / scales[j]
        of_null[j] = 0.0
        left[0] = left[1] = 0.0
        for i in range(1, length + 1):
            beside[i] = emissions[j, i] * back[i] / scales[j]
            left[i + 1] = left[i] + beside[i]  # of positions 1 to i
        for i in range(length + 1):
            real[j, i] *= back[i]
            of_null[j] += stay * memory[j, i] * back[i]
        for i in range(length + 1 if j else 1):
            share = memory[j, i] * over[i]
            low, high = max(1, i - reach), min(length, i + reach)
            shift = middle - i
            inner = _dot(weights[shift + low : shift + high + 1], beside[low : high + 1])
            for to in range(low, high + 1):
                raw[shift + to] += share * beside[to]
            far_left, far_right = left[low], left[length + 1] - left[high + 1]
            if low > 1:
                inner += weights[0] * far_left
                raw[0] += share * far_left
            if high < length:
                inner += weights[-1] * far_right
                raw[-1] += share * far_right
            departed[i] += share * inner
            before[i] = over[i] * inner + stay * back[i]
        back, before = before, back
    for width in range(weights.size):
        jumps[width] += raw[width] * weights[width]
    for i in range(length + 1):
        part = departed[i] * over[i] / (1.0 - null)
        low, high = max(1, i - reach), min(length, i + reach)
        for to in range(low, high + 1):
            chances[middle + to - i] += part
        chances[0] += part * (low - 1)
        chances[-1] += part * (length - high)
    return log_likelihood


@compiled
def _arrive(memory: Floats, over: Floats, weights: Floats, into: Floats) -> None:  # pragma: no cover - compiled
    """Add to every position what jumps there from everywhere."""
    length = memory.size - 1
    reach = (weights.size - 3) // 2
    middle = reach + 1
    from_left, from_right = np.zeros(length + 2), np.zeros(length + 2)  # differences of what jumps far
    for i in range(length + 1):
        share = memory[i] * over[i]
        if share == 0.0:
            continue
        low, high = max(1, i - reach), min(length, i + reach)
        shift = middle - i
        for to in range(low, high + 1):
            into[to] += share * weights[shift + to]
        from_right[low] += share  # to the positions before `low`
        from_left[high] += share  # to those after `high`
    if length <= reach:
        return
    total = 0.0
    for to in range(1, length + 1):
        into[to] += total * weights[-1]
        total += from_left[to]
    total = 0.0
    for to in range(length, 0, -1):
        into[to] += total * weights[0]
        total += from_right[to]


@compiled
def gathered(cells: Columns, probabilities: Floats, n: int, length: int) -> Floats:  # pragma: no cover - compiled
    """Probabilities of a pair's words: a row for every target word, a column for NULL and every source word."""
    out = np.empty((n, length + 1))
    for at in range(out.size):
        out.reshape(-1)[at] = probabilities[cells[at]]
    return out


@compiled
def add_counts(
    first: int,
    last: int,
    source_offsets: Ints,
    target_offsets: Ints,
    slots: Columns,
    probabilities: Floats,
    weights: Floats,
    null: float,
    counts: Floats,
    jumps: Floats,
    chances: Floats,
) -> float:  # pragma: no cover - compiled
    """Add the expected counts of words and jumps of sentence pairs; gives the logarithm of their probability."""
    log_likelihood, begin = 0.0, 0
    for pair in range(first, last):
        length, n = source_offsets[pair + 1] - source_offsets[pair], target_offsets[pair + 1] - target_offsets[pair]
        cells = slots[begin : begin + n * (length + 1)]
        begin += cells.size
        emissions = gathered(cells, probabilities, n, length)
        real, of_null = np.empty((n, length + 1)), np.empty(n)
        log_likelihood += posteriors(emissions, weights, null, real, of_null, jumps, chances)
        at = 0
        for j in range(n):
            counts[cells[at]] += of_null[j]
            for i in range(1, length + 1):
                counts[cells[at + i]] += real[j, i]
            at += length + 1
    return log_likelihood


@compiled
def new_weights(jumps: Floats, chances: Floats, least: float) -> Floats:  # pragma: no cover - compiled
    """Weights of jumps with which the data is at least as probable, the most of them 1.

    Weights stand in sums of which each sentence has another, so there is no closed form; a step of the MM algorithm
    (Hunter 2004, "MM algorithms for generalized Bradley-Terry models") never lowers the likelihood.
    """
    out = np.zeros(jumps.size)
    for width in range(jumps.size):
        if chances[width] > 0.0:
            out[width] = jumps[width] / chances[width]
    most = out.max()
    for width in range(jumps.size):
        out[width] = max(out[width] / most, least) if most > 0.0 else 1.0
    return out


@compiled
def best_path(emissions: Floats, weights: Floats, null: float, out: Columns) -> None:  # pragma: no cover - compiled
    """The most probable alignment: the source position of every target word, from 0, or -1 (Viterbi)."""
    n, length = emissions.shape[0], emissions.shape[1] - 1
    reach = (weights.size - 3) // 2
    middle = reach + 1
    over = (1.0 - null) / totals(weights, length)
    came_from = np.empty((n, length + 1), np.int32)
    memory, now = np.zeros(length + 1), np.empty(length + 1)
    left, right = np.empty(length + 1, np.int64), np.empty(length + 1, np.int64)
    memory[0] = 1.0
    for j in range(n):
        for i in range(length + 1):
            now[i] = memory[i] * over[i]
        left[0] = 0  # the best of 0 to i, and of i to the end
        for i in range(1, length + 1):
            left[i] = i if now[i] > now[left[i - 1]] else left[i - 1]
        right[length] = length
        for i in range(length - 1, -1, -1):
            right[i] = i if now[i] >= now[right[i + 1]] else right[i + 1]
        most = 0.0
        fresh = np.empty(length + 1)
        for i in range(length + 1):
            best, origin = 0.0, -1
            if i:
                for at in range(max(0, i - reach), min(length, i + reach) + 1):
                    value = now[at] * weights[middle + i - at]
                    if value > best:
                        best, origin = value, at
                if i - reach > 0 and now[left[i - reach - 1]] * weights[-1] > best:
                    origin = left[i - reach - 1]
                    best = now[origin] * weights[-1]
                if i + reach < length and now[right[i + reach + 1]] * weights[0] > best:
                    origin = right[i + reach + 1]
                    best = now[origin] * weights[0]
                best *= emissions[j, i]
            stay = null * emissions[j, 0] * memory[i]
            came_from[j, i] = origin if best > 0.0 and best >= stay else -1
            fresh[i] = max(best, stay)
            most = max(most, fresh[i])
        for i in range(length + 1):
            memory[i] = fresh[i] / most
    place = np.argmax(memory)
    for j in range(n - 1, -1, -1):
        if came_from[j, place] < 0:
            out[j] = -1
        else:
            out[j] = place - 1
            place = came_from[j, place]


@compiled
def align(
    first: int,
    last: int,
    source_offsets: Ints,
    target_offsets: Ints,
    slots: Columns,
    probabilities: Floats,
    weights: Floats,
    null: float,
    posterior: bool,
    out: Columns,
) -> None:  # pragma: no cover - compiled
    """Source positions of all target words of sentence pairs: the best alignment, or the best of each word."""
    unused, unused_too = np.zeros(weights.size), np.zeros(weights.size)
    begin = 0
    for pair in range(first, last):
        chosen = out[target_offsets[pair] : target_offsets[pair + 1]]
        length, n = source_offsets[pair + 1] - source_offsets[pair], chosen.size
        cells = slots[begin : begin + n * (length + 1)]
        begin += cells.size
        emissions = gathered(cells, probabilities, n, length)
        if not posterior:
            best_path(emissions, weights, null, chosen)
            continue
        real, of_null = np.empty((n, length + 1)), np.empty(n)
        posteriors(emissions, weights, null, real, of_null, unused, unused_too)
        for j in range(n):
            best = np.argmax(real[j])
            chosen[j] = best - 1 if real[j, best] >= of_null[j] else -1
