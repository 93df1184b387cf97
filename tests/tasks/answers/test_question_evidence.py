"""Columns of evidence, on sentences small enough to count by hand."""

from __future__ import annotations

import math

import pytest

from runoff.tasks.answers.annotated import AnnotatedSentence
from runoff.tasks.answers.candidates import AnswerCandidate
from runoff.tasks.answers.question_evidence import COLUMNS, AskedTerms, evidence
from runoff.tasks.answers.supersenses import Supersenses
from runoff.tasks.answers.term_counts import TermCounts

COUNTS = TermCounts(1, {})  # every term weighs the same
QUESTION = AnnotatedSentence(("What", "dog", "lives", "in", "Rome", "?"), ("WP", "NN", "VBZ", "IN", "NNP", "."))
FIRST = AnnotatedSentence(
    ("A", "poodle", "named", "Rex", "lives", "in", "Rome", "."), ("DT", "NN", "VBD", "NNP", "VBZ", "IN", "NNP", ".")
)
SECOND = AnnotatedSentence(("Rex", "``", "slept", "''", "1990"), ("NNP", "``", "VBD", "''", "CD"))
CANDIDATES = [
    AnswerCandidate(0, 1, 2, "phrase", "poodle"),
    AnswerCandidate(0, 3, 4, "PERSON", "Rex"),
    AnswerCandidate(0, 6, 7, "GPE", "Rome"),
    AnswerCandidate(1, 0, 1, "PERSON", "Rex"),
    AnswerCandidate(1, 4, 5, "DATE", "1990"),
]


@pytest.fixture(scope="module")
def rows():
    asked = AskedTerms.of(QUESTION, COUNTS)
    found = evidence(asked, [FIRST, SECOND], CANDIDATES, COUNTS, Supersenses.shipped())
    return [dict(zip(COLUMNS, row, strict=True)) for row in found.tolist()]


def test_what_is_asked_for():
    asked = AskedTerms.of(QUESTION, COUNTS)
    assert (asked.order, asked.focus) == (("dog", "live", "rome"), "dog")


def test_words_of_the_question_in_the_sentence(rows):
    assert [row["sentence:overlap"] for row in rows] == pytest.approx([2 / 3, 2 / 3, 2 / 3, 0, 0])
    assert rows[0]["sentence:pairs"] == 0.5  # "live rome" of "dog live" and "live rome"
    assert rows[0]["sentence:bm25"] > rows[3]["sentence:bm25"] == 0


def test_how_near_they_are(rows):
    # Rex is one word before "lives" and three before "Rome"; Rome itself is no neighbour of itself.
    assert rows[1]["near:closest"] == pytest.approx(math.log1p(1))
    assert rows[1]["near:weighted"] == pytest.approx((0.5 ** (1 / 5) + 0.5 ** (3 / 5)) / 3)
    assert rows[1]["near:after"] == pytest.approx(2 / 3)
    assert rows[1]["near:before"] == 0
    assert rows[2]["near:before"] == pytest.approx(1 / 3)
    assert rows[4]["near:closest"] == pytest.approx(math.log1p(20))  # nothing of the question is there


def test_what_the_candidate_is(rows):
    assert [row["own:in question"] for row in rows] == [0, 0, 1, 0, 0]
    assert [row["own:kind of focus"] for row in rows] == [1, 0, 0, 0, 0]  # WordNet: a poodle is a dog
    assert [row["own:year"] for row in rows] == [0, 0, 0, 0, 1]
    assert [row["own:quoted"] for row in rows] == [0, 0, 0, 1, 1]
    assert [row["own:entity"] for row in rows] == [0, 1, 1, 1, 1]


def test_same_answers_vote(rows):
    assert [row["votes:sentences"] for row in rows] == pytest.approx([math.log1p(n) for n in (1, 2, 1, 2, 1)])
    assert rows[1]["votes:weighted"] == pytest.approx(1.0)  # all that the sentences weigh, as both say it
