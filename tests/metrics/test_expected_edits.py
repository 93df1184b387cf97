"""Expected edits against rapidfuzz, whose Levenshtein distance jiwer uses too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from runoff.metrics.expected_edits import expected_edits

if TYPE_CHECKING:
    import pytest

# Lengths about the ends of blocks of 64.
lengths = st.sampled_from([0, 1, 2, 5, 20, 62, 63, 64, 65, 100, 127, 128, 129, 200])


@st.composite
def made_lists(draw: st.DrawFn) -> list[list[list[int]]]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    different = draw(st.sampled_from([1, 2, 4, 300]))
    sizes = draw(st.lists(st.lists(lengths, max_size=5), max_size=3))
    return [[rng.integers(0, different, length).tolist() for length in group] for group in sizes]


def by_rapidfuzz(made: list[list[list[int]]], weights: np.ndarray) -> np.ndarray:
    out, start = np.zeros(weights.shape), 0
    for texts in made:
        own = weights[start : start + len(texts)]
        for at, text in enumerate(texts):
            edits = np.array([Levenshtein.distance(text, other) for other in texts], float)
            out[start + at] = -np.divide(edits @ own, own.sum(axis=0), out=np.zeros(2), where=own.sum(axis=0) > 0)
        start += len(texts)
    return out


def flat(made: list[list[list[int]]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    texts = [text for group in made for text in group]
    return (
        np.array([token for text in texts for token in text], np.int64),
        np.concatenate([[0], np.cumsum([len(text) for text in texts], dtype=np.int64)]),
        np.concatenate([[0], np.cumsum([len(group) for group in made], dtype=np.int64)]),
    )


@settings(deadline=None)
@given(made=made_lists(), seed=st.integers(0, 9))
def test_edits_of_every_two_texts(made: list[list[list[int]]], seed: int) -> None:
    ids, token_offsets, offsets = flat(made)
    weights = np.random.default_rng(seed).integers(0, 3, (token_offsets.size - 1, 2)) / 2
    np.testing.assert_allclose(expected_edits(ids, token_offsets, offsets, weights), by_rapidfuzz(made, weights), 1e-12)


def test_long_texts_that_differ_in_few_places() -> None:
    rng = np.random.default_rng(0)
    text = rng.integers(0, 30, 3_000)
    others = [np.delete(np.insert(text, rng.integers(0, 3_000, 40), 7), rng.integers(0, 3_000, 60)) for _ in range(3)]
    made = [[text.tolist(), *(other.tolist() for other in others)]]
    ids, token_offsets, offsets = flat(made)
    weights = np.ones((4, 2))
    assert expected_edits(ids, token_offsets, offsets, weights).tolist() == by_rapidfuzz(made, weights).tolist()


def test_results_do_not_depend_on_the_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    ids, token_offsets, offsets = rng.integers(0, 9, 120_000), np.arange(0, 120_001, 20), np.arange(0, 6_001, 300)
    weights = rng.random((6_000, 1))
    found = []
    for threads in ("1", "3"):
        monkeypatch.setenv("RUNOFF_THREADS", threads)
        found.append(expected_edits(ids, token_offsets, offsets, weights))
    assert np.array_equal(*found)
