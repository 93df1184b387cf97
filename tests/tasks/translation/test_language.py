"""Texts to tokens and back, with the case of first words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runoff.errors import ModelError
from runoff.tasks.translation.joined_tokens import clean
from runoff.tasks.translation.language import Language

TEXTS = ["Der Hund ruft.", "Ein Mann ruft der Katze zu.", '"Der Mann ist da."', "Hunde und Männer", "- Der Hund", ""]


def test_first_words_are_spelled_as_inside_of_sentences():
    language = Language.learn(TEXTS)
    tokens = language.tokens(["Der Hund.", "Mann!", '"Der', "Unbekannt", "", "..."])
    assert [tokens.of(text) for text in range(len(tokens))] == [
        ["der", "Hund", "￭."],
        ["Mann", "￭!"],
        ['"￭', "der"],
        ["Unbekannt"],
        [],
        ["..."],
    ]


def test_words_that_are_spelled_in_two_ways_inside_get_the_commoner_one():
    language = Language.learn(["x Sie sie sie", "x Er Er er"])
    tokens = language.tokens(["Sie", "er"])
    assert (tokens.of(0), tokens.of(1)) == (["sie"], ["Er"])


def test_texts_begin_with_a_capital_where_training_texts_do():
    assert Language.learn(TEXTS).text(['"￭', "der", "Hund", '￭"']) == '"Der Hund"'
    assert Language.learn(["der Hund", "ein Hund"]).text(["der"]) == "der"
    assert Language.learn(TEXTS, truecase=False).text(["der"]) == "der"


@given(st.lists(st.text(alphabet="aAbßİ.' ", max_size=12), max_size=6))
def test_without_truecasing_texts_come_back_as_they_were(texts):
    language = Language(truecase=False)
    tokens = language.tokens(texts)
    assert [language.text(tokens.of(text)) for text in range(len(tokens))] == [clean(text) for text in texts]


def test_a_language_is_restored_from_plain_values():
    language = Language.learn(TEXTS)
    assert Language.from_dict(language.to_dict()) == language


@pytest.mark.parametrize("change", [{"spelling": [1]}, {"is_capitalised": 1}])
def test_damaged_values_are_refused(change):
    with pytest.raises(ModelError, match="spelling"):
        Language.from_dict({**Language.learn(TEXTS).to_dict(), **change})
