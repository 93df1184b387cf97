"""Candidates of small sentences, and which answers are the same."""

from __future__ import annotations

from runoff.tasks.answers.annotated import AnnotatedSentence
from runoff.tasks.answers.candidates import answer_key, candidates_in
from runoff.tasks.tagging.spans import Span


def test_an_entity_and_the_chunk_around_it_are_two_candidates():
    sentence = AnnotatedSentence(
        ("the", "electric", "guitar", "of", "Les", "Paul"),
        ("DT", "JJ", "NN", "IN", "NNP", "NNP"),
        (Span(0, 0, 3, "NP"), Span(0, 3, 4, "PP"), Span(0, 4, 6, "NP")),
        (Span(0, 4, 6, "PERSON"), Span(0, 2, 3, "PRODUCT")),
    )
    found = [(each.text, each.kind) for each in candidates_in([sentence])]
    assert found == [("electric guitar", "phrase"), ("guitar", "PRODUCT"), ("Les Paul", "PERSON")]


def test_phrases_without_a_noun_or_number_are_none():
    words, pos = ("it", "quickly", "grew", "to", "12"), ("PRP", "RB", "VBD", "TO", "CD")
    chunks = (Span(0, 0, 1, "NP"), Span(0, 1, 2, "ADVP"), Span(0, 2, 3, "VP"), Span(0, 4, 5, "NP"))
    assert [each.text for each in candidates_in([AnnotatedSentence(words, pos, chunks)])] == ["12"]


def test_sentences_are_numbered_and_empty_ones_have_none():
    one = AnnotatedSentence(("Ada",), ("NNP",), (), (Span(0, 0, 1, "PERSON"),))
    assert [(each.sentence, each.text) for each in candidates_in([AnnotatedSentence((), ()), one])] == [(1, "Ada")]


def test_a_phrase_of_marks_and_articles_alone_is_none():
    sentence = AnnotatedSentence(("the", "''"), ("DT", "NN"), (Span(0, 0, 2, "NP"),))
    assert candidates_in([sentence]) == []


def test_keys_of_answers():
    assert answer_key("the U.S.") == answer_key("U.S")
    assert answer_key("The The") == "the the"
    assert answer_key("1,000 miles") == "1 000 miles"
    assert answer_key("?!") == ""
