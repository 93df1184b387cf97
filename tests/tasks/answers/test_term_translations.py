"""Translations of terms: against IBM model 1 and the mixture in plain loops."""

from __future__ import annotations

import math

import pytest

from runoff.errors import ModelError
from runoff.tasks.answers.term_counts import TermCounts
from runoff.tasks.answers.term_translations import TermTranslations

PAIRS = [
    (["write", "book"], ["author", "novel"]),
    (["write", "song"], ["author", "tune"]),
    (["sing", "song"], ["singer", "tune"]),
]
COUNTS = TermCounts.of([["author", "novel"], ["tune", "write"], ["tune"]])


def test_words_that_go_together_are_learned() -> None:
    table = TermTranslations.learn(PAIRS).table
    assert max(table["author"], key=table["author"].__getitem__) == "write"
    assert max(table["tune"], key=table["tune"].__getitem__) == "song"
    assert all(0 < chance <= 1 for row in table.values() for chance in row.values())


def test_the_mixture_by_hand() -> None:
    translations = TermTranslations({"author": {"write": 0.5}, "pen": {"write": 0.25}})
    asked, told = ["write", "song"], ["author", "pen", "song", "song"]

    def chance(term: str) -> float:
        return (COUNTS.counts.get(term, 1) + 0.5) / ((COUNTS.sentences + 1) * COUNTS.mean_length)

    write = 0.8 * (0.4 * (0.5 + 0.25)) / 4 + 0.2 * chance("write")
    song = 0.8 * (0.6 * 2) / 4 + 0.2 * chance("song")
    expected = (math.log(write) + math.log(song)) / 2
    assert translations.likelihood(asked, told, COUNTS) == pytest.approx(expected)


def test_nothing_asked_and_nothing_told() -> None:
    translations = TermTranslations.learn(PAIRS)
    assert translations.likelihood([], ["author"], COUNTS) == 0.0
    assert math.isfinite(translations.likelihood(["write"], [], COUNTS))
    assert TermTranslations.learn([([], ["a"]), (["b"], [])]).table == {}


@pytest.mark.parametrize("values", [[], {"a": 1}, {"a": {"b": 2.0}}, {"a": {"b": math.nan}}, {"a": {"b": "c"}}])
def test_tables_that_are_damaged(values: object) -> None:
    with pytest.raises(ModelError, match="its translations of terms are damaged"):
        TermTranslations.from_dict(values)
