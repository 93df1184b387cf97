"""Different texts of lists, against dictionaries in plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import NBest
from runoff.errors import DataError
from runoff.tasks.text.distinct_texts import DistinctTexts
from runoff.tasks.text.tokenizer import tokenize

TEXT = st.sampled_from(["", "a", "b", "a b", "a  b", "A", "é!"])
LISTS = st.lists(st.lists(TEXT, max_size=6), max_size=5)


def data_of(groups: list[list[str]], base: list[float] | None = None, inputs: list[str] | None = None) -> NBest:
    texts = [text for group in groups for text in group]
    return NBest.from_arrays(texts=texts, sizes=[len(group) for group in groups], base=base, inputs=inputs)


@settings(deadline=None)
@given(LISTS)
def test_every_different_text_once_in_the_order_of_the_list(groups: list[list[str]]) -> None:
    lists = DistinctTexts.of(data_of(groups))
    different = [list(dict.fromkeys(group)) for group in groups]
    assert lists.texts.to_pylist() == [text for group in different for text in group]
    assert lists.offsets.tolist() == [0, *np.cumsum([len(group) for group in different]).tolist()]
    assert lists.copies.tolist() == [
        g.count(text) for g, texts in zip(groups, different, strict=True) for text in texts
    ]
    assert len(lists) == len(groups)
    assert lists.n_texts == sum(map(len, different))
    assert lists.sizes.tolist() == [len(group) for group in different]
    assert lists.list_of.tolist() == [at for at, group in enumerate(different) for _ in group]
    texts = [text for group in groups for text in group]
    assert lists.texts.take(lists.text_of).to_pylist() == texts
    group_of = [at for at, group in enumerate(groups) for _ in group]
    assert lists.list_of[lists.text_of].tolist() == group_of


@settings(deadline=None)
@given(LISTS, st.data())
def test_first_choice(groups: list[list[str]], draw: st.DataObject) -> None:
    base = None
    if draw.draw(st.booleans()):
        base = [float(draw.draw(st.integers(0, 2))) for group in groups for _ in group]
    lists = DistinctTexts.of(data_of(groups, base))
    at = 0
    for i, group in enumerate(groups):
        scores = base[at : at + len(group)] if base else [0.0] * len(group)
        if group:
            best = max(range(len(group)), key=lambda row: scores[row])  # the first of equal ones
            assert lists.texts[int(lists.first[i])].as_py() == group[best]
            assert lists.list_of[lists.first[i]] == i
        else:
            assert lists.first[i] == -1
        at += len(group)


@settings(deadline=None)
@given(LISTS, st.data())
def test_words_of_texts_and_then_of_inputs(groups: list[list[str]], draw: st.DataObject) -> None:
    inputs = [draw.draw(TEXT) for _ in groups] if draw.draw(st.booleans()) else None
    lists = DistinctTexts.of(data_of(groups, inputs=inputs))
    texts = [*lists.texts.to_pylist(), *(inputs or [""] * len(groups))]
    assert len(lists.words) == len(texts)
    assert [lists.words.of(at) for at in range(len(texts))] == [
        [word for piece in text.split() for word in tokenize(piece)] for text in texts
    ]


def test_a_part_of_the_data_is_that_part() -> None:
    data = data_of([["x", "y"], ["a", "b", "a"], ["z"]], inputs=["i", "j", "k"])
    for part in (data[1:2], data[[1]]):
        lists = DistinctTexts.of(part)
        assert (lists.texts.to_pylist(), lists.text_of.tolist()) == (["a", "b"], [0, 1, 0])
        assert lists.words.of(2) == ["j"]


def test_an_input_that_is_missing_has_no_words() -> None:
    lists = DistinctTexts.of(NBest.from_arrays(texts=["a", "b"], sizes=[1, 1], inputs=[None, "x y"]))
    assert [lists.words.of(2), lists.words.of(3)] == [[], ["x", "y"]]


def test_missing_texts_are_named() -> None:
    with pytest.raises(DataError, match="these candidates have no texts"):
        DistinctTexts.of(NBest.from_arrays([[1.0]], sizes=[1]))
