"""Lists of parses to data: features against plain counts, statistics, odd lists, errors."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest

from runoff.errors import DataError, RunoffError, UsageError
from runoff.metrics import get
from runoff.tasks.parsing.brackets import Forest, parse_tree
from runoff.tasks.parsing.features.consensus import NAMES as CONSENSUS
from runoff.tasks.parsing.features.consensus import consensus
from runoff.tasks.parsing.features.constituent_table import constituents
from runoff.tasks.parsing.features.extract import extract
from runoff.tasks.parsing.features.families import ALL
from runoff.tasks.parsing.lists import read_lists
from runoff.tasks.parsing.parse_list import Origin, ParseList
from runoff.tasks.parsing.parseval import judge

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable
    from pathlib import Path

    from runoff.nbest import NBest

    Some = Callable[..., list[list[str]]]
    Counts = tuple[list[list[Counter[str]]], Counter[str]]


def rows_of(data: NBest) -> list[dict[str, float]]:
    names, features = data.features.column_names().to_pylist(), data.features.to_scipy()
    return [
        {names[i]: v for i, v in zip(features.indices[a:b], features.data[a:b], strict=True)}
        for a, b in zip(features.indptr, features.indptr[1:], strict=False)
    ]


@pytest.fixture(scope="module")
def drawn(some_lists: Some) -> list[list[str]]:
    return some_lists(11, 60)


@pytest.fixture(scope="module")
def lists(drawn: list[list[str]], parse_lists: Callable[..., list[ParseList]]) -> list[ParseList]:
    return parse_lists(drawn)


@pytest.mark.parametrize("min_lists", [0, 1, 2, 5, 61])
def test_counts_and_cut_off(
    drawn: list[list[str]], lists: list[ParseList], plainly: Callable[..., Counts], min_lists: int
) -> None:
    data = extract(lists, min_lists=min_lists, processes=1)
    kept, seen = plainly(drawn, ALL)
    expected = [{name: n for name, n in row.items() if seen[name] >= min_lists} for rows in kept for row in rows]
    assert [{k: v for k, v in row.items() if k not in CONSENSUS} for row in rows_of(data)] == expected
    columns = data.features.column_names().to_pylist()
    assert len(set(columns)) == len(columns)
    assert set(columns) == {*CONSENSUS, *(name for row in expected for name in row)}
    said = (
        f"{len(columns):,} of {len(seen) + len(CONSENSUS):,} features distinguish candidates and occur in enough lists."
    )
    assert data.notes[-1] == said


def test_presence_says_whether_and_not_how_often(lists: list[ParseList]) -> None:
    counts = extract(lists, families=["rule", "closed"], min_lists=1, processes=1)
    there = extract(lists, families=["rule", "closed"], min_lists=1, presence=True, processes=1)
    assert max(v for row in rows_of(counts) for v in row.values()) > 1
    renamed = [{name.replace(":", "?:", 1): 1.0 for name in row} for row in rows_of(counts)]
    assert rows_of(there) == renamed


def test_consensus_comes_first_and_is_of_single_precision(lists: list[ParseList]) -> None:
    filled = [each for each in lists if each.trees]
    rows = rows_of(extract(filled, families=["rule", "consensus"], processes=1))
    at = 0
    for each in filled:
        forest = Forest()
        expected = consensus(*constituents([forest.tree(text) for text in each.trees]), each.scores)
        for row in expected.astype(np.float32):
            assert [rows[at].get(name, 0.0) for name in CONSENSUS] == row.tolist()
            at += 1


def test_vocabulary_alone(lists: list[ParseList]) -> None:
    everything = extract(lists, min_lists=1, processes=1)
    names = everything.features.column_names().to_pylist()
    asked = [names[40], "rule:NOT>HERE!", CONSENSUS[4], names[12], "length"]
    data = extract(lists, vocabulary=pa.array(asked), processes=1)
    assert sorted(data.features.column_names().to_pylist()) == sorted(asked)
    known = set(asked)
    assert rows_of(data) == [{k: v for k, v in row.items() if k in known} for row in rows_of(everything)]
    assert not any("tell candidates apart" in note for note in data.notes)


def test_vocabulary_of_presence(lists: list[ParseList]) -> None:
    there = extract(lists, families=["rule"], min_lists=3, presence=True, processes=1)
    again = extract(lists, families=["rule"], vocabulary=there.features.column_names(), processes=1)
    assert rows_of(again) == rows_of(there)


def test_statistics_and_quality(lists: list[ParseList]) -> None:
    data = extract(lists, families=["rule"], processes=1)
    judged = []
    for each in lists:
        if each.gold is not None:
            forest = Forest()
            judged.append(judge(parse_tree(each.gold), [forest.tree(text) for text in each.trees]).stats())
    for name in ("parseval", "evalb", "parseval@40", "evalb@40"):
        np.testing.assert_array_equal(data.stats[name], np.concatenate([each[name] for each in judged]))
    # F of the tree times the number of gold constituents: section 5.1 of Collins & Koo.
    matched, gold, test = data.stats["parseval"][:, :3].T
    f = np.divide(2 * matched, gold + test, out=np.zeros_like(gold), where=gold + test > 0)
    assert data.quality is not None
    np.testing.assert_allclose(data.quality, f * gold, atol=1e-7)  # tags break ties
    np.testing.assert_array_equal(data.quality, get("parseval").quality(data))


def test_beyond_forty_words_there_is_nothing_to_count() -> None:
    long = f"(NP {'(NN x)' * 41})"
    short = f"(NP {'(NN x)' * 40})"
    data = extract([ParseList("a", long, [0.0], [long]), ParseList("b", short, [0.0], [short])], processes=1)
    assert data.stats["parseval"][:, 0].tolist() == [1, 1]
    assert data.stats["parseval@40"][:, 0].tolist() == [0, 1]
    assert data.stats["evalb@40"][:, 0].tolist() == [0, 1]


@pytest.mark.parametrize("families", [["rul"], [], ["rule", "collinz"]])
def test_families_that_do_not_exist(families: list[str]) -> None:
    with pytest.raises(UsageError, match="there are: collins"):
        extract([], families=families)


class TestOddLists:
    def test_no_lists(self) -> None:
        data = extract([])
        assert (len(data), data.features.n_columns, data.quality, dict(data.stats)) == (0, 0, None, {})

    def test_lists_without_candidates(self) -> None:
        data = extract([ParseList("a"), ParseList("b", "(X (NN a))")], processes=1)
        assert np.diff(data.offsets).tolist() == [0, 0]
        assert data.stats["parseval"].shape == (0, 10)
        assert data.notes[0] == "1 of 2 lists have no gold tree and are not counted."

    def test_without_gold_trees_there_is_no_quality(self) -> None:
        data = extract([ParseList("a", None, [0.0, -1.0], ["(X (NN a))", "(Y (NN a))"])], min_lists=1, processes=1)
        assert (data.quality, dict(data.stats), data.references) == (None, {}, None)
        assert data.features.n_columns > len(CONSENSUS)

    def test_some_without_gold_trees(self) -> None:
        trees = ["(X (Z (NN a)))", "(Y (Z (NN a)))"]
        lists = [ParseList("a", None, [0.0, -1.0], trees), ParseList("b", trees[1], [0.0, -1.0], trees)]
        data = extract(lists, min_lists=1, processes=1)
        assert data.quality is not None
        assert data.quality.round(6).tolist() == [0.0, 0.0, 1.0, 2.0]
        assert data.stats["evalb"][:2].sum() == 0
        assert data.notes[0] == "1 of 2 lists have no gold tree and are not counted."
        assert data.references is not None
        assert data.references.to_pylist() == [[], [trees[1]]]

    def test_other_words_and_other_numbers_of_words(self) -> None:
        trees = [
            "(S (NP (NN a)) (VP (VB b)))",
            "(S (NP (NN c)) (VP (VB b)))",
            "(S (NP (NN a) (NN b) (NN c)))",
            "(NN a)",
        ]
        data = extract([ParseList("a", trees[0], [0.0, -1.0, -2.0, -3.0], trees)], min_lists=1, processes=1)
        assert data.notes[:2] == (
            "2 of 4 candidates differ from the gold tree in the number of words; "
            "parseval counts nothing in them as right.",
            "EVALB leaves out 3 of 4 candidates: without punctuation, their words differ from the gold tree, "
            "or none are left.",
        )
        assert data.quality is not None
        assert data.quality.round(6).tolist() == [3.0, 3.0, 0.0, 0.0]
        assert rows_of(data)[2]["edges:NP 3 )"] == 1

    def test_inputs_are_the_tokens_where_there_are_any(self) -> None:
        lists = [ParseList("a", None, [0.0], ["(X (NN a))"], ["a"]), ParseList("b", None, [0.0], ["(X (NN b))"])]
        data = extract(lists, processes=1)
        assert data.inputs is not None
        assert data.inputs.to_pylist() == ["a", ""]
        assert extract(lists[1:], processes=1).inputs is None

    def test_more_than_a_byte_can_count(self) -> None:
        many, one = f"(X {'(Y (NN a))' * 300})", f"(X {'(NN a)' * 299} (Y (NN a)))"
        data = extract([ParseList("a", None, [0.0, -1.0], [many, one])], families=["rule"], min_lists=1, processes=1)
        assert [row["rule:Y>NN!"] for row in rows_of(data)] == [255, 1]


@pytest.mark.parametrize("processes", [1, 2])
def test_a_broken_tree_is_named(processes: int) -> None:
    lists = [ParseList("fine", None, [0.0], ["(X (NN a))"])]
    lists.append(ParseList("bad", None, [0.0, -1.0], ["(X (NN a))", "(X (NN a)"], origin=Origin("dev.jsonl", 7)))
    with pytest.raises(DataError) as caught:
        extract(lists, processes=processes)
    assert str(caught.value).startswith("dev.jsonl, line 7, list 'bad', candidate 2: ")
    assert "not closed" in str(caught.value)


@pytest.mark.parametrize("processes", [1, 2])
def test_a_cache_that_is_no_folder(tmp_path: Path, processes: int) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunoffError, match="file cannot be used as a cache"):
        extract([ParseList("a")], processes=processes, cache=tmp_path / "file")


@pytest.mark.slow
def test_real_lists(shared_data: Path, plainly: Callable[..., Counts]) -> None:
    """The first lists of a parser's real output, against plain counts."""
    path = shared_data / "parses" / "ewt.dev.bllip50.jsonl.gz"
    if not path.exists():
        pytest.skip(f"the lists of parses are not at {path}")
    lists = list(islice(read_lists(path), 12))
    families = [name for name in ALL if name != "consensus"]
    kept, seen = plainly([each.trees for each in lists], families)
    data = extract(lists, families=families, min_lists=3, processes=1)
    assert rows_of(data) == [{k: v for k, v in row.items() if seen[k] >= 3} for rows in kept for row in rows]
