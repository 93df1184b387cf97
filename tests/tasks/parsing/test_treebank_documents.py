"""Which sentences of a treebank are of one document."""

from __future__ import annotations

import json

import pytest

from helpers.parse_files import file as written
from runoff.tasks.parsing.treebank import Treebank, read_treebank

RUN, TIDY_RUN = "( (S (NP-SBJ (PRP I)) (VP (VBP run))) )", "(TOP (S (NP (PRP I)) (VP (VBP run))))"
OH, TIDY_OH = "(INTJ (UH oh))", "(TOP (INTJ (UH oh)))"


def file(folder, content: str | bytes, name: str = "trees.mrg"):
    return written(folder, content, name)


def trees(path, notes: list[str] | None = None) -> list[str]:
    return [str(sentence.tree) for sentence in read_treebank(path, notes)]


def ids(bank: Treebank) -> list[tuple[str, str]]:
    return [(sentence.id, sentence.document) for sentence in bank]


def parses(folder, *records: dict[str, object]):
    return file(folder, "\n".join(json.dumps({"nbest": [], **record}) for record in records), "lists.jsonl")


def documents(path, notes: list[str] | None = None) -> list[str]:
    return [sentence.document for sentence in read_treebank(path, notes)]


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["wsj_0010.0", "wsj_0010.1", "wsj_0011.0"], ["wsj_0010", "wsj_0010", "wsj_0011"]),
        (["answers/00/a.xml#0", "answers/00/a.xml#1", "b#0"], ["answers/00/a.xml", "answers/00/a.xml", "b"]),
        (["weblog-2004-0001", "weblog-2004-0002", "email-7-0001"], ["weblog-2004", "weblog-2004", "email-7"]),
        (["s.1", "s.2", "s.3"], ["1"] * 3),  # one document would be of no use
        (["a.1", "b.1", "c.1"], ["1"] * 3),  # as many documents as sentences
        (["a.1", "a.2", "b.x"], ["1"] * 3),  # not all have a number
        (["1", "2", "3"], ["1"] * 3),
    ],
)
def test_documents_by_name(tmp_path, names, found):
    assert documents(file(tmp_path, "\n".join(f"<{name}> {OH}" for name in names))) == found
    assert documents(parses(tmp_path, *({"id": name, "gold": OH} for name in names))) == found


def test_neighbours_are_a_document_where_nothing_else_is_known(tmp_path):
    notes: list[str] = []
    found = documents(file(tmp_path, f"{OH}\n" * 45), notes)
    assert found == ["1"] * 20 + ["2"] * 20 + ["3"] * 5
    assert notes == [
        "The documents of 45 sentences are unknown: "
        "every 20 consecutive sentences count as one document, 3 documents in total."
    ]


def test_a_long_file_among_others_is_a_collection(tmp_path):
    paths = [file(tmp_path, OH * 500, "a.mrg"), file(tmp_path, OH * 501, "b.mrg")]
    found = documents(paths)
    assert found[:500] == ["a.mrg"] * 500
    assert (found[500], found[-1], len(set(found))) == ("b.mrg#1", "b.mrg#26", 27)  # 501 = 25 * 20 + 1


def test_some_lists_with_documents(tmp_path):
    path = parses(tmp_path, {"id": "1", "gold": OH}, {"id": "2", "gold": OH, "doc": "a"}, {"id": "3", "gold": OH})
    assert documents(path) == ["1", "a", "1"]


def test_ids_of_several_files_differ(tmp_path):
    named = [file(tmp_path, f"<{name}.1> {OH}", f"{name}.mrg") for name in "ab"]
    assert [each for each, _ in ids(read_treebank(named))] == ["a.1", "b.1"]
    more = [*named, file(tmp_path, f"<a.1> {OH}", "c.mrg")]
    assert [each for each, _ in ids(read_treebank(more))] == ["a.mrg#a.1", "b.mrg#b.1", "c.mrg#a.1"]
