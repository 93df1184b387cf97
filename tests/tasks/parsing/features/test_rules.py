"""Families over rules: the examples of Collins & Koo (2005, section 5.2), word for word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from runoff.tasks.parsing.features import rules
from runoff.tasks.parsing.features.nodes import RuleTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.tasks.parsing.features.nodes import NodeView, Rule, SentenceContext

    Find = Callable[..., tuple[NodeView, SentenceContext]]

# The paper's rule VP -> PP VBD NP NP SBAR with head VBD, S above it.
GAVE = (
    "(S (NP (PRP He)) (VP (PP (IN In) (NP (NN time))) (VBD gave) (NP (PRP her)) (NP (DT a) (NN book))"
    " (SBAR (IN because) (S (NP (PRP she)) (VP (VBD asked))))))"
)


def two_rules(find: Find, *, closed: bool = False) -> tuple[Rule, Rule]:
    above, _ = find(GAVE)
    below = above.children[1]
    found = (above.closed, below.closed) if closed else (above.rule, below.rule)
    assert found[0] is not None
    assert found[1] is not None
    return found[0], found[1]


BIGRAMS = ["Right VP NP NP", "Right VP NP SBAR", "Right VP SBAR STOP", "Left VP PP STOP"]


def test_one_rule(node_of: Find) -> None:
    _, below = two_rules(node_of)
    assert rules.rule(below) == ["VP>PP VBD! NP NP SBAR"]
    # In the paper: (Right,VP,NP,NP), (Right,VP,NP,SBAR), (Right,VP,SBAR,STOP), (Left,VP,PP,STOP).
    assert rules.bigram(below) == BIGRAMS
    # (VP, STOP, PP, VBD!), (VP, PP, VBD!, NP), (VP, VBD!, NP, NP), (VP, NP, NP, SBAR), (VP, NP, SBAR, STOP)
    assert rules.trigram(below) == [
        "VP STOP PP VBD!",
        "VP PP VBD! NP",
        "VP VBD! NP NP",
        "VP NP NP SBAR",
        "VP NP SBAR STOP",
    ]


def test_two_rules(node_of: Find) -> None:
    above, below = two_rules(node_of)
    assert rules.grandparent_rule(above, below) == ["S^VP>PP VBD! NP NP SBAR"]
    assert rules.grandparent_bigram(above, below) == [f"S^{each}" for each in BIGRAMS]
    assert rules.two_level_rule(above, below) == ["S>NP VP!^VP>PP VBD! NP NP SBAR"]
    assert rules.two_level_bigram(above, below) == [f"S>NP VP!^{each}" for each in BIGRAMS]
    # (Left, S, VP, VBD, PP, adj = 1), (Right, S, VP, VBD, NP, adj = 1), (Right, S, VP, VBD, NP, adj = 0),
    # (Right, S, VP, VBD, SBAR, adj = 0)
    assert rules.head_modifier(above, below) == [
        "S^Left VP VBD PP near",
        "S^Right VP VBD NP near",
        "S^Right VP VBD NP far",
        "S^Right VP VBD SBAR far",
    ]


def test_closed_class_head_words_at_the_labels(node_of: Find) -> None:
    above, below = two_rules(node_of, closed=True)
    assert rules.rule(above) == ["S>NP/he VP!"]
    assert rules.rule(below) == ["VP>PP/in VBD! NP/her NP SBAR/because"]
    assert rules.bigram(below)[:2] == ["Right VP NP/her NP", "Right VP NP SBAR/because"]
    assert rules.two_level_rule(above, below) == ["S>NP/he VP!^VP>PP/in VBD! NP/her NP SBAR/because"]


def test_a_closed_class_head_word_rises_to_every_node_it_heads(node_of: Find) -> None:
    node, _ = node_of("(S (NP (PRP I)) (VP (VP (MD can) (VP (VB go))) (CC and) (VP (VBP am))))")
    assert node.closed is not None
    # Head of S is VP, of that the first VP (of X and Y it is X), of that MD.
    assert node.closed.text == "S/can>NP/i VP/can!"
    below = node.children[1].closed
    assert below is not None
    assert below.text == "VP/can>VP/can! CC/and VP/am"  # forms of be, have and do are closed-class verbs


def test_a_form_of_be_is_of_a_closed_class_as_a_verb_alone(node_of: Find) -> None:
    verb, _ = node_of("(VP (VBG being))")
    noun, _ = node_of("(NP (NN being))")
    assert verb.closed is not None
    assert verb.closed.text == "VP/being>VBG/being!"
    assert noun.closed is None


def test_a_rule_over_one_child_has_no_bigram(node_of: Find) -> None:
    node, _ = node_of("(NP (NN dogs))")
    assert node.rule is not None
    assert (node.rule.text, node.rule.bigrams, node.rule.trigrams, node.rule.modifiers) == (
        "NP>NN!",
        [],
        ["NP STOP NN! STOP"],
        [],
    )


ODD = st.text("!>/^|%<AB", max_size=3) | st.just("STOP")


@given(st.lists(st.tuples(ODD, st.lists(ODD, min_size=1, max_size=3).map(tuple)), min_size=2, max_size=2, unique=True))
def test_different_rules_never_have_the_same_names(pair: list[tuple[str, tuple[str, ...]]]) -> None:
    known = RuleTable()
    one, other = (known.plain(*each) for each in pair)
    assert one.text != other.text
    assert f"{one.text}^{other.text}" != f"{other.text}^{one.text}"
    # A label called STOP is not the end of a rule.
    assert one.trigrams[0].count("STOP") == 1 + (len(one.labels) == 1)
    assert known.plain(*pair[0]) is one


def test_words_do_not_pass_for_marks(node_of: Find) -> None:
    """Head marks, slashes and arrows in words and labels are written otherwise in names."""
    one, _ = node_of("(X (DT a!) (DT b))")
    other, _ = node_of("(X (DT a) (DT b!))")
    slash, _ = node_of("(X/b (NN dog) (IN a/b))")
    assert one.closed is not None
    assert other.closed is not None
    assert slash.closed is not None
    assert one.closed.text == "X/a%21>DT/a%21! DT/b"
    assert other.closed.text == "X/a>DT/a! DT/b%21"
    assert slash.closed.text == "X%2Fb>NN! IN/a%2Fb"
