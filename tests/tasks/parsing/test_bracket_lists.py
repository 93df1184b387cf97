"""Trees in brackets as lists, and a sentence with the place for everything that is wrong in them."""

from __future__ import annotations

import re

import pytest

from helpers.parse_files import ONE, THREE, TWO, contents, file
from runoff.errors import DataError
from runoff.tasks.parsing.bracket_text import tree_texts
from runoff.tasks.parsing.brackets import Forest
from runoff.tasks.parsing.lists import read_lists


def test_trees_alone_are_one_candidate_each(tmp_path):
    text = f"{ONE}\n\n( (S (NP (NN time))\n     (VP (VBZ flies)) ))\n(()) {THREE}\n(\n)\n"
    notes: list[str] = []
    assert contents(read_lists(file(tmp_path, text), notes=notes)) == [
        ("1", [0.0], [ONE]),
        ("2", [0.0], ["( (S (NP (NN time)) (VP (VBZ flies)) ))"]),
        ("3", [], []),
        ("4", [0.0], [THREE]),
        ("5", [], []),
    ]
    assert notes == ["Sentences without a parse, written as (()): 2."]


def test_names_before_trees(tmp_path):
    """`<name> tree` is what BLLIP's parseIt prints for sentences with names when it is asked for one parse."""
    path = file(tmp_path, f"<sent_1> {ONE}\n\n<sent_2> {TWO}\n{THREE}\n")
    assert contents(read_lists(path)) == [
        ("sent_1", [0.0], [ONE]),
        ("sent_2", [0.0], [TWO]),
        ("3", [0.0], [THREE]),
    ]


# As released: the Chinese Treebank puts its trees between tags; files of Switchboard and Brown begin with a notice.
BESIDE = {
    "Chinese Treebank": (
        f"<DOC>\n<DOCID> CHTB_0001.fid </DOCID>\n<BODY>\n\n<S ID=1>\n{ONE}\n</S>\n<S ID=2>\n( (S (NP (NN time))\n"
        f"  (VP (VBZ flies))) )\n</S>\n</BODY> </DOC>\n",
        [("1", 6), ("2", 9)],
    ),
    "Switchboard": (
        "*x*x*x*x*x*x*x*\n*x*             *x*\n*x* Copyright (C) 1995 *x*\n  *x*x*x*x*x*x*x*\n\n\n" + f"{ONE}\n",
        [("1", 7)],
    ),
    "names stay names": (f"<TEXT>\n<S-1> {ONE}\n<s2> {TWO}\n</TEXT>", [("S-1", 2), ("s2", 3)]),
    "only between trees": (f"(X (NN\n<S>\n)\n(NN *x*)\n)\n<S>\n{ONE}\n", [("1", 1), ("2", 7)]),
}


@pytest.mark.parametrize("named", [None, "brackets"])
@pytest.mark.parametrize("case", BESIDE)
def test_tags_and_headers_between_trees_are_passed_over(tmp_path, case, named):
    text, places = BESIDE[case]
    lists = list(read_lists(file(tmp_path, text), named))
    assert [(each.id, each.origin.line) for each in lists] == places
    assert all(len(each.trees) == 1 for each in lists)


def test_words_that_look_like_tags_stay_words(tmp_path):
    text, _ = BESIDE["only between trees"]
    first, _ = read_lists(file(tmp_path, text))
    assert first.tree(0, Forest()).words() == ["<S>", "*x*"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            f"{ONE}\n<S ID=1> {TWO} </S>\n",
            r"line 2: expected a tree, which starts with an opening bracket; found '</S>'",
        ),
        (
            f"{ONE}\n<S> no tree\n",
            r"line 2: expected a tree, which starts with an opening bracket; found '<S> no tree'",
        ),
        (f"{ONE}\n*no* {TWO}\n", r"line 2: expected a tree, which starts with an opening bracket; found '\*no\*'"),
        (f"{ONE}\n{TWO[:-1]}\n{THREE}\n", r"line 2: the tree is not closed; 1 closing bracket is missing\."),
        (f"{ONE})\n", r"line 1: a closing bracket has no opening bracket\."),
        (f"{ONE}\nno parse\n", r"line 2: expected a tree, which starts with an opening bracket; found 'no parse'\."),
        (f"{ONE}\n\nNP (X x)\n", r"line 3: expected a tree, which starts with an opening bracket; found 'NP'\."),
    ],
)
def test_trouble_in_trees_alone(tmp_path, text, message):
    path = file(tmp_path, text)
    with pytest.raises(DataError, match=rf"^{re.escape(str(path))}, {message}"):
        list(read_lists(path))


def test_a_name_on_a_line_of_its_own_is_that_of_the_tree_after_it(tmp_path):
    path = tmp_path / "named.mrg"
    path.write_text("<a.1>\n(S (NN x))\n<a.2> (S (NN y))\n<S ID=3>\n(S (NN z))\n<b_7>\n\n(S (NN v)) (S (NN w))\n")
    assert [tree.name for tree in tree_texts(path)] == ["a.1", "a.2", None, "b_7", None]
