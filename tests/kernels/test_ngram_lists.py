"""N-grams that two texts share, against Python's own multisets."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff.arrays import frozen
from runoff.kernels.ngram_lists import shared_ngrams
from runoff.kernels.ngram_numbers import ngram_numbers

ORDERS = 3


def check(made: list[list[list[int]]]) -> None:
    texts = [text for group in made for text in group]
    tokens = frozen(np.array([token for text in texts for token in text], np.int32))
    text_offsets = frozen(np.concatenate([[0], np.cumsum([len(text) for text in texts], dtype=np.int64)]))
    offsets = frozen(np.concatenate([[0], np.cumsum([len(group) for group in made], dtype=np.int64)]))
    numbers, found = ngram_numbers(offsets, text_offsets, tokens, ORDERS)
    shared, starts = shared_ngrams(offsets, text_offsets, numbers, found)
    for group, members in enumerate(made):
        for n in range(ORDERS):
            counts = [Counter(tuple(text[at : at + n + 1]) for at in range(len(text) - n)) for text in members]
            assert found[group, n] == len(set().union(*counts))
            expected = [(a & b).total() for a, b in itertools.combinations(counts, 2)]
            assert shared[n, starts[group] : starts[group + 1]].tolist() == expected


@settings(deadline=None)
@given(st.lists(st.lists(st.lists(st.integers(0, 3), max_size=12), max_size=6), max_size=4))
def test_small_lists(made: list[list[list[int]]]) -> None:
    check(made)


@pytest.mark.slow
def test_long_lists_with_rare_frequent_and_repeated_ngrams() -> None:
    rng = np.random.default_rng(0)
    # More than 512 frequent n-grams, so that the bits overflow; some n-grams are in two or three of 100 texts only.
    usual = rng.integers(0, 2**31 - 1, 700)
    crowded = [np.where(rng.random(700) < 0.9, usual, rng.integers(0, 300, 700)).tolist() for _ in range(60)]
    sparse = [rng.integers(0, 2_000, 40).tolist() for _ in range(100)]
    repeated = [[5] * length for length in (0, 1, 700, 650, 2)]
    check([crowded, [], sparse, [[1, 2]], repeated])


def test_a_later_part_of_the_texts() -> None:
    """Offsets of texts need not begin at 0: lists are handed over piece by piece."""
    tokens, text_offsets = frozen(np.array([9, 9, 1, 2, 1, 2, 3], np.int32)), frozen(np.array([2, 4, 7]))
    numbers, found = ngram_numbers(frozen(np.array([0, 2])), text_offsets, tokens, 2)
    assert numbers.tolist() == [[0, 1, 0, 1, 2], [0, -1, 0, 1, -1]]
    assert shared_ngrams(frozen(np.array([0, 2])), text_offsets, numbers, found)[0].tolist() == [[2], [1]]
