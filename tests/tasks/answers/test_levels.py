"""Both levels of sentences, on the example of the paper and on hard ones."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from runoff.tasks.answers.annotated import AnnotatedSentence
from runoff.tasks.answers.levels import Level, level1, level2, quoted_expressions
from runoff.tasks.tagging.spans import Span

SENSES = {
    "is": "verb.stative",
    "nickname": "noun.communication",
    "earned": "verb.possession",
    "consistency": "noun.attribute",
}


class Senses:
    def of(self, word, pos):
        return SENSES.get(word.lower()) if pos.startswith(("N", "V")) else None


def sentence(words, pos, entities=()):
    return AnnotatedSentence(tuple(words.split()), tuple(pos.split()), entities=tuple(entities))


def test_the_question_of_figure_1():
    # España-Bonet & Comas (2012), figure 1: "What STATIVE B-PERSON 's COMMUNICATION ?"
    question = sentence("What is Karl Malone 's nickname ?", "WP VBZ NNP NNP POS NN .", [Span(0, 2, 4, "PERSON")])
    assert level2(question, Senses()).units() == ["what", "verbStative", "PERSON", "'s", "nounCommunication", "?"]
    assert level1(question).units() == ["what", "is", "karl", "malone", "'s", "nickname", "?"]


def test_the_answer_takes_the_place_of_what_it_covers():
    given_sentence = sentence("Karl Malone , the Mailman", "NNP NNP , DT NNP", [Span(0, 0, 2, "PERSON")])
    level = level2(given_sentence, Senses())
    assert level.units((4, 5)) == ["PERSON", ",", "the", "ANSWER"]
    assert level.units((0, 2)) == ["ANSWER", ",", "the", "mailman"]
    # What is left of an entity is still one of its class.
    assert level.units((0, 1)) == ["ANSWER", "PERSON", ",", "the", "mailman"]
    assert level.units((1, 2)) == ["PERSON", "ANSWER", ",", "the", "mailman"]


def test_quoted_expressions_come_before_entities_and_senses():
    question = sentence("Who sang `` Blue Moon '' ?", "WP VBD `` NNP NNP '' .", [Span(0, 3, 5, "WORK_OF_ART")])
    quoted = quoted_expressions(question.words)
    assert quoted == (("blue", "moon"),)
    answer = sentence(
        "Dean sang Blue Moon well", "NNP VBD NNP NNP RB", [Span(0, 0, 1, "PERSON"), Span(0, 2, 4, "WORK")]
    )
    assert level2(answer, Senses(), quoted).units() == ["PERSON", "sang", "QUOTED", "well"]
    # Half of the entity is quoted: the quotation was first, and the entity has no place left.
    assert level2(answer, Senses(), (("moon", "well"),)).units() == ["PERSON", "sang", "blue", "QUOTED"]


def test_quotes_without_an_end_or_with_nothing_inside_quote_nothing():
    assert quoted_expressions(["``", "a", "b"]) == ()
    assert quoted_expressions(['"', '"', "a"]) == ()
    assert quoted_expressions(["``", "A", "``", "b", "``", "c", "d", "''"]) == (("c", "d"), ("a",))


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=8), st.data())
def test_of_words_alone_the_answer_replaces_a_slice(words, data):
    start = data.draw(st.integers(0, len(words) - 1))
    stop = data.draw(st.integers(start + 1, len(words)))
    level = Level(tuple(words), (True,) * len(words))
    assert level.units((start, stop)) == [*words[:start], "ANSWER", *words[stop:]]
