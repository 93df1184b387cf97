"""Answer patterns as TREC used them."""

from __future__ import annotations

import pytest

from runoff.errors import DataError
from runoff.tasks.answers.answer_patterns import AnswerPatterns


def test_match_is_anywhere_and_cover_is_all():
    patterns = AnswerPatterns.of([r"Golden\s+Gate", r"12\s+million"])
    assert patterns.match("near the golden gate bridge")
    assert not patterns.cover("the golden gate bridge")
    assert patterns.cover("The Golden Gate")
    assert patterns.cover("`` 12 million ''")
    assert not patterns.match("13 million")


def test_the_first_match_is_the_longest_one_there():
    patterns = AnswerPatterns.of(["York", "New", "New York"])
    assert patterns.first("in New York") == (3, 11)
    assert patterns.first("in Rome") is None
    assert AnswerPatterns.of(["x*"]).first("abc") is None  # it matches nothing, which is no answer


def test_a_wrong_expression_is_named():
    with pytest.raises(DataError, match=r"'\(a' is not a regular expression: missing \)"):
        AnswerPatterns.of(["a", "(a"])


def test_texts_are_taken_as_they_are_written():
    patterns = AnswerPatterns.of_texts(["C++", "a  b", " "])
    assert patterns.match("in C++ .")
    assert patterns.match("a b")
    assert not patterns.match("c")
    assert len(patterns.patterns) == 2
