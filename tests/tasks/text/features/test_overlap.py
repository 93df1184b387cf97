"""Words that text and input share, against loops over words."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import NBest
from runoff.tasks.text.distinct_texts import DistinctTexts
from runoff.tasks.text.features.overlap import NAMES, overlap_features

TEXT = st.lists(st.sampled_from(["a", "b", "A", "Bob", "bob", "5", "5.0", "x[y]", "3-4", "-", "ß", "SS"]), max_size=7)
TEXTS = TEXT.map(" ".join)


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)  # no underscore in these texts: the letters and digits between marks


def plain(text: str, given: str) -> list[float]:
    mine, theirs = words(text), words(given)
    if not theirs:
        return [0.0] * 7
    folded, known = [word.casefold() for word in mine], [word.casefold() for word in theirs]
    new = [at for at in range(len(mine)) if folded[at] not in known and folded[at] not in folded[:at]]
    lost = [at for at in range(len(theirs)) if known[at] not in folded and known[at] not in known[:at]]

    def numbers(sequence: list[str], places: list[int]) -> float:
        return float(sum(any(c.isdigit() for c in sequence[at]) for at in places))

    def names(sequence: list[str], places: list[int]) -> float:
        return float(sum(sequence[at][0].isupper() and at > 0 for at in places))

    return [
        sum(word in known for word in folded) / max(len(mine), 1),
        sum(word in folded for word in known) / len(theirs),
        sum(pair in list(pairwise(known)) for pair in pairwise(folded)) / max(len(mine) - 1, 1),
        numbers(theirs, lost),
        numbers(mine, new),
        names(theirs, lost),
        names(mine, new),
    ]


@settings(deadline=None)
@given(st.lists(st.tuples(TEXTS, st.lists(TEXTS, max_size=4)), min_size=1, max_size=4))
def test_every_column(groups: list[tuple[str, list[str]]]) -> None:
    data = NBest.from_arrays(
        texts=[text for _, texts in groups for text in texts],
        sizes=[len(texts) for _, texts in groups],
        inputs=[given for given, _ in groups],
    )
    lists = DistinctTexts.of(data)
    names, table = overlap_features(lists)
    assert names == NAMES
    expected = [plain(text, given) for given, texts in groups for text in texts]
    found = table[lists.text_of].tolist()
    assert len(found) == len(expected)
    for row, other in zip(found, expected, strict=True):
        assert row == pytest.approx(other)


def test_by_hand() -> None:
    lists = DistinctTexts.of(
        NBest.from_arrays(texts=["name[Blue Spice], near 5 Kings"], sizes=[1], inputs=["The Blue spice by 6 Rivers"])
    )
    row = dict(zip(NAMES, overlap_features(lists)[1][0].tolist(), strict=True))
    assert row == pytest.approx(
        {
            "overlap:of text": 2 / 6,  # blue, spice of: name blue spice near 5 kings
            "overlap:of input": 2 / 6,
            "overlap:bigrams of text": 1 / 5,
            "overlap:numbers lost": 1.0,
            "overlap:numbers added": 1.0,
            "overlap:names lost": 1.0,  # Rivers; "The" is the first word
            "overlap:names added": 1.0,  # Kings
        }
    )


def test_lost_and_made_up_count_alike() -> None:
    one = overlap_features(DistinctTexts.of(NBest.from_arrays(texts=["so"], sizes=[1], inputs=["5 and 5"])))[1][0]
    other = overlap_features(DistinctTexts.of(NBest.from_arrays(texts=["5 and 5"], sizes=[1], inputs=["so"])))[1][0]
    assert one[NAMES.index("overlap:numbers lost")] == other[NAMES.index("overlap:numbers added")]


def test_without_inputs_all_are_zero() -> None:
    lists = DistinctTexts.of(NBest.from_arrays(texts=["a 5", "B"], sizes=[2]))
    assert not overlap_features(lists)[1].any()
    lists = DistinctTexts.of(NBest.from_arrays(texts=["a 5", "B", "a"], sizes=[2, 1], inputs=[None, "a"]))
    assert not overlap_features(lists)[1][:2].any()
    assert overlap_features(lists)[1][2, 0] == 1.0
