"""Words in which two translations differ: which are marked, and how it is written."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from runoff.tasks.translation.joined_tokens import clean
from runoff.tasks.translation.word_marks import WordMark, marked_text, tokens_of, word_marks

SENTENCES = st.lists(st.sampled_from(["a", "b", "c", "B", "don't", "(d)", "東京", "e,"]), max_size=8).map(" ".join)


@given(SENTENCES, SENTENCES)
def test_what_is_not_marked_is_the_same_in_both(one: str, other: str) -> None:
    sides = tokens_of(one), tokens_of(other)
    marks = word_marks(*sides), word_marks(*reversed(sides))
    rest = [
        [word.strip("￭") for word, mark in zip(side, its, strict=True) if mark is None]
        for side, its in zip(sides, marks, strict=True)
    ]
    assert len(rest[0]) <= min(map(len, sides))
    assert all(word in [token.strip("￭") for token in sides[1]] for word in rest[0])
    assert word_marks(sides[0], sides[0]) == (None,) * len(sides[0])


@given(SENTENCES)
def test_without_marks_the_text_is_as_it_was(text: str) -> None:
    words = tokens_of(text)
    assert marked_text(words, (None,) * len(words)) == clean(text)


def test_a_word_is_right_where_a_reference_has_it_at_this_place() -> None:
    rival, winner = tokens_of("Die Frau zeigt heute das Haus."), tokens_of("Die Frau heute das Haus zeigt.")
    references = [winner]
    assert marked_text(rival, word_marks(rival, winner, references)) == "Die Frau -[zeigt] heute das Haus."
    assert marked_text(winner, word_marks(winner, rival, references)) == "Die Frau heute das Haus +[zeigt]."


def test_one_of_several_references_is_enough() -> None:
    rival, winner = tokens_of("das Ufer"), tokens_of("die Bank")
    assert word_marks(winner, rival, [rival, winner]) == (WordMark.RIGHT, WordMark.RIGHT)


def test_a_joined_mark_stays_where_it_leans() -> None:
    rival, winner = tokens_of("er kam (spät)"), tokens_of("er kam spät!")
    assert marked_text(rival, word_marks(rival, winner)) == "er kam *[(]spät*[)]"
    assert marked_text(winner, word_marks(winner, rival)) == "er kam spät*[!]"
