"""Links between a source and its translation: from the phrases of a translator."""

from __future__ import annotations

import time

import pytest

from runoff.tasks.translation.training import train_translator
from runoff.tasks.translation.word_links import Link, links_of
from runoff.tasks.translation.word_marks import tokens_of

ENGLISH = [
    "The man sees the house.",
    "The man sees a dog.",
    "A dog sees the man.",
    "Today a man sees the house.",
    "Today the man sleeps.",
    "The dog sleeps today.",
]
GERMAN = [
    "Der Mann sieht das Haus.",
    "Der Mann sieht einen Hund.",
    "Ein Hund sieht den Mann.",
    "Heute sieht ein Mann das Haus.",
    "Heute schläft der Mann.",
    "Der Hund schläft heute.",
]


@pytest.mark.parametrize("sentence", [*ENGLISH, "Today a dog sleeps.", "The unseen dog sees the man today."])
def test_phrases_stand_where_the_decoder_used_them(sentence: str) -> None:
    translator = train_translator(ENGLISH, GERMAN)
    tokens = translator.source.tokens([sentence])
    found = translator.decoder.nbest(tokens, 20)
    lists = translator.nbest([sentence], 20, phrase_pairs=True)
    names = lists.features.column_names().to_pylist()
    table = lists.features.to_scipy()
    checked = 0
    for row, derivation in enumerate(found.list_of(0)):
        values = dict(zip(table[[row]].indices.tolist(), table[[row]].data.tolist(), strict=True))
        used = [names[at] for at, count in values.items() for _ in range(round(count)) if names[at][:7] == "phrase:"]
        links = links_of(tokens.of(0), derivation.words, used)
        truth = {tuple(use[:4]) for use in derivation.phrases if use.option >= 0}
        is_unclear = len(set(tokens.of(0))) < len(tokens.of(0)) or len(set(derivation.words)) < len(derivation.words)
        if not is_unclear:
            assert set(map(tuple, links)) == truth
            checked += 1
        assert len(links) == len(truth)
    assert checked or "the" in sentence[1:]


def test_phrases_that_occur_twice_are_placed_twice() -> None:
    words, theirs = ["the", "cat", "and", "the", "cat"], ["die", "Katze", "und", "die", "Katze"]
    found = links_of(words, theirs, ["phrase:the cat=die Katze", "phrase:the cat=die Katze", "phrase:and=und"])
    assert found == (Link(0, 2, 0, 2), Link(2, 3, 2, 3), Link(3, 5, 3, 5))


def test_names_with_equals_signs_and_joiners_are_read() -> None:
    source, target = tokens_of("a = b."), tokens_of("x = y!")
    found = links_of(source, target, ["phrase:a ==x =", "phrase:b ￭.=y ￭!"])
    assert found == (Link(0, 2, 0, 2), Link(2, 4, 2, 4))


def test_phrases_of_other_sentences_are_left_alone() -> None:
    assert links_of(["a"], ["x"], ["phrase:b=x", "phrase:a=y", "phrase:", "phrase:a=", "phrase:=x", "other"]) == ()


def test_words_that_repeat_without_end_do_not_take_long() -> None:
    names = [f"phrase:{' '.join('a' * n)}={' '.join('b' * n)}" for n in range(1, 9)] * 4
    began = time.process_time()
    links_of(["a"] * 120, ["b"] * 90, names)
    assert time.process_time() - began < 5
