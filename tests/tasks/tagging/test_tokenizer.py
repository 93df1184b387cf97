"""Words of raw text: the rules, their places, real treebanks, and texts made to take long."""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff.tasks.tagging import split_sentences, tokenize
from runoff.tasks.tagging.columns import read_columns
from runoff.tasks.tagging.raw_text import corpus_of_text, read_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.mark.parametrize(
    ("text", "words"),
    [
        # As in the Penn Treebank (the cases of its tokenisation page), but quotes stay as they are written.
        ("They'll save and invest more.", "They 'll save and invest more ."),
        ("children's parents' books", "children 's parents ' books"),
        ("won't can't don't gonna cannot I'm", "wo n't ca n't do n't gon na can not I 'm"),
        ("DON'T IT'S", "DO N'T IT 'S"),
        ("don’t it’s", "do n’t it ’s"),
        ('"Yes," he said (quietly).', '" Yes , " he said ( quietly ) .'),
        ("``Yes'' -LRB- no -RRB-", "`` Yes '' -LRB- no -RRB-"),
        ("Mr. Smith of the U.S. met J. Doe, e.g. at 5 p.m.", "Mr. Smith of the U.S. met J. Doe , e.g. at 5 p.m."),
        ("Acme Corp. rose 1 1/2 to $5.50, up 10.5%", "Acme Corp. rose 1 1/2 to $ 5.50 , up 10.5 %"),
        ("1,000,000 at 10:30 in the 1990s, 3rd US$5", "1,000,000 at 10:30 in the 1990s , 3rd US$ 5"),
        ("a well-known U.S.-based 190.58-point O'Neill AT&T", "a well-known U.S.-based 190.58-point O'Neill AT&T"),
        ("Wait... what -- no!! Really?!", "Wait ... what -- no !! Really ?!"),
        (
            "See http://a.org/x?y=1. Or www.b.com, or me@c.co.uk.",
            "See http://a.org/x?y=1 . Or www.b.com , or me@c.co.uk .",
        ),
        ("great :) <3 @ann #tag", "great :) <3 @ann #tag"),
        ("'Tis 'em '80s rock 'n roll", "'T is 'em '80s rock 'n roll"),
        ("", ""),
        (" \t\n", ""),
        ("日本 naïve", "日本 naïve"),
    ],
)
def test_rules(text: str, words: str) -> None:
    assert " ".join(token.text for token in tokenize(text)) == words


@given(st.text(max_size=80) | st.text("ab.'n t-1$,()", max_size=60))
@settings(deadline=None)
def test_places_cover_the_text(text: str) -> None:
    found = tokenize(text)
    assert all(text[token.start : token.stop] == token.text for token in found)
    assert all(one.stop <= other.start for one, other in itertools.pairwise(found))
    assert "".join(token.text for token in found) == "".join(text.split())
    for start, stop in split_sentences(text):
        assert text[start:stop] == text[start:stop].strip() != ""
    kept = "".join(text[start:stop] for start, stop in split_sentences(text))
    assert "".join(kept.split()) == "".join(text.split())


@pytest.mark.parametrize(
    "piece", ["a", "a.", "a..", "a-", "1", "1.", "'", ".", "n't", "@a", "a@", "http://", " . ", "\n", "!A "]
)
def test_no_text_takes_long(piece: str) -> None:
    text = piece * (300_000 // len(piece))
    start = time.perf_counter()
    tokenize(text)
    split_sentences(text)
    assert time.perf_counter() - start < 10  # seconds; a quadratic rule would take hours


def agreement(words: list[str], offsets: list[int]) -> float:
    """Share of sentences that come back when their words, joined by blanks, are split again."""
    same = 0
    for start, stop in itertools.pairwise(offsets):
        given_words = words[start:stop]
        same += [token.text for token in tokenize(" ".join(given_words))] == given_words
    return same / (len(offsets) - 1)


@pytest.mark.parametrize(
    ("file", "columns", "sentences"),
    [("chunks/conll2000.test.txt.gz", None, 0.99), ("roles/ewt.dev.conll.gz", "word=4", 0.97)],
)
def test_words_of_treebanks_stay_whole(shared_data: Path, file: str, columns: str | None, sentences: float) -> None:
    corpus = read_columns(shared_data / file, columns, ragged=columns is not None)
    assert agreement(corpus["word"].texts(), corpus.offsets.tolist()) > sentences  # 99.7% and 98.3% when it was written


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Mr. A. Smith left. He ran!", ["Mr. A. Smith left.", "He ran!"]),
        ('He said "Go." Then he left.', ['He said "Go."', "Then he left."]),
        ("It cost $5.50. No. 7 was in the U.S. Army.", ["It cost $5.50.", "No. 7 was in the U.S. Army."]),
        ("Really? yes! no... maybe", ["Really?", "yes!", "no... maybe"]),
        ("A title\n\nSome text.\nMore text.", ["A title", "Some text.", "More text."]),
        ("One line\nof text.", ["One line\nof text."]),
        ("So did I. Then (why?) it ended.", ["So did I.", "Then (why?) it ended."]),
        ("", []),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert [text[start:stop] for start, stop in split_sentences(text)] == sentences


def test_raw_text_as_a_corpus(file: Callable[..., Path]) -> None:
    path = file("\ufeffIt's one. It's two.\r\n\r\nThree\r\n")
    lines = read_text(path, offsets=True)
    assert lines.sizes.tolist() == [8, 0, 1]
    whole = "It's one. It's two.\n\nThree\n"
    starts, stops = ([int(text) for text in lines[name].texts()] for name in ("start", "stop"))
    assert [whole[start:stop] for start, stop in zip(starts, stops, strict=True)] == lines["word"].texts()
    assert read_text(path, sentences="rules").sizes.tolist() == [4, 4, 1]
    assert corpus_of_text("It's  one.\tx", sentences="words")["word"].texts() == ["It's", "one.", "x"]
