"""Families over words and heads, worked out by hand; heads are those of Collins (1999)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from runoff.tasks.parsing.features import words

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.tasks.parsing.features.nodes import NodeView, SentenceContext

    Find = Callable[..., tuple[NodeView, SentenceContext]]

# Collins & Koo's example rule: words He 0, In 1, time 2, gave 3, her 4, a 5, book 6, because 7, she 8, asked 9.
GAVE = (
    "(S (NP (PRP He)) (VP (PP (IN In) (NP (NN time))) (VBD gave) (NP (PRP her)) (NP (DT a) (NN book))"
    " (SBAR (IN because) (S (NP (PRP she)) (VP (VBD asked))))))"
)
CAT = "(S (NP (DT The) (NN cat)) (VP (VBZ sleeps)))"


def test_lexical_bigrams(node_of: Find) -> None:
    assert words.lexical_bigram(*node_of(GAVE, "VP")) == [
        "Right VP NP/her NP/book",
        "Right VP NP/book SBAR/because",
        "Right VP SBAR/because STOP",
        "Left VP PP/in STOP",
    ]


def test_lexical_bigrams_to_the_left_go_outwards(node_of: Find) -> None:
    assert words.lexical_bigram(*node_of("(NP (DT the) (JJ big) (NN cat))")) == [
        "Left NP JJ/big DT/the",
        "Left NP DT/the STOP",
    ]


def test_prepositions(node_of: Find) -> None:
    """(NP, NP, PP, NP, president, of, U.S.) and (NP, NP, PP, NP, of, U.S.)."""
    president = "(NP (NP (DT the) (NN president)) (PP (IN of) (NP (DT the) (NNP U.S.))))"
    assert words.preposition(*node_of(president)) == ["NP NP PP NP of u.s.", "NP NP PP NP president of u.s."]


def test_prepositions_have_arguments_that_are_phrases(node_of: Find) -> None:
    assert words.preposition(*node_of(GAVE, "VP")) == ["VP VBD PP NP in time", "VP VBD PP NP gave in time"]
    assert words.preposition(*node_of("(VP (VBD came) (PP (IN in) (RB there)))")) == []
    assert words.preposition(*node_of("(X (PP (IN in) (NP (NN time))))")) == []  # the head itself hangs on nothing
    assert words.preposition(*node_of("(VP (VBD came) (PP in))")) == []  # a tag called PP


def distances(labels: str, apart: int) -> list[str]:
    """(VP, VBD, SBAR, = dist), (…, <= x) for all dist <= x <= 9 and (…, >= x) for all 1 <= x <= dist."""
    return [
        f"{labels} ={apart}",
        *(f"{labels} <={x}" for x in range(10) if x >= apart),
        *(f"{labels} >={x}" for x in range(1, 100) if x <= apart),
    ]


def test_distances(node_of: Find) -> None:
    found = words.distance(*node_of(GAVE, "VP"))
    assert found == [
        *distances("VP VBD PP", 1),  # time
        *distances("VP VBD NP", 0),
        *distances("VP VBD NP", 2),  # her a
        *distances("VP VBD SBAR", 3),  # her a book
    ]
    assert found[-11:] == [
        "VP VBD SBAR =3",
        *["VP VBD SBAR <=3", "VP VBD SBAR <=4", "VP VBD SBAR <=5", "VP VBD SBAR <=6", "VP VBD SBAR <=7"],
        *["VP VBD SBAR <=8", "VP VBD SBAR <=9", "VP VBD SBAR >=1", "VP VBD SBAR >=2", "VP VBD SBAR >=3"],
    ]


def test_a_long_distance_has_no_upper_bound(node_of: Find) -> None:
    between = " ".join("(UH oh)" for _ in range(10))
    found = words.distance(*node_of(f"(VP (VBD ran) (PRN {between} (NN far)))"))
    # PRN's head is its first child: 0 words between.
    assert found == distances("VP VBD PRN", 0)
    found = words.distance(*node_of(f"(VP (VBD ran) (NP {between} (NN far)))"))
    assert found == ["VP VBD NP =10", *(f"VP VBD NP >={x}" for x in range(1, 11))]


def test_heads(node_of: Find) -> None:
    assert words.heads(*node_of(CAT)) == [
        "tags VBZ < NN",
        "tags S NP VBZ < NN",
        "words sleeps < cat",
        "words S NP sleeps < cat",
        "word-tag S sleeps < NN",
        "tag-word S VBZ < cat",
    ]
    assert words.heads(*node_of("(VP (VBD saw) (NP (PRP Her)))"))[::2] == [
        "tags VBD > PRP",
        "words saw > her",
        "word-tag VP saw > PRP",
    ]


def test_words_that_look_like_tags_stay_apart(node_of: Find) -> None:
    """Of punctuation tag and word are often the same: six names for it, not two."""
    node = node_of("(X (: :) (, ,))")
    assert len(set(words.heads(*node))) == 6
    assert words.head_tree(*node) == ["tag : X>:! ,|:", "word : X>:! ,|:"]


def test_what_a_word_takes(node_of: Find) -> None:
    assert words.modifier_labels(*node_of(GAVE, "VP")) == [
        "VP gave <PP",
        "VP gave >NP",
        "VP gave >NP",
        "VP gave >SBAR",
        "gave VP>PP VBD! NP NP SBAR",
    ]
    assert words.modifier_labels(*node_of("(NP (NN dogs))")) == []


def test_words_with_labels_above(node_of: Find) -> None:
    assert words.word(*node_of(CAT)) == ["the DT NP S", "cat NN NP S", "sleeps VBZ VP S"]
    assert words.word(*node_of(CAT, "NP")) == ["the DT", "the DT NP", "cat NN", "cat NN NP"]


def test_projections(node_of: Find) -> None:
    assert words.projection(*node_of(CAT)) == ["cat NP S", "NN NP S VBZ"]
    assert words.projection(*node_of(CAT, "VP")) == []


def test_tree_ngrams(node_of: Find) -> None:
    tree = "(S (NP (NP (NN cats)) (PP (IN of) (NP (NN war)))) (VP (VP (VBP sleep)) (RB well)))"
    assert words.tree_ngram(*node_of(tree)) == [
        "S(NP PP NP NN)(VP VP VBP)",
        "S(NP PP NP NN)(VP VP VBP)(war)()",
        "S(NP PP NP NN)(VP VP VBP)()(sleep)",
        "S(NP PP NP NN)(VP VP VBP)(war)(sleep)",
    ]
    assert words.tree_ngram(*node_of("(NP (NN dogs))")) == []


@pytest.mark.parametrize(
    ("one", "other"), [("(X (A _) (B b))", "(X (A a) (B _))"), ("(X (A _x) (B b))", "(X (A a) (B x_))")]
)
def test_the_word_of_one_side_never_passes_for_that_of_the_other(node_of: Find, one: str, other: str) -> None:
    assert set(words.tree_ngram(*node_of(one))) & set(words.tree_ngram(*node_of(other))) == {"X(A)(B)"}


def test_head_trees(node_of: Find) -> None:
    assert words.head_tree(*node_of(CAT)) == ["tag VBZ S>NP VP!|VP>VBZ!", "word sleeps S>NP VP!|VP>VBZ!"]
    assert words.head_tree(*node_of(CAT, "NP")) == ["tag NN NP>DT NN!|NN", "word cat NP>DT NN!|NN"]


def test_prepositional_phrases_with_function_tags(node_of: Find) -> None:
    came = "(VP (VBD came) (PP-LOC-CLR (IN in) (NP (NN time))))"
    assert words.preposition(*node_of(came)) == [
        "VP VBD PP-LOC-CLR NP in time",
        "VP VBD PP-LOC-CLR NP came in time",
    ]
