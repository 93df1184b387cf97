"""Lists that are written are read again; real lists are what a plain reader finds."""

from __future__ import annotations

import gzip

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.parse_files import EXPECTED, ONE, PRINTED, TWO, contents, file
from runoff.errors import RunoffError
from runoff.tasks.parsing.brackets import Forest
from runoff.tasks.parsing.lists import Origin, ParseList, read_lists, write_lists

trees = st.text('()SNPab é語"\\\t', max_size=12)
scores = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def parse_lists(draw):
    pairs = draw(st.lists(st.tuples(scores, trees), max_size=3))
    return ParseList(
        draw(st.text(max_size=5)),
        draw(st.none() | trees),
        [score for score, _ in pairs],
        [tree for _, tree in pairs],
        draw(st.none() | st.lists(st.text(max_size=3), max_size=3)),
        draw(st.none() | st.integers(-9, 9)),
        draw(st.none() | st.text(max_size=5)),
    )


@given(st.lists(parse_lists(), min_size=1, max_size=4, unique_by=lambda each: each.id))
def test_what_is_written_is_read_again(tmp_path_factory, lists):
    folder = tmp_path_factory.mktemp("written")
    for name in ("lists.jsonl", "lists.jsonl.gz", "lists.jsonl.zst"):
        write_lists(lists, folder / name)
        assert list(read_lists(folder / name)) == lists
    assert (folder / "lists.jsonl.gz").read_bytes()[:2] == b"\x1f\x8b"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (ParseList("a"), r"list 'a': another list already has this id"),
        (
            ParseList("b", None, [float("nan")], [ONE]),
            r"list 'b', candidate 1: expected a finite number .* found nan\.",
        ),
        (ParseList("b", "\ud800"), r"list 'b': it cannot be written as JSON: .*surrogates"),
        (
            ParseList("b", None, [0.0, float("inf")], [ONE, TWO], origin=Origin("in.nbest", 4, [6, 9])),
            r"in\.nbest, line 9, list 'b', candidate 2: expected a finite number",
        ),
    ],
)
def test_a_file_is_written_whole_or_stays(tmp_path, wrong, message):
    path = file(tmp_path, "old", "lists.jsonl")
    with pytest.raises(RunoffError, match=message):
        write_lists([ParseList("a"), wrong], path)
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["lists.jsonl"]


def test_lists_may_be_written_over_the_file_they_come_from(tmp_path):
    path = file(tmp_path, PRINTED, "lists.jsonl")
    write_lists(read_lists(path), path)
    assert contents(read_lists(path)) == EXPECTED


@pytest.fixture(scope="module")
def real_paths(shared_data):
    paths = sorted(shared_data.glob("parses/*.jsonl.gz"))
    if not paths:
        pytest.skip(f"there are no lists of parses under {shared_data}")
    return paths


@pytest.mark.slow
def test_real_lists_are_what_a_plain_reader_finds(real_paths):
    for path in real_paths:
        with gzip.open(path) as stream:
            records = map(orjson.loads, stream)
            for parses, record in zip(read_lists(path), records, strict=True):
                assert [list(pair) for pair in zip(parses.scores, parses.trees, strict=True)] == record["nbest"]
                assert (parses.id, parses.gold, parses.tokens) == (record["id"], record["gold"], record["tokens"])
                assert (parses.fold, parses.document) == (record["fold"], record.get("doc"))


@pytest.mark.slow
def test_real_lists_in_other_forms_are_the_same_lists(real_paths, tmp_path):
    """The shortest real file, written as BLLIP text and as trees alone and read again."""
    path = min(real_paths, key=lambda each: each.stat().st_size)
    lists = list(read_lists(path))
    with (tmp_path / "nbest").open("w") as nbest, (tmp_path / "gold").open("w") as gold:
        for parses in lists:
            nbest.write(f"{len(parses.trees)}\t{parses.id}\n")
            nbest.writelines(f"{score!r}\n{tree}\n" for score, tree in zip(parses.scores, parses.trees, strict=True))
            nbest.write("\n")
            gold.write(f"{parses.gold}\n")
    again = list(read_lists(tmp_path / "nbest", gold=tmp_path / "gold"))
    assert [(each.gold, *rest) for each, rest in zip(again, contents(again), strict=True)] == [
        (each.gold, *rest) for each, rest in zip(lists, contents(lists), strict=True)
    ]
    assert [each.trees for each in read_lists(tmp_path / "gold")] == [[each.gold] for each in lists]
    write_lists(lists, tmp_path / "again.jsonl.gz")
    assert list(read_lists(tmp_path / "again.jsonl.gz")) == lists


@pytest.mark.slow
def test_real_trees_have_the_words_of_the_sentence(real_paths):
    """Gold trees of all lists and first candidates of the files, by the words that the file gives beside them."""
    for path in real_paths:
        for parses in read_lists(path):
            forest = Forest()
            assert parses.gold_tree(forest).end == len(parses.tokens)
            if parses.trees:
                assert parses.tree(0, forest).end == len(parses.tokens)
