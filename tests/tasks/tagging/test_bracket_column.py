"""Columns of brackets: read, written, and refused with the place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff.errors import DataError, UsageError
from runoff.tasks.tagging import Corpus, Spans, bracket_spans, brackets_of
from runoff.tasks.tagging.columns import read_columns

if TYPE_CHECKING:
    from pathlib import Path


def corpus_of(brackets: str, sizes: list[int] | None = None) -> Corpus:
    return Corpus.of({"x": brackets.split()}, sizes=sizes or [len(brackets.split())])


def found(corpus: Corpus) -> list[tuple[int, int, str]]:
    spans = bracket_spans(corpus, "x")
    return list(zip(spans.starts.tolist(), spans.stops.tolist(), spans.texts(), strict=True))


def test_both_ways_to_close() -> None:
    wanted = [(0, 4, "S"), (0, 1, "NP"), (1, 4, "VP"), (3, 4, "S")]
    for text in ("(S(NP*NP) (VP* * (S*S)VP)S)", "(S(NP*) (VP* * (S*)))"):
        corpus = corpus_of(text)
        assert found(corpus) == wanted
        spans = bracket_spans(corpus, "x")
        assert brackets_of(spans, corpus.offsets, labelled_ends="S)" in text).texts() == text.split()


@st.composite
def trees(draw: st.DrawFn) -> Corpus:
    """Random nested brackets, with equal ones, over a few sentences."""
    columns, sizes = [], []
    for _ in range(draw(st.integers(1, 3))):
        n = draw(st.integers(0, 6))
        depth: list[str] = []
        for at in range(n):
            opened = draw(st.lists(st.sampled_from(["S", "NP", "A-B=1"]), max_size=3))
            depth += opened
            closed = len(depth) if at == n - 1 else draw(st.integers(0, len(depth)))
            ends = "".join(f"{depth.pop()})" for _ in range(closed))
            columns.append("".join(f"({label}" for label in opened) + "*" + ends)
        sizes.append(n)
    return Corpus.of({"x": columns}, sizes)


@settings(deadline=None)
@given(trees())
def test_round_trips(corpus: Corpus) -> None:
    spans = bracket_spans(corpus, "x")
    again = corpus.with_column("x", brackets_of(spans, corpus.offsets, labelled_ends=False))
    assert found(again) == found(corpus)
    assert corpus.with_column("x", brackets_of(spans, corpus.offsets))["x"].texts() == corpus["x"].texts()
    assert len(spans) == sum(text.count("(") for text in corpus["x"].texts())


@pytest.mark.parametrize(
    ("brackets", "sizes", "message"),
    [
        ("(S* *", None, r"expected a bracket to close 'S' in column 'x' of sentence 1, token 2; found '\*'"),
        ("*) *", None, r"expected no bracket to close .* token 1; found '\*\)'"),
        ("(S* *NP)", None, r"expected S\) to close .* token 2; found '\*NP\)'"),
        ("(S* *)", [1, 1], "close 'S' in column 'x' of sentence 1, token 1"),
        ("(S", None, "expected brackets such as"),
        ("S", None, "expected brackets such as"),
        ("(S*)x", None, "expected brackets such as"),
    ],
)
def test_brackets_that_do_not_fit(brackets: str, sizes: list[int] | None, message: str) -> None:
    with pytest.raises(DataError, match=message):
        bracket_spans(corpus_of(brackets, sizes), "x")


@pytest.mark.parametrize(("starts", "stops"), [([0, 1], [2, 3]), ([1], [3]), ([1], [1]), ([4], [5])])
def test_stretches_that_brackets_cannot_show(starts: list[int], stops: list[int]) -> None:
    spans = Spans(np.array(starts), np.array(stops), np.zeros(len(starts), np.int32), ("S",))
    offsets = np.array([0, 4]) if starts == [0, 1] else np.array([0, 2, 4])
    with pytest.raises(UsageError, match="bracketed stretch"):
        brackets_of(spans, offsets)


def test_real_parses(shared_data: Path) -> None:
    corpus = read_columns(shared_data / "roles" / "ewt.dev.conll.gz", "word=4,x=6", ragged=True)
    spans = bracket_spans(corpus, "x")
    assert brackets_of(spans, corpus.offsets, labelled_ends=False).texts() == corpus["x"].texts()
    assert spans.texts().count("TOP") == len(corpus)
