"""Treebanks: every form they come in, what is kept of a tree, and what is wrong."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys

import orjson
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.parse_files import file as written
from runoff import formats
from runoff.errors import DataError, UsageError
from runoff.nbest import NBest
from runoff.tasks.parsing.brackets import parse_tree
from runoff.tasks.parsing.treebank import Sentence, Treebank, read_treebank

RUN, TIDY_RUN = "( (S (NP-SBJ (PRP I)) (VP (VBP run))) )", "(TOP (S (NP (PRP I)) (VP (VBP run))))"
OH, TIDY_OH = "(INTJ (UH oh))", "(TOP (INTJ (UH oh)))"


def file(folder, content: str | bytes, name: str = "trees.mrg"):
    return written(folder, content, name)


def trees(path, notes: list[str] | None = None) -> list[str]:
    return [str(sentence.tree) for sentence in read_treebank(path, notes)]


def ids(bank: Treebank) -> list[tuple[str, str]]:
    return [(sentence.id, sentence.document) for sentence in bank]


# -------------------------------------------------------------------- what is kept of a tree


# A question as the Penn Treebank has it, over several lines: the word that was moved, and the trace that it left.
PENN = """
( (SBARQ (WHNP-1 (WP What))
         (SQ (VBZ is) (NP-SBJ (NNP Tim)) (VP (VBG eating) (NP (-NONE- *T*-1))))
         (. ?)) )
"""


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        (PENN, "(TOP (SBARQ (WHNP (WP What)) (SQ (VBZ is) (NP (NNP Tim)) (VP (VBG eating))) (. ?)))"),
        ("(S1 (NP=2 (PRP$ my) (NN|JJ cat)) (-LRB- -LRB-))", "(TOP (NP (PRP$ my) (NN cat)) (-LRB- -LRB-))"),
        ("(ROOT (TOP (S1 ( (X (UH oh))))))", "(TOP (X (UH oh)))"),  # roots above roots are one
        ("(S (VP (VB Go)))", "(TOP (S (VP (VB Go))))"),  # no root
        ("( (NP (NN a)) (. .) )", "(TOP (NP (NN a)) (. .))"),  # a root over more than one
        ("(UH oh)", "(TOP (UH oh))"),  # a tag alone
        ("(ROOT (UH oh))", "(TOP (UH oh))"),
        ("(TOP oh)", "(TOP (TOP oh))"),  # a tag over a word is a tag, whatever it is called
        ("(NP (CD 1\\/2) (SYM <x>) (NN a\u00a0b) (NN \U0001f600) (: --))",) * 2,  # words stay as they are
    ],
)
def test_what_is_kept_of_a_tree(tmp_path, written, kept):
    kept = kept if kept.startswith("(TOP") else f"(TOP {kept})"
    assert trees(file(tmp_path, written)) == [kept]


def test_words_are_counted_without_traces(tmp_path):
    sentence = read_treebank(file(tmp_path, "(S (NP (-NONE- *)) (VP (VB Go) (NP (-NONE- *T*)) (ADVP (RB away))))"))[0]
    assert [(leaf.start, leaf.end, leaf.word) for leaf in sentence.tree.leaves()] == [(0, 1, "Go"), (1, 2, "away")]
    assert (sentence.words, sentence.text, sentence.tree.end) == (["Go", "away"], "Go away", 2)


def test_a_root_inside_a_tree_is_taken_out_and_counted(tmp_path):
    notes: list[str] = []
    path = file(tmp_path, "(S (ROOT (NP (NN a)) (S1 (NN b))) ( (VP (VB c))))")
    assert trees(path, notes) == ["(TOP (S (NP (NN a)) (NN b) (VP (VB c))))"]
    assert notes[1:] == [
        "Nodes inside trees with the label of a root or without a label were removed, and their children kept: 3."
    ]


def test_sentences_without_words_are_left_out_and_counted(tmp_path):
    notes: list[str] = []
    bank = read_treebank(file(tmp_path, f"( (S (NP (-NONE- *))))\n(())\n{OH}\n( (-NONE- *U*) )"), notes)
    assert ids(bank) == [("3", "1")]  # numbers are those of the file
    assert notes[1:] == [
        "Sentences that consist of traces only were left out: 2.",
        "Sentences without a tree, written as (()), were left out: 1.",
    ]


# -------------------------------------------------------------------- files


@pytest.mark.parametrize(
    "content",
    [
        f"{RUN}\n{OH}\n",
        f"{RUN} {OH}",
        "\n\n( (S\n  (NP-SBJ\n\n (PRP I))\n  (VP (VBP run)) ) )\n(INTJ\n(UH oh)\n)",
        f"\ufeff{RUN}\r\n\r\n{OH}\r\n",
        gzip.compress(f"{RUN}\n{OH}".encode()),
        pa.compress(f"{RUN}\n{OH}".encode(), "zstd", asbytes=True),
        f"<a.1> {RUN}\n<a.2> {OH}\n",
    ],
    ids=["lines", "one line", "many lines", "from Windows", "gzip", "zstd", "names"],
)
def test_forms_of_a_file(tmp_path, content):
    assert trees(file(tmp_path, content)) == [TIDY_RUN, TIDY_OH]


def test_standard_input():
    program = "from runoff.tasks.parsing.treebank import read_treebank; print(read_treebank('-'))"
    done = subprocess.run([sys.executable, "-c", program], input=RUN + OH, capture_output=True, text=True, check=True)
    assert done.stdout == "Treebank(2 sentences, 1 document, 3 words)\n"


LABELS = st.sampled_from(["S", "NP", "VP", "-LRB-", "PRP$", "``", "X"])
WORDS = st.text(st.characters(exclude_categories=["C", "Z"], exclude_characters="()"), min_size=1, max_size=4)
TREES = st.recursive(
    st.tuples(LABELS, WORDS).map(lambda pair: f"({pair[0]} {pair[1]})"),
    lambda below: st.tuples(LABELS, st.lists(below, min_size=1, max_size=3)).map(
        lambda node: f"({node[0]} {' '.join(node[1])})"
    ),
    max_leaves=8,
)


@given(st.lists(TREES, min_size=1, max_size=4), st.sampled_from(["\n", " ", "\r\n  ", ""]))
def test_any_trees_come_back(tmp_path_factory, texts, between):
    path = file(tmp_path_factory.mktemp("any"), between.join(texts).replace(" (", f"{between} ("))
    assert trees(path) == [f"(TOP {text})" for text in texts]


def test_a_folder(tmp_path):
    for name, content in {
        "00/wsj_0002.mrg": f"\n{RUN}\n{OH}",
        "00/wsj_0001.mrg": RUN,
        "b.tree.gz": gzip.compress(OH.encode()),
        "00/.hidden.mrg": RUN,
        ".git/trees.mrg": RUN,
        "README": "(c) 1995 somebody",
        "a.txt": "Hello",
        "empty": "",
        "z.bin": b"\0\1",
    }.items():
        file(tmp_path, content, name)
    (tmp_path / "00" / "around").symlink_to(tmp_path)
    notes: list[str] = []
    bank = read_treebank(tmp_path, notes)
    assert ids(bank) == [
        ("00/wsj_0001.mrg#1", "00/wsj_0001.mrg"),
        ("00/wsj_0002.mrg#1", "00/wsj_0002.mrg"),
        ("00/wsj_0002.mrg#2", "00/wsj_0002.mrg"),
        ("b.tree.gz#1", "b.tree.gz"),
    ]
    assert notes == [f"Files in {tmp_path} that do not start with a tree were left out: 4 (README, a.txt, empty, …)."]


def test_folders_with_files_of_the_same_name(tmp_path):
    paths = [file(tmp_path, OH, f"{folder}/a.mrg") for folder in ("one", "two")]
    bank = read_treebank([str(tmp_path / "one"), tmp_path / "two"])
    assert [document for _, document in ids(bank)] == [path.as_posix() for path in paths]


# -------------------------------------------------------------------- lists of parses


def parses(folder, *records: dict[str, object]):
    return file(folder, "\n".join(json.dumps({"nbest": [], **record}) for record in records), "lists.jsonl")


def test_gold_trees_of_lists(tmp_path):
    path = parses(
        tmp_path,
        {"id": "x", "doc": "b", "fold": 2, "gold": RUN, "nbest": [[-1.5, OH]]},
        {"id": "y", "doc": "a", "gold": OH},
        {"id": "z", "doc": "a", "gold": None},
        {"id": "w", "doc": "a", "gold": " "},
        {"id": "v", "doc": "a", "gold": "(())"},
    )
    notes: list[str] = []
    bank = read_treebank(path, notes)
    found = [(each.id, each.document, str(each.tree), each.fold) for each in bank]
    assert found == [("x", "b", TIDY_RUN, 2), ("y", "a", TIDY_OH, None)]
    assert notes == [
        "Sentences without a tree, written as (()), were left out: 1.",
        "Lists without a gold tree were left out: 2.",
    ]


def test_a_treebank_of_json_lines(tmp_path):
    lines = ({"id": "a.0", "gold": RUN, "doc": "a"}, {"id": "b.0", "gold": OH, "doc": "b"})
    bank = read_treebank(file(tmp_path, "\n".join(map(json.dumps, lines)), "bank.jsonl"))
    assert [(each.id, each.document, str(each.tree)) for each in bank] == [
        ("a.0", "a", TIDY_RUN),
        ("b.0", "b", TIDY_OH),
    ]


def test_files_with_tags_and_headers_in_a_folder(tmp_path):
    file(tmp_path, f"<DOC>\n<S ID=1>\n{RUN}\n</S>\n</DOC>\n", "bank/chtb_1.fid")
    file(tmp_path, f"*x*x*x*\n*x* (C) 1995 *x*\n\n{OH}\n", "bank/sw2005.mrg")
    file(tmp_path, "<DOC>\nno trees (at all)\n</DOC>\n", "bank/about.sgml")
    notes: list[str] = []
    assert trees(tmp_path / "bank", notes) == [TIDY_RUN, TIDY_OH]
    assert "do not start with a tree were left out: 1 (about.sgml)." in notes[0]
    assert trees(tmp_path / "bank" / "sw2005.mrg") == [TIDY_OH]


def test_references_of_runoffs_own_formats(tmp_path):
    data = NBest.from_arrays([[1.0], [2.0]], sizes=[1, 1], texts=[OH, OH], references=[[RUN], [OH]])
    path = tmp_path / "lists.arrow"
    formats.write(data, path)
    assert trees(path) == [TIDY_RUN, TIDY_OH]


# -------------------------------------------------------------------- the treebank itself


def bank_of(*texts: str) -> Treebank:
    return Treebank(Sentence(str(at), "d", parse_tree(text)) for at, text in enumerate(texts))


def test_a_treebank_is_a_sequence():
    bank = bank_of(TIDY_RUN, TIDY_OH)
    assert (len(bank), bank[-1].text, bank.words, len(list(bank))) == (2, "oh", 3, 2)
    assert repr(bank[1:]) == "Treebank(1 sentence, 1 document, 1 word)"
    assert [tree.end for tree in bank.trees()] == [2, 1]
    with pytest.raises(IndexError):
        bank[2]


def test_describe():
    # By hand: S, VP, NP, ADVP and INTJ; VB, RB, NN and UH; S over VP over VB is the highest chain.
    bank = bank_of("(TOP (S (VP (VB Go))) (ADVP (RB away)))", "(TOP (NP (NN a) (NN b) (NP (NN c))))", TIDY_OH)
    assert bank.describe() == {
        "sentences": 3,
        "documents": 1,
        "words": 6,
        "labels": 5,
        "tags": 4,
        "longest_sentence": 3,
        "highest_unary_chain": 2,
    }
    assert set(Treebank([]).describe().values()) == {0}


# -------------------------------------------------------------------- what is wrong


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        (f"{OH}\n(S (NP\n (PRP I))\n", ", line 2: the tree is not closed; 1 closing bracket is missing."),
        (f"{OH}\n{OH})", ", line 2: a closing bracket has no opening bracket."),
        (f"{OH}\n(S (NP ) (VB x))", ", line 2, column 8: the constituent 'NP' is empty."),
        ("(NP Tim Cook)", ", line 1, column 9: expected a closing bracket after the word 'Tim'; found 'Cook'."),
        (f"{OH}\nHello", ", line 2: expected a tree, which starts with an opening bracket; found 'Hello'."),
        (f"<a> {OH}\n<a> {OH}", ", line 2: another tree (line 1) has the name 'a'; names must differ."),
        (b"(NN caf\xe9)", ", line 1: the text is not UTF-8 (byte 8 of the line is 0xe9); convert the file to UTF-8."),
        ("\n", ": the file is empty."),
        (
            "(S (-NONE- *))",
            ": no tree is left. Sentences that consist of traces only were left out: 1. "
            "Expected trees over words in brackets, such as (S (NP (PRP I)) (VP (VBP run))).",
        ),
        (
            '{"id": "a", "nbest": []}',
            ": there is no gold tree (1 list). A treebank is a file of trees in brackets, a folder of such "
            "files, or lists of parses with their gold trees.",
        ),
        (
            '{"id": "a", "nbest": [], "gold": "(S (NP x)"}',
            ", line 1, list 'a', gold tree: the tree is not closed; 1 closing bracket is missing.",
        ),
    ],
)
def test_errors_name_the_place(tmp_path, content, wrong):
    path = file(tmp_path, content)
    with pytest.raises(DataError) as caught:
        read_treebank(path)
    assert str(caught.value) == f"{path}{wrong}"


def test_a_folder_without_trees(tmp_path):
    file(tmp_path, "Hello", "README")
    with pytest.raises(DataError, match=r"none of the files in this folder starts with a tree \(1 file\)\. To read"):
        read_treebank(tmp_path)


def test_nothing_and_the_same_twice(tmp_path):
    with pytest.raises(UsageError, match="expected a file or a folder of trees; found none"):
        read_treebank([])
    path = file(tmp_path, OH)
    with pytest.raises(UsageError, match="is given twice; a sentence must not be in a treebank more than once"):
        read_treebank([tmp_path, path])


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may read every folder")
def test_a_folder_that_may_not_be_read(tmp_path):
    file(tmp_path, OH)
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    with pytest.raises(DataError, match="the folder cannot be read: permission denied"):
        read_treebank(tmp_path)


# -------------------------------------------------------------------- real treebanks


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "described"),
    [
        # Sentences: the README of the data. The sample is of the files wsj_0001 to wsj_0199. Words and the other
        # documents: what the lists say, with which everything is compared below.
        ("wsj-sample", "Treebank(3,914 sentences, 199 documents, 94,084 words)"),
        ("ewt.dev", "Treebank(1,965 sentences, 297 documents, 24,887 words)"),
    ],
)
def test_words_are_those_that_the_lists_say(shared_data, name, described):
    path = shared_data / "parses" / f"{name}.bllip50.jsonl.gz"
    bank = read_treebank(path)
    assert repr(bank) == described
    with gzip.open(path) as lines:
        records = [orjson.loads(line) for line in lines]
    assert [sentence.words for sentence in bank] == [record["tokens"] for record in records]
    assert [sentence.fold for sentence in bank] == [record["fold"] for record in records]
    of = [record.get("doc") or record["id"].rpartition(".")[0] for record in records]
    assert [sentence.document for sentence in bank] == of
