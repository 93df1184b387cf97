"""Bit-parallel distances and alignments in little memory, against a table of costs in plain Python."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff.kernels import consensus as kernel
from runoff.kernels.bit_parallel_edits import edits_between, forget, pattern_bits

WORDS = st.lists(st.integers(0, 4), max_size=12)


def plain_distance(one: list[int], other: list[int]) -> int:
    row = list(range(len(other) + 1))
    for i, word in enumerate(one):
        before, row[0] = row[0], i + 1
        for j, against in enumerate(other):
            before, row[j + 1] = row[j + 1], min(before + (word != against), row[j] + 1, row[j + 1] + 1)
    return row[-1]


def numbers(words: list[int]) -> np.ndarray:
    return np.array(words, np.int64)


@settings(deadline=None)
@given(st.integers(0, 200), st.integers(0, 200), st.integers(1, 30), st.integers(0, 10_000))
def test_distances_over_blocks_of_64(n, m, n_words, seed) -> None:
    rng = np.random.default_rng(seed)
    one, other = rng.integers(0, n_words, n), rng.integers(0, n_words, m)
    slots = np.zeros(n_words, np.int32)
    places = pattern_bits(one, slots)
    room = np.empty((2, places.shape[1]), np.uint64)
    found = edits_between(places, one.size, other, slots, room[0], room[1])
    assert found == plain_distance(one.tolist(), other.tolist())
    forget(one, slots)
    assert not slots.any()


@pytest.mark.parametrize("cells", [1, 4, 9, 1000])
@settings(deadline=None)
@given(WORDS, WORDS)
def test_an_alignment_has_the_fewest_edits_in_whatever_memory(cells, text, base) -> None:
    place = np.full(len(text), -1, np.int64)
    kernel._align(numbers(text), numbers(base), place, np.empty(cells, np.int32))
    assert np.all(np.diff(place) >= 0)  # in order,
    aligned = place[place % 2 == 1] // 2
    assert len(set(aligned.tolist())) == aligned.size  # each word of the base once,
    assert np.all((place >= 0) & (place <= 2 * len(base)))  # and inside it
    edits = sum(at % 2 == 0 or text[i] != base[at // 2] for i, at in enumerate(place.tolist()))
    assert edits + len(base) - aligned.size == plain_distance(text, base)
