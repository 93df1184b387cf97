"""All consistent phrase pairs and no other, beside the textbook's algorithm and the definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.slow_phrases import Aligned, aligned_sentences, arrays, corpora, definition, extracted, links_inside
from helpers.slow_phrases import orientations as slow_orientations
from runoff.errors import DataError, UsageError
from runoff.metrics.tokens import tokenised
from runoff.tasks.translation import phrase_extraction
from runoff.tasks.translation.alignments import Alignments
from runoff.tasks.translation.bitext import Bitext
from runoff.tasks.translation.phrase_extraction import PhraseExtraction, PhraseOccurrences, extract_phrases

MICHAEL = Aligned(
    ("michael", "geht", "davon", "aus", ",", "dass", "er", "im", "haus", "bleibt"),
    ("michael", "assumes", "that", "he", "will", "stay", "in", "the", "house"),
    frozenset({(0, 0), (1, 1), (2, 1), (3, 1), (5, 2), (6, 3), (9, 4), (9, 5), (7, 6), (7, 7), (8, 8)}),
)
# Koehn (2010), figures 5.3 and 5.6: the phrase pairs of up to seven words; the comma has no link.
BOOK = {
    ("michael", "michael"),
    ("michael geht davon aus", "michael assumes"),
    ("michael geht davon aus ,", "michael assumes"),
    ("michael geht davon aus , dass", "michael assumes that"),
    ("michael geht davon aus , dass er", "michael assumes that he"),
    ("geht davon aus", "assumes"),
    ("geht davon aus ,", "assumes"),
    ("geht davon aus , dass", "assumes that"),
    ("geht davon aus , dass er", "assumes that he"),
    ("dass", "that"),
    (", dass", "that"),
    ("dass er", "that he"),
    (", dass er", "that he"),
    ("er", "he"),
    ("im", "in the"),
    ("haus", "house"),
    ("im haus", "in the house"),
    ("bleibt", "will stay"),
    ("im haus bleibt", "will stay in the house"),
    ("er im haus bleibt", "he will stay in the house"),
    ("dass er im haus bleibt", "that he will stay in the house"),
    (", dass er im haus bleibt", "that he will stay in the house"),
}


def spans(found: PhraseOccurrences, sentence: int) -> list[tuple[int, ...]]:
    rows = found.spans[found.offsets[sentence] : found.offsets[sentence + 1]]
    return [tuple(row) for row in rows.tolist()]


def test_the_textbooks_example() -> None:
    found = extract_phrases(*arrays([MICHAEL]))
    texts = [(" ".join(MICHAEL.source[a:b]), " ".join(MICHAEL.target[c:d])) for a, b, c, d in spans(found, 0)]
    assert len(texts) == len(set(texts))
    assert set(texts) == BOOK


@settings(deadline=None)  # kernels may have to be compiled
@given(corpora, st.integers(1, 8))
def test_pairs_are_those_of_the_textbooks_algorithm(corpus: list[Aligned], longest: int) -> None:
    found = extract_phrases(*arrays(corpus), max_length=longest)
    assert found.offsets.size == len(corpus) + 1
    for at, pair in enumerate(corpus):
        expected = sorted(extracted(pair, longest))
        assert expected == sorted(definition(pair, longest))
        assert sorted(spans(found, at)) == expected


@settings(deadline=None)
@given(corpora, st.integers(1, 8), st.sampled_from(["word", "phrase"]))
def test_orientations_and_links_of_every_occurrence(corpus: list[Aligned], longest: int, by: str) -> None:
    found = extract_phrases(*arrays(corpus), max_length=longest, orientation=by)
    for at, pair in enumerate(corpus):
        own = spans(found, at)
        neighbours = set(own) if by == "phrase" else None
        for row, span in enumerate(own, int(found.offsets[at])):
            assert tuple(found.orientations[row].tolist()) == slow_orientations(pair, span, neighbours)
            mask = int(found.masks[row])
            bits = tuple((bit % 8, bit // 8) for bit in range(64) if mask >> bit & 1)
            assert bits == links_inside(pair, span)


@settings(deadline=None)
@given(corpora)
def test_pieces_are_those_of_the_whole(corpus: list[Aligned]) -> None:
    bitext, alignments = arrays(corpus)
    whole = extract_phrases(bitext, alignments)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(phrase_extraction, "_PIECE", 5)
        extraction = PhraseExtraction(bitext, alignments, 7, "word")
        cuts = list(extraction.pieces())
        pieces = [extraction.occurrences(*cut) for cut in cuts]
    assert np.concatenate([piece.spans for piece in pieces]).tolist() == whole.spans.tolist()
    assert np.concatenate([piece.masks for piece in pieces]).tolist() == whole.masks.tolist()
    assert [cut[0] for cut in cuts] + [len(corpus)] == [0] + [cut[1] for cut in cuts]
    assert [piece.first for piece in pieces] == [cut[0] for cut in cuts]


def test_a_long_sentence_and_one_without_links() -> None:
    words = " ".join(["a"] * 300)
    bitext = Bitext(tokenised([words, words, ""], str.split), tokenised([words, words, words], str.split))
    found = extract_phrases(bitext, Alignments.of([[(at, at) for at in range(300)], [], []]))
    assert np.diff(found.offsets).tolist() == [sum(301 - length for length in range(1, 8)), 0, 0]


@pytest.mark.parametrize(
    ("links", "says"),
    [
        (Alignments.of([[(0, 0)]]), "alignments of 1 sentences, and 2 sentence pairs"),
        (Alignments.of([[], [(2, 0)]]), r"sentence 2 has the link 2-0, but 2 source and 1 target words"),
        (Alignments.of([[], [(0, 1)]]), "sentence 2 has the link 0-1"),
        (Alignments(np.array([0, 1, 1]), np.array([-1]), np.array([0])), "sentence 1 has the link -1-0"),
        (Alignments(np.array([0, 0, 2]), np.array([1, 0]), np.array([0, 0])), "sentence 2 must be different and in"),
        (Alignments(np.array([0, 0, 2]), np.array([1, 1]), np.array([0, 0])), "found 1-0 before 1-0"),
        (Alignments(np.array([0, 2, 1]), np.array([0]), np.array([0])), "do not cut their links"),
        (Alignments(np.array([0, 1, 1]), np.array([0]), np.array([], np.int32)), "do not cut their links"),
    ],
)
def test_links_of_other_sentences_are_refused(links: Alignments, says: str) -> None:
    bitext = Bitext(tokenised(["x", "a b"], str.split), tokenised(["y", "c"], str.split))
    with pytest.raises((DataError, UsageError), match=says):
        extract_phrases(bitext, links)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"max_length": 0}, "from 1 to 8"),
        ({"max_length": 9}, "found max_length 9"),
        ({"orientation": "hier"}, "by word or phrase; found 'hier'"),
    ],
)
def test_settings_that_there_are_not(settings: dict, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        extract_phrases(*arrays([MICHAEL]), **settings)


@settings(deadline=None)
@given(aligned_sentences(), st.integers(1, 6), st.integers(1, 5))
def test_a_shorter_limit_gives_the_short_ones_among_all(pair: Aligned, longest: int, more: int) -> None:
    short = set(spans(extract_phrases(*arrays([pair]), max_length=longest), 0))
    every = spans(extract_phrases(*arrays([pair]), max_length=min(longest + more, 8)), 0)
    assert short == {span for span in every if max(span[1] - span[0], span[3] - span[2]) <= longest}
