"""Trees: places, walks, text, and what is left without traces and function tags."""

from __future__ import annotations

import pytest

from runoff.tasks.parsing.brackets import DEEPEST, parse_tree
from runoff.tasks.parsing.trees import Tree, plain, plain_label

TEXT = "(S (NP-SBJ (DT the) (NN cat)) (VP (VBD sat)) (. .))"


def test_places_count_words() -> None:
    tree = parse_tree(TEXT)
    spans = [(node.label, node.start, node.end) for node in tree.walk()]
    assert spans == [
        *(("S", 0, 4), ("NP-SBJ", 0, 2), ("DT", 0, 1), ("NN", 1, 2)),
        *(("VP", 2, 3), ("VBD", 2, 3), (".", 3, 4)),
    ]


def test_leaves_and_words() -> None:
    tree = parse_tree(TEXT)
    assert tree.words() == ["the", "cat", "sat", "."]
    assert [leaf.label for leaf in tree.leaves()] == ["DT", "NN", "VBD", "."]
    assert [node.is_leaf for node in tree.walk()] == [False, False, True, True, False, True, True]
    assert all(leaf.children == () for leaf in tree.leaves())
    assert tree.word is None


def test_a_leaf_alone() -> None:
    leaf = Tree.leaf("NN", "dog", 7)
    assert (leaf.start, leaf.end, leaf.words(), str(leaf), leaf.is_leaf) == (7, 8, ["dog"], "(NN dog)", True)
    assert list(leaf.walk()) == leaf.leaves() == [leaf]


def test_text_and_back() -> None:
    for text in (TEXT, "( (S (NN a)))", "(NN a)", "(A (B (C d)) (E f))", "(-LRB- -LRB-)"):
        assert str(parse_tree(text)) == text
    assert repr(parse_tree("(NP (NN a))")) == "Tree('(NP (NN a))')"


def test_the_deepest_tree_can_be_written_and_made_plain() -> None:
    text = "(X-1 " * DEEPEST + "(NN a)" + ")" * DEEPEST
    tree = parse_tree(text)
    assert str(tree) == text
    assert str(plain(tree)) == text.replace("X-1", "X")


def test_nodes_are_compared_by_identity() -> None:
    one, other = parse_tree(TEXT), parse_tree(TEXT)
    assert one != other
    assert len({one, other, one}) == 2


@pytest.mark.parametrize(
    ("label", "category"),
    [
        ("NP", "NP"),
        ("NP-SBJ", "NP"),
        ("NP-SBJ-1", "NP"),
        ("NP=2", "NP"),
        ("NP-SBJ=2", "NP"),
        ("NP=2-SBJ", "NP"),
        ("ADVP|PRT", "ADVP"),
        ("PRP$", "PRP$"),
        ("WP$-1", "WP$"),
        ("-NONE-", "-NONE-"),
        ("-LRB-", "-LRB-"),
        ("-RRB-", "-RRB-"),
        ("-LSB-", "-LSB-"),
        ("-RCB-", "-RCB-"),
        ("-LRB--1", "-LRB-"),
        ("-DFL-", "-DFL-"),  # Switchboard
        ("-DFL-=2", "-DFL-"),
        ("-UNKNOWN-", "-UNKNOWN-"),
        ("-X", "-X"),
        ("-X=2", "-X"),
        ("--", "--"),
        ("", ""),
        ("-", "-"),
        ("=", "="),
        ("``", "``"),
    ],
)
def test_plain_label(label: str, category: str) -> None:
    assert plain_label(label) == category


def test_plain_drops_traces_with_all_that_is_over_them_alone_and_counts_words_anew() -> None:
    tree = parse_tree(
        "(S (NP-SBJ (-NONE- *)) (SBAR (-NONE- 0) (S (-NONE- *T*-1))) (VP (-NONE- *) (VB-X go) (NP=1 (NN on))))"
    )
    found = plain(tree)
    assert str(found) == "(S (VP (VB go) (NP (NN on))))"
    assert found is not None
    assert [(node.start, node.end) for node in found.walk()] == [(0, 2), (0, 2), (0, 1), (1, 2), (1, 2)]
    assert tree.end == 6  # what it was made from is as before


def test_plain_of_traces_alone_is_nothing() -> None:
    assert plain(parse_tree("(S (NP (-NONE- *)))")) is None
    assert plain(parse_tree("(-NONE- *)")) is None


def test_plain_keeps_brackets_as_words_and_tags() -> None:
    assert str(plain(parse_tree("(NP (-LRB- -LRB-) (NN-1 a-b) (-RRB- -RRB-))"))) == (
        "(NP (-LRB- -LRB-) (NN a-b) (-RRB- -RRB-))"
    )
