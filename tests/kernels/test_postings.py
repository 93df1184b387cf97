"""Inverted lists compared with dictionaries of lists."""

from __future__ import annotations

import numpy as np
import pytest

from runoff.kernels.postings import are_consistent, are_near, followed, in_order, inverted

N_TERMS = 12


def random_passages(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 9, 30)
    return rng.integers(0, N_TERMS, lengths.sum()).astype(np.int32), np.concatenate([[0], np.cumsum(lengths)])


def listed(passages: np.ndarray, place_offsets: np.ndarray, places: np.ndarray) -> dict[int, list[int]]:
    return {
        int(passage): places[place_offsets[at] : place_offsets[at + 1]].tolist() for at, passage in enumerate(passages)
    }


@pytest.mark.parametrize("seed", range(5))
def test_inverted_is_every_place_of_every_term_and_goes_back(seed: int) -> None:
    terms, offsets = random_passages(seed)
    posting_offsets, passages, place_offsets, places = inverted(terms, offsets, N_TERMS)
    for term in range(N_TERMS):
        first, last = posting_offsets[term : term + 2]
        expected = {
            passage: found
            for passage in range(offsets.size - 1)
            if (found := np.flatnonzero(terms[offsets[passage] : offsets[passage + 1]] == term).tolist())
        }
        assert listed(passages[first:last], place_offsets[first : last + 1], places) == expected
    assert np.array_equal(in_order(posting_offsets, passages, place_offsets, places, offsets), terms)
    lengths = np.diff(offsets).astype(np.int32)
    assert are_consistent(posting_offsets, passages, place_offsets, places, lengths)
    for array in (passages, places):
        for at in range(0, array.size, 7):
            array[at] += 1
            assert not are_consistent(posting_offsets, passages, place_offsets, places, np.append(lengths, np.int32(0)))
            array[at] -= 1


@pytest.mark.parametrize("seed", range(5))
def test_followed_is_one_place_before_another(seed: int) -> None:
    terms, offsets = random_passages(seed)
    posting_offsets, passages, place_offsets, places = inverted(terms, offsets, N_TERMS)
    for one, other, distance in ((0, 1, 1), (3, 3, 1), (2, 5, 2)):
        lists = []
        for term in (one, other):
            first, last = posting_offsets[term : term + 2]
            lists += [passages[first:last], place_offsets[first : last + 1], places]
        expected: dict[int, list[int]] = {}
        for passage in range(offsets.size - 1):
            row = terms[offsets[passage] : offsets[passage + 1]].tolist()
            found = [at for at in range(len(row) - distance) if (row[at], row[at + distance]) == (one, other)]
            if found:
                expected[passage] = found
        assert listed(*followed(*lists, distance)) == expected


def test_nearness_counts_the_words_between_the_end_of_one_and_the_begin_of_the_next() -> None:
    # One passage; a keyword of two words at 0, one of one word at 5: words 2, 3 and 4 are between them.
    offsets, places, lengths = np.array([0, 1, 2]), np.array([0, 5], np.int32), np.array([2, 1], np.int32)
    assert are_near(offsets, places, lengths, 1, 2, 3).tolist() == [True]
    assert are_near(offsets, places, lengths, 1, 2, 2).tolist() == [False]
