"""Diagonal alignment: a target word likes the source word at the same share of its sentence.

Dyer, Chahuneau and Smith (2013), "A simple, fast, and effective reparameterization of IBM model 2": position i of I is
as likely for word j of J as exp(-tension |i / I - j / J|), and NULL has a fixed probability. O(cells) for every pair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.compilation import compiled

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats, Ints


@compiled
def priors(place: float, length: int, tension: float, null: float, out: Floats) -> None:  # pragma: no cover - compiled
    """Probabilities of NULL and of all positions for a word at this share of its sentence."""
    total = 0.0
    for i in range(1, length + 1):
        out[i] = np.exp(-tension * abs(i / length - place))
        total += out[i]
    over = (1.0 - null) / total
    for i in range(1, length + 1):
        out[i] *= over
    out[0] = null


@compiled
def add_counts(
    first: int,
    last: int,
    source_offsets: Ints,
    target_offsets: Ints,
    slots: Columns,
    probabilities: Floats,
    tension: float,
    null: float,
    place_of: Columns,
    counts: Floats,
    masses: Floats,
    distances: Floats,
) -> float:  # pragma: no cover - compiled
    """Add the expected counts of sentence pairs; gives the logarithm of their probability.

    Adds to `masses` the expected number of words not from NULL, for every kind of place in a pair, and to `distances`
    their expected distance from the diagonal.
    """
    log_likelihood, at = 0.0, 0
    room = np.empty(1)
    for pair in range(first, last):
        length, n = source_offsets[pair + 1] - source_offsets[pair], target_offsets[pair + 1] - target_offsets[pair]
        if room.size <= length:
            room = np.empty(2 * length + 1)
        for j in range(n):
            place = (j + 1) / n
            priors(place, length, tension, null, room)
            total = 0.0
            for i in range(length + 1):
                room[i] *= probabilities[slots[at + i]]
                total += room[i]
            for i in range(length + 1):
                share = room[i] / total
                counts[slots[at + i]] += share
                if i:
                    masses[place_of[target_offsets[pair] + j]] += share
                    distances[0] += share * abs(i / length - place)
            log_likelihood += np.log(total)
            at += length + 1
    return log_likelihood


@compiled
def expected_distance(
    places: Floats, lengths: Ints, masses: Floats, tension: float
) -> float:  # pragma: no cover - compiled
    """Expected distance from the diagonal of so many words in each kind of place."""
    result = 0.0
    for kind in range(places.size):
        total = weighted = 0.0
        for i in range(1, lengths[kind] + 1):
            distance = abs(i / lengths[kind] - places[kind])
            factor = np.exp(-tension * distance)
            total += factor
            weighted += factor * distance
        result += masses[kind] * weighted / total
    return result


@compiled
def best_tension(
    places: Floats, lengths: Ints, masses: Floats, distance: float, least: float, most: float
) -> float:  # pragma: no cover - compiled
    """The tension between two bounds for which the data is most probable: expected distances are as in the data.

    The expected distance falls with the tension, so halving the range finds it, here to 1e-9 of its width.
    """
    low, high = least, most
    for _ in range(30):
        middle = 0.5 * (low + high)
        if expected_distance(places, lengths, masses, middle) > distance:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@compiled
def align(
    first: int,
    last: int,
    source_offsets: Ints,
    target_offsets: Ints,
    slots: Columns,
    probabilities: Floats,
    tension: float,
    null: float,
    out: Columns,
) -> None:  # pragma: no cover - compiled
    """The most probable source position of every target token, from 0; -1 for NULL, the last of equals."""
    at = 0
    for pair in range(first, last):
        length, n = source_offsets[pair + 1] - source_offsets[pair], target_offsets[pair + 1] - target_offsets[pair]
        room = np.empty(length + 1)
        for j in range(n):
            priors((j + 1) / n, length, tension, null, room)
            for i in range(length + 1):
                room[i] *= probabilities[slots[at + i]]
            best = 1 + np.argmax(room[1:])
            out[target_offsets[pair] + j] = best - 1 if room[best] >= room[0] else -1
            at += length + 1
