"""Every text is restored from its tokens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runoff.tasks.translation.joined_tokens import JOINER, clean, join, split


def tokens_of(text):
    return [token for chunk in text.split(" ") if chunk for token in split(chunk)]


@given(st.text() | st.text(alphabet="ab'’-.,\"(5 é東_￭s\u0301ß"))
def test_every_clean_text_is_restored(text):
    cleaned = clean(text)
    tokens = tokens_of(cleaned)
    assert join(tokens) == cleaned
    assert all(tokens)
    assert not any(token.strip(JOINER).count(JOINER) for token in tokens)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        # The joints are where a reader would put them; marks have them, words do not.
        ('"Hello, (World)!" he said...', '"￭ Hello ￭, (￭ World ￭) ￭! ￭" he said ￭...'),
        (
            "The dog's T-Shirt costs $5.00, 3-year-old.",
            "The dog ￭'s T ￭-￭ Shirt costs $￭ 5.00 ￭, 3 ￭-￭ year ￭-￭ old ￭.",
        ),
        ("c'est l'eau", "c'￭ est l'￭ eau"),
        ("ein „Wort“", "ein „￭ Wort ￭“"),
        ("東京に行く!", "東 ￭京 ￭に ￭行 ￭く ￭!"),
        ("नमस्ते दुनिया", "नमस्ते दुनिया"),
        ("<b>x</b>", "<￭ b ￭>￭ x ￭<￭ /￭ b ￭>"),
    ],
)
def test_tokens_are_those_that_a_reader_expects(text, tokens):
    assert " ".join(tokens_of(text)) == tokens


def test_a_joiner_in_a_text_is_replaced():
    assert clean(f"a{JOINER}b") == "a■b"
