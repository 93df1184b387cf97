"""Head rules: the examples of Collins (1999) and every kind of rule in his appendix A."""

from __future__ import annotations

import pytest

from runoff.tasks.parsing.brackets import parse_tree
from runoff.tasks.parsing.heads import RULES, head_child, head_leaf


@pytest.mark.parametrize(
    ("rule", "head"),
    [
        # Collins & Koo 2005, section 5.2: VP -> PP VBD NP NP SBAR has the head VBD.
        ("VP PP VBD NP NP SBAR", 1),
        # Priority comes before place: TO is first in VP's list, and VBD before VBZ.
        ("VP VB TO", 1),
        ("VP VBZ VBD", 1),
        ("VP MD VP", 0),
        # The same label twice: from the left, and from the right where the table says so.
        ("VP VBD ADVP VBD", 0),
        ("PP IN NP IN", 2),
        ("ADVP RB RB", 1),
        ("S NP VP .", 1),
        ("S NP ADJP", 1),
        ("SBAR WHNP S", 0),
        ("SBAR IN S", 0),
        ("SBAR S IN", 1),
        ("SINV NP VP VBZ", 2),
        ("QP IN $ CD", 1),
        ("WHPP IN WHNP", 0),
        ("WHNP WP NN", 0),
        ("PRT RP", 0),
        ("ADJP RB JJ", 1),
        ("CONJP RB RB IN", 1),
    ],
)
def test_priorities(rule: str, head: int) -> None:
    parent, *children = rule.split()
    assert head_child(parent, tuple(children)) == head


@pytest.mark.parametrize(
    ("rule", "head"),
    [
        # Appendix A, rules for NPs, in their order.
        ("NP NNP POS", 1),  # the last word is POS
        ("NP DT NN NN PP", 2),  # from the right NN, NNP, NNS, NX, POS, JJR
        ("NP DT NN NP", 1),  # before the next step
        ("NP NP PP NP", 0),  # from the left NP
        ("NP DT ADJP $ CD", 2),  # from the right $, ADJP, PRN
        ("NP DT CD JJ", 1),  # then CD
        ("NP DT JJ RB VBN", 2),  # then JJ, JJS, RB, QP
        ("NP DT IN", 1),  # else the last
        ("NX NN NNS", 1),
        ("NML NN CD", 0),
    ],
)
def test_noun_phrases(rule: str, head: int) -> None:
    parent, *children = rule.split()
    assert head_child(parent, tuple(children)) == head


@pytest.mark.parametrize(
    ("rule", "head"),
    [
        ("NP NN CC NN", 0),  # from the right the second NN; before it CC, so that the first is the head
        ("NP NN , CC NN", 0),  # past the comma
        ("NP NN , NN CC NN", 2),
        ("NP CC NN", 1),  # nothing is before CC
        ("NP , CC NN", 2),  # nothing but punctuation is before CC
        ("VP VBD CC VBD", 0),
        ("UCP NP CC ADJP", 0),
    ],
)
def test_coordination(rule: str, head: int) -> None:
    parent, *children = rule.split()
    assert head_child(parent, tuple(children)) == head


@pytest.mark.parametrize(
    ("rule", "head"),
    [
        ("FRAG NP PP .", 1),  # from the right, not punctuation
        ("INTJ , UH UH", 1),  # from the left
        ("PRN -LRB- NP -RRB-", 1),
        ("PRN : ,", 0),  # nothing but punctuation: the first on the way
        ("FRAG : ,", 1),
        ("XYZ , NN VB", 1),  # a label that the table does not have
        ("S1 S", 0),
        ("PP NP ,", 0),  # no label of the list occurs
        ("NP DT ,", 0),
        ("X -LRB-", 0),
    ],
)
def test_where_no_label_is_found(rule: str, head: int) -> None:
    parent, *children = rule.split()
    assert head_child(parent, tuple(children)) == head


def test_function_tags_do_not_matter() -> None:
    assert head_child("VP-X", ("NP-TMP", "VBD-1", "NP=2")) == head_child("VP", ("NP", "VBD", "NP")) == 1
    assert head_child("NP-SBJ", ("NP-1", "PP-LOC")) == 0


def test_every_label_of_the_table_finds_its_own_favourite() -> None:
    # The first label of a list is the head wherever it stands, whatever else of the list is there.
    for parent, (_, wanted) in RULES.items():
        labels = wanted.split()
        for place in range(len(labels)):
            others = [label for label in labels[1:] if label != "CC"]
            children = (*others[:place], labels[0], *others[place:])
            at = children.index(labels[0])
            if labels[0] != "CC":
                assert head_child(parent, children) == at


def test_down_to_the_word() -> None:
    tree = parse_tree(
        "(S1 (S (NP (NP (DT the) (NN man)) (PP (IN in) (NP (NN town)))) (VP (MD will) (VP (VB go))) (. .)))"
    )
    assert head_leaf(tree).word == "will"
    assert head_leaf(tree.children[0].children[0]).word == "man"
    leaf = tree.leaves()[0]
    assert head_leaf(leaf) is leaf
