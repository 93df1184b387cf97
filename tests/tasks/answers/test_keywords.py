"""Keywords: the order of salience is that of España-Bonet & Comas (2012), section 4.1."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import annotated_questions as questions
from runoff.tasks.answers.annotated import AnnotatedSentence, spans_of_tags
from runoff.tasks.answers.keywords import SALIENCE, keywords


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (questions.WHO, [("telephone", "noun"), ("invented", "verb")]),
        (questions.KIND, [("Golden Gate Bridge", "entity"), ("bridge", "noun")]),
        (questions.WHEN, [("Hawaii", "entity"), ("state", "noun"), ("become", "verb")]),
        (questions.QUOTED, [("To Be", "quoted"), ("1600", "entity"), ("wrote", "verb")]),
        (questions.LATE, [("baseball team", "nouns"), ("played", "verb")]),
        (questions.REQUEST, [("old city", "nouns"), ("very", "word")]),
        (questions.MANY, [("red cars", "nouns"), ("sold", "verb")]),
        (AnnotatedSentence(("What", "is", "it", "?"), ("WP", "VBZ", "PRP", ".")), []),
        (AnnotatedSentence((), ()), []),
    ],
)
def test_keywords_and_their_kinds(question: AnnotatedSentence, expected: list[tuple[str, str]]) -> None:
    assert [(each.text, each.span.label) for each in keywords(question)] == expected


def test_salience_falls_in_the_order_of_the_paper() -> None:
    assert list(SALIENCE) == ["quoted", "entity", "nouns", "noun", "verb", "word"]
    assert sorted(SALIENCE.values(), reverse=True) == list(SALIENCE.values())
    assert len(set(SALIENCE.values())) == len(SALIENCE)


def test_a_description_is_no_entity() -> None:
    question = questions.question("Which/WDT/B-NP team/NN/I-NP/B-ORG_DESC won/VBD/B-VP ?/./O")
    assert [(each.text, each.span.label) for each in keywords(question)] == [("team", "noun"), ("won", "verb")]


def test_a_quotation_without_an_end_is_none() -> None:
    question = questions.question("Who/WP/B-NP sang/VBD/B-VP ``/``/O Yesterday/NNP/B-NP ?/./O")
    assert [(each.text, each.span.label) for each in keywords(question)] == [("Yesterday", "noun"), ("sang", "verb")]


WORDS = ("Who", "``", "''", "the", "Old", "bridge", "Ada", "is", "name", "of", "1900", "?")
TAGS = ("WP", "``", "''", "DT", "JJ", "NN", "NNP", "VBZ", "NN", "IN", "CD", ".")


@given(st.lists(st.tuples(st.sampled_from(range(12)), st.sampled_from("BIO"), st.sampled_from("BIO")), max_size=9))
def test_keywords_of_anything(drawn: list[tuple[int, str, str]]) -> None:
    def spans(letters: list[str]) -> tuple[str, ...]:
        return tuple("O" if letter == "O" else f"{letter}-NP" for letter in letters)

    question = AnnotatedSentence(
        tuple(WORDS[at] for at, *_ in drawn),
        tuple(TAGS[at] for at, *_ in drawn),
        spans_of_tags(spans([chunk for _, chunk, _ in drawn])),
        spans_of_tags(spans([entity for *_, entity in drawn])),
    )
    found = keywords(question)
    places = [at for each in found for at in range(each.span.start, each.span.stop)]
    assert len(set(places)) == len(places)
    assert [each.salience for each in found] == sorted((each.salience for each in found), reverse=True)
    assert all(each.words == question.words_of(each.span) and each.words for each in found)
    # Whatever is a noun is somewhere among them, but for those that announce others.
    nouns = {at for at, tag in enumerate(question.pos) if tag.startswith("NN") and question.words[at] != "name"}
    assert nouns <= set(places)
