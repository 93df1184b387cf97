"""Networks hold their texts exactly; their oracle is the nearest of all paths, found by trying every one."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from runoff.errors import DataError
from runoff.tasks.text import confusion_network
from runoff.tasks.text.confusion_network import ConfusionNetwork

WORDS = st.lists(st.sampled_from(["a", "an", "cat", "cad", "sat"]), max_size=6)
TEXTS = st.lists(WORDS, min_size=1, max_size=5)


@settings(deadline=None)
@given(TEXTS)
def test_every_text_is_a_path_and_every_slot_is_used(texts) -> None:
    network = ConfusionNetwork.of(texts)
    rows = network.rows()
    assert [[word for word in row if word] for row in rows] == texts
    assert all(any(column) for column in zip(*rows, strict=True))


@settings(deadline=None)
@given(WORDS, st.integers(1, 3))
def test_one_text_is_its_own_network(text, copies) -> None:
    assert ConfusionNetwork.of([text] * copies).rows() == [text] * copies


@settings(deadline=None)
@given(TEXTS, st.data())
def test_neither_copies_nor_the_order_change_anything(texts, data) -> None:
    drawn = data.draw(st.permutations([*range(len(texts)), *data.draw(st.lists(st.integers(0, len(texts) - 1)))]))
    rows = ConfusionNetwork.of(texts).rows()
    assert ConfusionNetwork.of([texts[at] for at in drawn]).rows() == [rows[at] for at in drawn]


@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from(["a", "an", "cat"]), max_size=4), min_size=1, max_size=3), WORDS)
def test_the_oracle_is_the_nearest_path(texts, reference) -> None:
    network = ConfusionNetwork.of(texts)
    columns = [dict.fromkeys(column) for column in zip(*network.rows(), strict=True)]
    paths = itertools.product(*columns)
    nearest = min(Levenshtein.distance([word for word in path if word], reference) for path in paths)
    assert network.fewest_edits(reference) == nearest
    assert len(network.against(reference)) == network.n_slots


def test_variants_of_a_word_share_a_slot() -> None:
    # By plain edits "beatness" could as well stand against "the".
    assert ConfusionNetwork.of([["the", "business"], ["beatness"]]).rows() == [["the", "business"], ["", "beatness"]]


def test_nothing_at_all() -> None:
    assert ConfusionNetwork.of([]).rows() == []
    assert ConfusionNetwork.of([[], []]).rows() == [[], []]
    assert ConfusionNetwork.of([[], []]).fewest_edits(["a"]) == 1
    assert ConfusionNetwork.of([[], ["a"]]).rows() == [[""], ["a"]]


def test_many_words_are_aligned_by_equality_alone(monkeypatch) -> None:
    monkeypatch.setattr(confusion_network, "_MOST_SPELLED", 3)
    network = ConfusionNetwork.of([["a", "cat", "sat"], ["a", "cad", "sat", "up"]])
    assert network.rows() == [["a", "cat", "sat", ""], ["a", "cad", "sat", "up"]]
    assert network.likeness("cat", "cad") == 0.0


def test_texts_that_are_too_long_are_an_error(monkeypatch) -> None:
    monkeypatch.setattr(confusion_network, "_CELLS", 100)
    network = ConfusionNetwork.of([["a"] * 5])
    with pytest.raises(DataError, match="a reference of 90 words is too long"):
        network.against(["a"] * 90)
    with pytest.raises(DataError, match="texts of 20 words are too long"):
        ConfusionNetwork.of([["a"] * 20, ["b"] * 3])
