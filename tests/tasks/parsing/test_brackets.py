"""Penn brackets: what is read, what is shared, and what is said of broken ones."""

from __future__ import annotations

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from runoff.errors import DataError
from runoff.tasks.parsing.brackets import DEEPEST, Forest, parse_tree, read_trees

names = st.text(st.characters(exclude_characters="() \t\n\r\f\v", exclude_categories=["Cs"]), min_size=1, max_size=5)
trees = st.recursive(
    st.tuples(names, names).map(lambda pair: f"({pair[0]} {pair[1]})"),
    lambda below: st.tuples(st.one_of(names, st.just("")), st.lists(below, min_size=1, max_size=3)).map(
        lambda pair: f"({pair[0]} {' '.join(pair[1])})"
    ),
    max_leaves=12,
)


@given(trees)
def test_what_is_written_is_read(text: str) -> None:
    assert str(parse_tree(text)) == text
    spread = text.replace("(", " ( ").replace(")", "\t)\n")
    assert [str(tree) for tree in read_trees(spread.split("\n"))] == [text]


@given(st.lists(trees, max_size=4), st.sampled_from(["", " ", "\n", "\n\n", "\r\n"]))
def test_many_trees(texts: list[str], between: str) -> None:
    assert [str(tree) for tree in read_trees(between.join(texts).split("\n"))] == texts


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("(NP(DT the)(NN cat))", "(NP (DT the) (NN cat))"),
        ("((NN a))", "( (NN a))"),
        ("( (S\n  (NN a)\n (NN b) ) )\n", "( (S (NN a) (NN b)))"),
        ("(NP (NN\ndog\n))", "(NP (NN dog))"),
        ("(NP\n(NN dog\n)\n)", "(NP (NN dog))"),
        ("(NN\n  dog)", "(NN dog)"),
        ("  (NN dog)  ", "(NN dog)"),
        ("\t(NP\t(NN\tdog\t)\t)\r\n", "(NP (NN dog))"),
    ],
)
def test_white_space_is_free(text: str, written: str) -> None:
    assert [str(tree) for tree in read_trees(text.split("\n"))] == [written]


@pytest.mark.parametrize("space", ["\u00a0", "\u3000", "\u2009", "\u0085", "\x1c"])
def test_only_ascii_white_space_separates(space: str) -> None:
    # French numbers have a no-break space within, Chinese texts an ideographic one; other readers keep them.
    assert parse_tree(f"(NP (CD 1{space}000) (NN F))").words() == [f"1{space}000", "F"]


def test_words_are_counted_from_each_tree_anew() -> None:
    ends = [(tree.start, tree.end, tree.leaves()[-1].start) for tree in read_trees(["(S (A a) (B b))(C c)(S (A a))"])]
    assert ends == [(0, 2, 1), (0, 1, 0), (0, 1, 0)]


def test_a_forest_shares_equal_nodes_at_the_same_place() -> None:
    forest = Forest()
    one = forest.tree("(S (NP (NN a)) (VP (VB b) (NP (NN a))))")
    two = forest.tree("(S (NP (NN a)) (VP (VB b) (NP (NN c))))")
    again = forest.tree("(S (NP (NN a)) (VP (VB b)\n (NP (NN a))))")
    assert again is one
    assert one.children[0] is two.children[0]
    assert one.children[1].children[0] is two.children[1].children[0]
    assert one.children[1] is not two.children[1]
    # the same phrase at another place is another node
    assert one.children[0] is not one.children[1].children[1]
    assert (one.children[0].start, one.children[1].children[1].start) == (0, 2)


def test_trees_over_the_same_words_with_other_labels_or_grouping_are_not_shared() -> None:
    forest = Forest()
    assert forest.tree("(A (B c))") is not forest.tree("(B (B c))")
    assert forest.tree("(A (B c) (D e))") is not forest.tree("(A (A (B c) (D e)))")
    assert forest.tree("(A b)") is not Forest().tree("(A b)")


def test_as_deep_as_allowed() -> None:
    deep = "(X " * DEEPEST + "(NN a)" + ")" * DEEPEST
    assert sum(1 for _ in parse_tree(deep).walk()) == DEEPEST + 1
    with pytest.raises(DataError, match=rf"here, column {3 * DEEPEST + 1}: .* more than {DEEPEST} levels deep"):
        parse_tree(f"(X {deep})", "here")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", r"here: expected one tree; found 0 in ''"),
        ("(NN a) (NN b)", r"here: expected one tree; found 2 in"),
        ("()", r"here, column 2: the constituent '' is empty"),
        ("(S (NP))", r"here, column 7: the constituent 'NP' is empty"),
        ("(S (NN a)", r"here: the tree is not closed; 1 closing bracket is missing"),
        ("(NN a", r"here: the tree is not closed; 1 closing bracket is missing"),
        ("(S (NP (NN a", r"3 closing brackets are missing"),
        ("(NN a))", r"here, column 7: a closing bracket has no opening bracket"),
        (")", r"here, column 1: a closing bracket has no opening bracket"),
        ("dog", r"here, column 1: expected an opening bracket; found 'dog'"),
        ("(NN a) dog", r"here, column 8: expected an opening bracket; found 'dog'"),
        ("(NN a b)", r"here, column 7: expected a closing bracket after the word 'a'; found 'b'"),
        ("(NP a (NN b))", r"column 7: expected a closing bracket after the word 'a'; found '\(NN b\)'"),
        ("(NP a (NN (X b)))", r"column 7: expected a closing bracket after the word 'a'; found '\(NN'"),
        ("(NP (NN a) b)", r"column 12: expected a tag and a word in brackets, .* found the word 'b' alone"),
        ("( (NN a) b)", r"column 10: expected a tag and a word in brackets, .* found the word 'b' alone"),
    ],
)
def test_broken_trees(text: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        parse_tree(text, "here")


def test_a_bracket_as_a_word_gets_a_hint() -> None:
    with pytest.raises(DataError, match=r"column 10: .* A bracket that is a word is written -LRB- or -RRB-\."):
        parse_tree("(-LRB- ( ))")


def test_without_traces_nodes_are_shared() -> None:
    forest = Forest()
    one = forest.without_traces(forest.tree("(S (NP-1 (-NONE- *) (NN cat)) (VP (-NONE- *?*)) (X (VB sit)))"))
    two = forest.tree("(S (NP-1 (NN cat)) (X (VB sit)))")
    assert one is two
    assert forest.without_traces(forest.tree("(S (NP (-NONE- *)))")) is None


def test_errors_name_the_line() -> None:
    with pytest.raises(DataError, match=r"trees\.mrg, line 3, column 2: the constituent '' is empty"):
        list(read_trees(["(NN a)", "(S (NN b)", "()"], "trees.mrg"))
    with pytest.raises(DataError, match=r"trees\.mrg, line 4: the tree that begins in line 2 is not closed"):
        list(read_trees(["(NN a)", "(S", "(NN b)", ""], "trees.mrg"))


def test_trees_before_a_broken_one_are_read() -> None:
    reading = read_trees(["(NN a)", ")"])
    assert str(next(reading)) == "(NN a)"
    with pytest.raises(DataError, match="line 2, column 1"):
        next(reading)


@given(st.text("() ab\n", max_size=30))
def test_nothing_but_trees_or_a_sentence(text: str) -> None:
    try:
        found = list(read_trees(text.split("\n")))
    except DataError:
        event("refused")
    else:
        assert "".join("".join(str(tree).split()) for tree in found) == "".join(text.split())
