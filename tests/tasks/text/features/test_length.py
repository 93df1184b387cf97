"""Lengths against counting by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import NBest
from runoff.tasks.text.distinct_texts import DistinctTexts
from runoff.tasks.text.features.length import NAMES, length_features

TEXT = st.lists(st.sampled_from(["a", "bc", "é", "日本", "ok."]), max_size=5).map(" ".join)
WORDS = {"a": 1, "bc": 1, "é": 1, "日本": 2, "ok.": 2}  # by hand: signs and marks stand alone


def words(text: str) -> int:
    return sum(WORDS[piece] for piece in text.split())


@settings(deadline=None)
@given(st.lists(st.tuples(TEXT, st.lists(TEXT, max_size=5)), min_size=1, max_size=4), st.booleans(), st.booleans())
def test_every_column(groups: list[tuple[str, list[str]]], given_inputs: bool, reverse: bool) -> None:
    texts = [text for _, group in groups for text in group]
    # Scores that rise within a list make the last candidate the first round's choice.
    base = [float(at) for _, group in groups for at in range(len(group))] if reverse else None
    data = NBest.from_arrays(
        texts=texts,
        sizes=[len(group) for _, group in groups],
        inputs=[asked for asked, _ in groups] if given_inputs else None,
        base=base,
    )
    lists = DistinctTexts.of(data)
    names, table = length_features(lists)
    assert names == NAMES
    table = table[lists.text_of]
    row = 0
    for asked, group in groups:
        for text in group:
            mean = sum(map(words, group)) / len(group)
            first = words(group[-1 if reverse else 0])
            n, m = words(text), words(asked) if given_inputs else 0
            ratio = math.log((n + 1) / (mean + 1))
            expected = [
                n,
                len(text),
                math.log((n + 1) / (m + 1)) if m else 0.0,
                abs(ratio),
                max(ratio, 0.0),
                max(-ratio, 0.0),
                max(n - first, 0),
                max(first - n, 0),
                float(n == 0),
            ]
            assert table[row] == pytest.approx(expected, abs=1e-12)
            row += 1


def test_without_candidates() -> None:
    assert length_features(DistinctTexts.of(NBest.from_arrays(texts=[], sizes=[0, 0])))[1].shape == (0, len(NAMES))
