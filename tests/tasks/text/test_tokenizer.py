"""The cutter of words, by hand and by what must hold for any text."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runoff.tasks.text.tokenizer import is_punctuation, tokenize

PIECE = st.text(st.characters(exclude_categories=("Z", "Cc", "Cs")), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("piece", "words"),
    [
        # By hand, from the rule: marks around are words, marks inside stay, signs of Han and kana stand alone.
        ("cat", ["cat"]),
        ("cat.", ["cat", "."]),
        ("(cat)...", ["(", "cat", ")", ".", ".", "."]),
        ("don't", ["don't"]),
        ("1,000.5%", ["1,000.5", "%"]),
        ("-5", ["-", "5"]),
        ("$", ["$"]),
        ("...", [".", ".", "."]),
        ("«été»", ["«", "été", "»"]),
        ("東京都", ["東", "京", "都"]),
        ("JR東日本", ["JR", "東", "日", "本"]),
        ("東JR京ab", ["東", "JR", "京", "ab"]),
        ("「カナ」", ["「", "カ", "ナ", "」"]),
        ("東,京", ["東", ",", "京"]),
        ("한국어", ["한국어"]),
        ("हिन्दी", ["हिन्दी"]),
        ("ab😀", ["ab", "😀"]),
        ("", []),
    ],
)
def test_by_hand(piece: str, words: list[str]) -> None:
    assert tokenize(piece) == words


@given(PIECE)
def test_nothing_is_lost_and_nothing_is_empty(piece: str) -> None:
    words = tokenize(piece)
    assert "".join(words) == piece
    assert all(words)


@given(PIECE)
def test_no_word_has_marks_around_it(piece: str) -> None:
    for word in tokenize(piece):
        assert len(word) == 1 or not (is_punctuation(word[0]) or is_punctuation(word[-1]))


@given(st.characters())
def test_marks_are_punctuation_and_symbols(character: str) -> None:
    assert is_punctuation(character) == (unicodedata.category(character)[0] in "PS")
