"""Numbered tokens against `str.split` and a cutter that is asked for every piece."""

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff.metrics.tokens import tokenised

# White space of every kind that `str.split` knows, and signs that only look like it (zero-width space, word joiner).
BLANKS = " \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\u00a0\u1680\u2000\u2009\u2028\u2029\u202f\u205f\u3000"
LOOKALIKES = "\u200b\u2060\ufeff\u180e"
TEXT = st.text(st.sampled_from("aab-é日😀" + BLANKS + LOOKALIKES), max_size=14)


def by_dash(piece: str) -> list[str]:
    return piece.split("-")


@settings(deadline=None)
@given(st.lists(TEXT, max_size=6))
def test_tokens_are_those_of_str_split_cut_further(texts: list[str]) -> None:
    found = tokenised(texts, by_dash)
    assert len(found) == len(texts)
    assert [found.of(at) for at in range(len(texts))] == [
        [token for piece in text.split() for token in by_dash(piece)] for text in texts
    ]
    spelling = found.spelling.to_pylist()
    assert len(set(spelling)) == len(spelling)
    assert found.lengths.tolist() == [len(found.of(at)) for at in range(len(texts))]


@settings(deadline=None)
@given(st.text(max_size=30))
def test_any_text_is_split_as_python_does(text: str) -> None:
    assert tokenised([text], lambda piece: [piece]).of(0) == text.split()


def test_the_cutter_is_asked_once_for_every_different_piece() -> None:
    asked: list[str] = []

    def cut(piece: str) -> list[str]:
        asked.append(piece)
        return [piece]

    tokenised(["a b a", " b  a ", "c\ta"], cut)
    assert sorted(asked) == ["a", "b", "c"]


def test_a_cutter_may_leave_nothing_of_a_piece() -> None:
    found = tokenised(["- a -", "-"], lambda piece: [part for part in piece.split("-") if part])
    assert [found.of(0), found.of(1)] == [["a"], []]
    assert found.offsets.tolist() == [0, 1, 1]


def test_no_texts_and_texts_without_words() -> None:
    assert tokenised([], by_dash).offsets.tolist() == [0]
    assert tokenised(["", "  "], by_dash).offsets.tolist() == [0, 0, 0]


def test_a_slice_of_an_array_is_that_slice() -> None:
    texts = pa.array(["x y", "a b c", "", "d e"], pa.large_string())
    found = tokenised(texts[1:3], by_dash)
    assert [found.of(0), found.of(1)] == [["a", "b", "c"], []]
    assert found.ids.size == 3


@settings(deadline=None)
@given(st.lists(TEXT, min_size=1, max_size=6), st.data())
def test_parts(texts: list[str], draw: st.DataObject) -> None:
    found = tokenised(texts, by_dash)
    picks = np.array(draw.draw(st.lists(st.integers(0, len(texts) - 1), max_size=5)), np.int64)
    taken = found.take(picks)
    assert [taken.of(at) for at in range(len(taken))] == [found.of(pick) for pick in picks.tolist()]
    n = draw.draw(st.integers(0, len(texts)))
    first = found.first(n)
    assert [first.of(at) for at in range(len(first))] == [found.of(at) for at in range(n)]
    assert first.ids.size == sum(map(len, (found.of(at) for at in range(n))))
