"""Searches compared with the formulas and definitions, written out slowly, and with bm25s."""

from __future__ import annotations

import itertools
import json
import math
import random
from typing import TYPE_CHECKING, Literal

import numpy as np
import pytest

from runoff.errors import UsageError
from runoff.tasks.answers.retrieval import PassageIndex, index_building, segment_builder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

QUERIES = ("w0", "w3 w30", "w39 w12 w1", "w5 w5 w20", "w2 unknown", "w38 w37 w36 w35 w34")


@pytest.fixture(scope="module", params=[1 << 22, 500], ids=["one segment", "many segments"])
def index(
    request: pytest.FixtureRequest, random_passages: list[str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[PassageIndex]:
    path = tmp_path_factory.mktemp("index") / "p.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in random_passages))
    with pytest.MonkeyPatch.context() as patch:
        for module in (segment_builder, index_building):
            patch.setattr(module, "MOST_TERMS", request.param)
        yield PassageIndex.build(path, path.with_suffix(".index"))


def slow_bm25(passages: list[str], query: str, k1: float, b: float, variant: str) -> list[float]:
    """The formula of the docstring of Bm25, for one passage after the other."""
    split = [passage.split() for passage in passages]
    mean = sum(map(len, split)) / len(split)
    scores = []
    for words in split:
        score = 0.0
        for term in query.split():
            having = sum(term in other for other in split)
            if not having or term not in words:
                continue
            if variant == "lucene":
                idf = math.log(1 + (len(split) - having + 0.5) / (having + 0.5))
            else:
                idf = math.log(len(split) / having) * (k1 + 1)
            tf = words.count(term)
            score += idf * tf / (tf + k1 * (1 - b + b * len(words) / mean))
        scores.append(score)
    return scores


@pytest.mark.parametrize("variant", ["lucene", "atire"])
@pytest.mark.parametrize(("k1", "b"), [(0.9, 0.4), (2.0, 1.0), (0.0, 0.5), (1.2, 0.0)])
def test_equal_to_the_formula(
    index: PassageIndex, random_passages: list[str], k1: float, b: float, variant: Literal["lucene", "atire"]
) -> None:
    for query in QUERIES:
        expected = slow_bm25(random_passages, query, k1, b, variant)
        hits = index.search(query, len(random_passages), k1=k1, b=b, variant=variant)
        order = sorted((at for at, score in enumerate(expected) if score > 0), key=lambda at: -expected[at])
        assert len(hits) == len(order)
        assert np.allclose([hit.score for hit in hits], [expected[at] for at in order], rtol=1e-12)
        assert np.allclose([expected[hit.passage] for hit in hits], [hit.score for hit in hits], rtol=1e-12)


@pytest.mark.parametrize("variant", ["lucene", "atire"])
def test_equal_to_bm25s(index: PassageIndex, random_passages: list[str], variant: Literal["lucene", "atire"]) -> None:
    bm25s = pytest.importorskip("bm25s", reason="bm25s is not installed")
    other = bm25s.BM25(k1=1.5, b=0.75, method=variant, dtype="float64")
    other.index([passage.split() for passage in random_passages], show_progress=False)
    for query in QUERIES:
        known = [word for word in query.split() if index.having(word)]
        expected = other.get_scores(known)
        for hit in index.search(query, 400, k1=1.5, b=0.75, variant=variant):
            assert hit.score == pytest.approx(expected[hit.passage], rel=1e-6)


def test_the_best_are_the_first_of_all_and_equal_ones_in_order(index: PassageIndex) -> None:
    for query in QUERIES:
        everything = index.search(query, 1000)
        assert everything == sorted(everything, key=lambda hit: (-hit.score, hit.passage))
        for k in (1, 2, 7, 50):
            assert index.search(query, k) == everything[:k]


def test_numbers_of_a_term(index: PassageIndex, random_passages: list[str]) -> None:
    having = sum("w20" in passage.split() for passage in random_passages)
    assert index.having("w20") == having
    assert index.idf("w20") == pytest.approx(math.log(1 + (400 - having + 0.5) / (having + 0.5)))
    assert index.having("unknown") == 0


def slow_near(words: list[str], phrases: list[list[str]], most: int | None) -> bool:
    """Whether all phrases are in one row of occurrences, by trying all rows of consecutive occurrences."""
    found = sorted(
        (at, number, at + len(phrase))
        for number, phrase in enumerate(phrases)
        for at in range(len(words))
        if words[at : at + len(phrase)] == phrase
    )
    for first, last in itertools.combinations(range(len(found) + 1), 2):
        row = found[first:last]
        ends = list(itertools.accumulate((end for _, _, end in row), max))
        is_row = most is None or all(row[at + 1][0] - ends[at] <= most for at in range(len(row) - 1))
        if is_row and {number for _, number, _ in row} == set(range(len(phrases))):
            return True
    return False


def slow_relaxed(passages: list[str], phrases: list[list[str]], least: int, proximity: int | None) -> dict[int, float]:
    split = [passage.split() for passage in passages]
    found: dict[int, float] = {}
    for count in range(len(phrases), 0, -1):
        for third, times in enumerate((1, 2, 4) if proximity is not None and count > 1 else (1,)):
            most = None if proximity is None else proximity * times
            for number, words in enumerate(split):
                if number not in found and slow_near(words, phrases[:count], most):
                    found[number] = count - third / 3
            if len(found) >= least:
                return found
    return found


@pytest.mark.parametrize("proximity", [0, 1, 3, None])
@pytest.mark.parametrize("least", [1, 5, 60])
def test_relaxed_as_defined(index: PassageIndex, random_passages: list[str], least: int, proximity: int | None) -> None:
    rng = random.Random(least)
    for _ in range(12):
        words = rng.sample(range(25), rng.randint(1, 4))
        phrases = [[f"w{word}"] for word in words]
        start = rng.choice(random_passages).split()
        if len(start) > 2:
            phrases.insert(rng.randint(0, 1), start[:2])
        if any(phrase == other for phrase, other in itertools.combinations(phrases, 2)):
            continue
        keywords = [(" ".join(phrase), float(len(phrases) - at)) for at, phrase in enumerate(phrases)]
        rng.shuffle(keywords)
        hits = index.relaxed_search(keywords, 400, least=least, proximity=proximity)
        expected = slow_relaxed(random_passages, phrases, least, proximity)
        assert {hit.passage: pytest.approx(hit.score) for hit in hits} == expected
        bm25 = {hit.passage: hit.score for hit in index.search([text for text, _ in keywords], 400)}
        order = [(-hit.score, -round(bm25[hit.passage], 9)) for hit in hits]
        assert order == sorted(order)
        assert index.relaxed_search(keywords, 3, least=least, proximity=proximity) == hits[:3]


def test_keywords_that_are_nowhere_stand_in_no_way(index: PassageIndex) -> None:
    plain = index.relaxed_search([("w7", 1.0), ("w9", 0.5)])
    assert index.relaxed_search([("w7", 1.0), ("nowhere", 3.0), ("...", 2.0), ("w9", 0.5)]) == plain
    assert index.relaxed_search([("nowhere", 1.0)]) == []
    assert index.relaxed_search([]) == []
    # A phrase that is nowhere counts as its words.
    assert index.relaxed_search([("w7 nowhere w9", 1.0)]) == plain


def test_phrases(folder: Path) -> None:
    index = PassageIndex.build(folder, folder.parent / "i")

    def found(*keywords: tuple[str, float]) -> list[str]:
        return [index.passage(hit.passage).text for hit in index.relaxed_search(keywords, least=1)]

    assert found(("golden gate", 2.0)) == ["The Golden Gate Bridge is red."]
    # Both have both words; the shorter one has the higher BM25.
    assert found(("gate", 2.0), ("golden", 1.0)) == ["The gate is not golden.", "The Golden Gate Bridge is red."]
    assert found(("bridges", 2.0), ("Strauss", 1.0), ("Japan", 0.5)) == ["Strauss built the bridge."]


def test_stop_words_are_not_looked_for_unless_there_is_nothing_else(folder: Path) -> None:
    index = PassageIndex.build(folder, folder.parent / "i")
    assert index.search("Who was the one that built it?") == index.search("one built")
    assert len(index.search("it")) == 4
    assert len(index.search(["the longest"], 100)) == len(index.search("the", 100))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "the number of passages must be at least 1; found 0"),
        ({"k1": -1.0}, "k1 of BM25 must be a finite number of at least 0; found -1.0"),
        ({"b": 2}, "b of BM25 must be a number from 0 up to 1; found 2"),
        ({"variant": "okapi"}, "variant of BM25 must be one of lucene, atire; found 'okapi'"),
    ],
)
def test_options_that_cannot_be(index: PassageIndex, options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        index.search("w0", **options)  # type: ignore[arg-type]


def test_keywords_that_cannot_be(index: PassageIndex) -> None:
    with pytest.raises(UsageError, match="the salience of 'w0' is no number"):
        index.relaxed_search([("w0", math.nan)])
    with pytest.raises(UsageError, match="least must be at least 1"):
        index.relaxed_search([("w0", 1.0)], least=0)
