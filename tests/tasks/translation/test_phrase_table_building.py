"""Scores of phrase pairs, beside slow computations with dictionaries."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.slow_phrases import Aligned, arrays, close, corpora
from helpers.slow_phrases import table as slow_table
from runoff.errors import UsageError
from runoff.metrics.tokens import tokenised
from runoff.tasks.translation import phrase_extraction
from runoff.tasks.translation.alignments import Alignments
from runoff.tasks.translation.bitext import Bitext
from runoff.tasks.translation.phrase_table_arrays import from_arrays, to_arrays
from runoff.tasks.translation.phrase_table_building import build_phrase_table

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.tasks.translation.phrase_table import PhraseTable


def pairs_of(table: PhraseTable) -> dict[tuple, int]:
    """Numbers of options by source and target phrase."""
    source, target = table.source_words.to_pylist(), table.target_words.to_pylist()
    found = {}
    for phrase in range(len(table)):
        words = table.phrase_words[table.phrase_offsets[phrase] : table.phrase_offsets[phrase + 1]]
        for at in range(table.option_offsets[phrase], table.option_offsets[phrase + 1]):
            said = table.target_ids[table.target_offsets[at] : table.target_offsets[at + 1]]
            found[tuple(source[w] for w in words), tuple(target[w] for w in said)] = at
    return found


@settings(deadline=None)
@given(corpora, st.integers(1, 8), st.sampled_from(["none", "kneser-ney"]))
def test_all_numbers_of_every_pair(corpus: list[Aligned], longest: int, smoothing: str) -> None:
    table = build_phrase_table(*arrays(corpus), max_length=longest, smoothing=smoothing)
    expected = slow_table(corpus, longest, smoothing)
    options = pairs_of(table)
    assert options.keys() == expected.keys()
    assert len(options) == table.n_options
    for pair, at in options.items():
        slow = expected[pair]
        for found, value in zip(table.scores[at].tolist(), slow[:4], strict=True):
            assert close(found, value)
        for found, value in zip(table.reordering[at].tolist(), slow.reordering, strict=True):
            assert close(found, value)
        links = table.links[table.link_offsets[at] : table.link_offsets[at + 1]].tolist()
        assert [tuple(link) for link in links] == list(slow.links)
        assert tuple(table.counts[at].tolist()) == slow.counts
    from_arrays(to_arrays(table))  # is in order and within bounds


@settings(deadline=None)
@given(corpora)
def test_probabilities_of_a_phrase_sum_to_one(corpus: list[Aligned]) -> None:
    whole = build_phrase_table(*arrays(corpus), smoothing="none")
    smoothed = build_phrase_table(*arrays(corpus), smoothing="kneser-ney")
    for table, least in ((whole, 1 - 1e-5), (smoothed, 0)):
        for phrase in range(len(table)):
            rows = slice(*table.option_offsets[phrase : phrase + 2])
            assert least <= np.exp(table.scores[rows, 2].astype(np.float64)).sum() <= 1 + 1e-5
        if table.reordering is not None and table.n_options:
            orientations = np.exp(table.reordering.astype(np.float64)).reshape(-1, 2, 3).sum(axis=2)
            assert orientations == pytest.approx(1, abs=1e-6)


def test_smoothing_gives_what_it_takes_to_all_phrases_of_the_other_side() -> None:
    """Over all target phrases of the corpus, also those never seen with a source phrase, probabilities sum to 1."""
    rng = np.random.default_rng(0)
    given, said = rng.integers(0, 5, 40), rng.integers(0, 30, 40)
    pairs, counts = np.unique(given * 30 + said, return_counts=True)
    counts = counts + rng.integers(0, 4, counts.size)
    from runoff.tasks.translation.phrase_scores import discounts, probabilities

    given, said = np.divmod(pairs, 30)
    found = probabilities(given, said, counts, "kneser-ney")
    taken = discounts(counts)[np.minimum(counts, 3)]
    lower = np.bincount(said, minlength=30) / counts.size
    for phrase in range(5):
        own = given == phrase
        unseen = np.setdiff1d(np.arange(30), said[own])
        left = taken[own].sum() / counts[own].sum() * lower[unseen].sum()
        assert found[own].sum() + left == pytest.approx(1)


def test_the_most_frequent_links_are_kept_and_the_greatest_of_equally_frequent_ones() -> None:
    crossed, straight = {(0, 1), (1, 0)}, {(0, 0), (1, 1)}
    for links, expected in (
        ([crossed, straight, straight], [[0, 0], [1, 1]]),
        ([crossed, crossed, straight], [[1, 0], [0, 1]]),
        ([crossed, straight], [[1, 0], [0, 1]]),  # {1} comes after {0} for the first target word
        ([straight, {(0, 0), (1, 0), (1, 1)}], [[0, 0], [1, 0], [1, 1]]),  # {0, 1} comes after {0}
    ):
        corpus = [Aligned(("a", "b"), ("x", "y"), frozenset(each)) for each in links]
        table = build_phrase_table(*arrays(corpus))
        at = pairs_of(table)[("a", "b"), ("x", "y")]
        assert table.links[table.link_offsets[at] : table.link_offsets[at + 1]].tolist() == expected


def test_rare_pairs_are_left_out_when_all_has_been_counted() -> None:
    corpus = [Aligned(("a",), (word,), frozenset({(0, 0)})) for word in "xxxyyz"]
    whole = build_phrase_table(*arrays(corpus), smoothing="none")
    table = build_phrase_table(*arrays(corpus), smoothing="none", min_count=2)
    assert [option.target for option in whole.options(["a"])] == [("x",), ("y",), ("z",)]
    assert [option.target for option in table.options(["a"])] == [("x",), ("y",)]
    assert [option.scores["direct"] for option in table.options(["a"])] == pytest.approx([3 / 6, 2 / 6])
    nothing = build_phrase_table(*arrays(corpus), min_count=4)
    assert (len(nothing), nothing.n_options, nothing.options(["a"])) == (0, 0, [])


@settings(deadline=None)
@given(corpora)
def test_pieces_and_threads_make_no_difference(corpus: list[Aligned]) -> None:
    tables = []
    for piece, threads in ((1 << 20, "1"), (3, "1"), (3, "3")):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(phrase_extraction, "_PIECE", piece)
            patch.setenv("RUNOFF_THREADS", threads)
            tables.append(to_arrays(build_phrase_table(*arrays(corpus))))
    for other in tables[1:]:
        assert all(np.array_equal(other[name], array) for name, array in tables[0].items())


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"smoothing": "good-turing"}, "by kneser-ney or none; found 'good-turing'"),
        ({"reordering": "msd"}, "one of word, phrase, none; found 'msd'"),
        ({"min_count": 0}, "at least 1; found 0"),
        ({"max_length": 12}, "from 1 to 8 words; found max_length 12"),
    ],
)
def test_settings_that_there_are_not(settings: dict, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        build_phrase_table(*arrays([Aligned(("a",), ("x",), frozenset())]), **settings)


def test_nothing_to_learn_from_gives_a_table_without_phrases() -> None:
    empty = Bitext(tokenised([], str.split), tokenised([], str.split))
    for bitext in (empty, Bitext(tokenised(["", "a"], str.split), tokenised(["x", ""], str.split))):
        table = build_phrase_table(bitext, Alignments.of([[]] * len(bitext)))
        assert (len(table), table.n_options, table.longest) == (0, 0, 0)
        assert table.phrases_in(np.array([0, -1], np.int32)).shape == (0, 3)
        assert len(from_arrays(to_arrays(table))) == 0


def test_two_thousand_real_sentence_pairs(shared_data: Path) -> None:
    folder = shared_data / "translation" / "multi30k"
    sides = []
    for language in ("en", "de"):
        with gzip.open(folder / f"train.{language}.gz", "rt", encoding="utf-8") as lines:
            sides.append([line.strip() for line, _ in zip(lines, range(2000), strict=False)])
    bitext = Bitext(*(tokenised(lines, lambda piece: [piece]) for lines in sides))
    links = [
        {(at, min(at, m - 1)) for at in range(n)}
        for n, m in zip(bitext.source.lengths, bitext.target.lengths, strict=True)
    ]
    table = build_phrase_table(bitext, Alignments.of(links), smoothing="none")
    from_arrays(to_arrays(table))
    assert table.longest == 7
    sums = np.add.reduceat(np.exp(table.scores[:, 2].astype(np.float64)), table.option_offsets[:-1])
    assert sums == pytest.approx(1, abs=1e-5)
