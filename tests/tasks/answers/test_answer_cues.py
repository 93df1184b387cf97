"""Cues of answers: what questions ask for, what sentences have, and the odds that are learned."""

from __future__ import annotations

import math

import pytest

from runoff.errors import ModelError
from runoff.tasks.answers.answer_cues import AnswerCues, class_keys, question_keys, sentence_cues
from runoff.tasks.answers.supersenses import Supersenses

SENSES = Supersenses.shipped()


@pytest.mark.parametrize(
    ("question", "keys"),
    [
        ("When did it fall ?", ("", "when")),
        ("how many birds sing", ("", "how many")),
        ("How does it work ?", ("", "how")),
        ("Which city is it ?", ("", "what", "what noun.location", "what city")),
        ("What is the xyzzy ?", ("", "what", "what None", "what xyzzy")),
        ("Name a river .", ("", "what", "what noun.communication", "what name")),
        ("", ("", "none")),
    ],
)
def test_what_a_question_asks_for(question: str, keys: tuple[str, ...]) -> None:
    assert question_keys(question.split(), SENSES) == keys


def test_keys_of_classes() -> None:
    assert class_keys("NUM:date") == ("", "NUM", "NUM:date")
    assert class_keys("NUM") == ("", "NUM")
    assert class_keys("") == ("",)


def test_what_a_sentence_has() -> None:
    words = [
        "In",
        "1843",
        "Ada",
        "paid",
        "$",
        "5.50",
        ",",
        "10",
        "%",
        ",",
        "on",
        "the",
        "3rd",
        "of",
        "May",
        "(",
        "she",
        "said",
        ")",
    ]
    found = sentence_cues(words, ["Who", "paid", "?"], SENSES)
    shapes = {"shape year", "shape money", "shape number", "shape percent", "shape ordinal", "shape bracket"}
    assert shapes <= found
    assert "capital" in found  # Ada
    assert "told in" in found
    assert "noun.possession" not in found  # the question has "paid"


def test_entities_with_letters_before_or_after_types() -> None:
    tags = ["B-PERSON", "PER_DESC-B", "-", "O"]
    found = sentence_cues(["Ada", "she", "it", "he"], [], SENSES, tags)
    assert {each for each in found if each.startswith("entity")} == {"entity PERSON", "entity PER_DESC"}


def test_odds_by_hand() -> None:
    year, name = frozenset(["year"]), frozenset(["name"])
    seen = [(("", "when"), year, True)] * 6 + [(("", "when"), name, False)] * 4 + [(("", "who"), name, True)] * 2
    cues = AnswerCues.learn(seen)
    # Of all questions: 6 of 8 right sentences have a year, none of 4 wrong ones; 4 more at the chance of 0.1 each.
    right, wrong = (6 + 4 * 0.1) / (8 + 4), (0 + 4 * 0.1) / (4 + 4)
    assert cues.weights[""]["year"] == pytest.approx(math.log(right / wrong))
    # Those with "when" lean on these chances with 4 sentences.
    own = math.log(((6 + 4 * right) / (6 + 4)) / ((0 + 4 * wrong) / (4 + 4)))
    assert cues.weights["when"]["year"] == pytest.approx(own)
    assert cues.total(("", "when", "never seen"), year) == pytest.approx(own)
    assert cues.best(("", "when"), year | name) == pytest.approx(own)
    assert cues.total(("", "when"), frozenset()) == cues.best(("", "when"), frozenset()) == 0.0


def test_nothing_to_learn_from() -> None:
    assert AnswerCues.learn([]).total(("", "when"), frozenset(["year"])) == 0.0


@pytest.mark.parametrize("values", [[], {"when": 3}, {"when": {"year": "1"}}, {"when": {"year": math.nan}}, None])
def test_weights_that_are_damaged(values: object) -> None:
    with pytest.raises(ModelError, match="the weights of answer cues are damaged"):
        AnswerCues.from_dict(values)
