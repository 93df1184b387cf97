"""How texts are written: by hand, and against loops over characters."""

from __future__ import annotations

import unicodedata
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import NBest
from runoff.tasks.text.distinct_texts import DistinctTexts
from runoff.tasks.text.features.shape import NAMES, shape_features
from runoff.tasks.text.tokenizer import tokenize

TEXT = st.text(st.sampled_from("aB3é日ж .!?()[]«»“”\"'\n-"), max_size=16)


def rows_of(groups: list[list[str]]) -> list[dict[str, float]]:
    data = NBest.from_arrays(texts=[t for group in groups for t in group], sizes=[len(group) for group in groups])
    lists = DistinctTexts.of(data)
    names, table = shape_features(lists)
    return [dict(zip(names, row, strict=True)) for row in table[lists.text_of].tolist()]


def mark(character: str) -> bool:
    return unicodedata.category(character)[0] in "PS"


def script(character: str) -> str:
    return unicodedata.name(character, "unknown").split(" ")[0]


def left_open(text: str) -> int:
    """Pairs are taken away from the inside until none is left."""
    kept = [c for c in text if c in "()[]{}«»“”"]
    before = None
    while kept != before:
        before = list(kept)
        for at in range(len(kept) - 1):
            if kept[at] + kept[at + 1] in ("()", "[]", "{}", "«»", "“”"):
                del kept[at : at + 2]
                break
    return len(kept)


@settings(deadline=None)
@given(st.lists(st.lists(TEXT, min_size=1, max_size=4), min_size=1, max_size=3))
def test_every_column(groups: list[list[str]]) -> None:
    rows = iter(rows_of(groups))
    for group in groups:
        letters = Counter(script(c) for text in group for c in text if c.isalpha())
        most = max(letters.values(), default=0)
        mains = sorted(name for name, count in letters.items() if count == most)
        for text in group:
            row, bare = next(rows), text.strip()
            words = [word for piece in text.split() for word in tokenize(piece)]
            n = max(len(words), 1)
            own = [script(c) for c in text if c.isalpha()]
            expected = {
                "shape:begins with a capital": bare[:1].isupper(),
                "shape:ends with a mark": bool(bare) and mark(bare[-1]),
                "shape:ends a sentence": bool(bare) and bare[-1] in ".!?",
                "shape:capitals": sum(word[0].isupper() for word in words) / n,
                "shape:all capitals": sum(len(word) > 1 and word == word.upper() != word.lower() for word in words) / n,
                "shape:numbers": sum(any(c.isdigit() for c in word) for word in words) / n,
                "shape:marks": sum(all(map(mark, word)) for word in words) / n,
                "shape:line breaks": bare.count("\n"),
                "shape:other script": sum(name != mains[0] for name in own) / len(own) if own else 0.0,
            }
            for name, value in expected.items():
                assert row[name] == pytest.approx(float(value)), (name, text)


@given(st.text(st.sampled_from('()[]{}«»“”"a'), max_size=10))
@settings(deadline=None)
def test_nothing_is_left_open_where_all_is_paired(text: str) -> None:
    # Which brackets count as unmatched may differ where they cross; none do exactly where all pair up.
    row = rows_of([[text]])[0]
    assert (row["shape:left open"] == 0) == (left_open(text) == 0 and text.count('"') % 2 == 0)


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        # By hand.
        ("(a [b]", "shape:left open", 1.0),
        ("a) b)", "shape:left open", 2.0),
        ('he said "no', "shape:left open", 1.0),
        ("He said NO.", "shape:all capitals", 0.25),  # words: He, said, NO, and the mark
        ("A cat", "shape:all capitals", 0.0),  # a single letter shouts nothing
        ("終わり。", "shape:ends a sentence", 1.0),
        ("so: ", "shape:ends with a mark", 1.0),
        ("a 5 b7", "shape:numbers", 2 / 3),
        ("a\nb\n\n", "shape:line breaks", 1.0),
        ("", "shape:marks", 0.0),
    ],
)
def test_by_hand(text: str, name: str, value: float) -> None:
    assert rows_of([[text]])[0][name] == pytest.approx(value)


def test_the_script_of_most_letters_of_the_list_counts_copies() -> None:
    # One text in Cyrillic of 4 letters; Latin has 3 letters, but its text comes twice.
    rows = rows_of([["abc", "абвг", "abc"]])
    assert [row["shape:other script"] for row in rows] == [0.0, 1.0, 0.0]
    assert [row["shape:other script"] for row in rows_of([["abc", "абвг"]])] == [1.0, 0.0]


def test_without_candidates() -> None:
    assert shape_features(DistinctTexts.of(NBest.from_arrays(texts=[], sizes=[0])))[1].shape == (0, len(NAMES))
