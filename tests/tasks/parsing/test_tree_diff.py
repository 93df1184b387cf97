"""Which nodes of two trees differ, who is right, and how that looks in a terminal."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff.errors import DataError
from runoff.tasks.parsing.brackets import Forest, parse_tree
from runoff.tasks.parsing.tree_diff import Mark, differing_nodes, marks
from runoff.tasks.parsing.tree_display import tree_text
from runoff.tasks.parsing.trees import Tree

# The prepositional phrase belongs to the verb in one and to the noun in the other.
TO_NOUN = "(S1 (S (NP (PRP I)) (VP (VBP eat) (NP (NP (NN rice)) (PP (IN with) (NP (NNS sticks))))) (. .)))"
TO_VERB = "(S1 (S (NP (PRP I)) (VP (VB eat) (NP (NN rice)) (PP (IN with) (NP (NNS sticks)))) (. .)))"


def texts(nodes: object) -> list[str]:
    return sorted(str(node) for node in nodes)  # type: ignore[attr-defined]


@pytest.mark.parametrize("shared", [True, False])
def test_a_phrase_that_is_attached_elsewhere(shared: bool) -> None:
    forest = Forest()
    read = forest.tree if shared else parse_tree
    noun, verb = differing_nodes(read(TO_NOUN), read(TO_VERB))
    assert texts(noun) == ["(NP (NP (NN rice)) (PP (IN with) (NP (NNS sticks))))", "(VBP eat)"]
    assert texts(verb) == ["(VB eat)"]


def test_of_equal_constituents_the_lower_ones_are_in_both() -> None:
    left = parse_tree("(S (NP (NP (NP (NN rain)))))")
    right = parse_tree("(S (NP (NN rain)))")
    only_left, only_right = differing_nodes(left, right)
    top = left.children[0]
    assert only_left == {top, top.children[0]}
    assert only_right == set()


@pytest.mark.parametrize("root", ["TOP", "ROOT", ""])
def test_what_the_node_above_the_sentence_is_called_makes_no_difference(root: str) -> None:
    assert differing_nodes(parse_tree("(S1 (S (UH oh)))"), parse_tree(f"({root} (S (UH oh)))")) == (set(), set())
    assert differing_nodes(parse_tree("(S (UH oh))"), parse_tree(f"({root} (S (UH oh)))")) == (set(), set())


def test_a_tag_is_no_constituent_of_the_same_name() -> None:
    left, right = parse_tree("(S (NN (NN rain)))"), parse_tree("(S (NN rain))")
    assert differing_nodes(left, right) == ({left.children[0]}, set())


def test_trees_over_other_words_are_refused() -> None:
    with pytest.raises(DataError, match="one has 1 and the other 2"):
        differing_nodes(parse_tree("(S (UH oh))"), parse_tree("(S (UH oh) (. .))"))


def test_the_gold_tree_tells_right_from_wrong() -> None:
    noun, verb, other = parse_tree(TO_NOUN), parse_tree(TO_VERB), parse_tree(TO_NOUN.replace("VBP", "VB"))
    left, right = marks(noun, verb, gold=other)
    assert {node.label: mark for node, mark in left.items()} == {"NP": Mark.RIGHT, "VBP": Mark.WRONG}
    assert {node.label: mark for node, mark in right.items()} == {"VB": Mark.RIGHT}
    assert set(marks(noun, verb)[0].values()) == {Mark.ONLY}


def test_a_second_copy_is_wrong_where_the_gold_tree_has_one() -> None:
    left, right = parse_tree("(S (NP (NP (NN rain))))"), parse_tree("(S (NP (NN rain)))")
    assert marks(left, right, gold=right)[0] == {left.children[0]: Mark.WRONG}


@st.composite
def trees(draw: st.DrawFn, words: int) -> Tree:
    """Some tree over so many words, with few labels, so that equal constituents are common."""
    nodes = [Tree.leaf(draw(st.sampled_from("AB")), "w", at) for at in range(words)]
    while len(nodes) > 1 or draw(st.booleans()):
        first = draw(st.integers(0, len(nodes) - 1))
        last = draw(st.integers(first, min(first + 2, len(nodes) - 1)))
        nodes[first : last + 1] = [Tree(draw(st.sampled_from(["A", "B", "S1"])), nodes[first : last + 1])]
    return nodes[0]


@settings(deadline=None)
@given(st.integers(1, 6).flatmap(lambda words: st.tuples(trees(words), trees(words))))
def test_as_many_differ_as_bags_of_constituents_differ(pair: tuple[Tree, Tree]) -> None:
    left, right = (
        Counter((n.label, n.start, n.end, n.is_leaf) for n in tree.walk() if n.is_leaf or n.label != "S1")
        for tree in pair
    )
    only_left, only_right = differing_nodes(*pair)
    assert Counter((n.label, n.start, n.end, n.is_leaf) for n in only_left) == left - right
    assert Counter((n.label, n.start, n.end, n.is_leaf) for n in only_right) == right - left
    assert differing_nodes(pair[0], pair[0]) == (set(), set())


def test_signs_stand_at_the_edge_and_before_tags() -> None:
    noun, verb = parse_tree(TO_NOUN), parse_tree(TO_VERB)
    assert tree_text(noun, marks(noun, verb, gold=verb)[0]) == "\n".join(
        [
            "  S1",
            "    S",
            "      NP  I/PRP",
            "      VP",
            "        eat/-VBP",
            "-       NP",
            "          NP  rice/NN",
            "          PP",
            "            with/IN",
            "            NP  sticks/NNS",
            "      ./.",
        ]
    )
    assert tree_text(verb, differing_nodes(verb, noun)[0]).count("*") == 1
    assert "*" not in tree_text(verb)


def test_brackets_are_brackets_and_nothing_moves_the_cursor() -> None:
    tree = Tree("", [Tree.leaf("-LRB-", "-LRB-", 0), Tree.leaf("X", "a\x1b[2J\ud800\nb", 1), Tree.leaf("NN", "né", 2)])
    assert tree_text(tree) == "  ·  (/-LRB-  a\ufffd[2J\ufffd\ufffdb/X  né/NN"


def test_a_tag_alone_is_a_tree() -> None:
    tag = parse_tree("(UH oh)")
    assert tree_text(tag, {tag}) == "  oh/*UH"
