"""Lists of parses in other formats, with gold trees from other files, and files that are damaged."""

from __future__ import annotations

import gzip
import json
import re

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.parse_files import EXPECTED, GOLD, ONE, PRINTED, THREE, TWO, WHOLE, contents, file
from runoff import formats
from runoff.errors import DataError, RunoffError, UsageError
from runoff.nbest import NBest
from runoff.tasks.parsing.brackets import Forest
from runoff.tasks.parsing.lists import ParseList, read_lists
from runoff.tasks.parsing.parse_data import to_lists, to_nbest

# -------------------------------------------------------------------- Runoff's own formats


@pytest.mark.parametrize("name", ["lists.jsonl", "lists.jsonl.gz", "lists.arrow", "lists.parquet"])
def test_runoffs_own_formats(tmp_path, name):
    data = NBest.from_arrays(
        sizes=[2, 0, 1],
        texts=[ONE, TWO, THREE],
        base=[-1.5, -2.5, -3.5],
        group_ids=["a", "b", "c"],
        references=[[GOLD, ONE], None, []],
    )
    formats.write(data, tmp_path / name)
    lists = list(read_lists(tmp_path / name))
    assert lists == [
        ParseList("a", GOLD, [-1.5, -2.5], [ONE, TWO]),
        ParseList("b"),
        ParseList("c", None, [-3.5], [THREE]),
    ]


def test_runoffs_candidates_without_scores_are_all_worth_the_same(tmp_path):
    path = file(tmp_path, json.dumps({"id": "a", "extra": 1, "candidates": [{"text": ONE}, {"text": TWO}]}))
    notes: list[str] = []
    assert contents(read_lists(path, notes=notes)) == [("a", [0.0, 0.0], [ONE, TWO])]
    assert notes == [
        "Keys that Runoff does not use were left out: extra (1 group).",
        "The candidates have no scores; all get 0.",
    ]


def test_folds_and_documents_are_attributes_and_come_back():
    lists = [ParseList("a", GOLD, [-1.0], [ONE], fold=3, document="d"), ParseList("b", None, [-1.0], [TWO])]
    data = to_nbest(lists)
    assert {name: each.to_pylist() for name, each in data.attributes.items()} == {
        "fold": ["3", None],
        "doc": ["d", None],
    }
    assert list(to_lists(data)) == lists
    assert not to_nbest(lists[1:]).attributes


def test_candidates_without_texts_are_no_parses(tmp_path):
    path = file(tmp_path, "2 qid:1 1:0.5\n1 qid:1 1:0.25\n")
    with pytest.raises(DataError, match=r"lists: the candidates have no texts; expected trees in brackets"):
        list(read_lists(path))


# -------------------------------------------------------------------- right trees in a file of their own


def test_gold_trees_from_a_file(tmp_path):
    gold = file(tmp_path, f"( (S (NP (NN time))\n  (VP (VBZ flies))))\n{THREE}\n", "gold.mrg")
    first, second = read_lists(file(tmp_path, PRINTED), gold=gold)
    assert (first.gold, second.gold) == ("( (S (NP (NN time)) (VP (VBZ flies))))", THREE)
    assert (first.id, first.scores, first.trees) == EXPECTED[0]
    # The files have their own places in messages.
    assert first.where(1) == f"{tmp_path / 'lists'}, line 5, list 'sent_0', candidate 2"
    assert [(each.origin.gold_path, each.origin.gold_line) for each in (first, second)] == [(gold, 1), (gold, 3)]


@pytest.mark.parametrize(
    ("trees", "message"),
    [
        (ONE, r"in the same order; found 1, and list 2 is 'sent_1'\."),
        ("\n".join([ONE] * 4), r"in the same order; found 4 trees for 2 lists\."),
        ("", r"in the same order; found 0, and list 1 is 'sent_0'\."),
        (f"{ONE}\n{TWO[:-1]}", r"line 2: the tree is not closed"),
    ],
)
def test_gold_trees_that_do_not_fit(tmp_path, trees, message):
    gold = file(tmp_path, trees, "gold.mrg")
    with pytest.raises(DataError, match=rf"^{re.escape(str(gold))}[:,].* {message}"):
        list(read_lists(file(tmp_path, PRINTED), gold=gold))


def test_gold_trees_twice(tmp_path):
    path, gold = file(tmp_path, json.dumps(WHOLE)), file(tmp_path, GOLD, "gold.mrg")
    with pytest.raises(UsageError, match=r"line 1, list 'd#0' has a gold tree of its own; leave out the file .*gold"):
        list(read_lists(path, gold=gold))
    with pytest.raises(DataError, match=r"nowhere\.mrg: the file cannot be read: no such file or directory\."):
        list(read_lists(file(tmp_path, PRINTED), gold=tmp_path / "nowhere.mrg"))


# -------------------------------------------------------------------- reading the trees


def test_trees_of_a_list_share_their_nodes(tmp_path):
    (parses,) = read_lists(file(tmp_path, json.dumps(WHOLE)))
    forest = Forest()
    assert parses.tree(1, forest) is parses.gold_tree(forest)
    assert ParseList("a").gold_tree(forest) is None


def test_a_tree_that_cannot_be_read_is_named(tmp_path):
    record = {"id": "a", "gold": "(S", "nbest": [[-1, ONE], [-2, "(S1 (NP (NN time)"]]}
    (parses,) = read_lists(file(tmp_path, json.dumps(record)))
    with pytest.raises(
        DataError, match=r"lists, line 1, list 'a', candidate 2: the tree is not closed; 2 closing brackets are"
    ):
        parses.tree(1, Forest())
    with pytest.raises(DataError, match=r"lists, line 1, list 'a', gold tree.*not closed"):
        parses.gold_tree(Forest())
    (parses,) = read_lists(file(tmp_path, "1 a\n-1\n(X )\n"))
    with pytest.raises(DataError, match=r"lists, line 3, list 'a', candidate 1.* is empty"):
        parses.tree(0, Forest())
    with pytest.raises(DataError, match=r"^list 'b', candidate 1.*expected one tree; found 0"):
        ParseList("b", scores=[1.0], trees=[""]).tree(0, Forest())


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("\n(S () )", "line 2, column 5"),
        (
            "(S (NN a))\n(S (NN a)\n\n   (VP go away))",
            "line 4, column 11",
        ),  # the second loose word; a blank line counts
        ("(S (NN a)) (S (NN a) b)", "line 1, column 22"),
    ],
)
def test_faults_in_a_file_of_trees_have_their_line_and_column_in_the_file(tmp_path, text, place):
    """Counted by hand in the file, also in a tree over many lines and in the second tree of a line."""
    with pytest.raises(DataError, match=rf"trees\.mrg, {place}: "):
        list(read_lists(file(tmp_path, text, "trees.mrg")))


def test_as_many_scores_as_trees():
    with pytest.raises(DataError, match=r"^list 'b': expected as many scores as trees; found 1 scores and 0 trees\."):
        ParseList("b", scores=[1.0])


# -------------------------------------------------------------------- files


PACKERS = {"plain": bytes, "gzip": gzip.compress, "zstd": lambda content: pa.compress(content, "zstd", asbytes=True)}


@pytest.mark.parametrize("packing", PACKERS)
def test_packed_files(tmp_path, packing):
    for text, size in ((json.dumps(WHOLE), 1), (PRINTED, 2), (f"{ONE}\n{TWO}\n{THREE}", 3)):
        path = file(tmp_path, PACKERS[packing](text.encode()))
        assert len(list(read_lists(path))) == size


@pytest.mark.parametrize("content", ["", " \n\n", "\ufeff\n"])
@pytest.mark.parametrize("named", [None, "parse-jsonl", "bllip", "brackets", "jsonl"])
def test_empty_files(tmp_path, content, named):
    with pytest.raises(DataError, match=r"lists: the file is empty\.$"):
        list(read_lists(file(tmp_path, content), named))


def test_files_of_another_kind(tmp_path):
    for content, found in (
        (b"\x7fELF\0\0\1\xff", "the file is not text"),
        (b"time flies\n", "starts with 'time flies'"),
    ):
        with pytest.raises(
            DataError, match=rf"lists: expected lists of parses, but .*{found}.*: parse-jsonl, bllip, brac"
        ):
            list(read_lists(file(tmp_path, content)))
    with pytest.raises(DataError, match=r"lists: the text is UTF-16; convert the file to UTF-8"):
        list(read_lists(file(tmp_path, ONE.encode("utf-16"))))
    with pytest.raises(DataError, match=r"nowhere: the file cannot be read: no such file or directory\."):
        list(read_lists(tmp_path / "nowhere"))


def test_cut_off_gzip(tmp_path):
    # Numbers do not pack well, so that the cut falls far behind what is looked at to recognise the format.
    lines = [json.dumps({"id": number, "nbest": [[-(number * 7919 % 100_003) / 7, ONE]]}) for number in range(20_000)]
    packed = gzip.compress("\n".join(lines).encode())
    path = file(tmp_path, packed[: len(packed) // 2])
    lists = read_lists(path)
    assert next(lists).id == "0"
    with pytest.raises(DataError, match=r"lists: the compressed file ends too early"):
        list(lists)


def test_a_format_that_does_not_exist_is_said_at_once(tmp_path):
    with pytest.raises(UsageError, match=r"there is no format 'penn' of parses; there are: parse-jsonl, bllip, brack"):
        read_lists(file(tmp_path, ONE), "penn")


@given(
    st.sampled_from([json.dumps(WHOLE) * 2, json.dumps(WHOLE), PRINTED, f"{ONE}\n{TWO}"]),
    st.integers(0, 1 << 10),
    st.integers(0, 40),
    st.binary(max_size=3) | st.sampled_from([b"(", b")", b"\n", b"\n\n", b"1", b"-", b'"', b"{", b"]"]),
)
def test_damage_is_either_harmless_or_said(tmp_path_factory, text, start, length, instead):
    """Anything else than a sentence of Runoff's own would fail this."""
    content = text.encode()
    start %= len(content) + 1
    path = file(tmp_path_factory.mktemp("damaged"), content[:start] + instead + content[start + length :])
    for named in (None, "parse-jsonl", "bllip", "brackets"):
        try:
            found = " ".join(tree for each in read_lists(path, named) for tree in [str(path), *each.trees])
        except RunoffError as error:
            found = str(error)
        assert str(path) in found  # at least one list, or a sentence that names the file
