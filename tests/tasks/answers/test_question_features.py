"""Features of questions; what is expected was read in the questions and in WordNet."""

from __future__ import annotations

from helpers import annotated_questions as questions
from runoff.tasks.answers.annotated import AnnotatedSentence
from runoff.tasks.answers.question_features import question_features
from runoff.tasks.answers.supersenses import Supersenses

SENSES = Supersenses.shipped()


def features(question: AnnotatedSentence) -> set[str]:
    found = question_features(question, SENSES)
    assert len(set(found)) == len(found)
    return set(found)


def test_the_noun_that_is_asked_for() -> None:
    found = features(questions.BIRD)
    assert {"head:bird", "head:bird what", "head sense:noun.animal", "head is:animal.n.01", "head tag:NN what"} <= found
    assert {"asks:what", "asks:what bird", "word:sings", "pair:< what", "pair:? >", "start:what bird"} <= found


def test_kind_of_is_followed() -> None:
    found = features(questions.KIND)
    assert {"head:bridge", "head sense:noun.artifact", "outer head:kind"} <= found
    assert "head:kind" not in found


def test_after_did_the_noun_is_a_subject() -> None:
    found = features(questions.WHEN)
    assert {"subject:hawaii", "subject entity:GPE", "entity:GPE", "entity:GPE when do", "verb:become when do"} <= found
    assert not any(each.startswith("head") for each in found)


def test_compounds_that_wordnet_knows() -> None:
    minister = questions.question("Which/WDT/B-NP prime/JJ/I-NP minister/NN/I-NP left/VBD/B-VP ?/./O")
    assert "head is:head_of_state.n.01" in features(minister)


def test_outlines_leave_out_what_is_particular() -> None:
    assert "outline:what be the-NP PP GPE" in features(questions.POPULATION)
    other = questions.question(
        "What/WP/B-NP was/VBD/B-VP the/DT/B-NP area/NN/I-NP in/IN/B-PP Utah/NNP/B-NP/B-GPE ?/./O"
    )
    outlines = [{each for each in features(one) if each.startswith("outline")} for one in (questions.POPULATION, other)]
    assert outlines[0] == outlines[1]


def test_an_empty_question() -> None:
    assert {"asks:none", "length:0"} <= features(AnnotatedSentence((), ()))
