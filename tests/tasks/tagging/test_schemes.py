"""Schemes of tags: one reading for all, exact conversion, detection, and the first error."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.slow_conlleval import ends, parts, starts
from runoff.errors import DataError, UsageError
from runoff.tasks.tagging import Corpus, Spans, convert, detect_scheme, first_error, phrases, tags_of
from runoff.tasks.tagging.columns import read_columns
from runoff.tasks.tagging.schemes import SCHEMES, scheme_name

if TYPE_CHECKING:
    from pathlib import Path

# (start, stop, label) of phrases in sentences of these sizes, with the tags written by hand
SIZES = [5, 0, 2, 3]
PHRASES = [(0, 2, "NP"), (2, 3, "NP"), (3, 5, "VP"), (5, 7, "NP"), (7, 8, "NP"), (9, 10, "VP")]
WRITTEN = {
    "bio": "B-NP I-NP B-NP B-VP I-VP B-NP I-NP B-NP O B-VP",
    "iob1": "I-NP I-NP B-NP I-VP I-VP I-NP I-NP I-NP O I-VP",
    "bioes": "B-NP E-NP S-NP B-VP E-VP B-NP E-NP S-NP O S-VP",
    "bilou": "B-NP L-NP U-NP B-VP L-VP B-NP L-NP U-NP O U-VP",
}


def corpus_of(tags: str, sizes: list[int] | None = None) -> Corpus:
    return Corpus.of({"tag": tags.split()}, sizes=sizes or [len(tags.split())])


def found(corpus: Corpus) -> list[tuple[int, int, str]]:
    spans = phrases(corpus)
    return list(zip(spans.starts.tolist(), spans.stops.tolist(), spans.texts(), strict=True))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_reading_writing_and_detection(scheme: str) -> None:
    corpus = corpus_of(WRITTEN[scheme], SIZES)
    assert found(corpus) == PHRASES
    assert detect_scheme(corpus) == scheme
    assert first_error(corpus, scheme) is None
    for other in SCHEMES:
        made = convert(corpus, other)["tag"]
        assert made.texts() == WRITTEN[other].split()
        assert len(set(made.values)) == len(made.values)
        assert first_error(corpus, other) is None or other != scheme


def test_letters_of_other_schemes() -> None:
    assert found(corpus_of("B-X M-X E-X S-X")) == [(0, 3, "X"), (3, 4, "X")]
    assert found(corpus_of("B I O I")) == [(0, 2, ""), (3, 4, "")]
    assert convert(corpus_of("B I O I"), "bioes")["tag"].texts() == ["B", "E", "O", "S"]
    assert scheme_name("IOB2") == "bio"


def slow_phrases(sentences: list[list[str]]) -> list[tuple[int, int, str]]:
    """By conlleval's own rules: a phrase goes from where one starts to where one ends."""
    out: list[tuple[int, int, str]] = []
    first = 0
    for tags in sentences:
        last, begun = ("O", ""), -1
        for at, tag in enumerate([*tags, "O"]):
            now = parts(tag)
            if begun >= 0 and ends(last, now):
                out.append((first + begun, first + at, last[1]))
                begun = -1
            if starts(last, now):
                begun = at
            last = now
        first += len(tags)
    return out


@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from(["O", "B-A", "I-A", "B-C", "I-C", "B", "I"]), max_size=7), max_size=4))
def test_any_sequence_is_read_as_conlleval_does(sentences: list[list[str]]) -> None:
    corpus = Corpus.of({"tag": [tag for each in sentences for tag in each]}, sizes=[len(each) for each in sentences])
    assert found(corpus) == slow_phrases(sentences)
    for scheme in SCHEMES:
        made = convert(corpus, scheme)
        assert found(made) == found(corpus)
        assert first_error(made, scheme) is None


@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from(["O", "E-A", "I-A", "E-C", "I-C"]), max_size=7), max_size=4))
def test_so_are_the_schemes_with_ends(sentences: list[list[str]]) -> None:
    corpus = Corpus.of({"tag": [tag for each in sentences for tag in each]}, sizes=[len(each) for each in sentences])
    assert found(corpus) == slow_phrases(sentences)


@pytest.mark.parametrize(
    ("scheme", "tags", "message"),
    [
        ("bio", "B-A O I-A", "sentence 1, token 3: 'I-A' is not allowed: it continues no phrase"),
        ("bio", "B-A I-C", "token 2: 'I-C' is not allowed: it continues no phrase"),
        ("bio", "B-A E-A", "'E-A' is not allowed: bio has the letters O, B, I$"),
        ("iob1", "I-A B-A B-C", "token 3: 'B-C' is not allowed: B is for a phrase right after"),
        ("bioes", "S-A B-A O", "token 2: 'B-A' is not allowed: its phrase has no end"),
        ("bioes", "B-A I-A", "token 2: 'I-A' is not allowed: its phrase has no end"),
        ("bioes", "S-A E-A", "token 2: 'E-A' is not allowed: it continues no phrase"),
        ("bilou", "B-A E-A", "'E-A' is not allowed: bilou has the letters O, B, I, L, U$"),
    ],
)
def test_the_first_error(scheme: str, tags: str, message: str) -> None:
    assert re.search(message, str(first_error(corpus_of(tags), scheme)))


def test_errors_are_per_sentence() -> None:
    assert first_error(corpus_of("B-A I-A", [1, 1]), "bio") == (1, 0, "I-A", "it continues no phrase of its type")
    assert detect_scheme(corpus_of("I-A B-A I-A", [2, 1])) == "iob1"
    assert detect_scheme(corpus_of("B-A O B-A I-C")) == "bio"  # one error against two


def test_what_is_no_tag_of_a_phrase() -> None:
    with pytest.raises(DataError, match=r"found 'NN' in sentence 2, token 1\."):
        phrases(corpus_of("B-A NN", [1, 1]))
    with pytest.raises(DataError, match="found 'O-A'"):
        phrases(corpus_of("O-A"))
    with pytest.raises(UsageError, match="there is no scheme 'bo'; there are: bio, iob1, bioes, bilou, iob2"):
        convert(corpus_of("O"), "bo")
    # a value that no token has is not looked at
    assert len(phrases(Corpus.of({"tag": ["O", "NN"]}, sizes=[1, 1])[0])) == 0
    assert phrases(Corpus.of({"tag": []}, sizes=[0, 0])).starts.size == 0


@pytest.mark.parametrize(("starts", "stops"), [([0, 1], [2, 3]), ([0], [3]), ([1], [1]), ([3], [5])])
def test_phrases_that_tags_cannot_show(starts: list[int], stops: list[int]) -> None:
    spans = Spans(np.array(starts), np.array(stops), np.zeros(len(starts), np.int32), ("A",))
    with pytest.raises(UsageError, match="phrase"):
        tags_of(spans, np.array([0, 2, 4]))


def test_a_million_tokens_take_about_a_second() -> None:
    corpus = corpus_of(WRITTEN["bio"])
    large = Corpus.of({"tag": corpus["tag"].take(np.arange(1_000_000) % 10)}, sizes=[10] * 100_000)
    start = time.perf_counter()
    convert(convert(large, "bioes"), "bio")
    assert time.perf_counter() - start < 4  # about 0.4 s on a quiet machine


def test_real_chunks(shared_data: Path) -> None:
    chunks = read_columns(shared_data / "chunks" / "conll2000.test.txt.gz")
    assert detect_scheme(chunks) == "bio"
    assert first_error(chunks, "bio") is None
    assert len(phrases(chunks)) == 23852  # as conlleval counts for the shared task
    for scheme in SCHEMES:
        assert convert(convert(chunks, scheme), "bio")["tag"].texts() == chunks["tag"].texts()
