"""Counts of terms, and BM25 as its formula says."""

from __future__ import annotations

import math

import pytest

from runoff.errors import ModelError
from runoff.tasks.answers.term_counts import TermCounts, terms_of

SENTENCES = [["The", "bridges", "fell"], ["a", "bridge"], ["night", "fell", "bridge", "bridge"]]


def test_bm25_is_the_formula_of_robertson_and_zaragoza():
    counts = TermCounts.of(SENTENCES)
    assert counts.sentences == 3
    assert dict(counts.counts) == {"bridg": 3, "fell": 2}
    mean = (2 + 1 + 4) / 3
    k1, b = 1.2, 0.75
    wanted = 0.0
    for frequency, having in ((2, 3), (1, 1)):  # of bridg and night
        idf = math.log(1 + (3 - having + 0.5) / (having + 0.5))
        wanted += idf * frequency / (frequency + k1 * (1 - b + b * 4 / mean))
    assert counts.bm25(["bridg", "night", "night", "absent"], terms_of(SENTENCES[2])) == pytest.approx(wanted)


def test_no_sentences_no_terms():
    counts = TermCounts.of([])
    assert (counts.sentences, counts.mean_length, counts.bm25(["a"], [])) == (0, 1.0, 0)


@pytest.mark.parametrize(
    "change", [{"sentences": -1}, {"sentences": "a"}, {"mean_length": 0.5}, {"counts": {"a": 9}}, {"counts": []}]
)
def test_files_are_checked(change):
    values = TermCounts.of(SENTENCES).to_dict()
    assert TermCounts.from_dict(values) == TermCounts.of(SENTENCES)
    with pytest.raises(ModelError, match="counts of terms"):
        TermCounts.from_dict({**values, **change})
