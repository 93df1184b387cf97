"""What question and sentence share: against counts by hand and slow formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runoff.tasks.answers.sentence_evidence import NAMES, ListEvidence, Meanings
from runoff.tasks.answers.supersenses import Supersenses
from runoff.tasks.answers.term_counts import TermCounts, terms_of

MEANINGS = Meanings(Supersenses.shipped())
QUESTION = ("Which", "old", "bridge", "crosses", "the", "wide", "river", "?")
SENTENCES = (
    ("The", "old", "bridge", "fell", "."),
    ("A", "wide", "river", "runs", "below", "12", "bridges", "."),
    ("The", "poodle", "slept", "."),
    (),
)
COUNTS = TermCounts.of([*SENTENCES[:3], ("the", "river"), ("an", "old", "dog")])


def rows(*, in_order: bool = False) -> dict[str, list[float]]:
    table = ListEvidence(QUESTION, SENTENCES, COUNTS, MEANINGS).rows(in_order=in_order)
    assert table.shape == (len(SENTENCES), len(NAMES))
    return dict(zip(NAMES, table.T.tolist(), strict=True))


def test_matches_by_hand() -> None:
    found = rows()
    idf = {term: COUNTS.idf(term) for term in ("old", "bridg", "cross", "wide", "river")}
    total = sum(idf.values())
    expected = [idf["old"] + idf["bridg"], idf["wide"] + idf["river"] + idf["bridg"], 0.0, 0.0]
    assert found["match:rarity"] == pytest.approx(expected)
    assert found["match:share"] == pytest.approx([each / total for each in expected])
    assert found["match:count"] == [2.0, 3.0, 0.0, 0.0]
    assert found["match:longest run"] == [2.0, 2.0, 0.0, 0.0]
    # Four pairs of neighbouring terms: old bridge, bridge crosses, crosses wide, wide river.
    assert found["match:pairs"] == [0.25, 0.25, 0.0, 0.0]
    # old bridge fell; wide river runs below 12 bridges
    assert found["match:of sentence"] == pytest.approx([2 / 3, 3 / 6, 0.0, 0.0])
    assert found["match:window"] == pytest.approx([math.log1p(2 / 2), math.log1p(6 / 3), 0.0, 0.0])
    assert found["new:digits"] == pytest.approx([0.0, math.log(2), 0.0, 0.0])
    assert found["length:sentence"] == pytest.approx([math.log1p(len(each)) for each in SENTENCES])


def test_the_rarest_terms() -> None:
    # Among those that are in one sentence only the first of the alphabet is the rarest.
    found = rows()
    assert found["match:rarest"] == [0.0, 0.0, 0.0, 0.0]  # cross
    assert found["match:second rarest"] == [0.0, 1.0, 0.0, 0.0]  # wide


def test_the_order_of_a_document() -> None:
    found = rows(in_order=True)
    assert found["list:before"] == [0.0, *found["match:share"][:3]]
    assert rows()["list:before"] == [0.0] * 4
    assert sum(found["list:share"]) == pytest.approx(1.0)


def test_likeness_is_the_mean_cosine_with_the_others() -> None:
    def vector(words: tuple[str, ...]) -> dict[str, float]:
        terms = [term for term in terms_of(words) if term is not None]
        return {term: COUNTS.idf(term) for term in terms}

    def cosine(one: dict[str, float], two: dict[str, float]) -> float:
        norms = math.sqrt(sum(x * x for x in one.values()) * sum(x * x for x in two.values()))
        return sum(one[term] * two.get(term, 0.0) for term in one) / norms if norms else 0.0

    vectors = [vector(words) for words in SENTENCES]
    expected = [
        sum(cosine(one, two) for other, two in enumerate(vectors) if other != at) / 3 for at, one in enumerate(vectors)
    ]
    assert rows()["list:likeness"] == pytest.approx(expected)


def test_meanings() -> None:
    # A poodle is a dog, and a dog is an animal (in WordNet two steps above it); a bridge is neither.
    assert MEANINGS.are_close("poodle", "dog")
    assert MEANINGS.are_close("dog", "poodle")
    assert not MEANINGS.are_close("bridge", "dog")
    asked = ListEvidence(("Which", "dog", "slept"), (("The", "poodle", "slept"),), TermCounts(0, {}), MEANINGS)
    assert dict(zip(NAMES, asked.rows(in_order=False)[0], strict=True))["match:meaning"] == pytest.approx(0.75)


def test_an_empty_list_and_an_empty_question() -> None:
    assert ListEvidence(QUESTION, (), COUNTS, MEANINGS).rows(in_order=True).shape == (0, len(NAMES))
    table = ListEvidence((), SENTENCES, COUNTS, MEANINGS).rows(in_order=False)
    assert np.isfinite(table).all()
    assert (table[:, NAMES.index("match:share")] == 0).all()


WORDS = st.lists(st.sampled_from(["old", "Bridge", "the", "river", "12", "?", "dogs"]), max_size=7).map(tuple)


@given(WORDS, st.lists(WORDS, min_size=1, max_size=4))
def test_runs_are_those_that_a_slow_search_finds(question: tuple[str, ...], sentences: list[tuple[str, ...]]) -> None:
    table = ListEvidence(question, tuple(sentences), COUNTS, MEANINGS).rows(in_order=False)
    assert np.isfinite(table).all()
    asked = [term for term in terms_of(question) if term is not None]
    for words, found in zip(sentences, table[:, NAMES.index("match:longest run")], strict=True):
        told = [term for term in terms_of(words) if term is not None]
        runs = {tuple(told[i:j]) for i in range(len(told)) for j in range(i + 1, len(told) + 1)}
        parts = [tuple(asked[i:j]) for i in range(len(asked)) for j in range(i + 1, len(asked) + 1)]
        slow = max((len(part) for part in parts if part in runs), default=0)
        assert found == slow
