"""Families over shape, worked out by hand from what their own descriptions say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from runoff.tasks.parsing.features import shapes
from runoff.tasks.parsing.features.nodes import SentenceContext, size_bin

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.tasks.parsing.features.nodes import NodeView

    Find = Callable[..., tuple[NodeView, SentenceContext]]

CAT = "(S (NP (DT The) (NN cat)) (VP (VBZ sleeps) (ADVP (RB well))) (. .))"


def test_right_branch(node_of: Find) -> None:
    """The full stop is punctuation: the right-most word is "well"."""
    assert shapes.right_branch(*node_of(CAT)) == ["right", "S right"]
    assert shapes.right_branch(*node_of(CAT, "ADVP")) == ["right", "ADVP right"]
    assert shapes.right_branch(*node_of(CAT, "NP")) == ["other", "NP other"]


def test_right_branch_of_nothing_but_punctuation(node_of: Find) -> None:
    assert shapes.right_branch(*node_of("(X (Y (. !)) (Z (. ?)))", "Z")) == ["right", "Z right"]
    assert shapes.right_branch(*node_of("(X (Y (. !)) (Z (. ?)))", "Y")) == ["other", "Y other"]


def test_heavy(node_of: Find) -> None:
    assert shapes.heavy(*node_of(CAT, "NP")) == ["NP 2 2 none", "NP 2"]
    assert shapes.heavy(*node_of(CAT, "VP")) == ["VP 2 0 .", "VP 2"]
    assert shapes.heavy(*node_of(CAT)) == ["S 5 0 none", "S 5"]


def test_a_dash_is_a_mark(node_of: Find) -> None:
    assert shapes.heavy(*node_of("(S (NP (NN cat)) (: -) (NP (NN dog)))", "NP")) == ["NP 1 2 -", "NP 1"]


def test_sizes_are_rough() -> None:
    assert [size_bin(n) for n in (0, 1, 5, 6, 10, 11, 20, 21, 99)] == [
        *("0", "1", "5", "6-10", "6-10", "11-20", "11-20", "21+", "21+")
    ]


def levels(label: str, *alike: str) -> list[str]:
    return [f"to {level} {label} {each}" for level, each in enumerate(alike, 1)]


def test_conjuncts_that_are_alike_at_the_top_alone(node_of: Find) -> None:
    found = shapes.parallel(*node_of("(NP (NP (NN cats)) (CC and) (NP (JJ big) (NNS dogs)))"))
    assert found == ["length NP 1", "labels NP NP NP", *levels("NP", "alike", "unlike", "unlike", "unlike")]


def test_conjuncts_that_are_alike_to_the_third_level(node_of: Find) -> None:
    one, other = "(VP (VBD saw) (NP (NN it)))", "(VP (VBD had) (NP (PRP it)))"
    found = shapes.parallel(*node_of(f"(VP {one} (, ,) (CC and) {other})"))
    assert found == ["length VP 0", "labels VP VP VP", *levels("VP", "alike", "alike", "unlike", "unlike")]


def test_every_conjunction_has_two_conjuncts(node_of: Find) -> None:
    found = shapes.parallel(*node_of("(NP (NN a) (CC or) (NN b) (CONJP (RB as) (IN well)) (NNS c))"))
    words = ["length NP 0", "labels NP NN NN", *levels("NP", *["alike"] * 4)]
    assert found == [*words, "length NP 0", "labels NP NN NNS", *levels("NP", *["unlike"] * 4)]


def test_lengths_are_compared_to_a_bound(node_of: Find) -> None:
    long = " ".join("(NN x)" for _ in range(9))
    assert shapes.parallel(*node_of(f"(NP (NP {long}) (CC and) (NP (NN y)))"))[0] == "length NP -6"
    assert shapes.parallel(*node_of(f"(NP (NP (NN y)) (CC and) (NP {long}))"))[0] == "length NP 6"


@pytest.mark.parametrize("tree", ["(NP (CC and) (NN b))", "(NP (NN b) (CC and))", "(NP (, ,) (CC and) (NN b))", CAT])
def test_no_conjuncts(node_of: Find, tree: str) -> None:
    assert shapes.parallel(*node_of(tree)) == []


def test_agreement(node_of: Find) -> None:
    assert shapes.agreement(*node_of(CAT)) == ["tags S NN VBZ", "tag-word S NN sleeps", "word-tag S cat VBZ"]


@pytest.mark.parametrize(
    ("tree", "subject", "verb"),
    [
        # The subject is the last noun phrase before the verb phrase; the modal agrees, not the verb below.
        ("(S (NP (NN today)) (NP (PRP he)) (VP (MD will) (VP (VB go))))", "PRP he", "MD will"),
        # In a question the verb before the subject agrees.
        ("(SQ (VBD Did) (NP (PRP he)) (VP (VB go)))", "PRP he", "VBD did"),
        # Inverted: the subject comes after the verb phrase.
        ("(SINV (VP (VBD said)) (NP (NNP Ann)))", "NNP ann", "VBD said"),
        # Coordinated verb phrases: down the first.
        ("(S (NP (NNS we)) (VP (VP (VBD ate)) (CC and) (VP (VBD left))))", "NNS we", "VBD ate"),
    ],
)
def test_who_agrees_with_whom(node_of: Find, tree: str, subject: str, verb: str) -> None:
    node, sentence = node_of(tree)
    (noun_tag, noun), (verb_tag, word) = subject.split(), verb.split()
    assert shapes.agreement(node, sentence) == [
        f"tags {node.label} {noun_tag} {verb_tag}",
        f"tag-word {node.label} {noun_tag} {word}",
        f"word-tag {node.label} {noun} {verb_tag}",
    ]


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        ("(S (NP (PRP he)) (ADJP (JJ sick)))", ["none S PRP"]),
        ("(S (NP (PRP he)) (VP (RB not)))", ["none S PRP"]),
        ("(S (VP (VB Go)))", []),
        ("(NP (NP (PRP he)) (VP (VBN gone)))", []),
    ],
)
def test_nothing_agrees(node_of: Find, tree: str, expected: list[str]) -> None:
    assert shapes.agreement(*node_of(tree)) == expected


def test_edges(node_of: Find) -> None:
    assert shapes.edges(*node_of(CAT, "VP")) == [
        "VP tags NN( ).",
        "VP tags 2 NN( ).",
        "VP tags (VBZ RB)",
        "VP 2 (sleeps",
        "VP 2 well)",
        "VP 2 cat(",
        "VP 2 ).",
        "VP cat( ).",
        "VP cat(sleeps",
        "VP well).",
    ]


def test_beyond_the_sentence_is_nothing(node_of: Find) -> None:
    assert shapes.edges(*node_of("(NP (NN dogs))")) == [
        "NP tags ( )",
        "NP tags 1 ( )",
        "NP tags (NN NN)",
        "NP 1 (dogs",
        "NP 1 dogs)",
        "NP 1 (",
        "NP 1 )",
        "NP ( )",
        "NP (dogs",
        "NP dogs)",
    ]


@pytest.mark.parametrize("mark", [",", ".", "[", "]", "<s>", "tags", "1"])
def test_ten_names_whatever_the_words_are(node_of: Find, mark: str) -> None:
    """Tags of punctuation look like words, and words may have square brackets: no two names are the same."""
    found = shapes.edges(*node_of(f"(S ({mark} {mark}) (NP ({mark} {mark})) ({mark} {mark}))", "NP"))
    assert len(set(found)) == 10


def test_outline(node_of: Find) -> None:
    tree = "(S (NP (NNP Mr.) (CD 7) (: --) (NNPS Xs) (... ...)) (VP (VBZ is)))"
    assert shapes.outline(*node_of(tree, "NP")) == ["NP X9--X..", "NP (X9--X..)x"]
    assert shapes.outline(*node_of(CAT, "VP")) == ["VP xx", "VP x(xx)."]


@pytest.mark.parametrize(("words", "count"), [(1, 0), (2, 2), (8, 2), (9, 0)])
def test_outlines_are_of_two_to_eight_words(node_of: Find, words: int, count: int) -> None:
    assert len(shapes.outline(*node_of(f"(NP {' '.join(['(NN x)'] * words)})"))) == count


def test_a_candidate_longer_than_the_first_choice(node_of: Find) -> None:
    """Words and tags are the first choice's; beyond its end there are none, and nothing breaks."""
    node, _ = node_of("(S (NP (NN a) (NN b)) (VP (VB c) (RB d)))", "VP")
    first = SentenceContext(["A"], ["NN"])
    assert shapes.edges(node, first)[:4] == ["VP tags ( )", "VP tags 2 ( )", "VP tags (() ())", "VP 2 (()"]
    assert len(set(shapes.edges(node, first))) == 10
    assert shapes.right_branch(node, first) == ["other", "VP other"]
    assert shapes.heavy(node, first) == ["VP 2 0 none", "VP 2"]
    assert shapes.outline(node, first) == ["VP ", "VP ()"]


def test_categories_are_found_with_function_tags(node_of: Find) -> None:
    """As in NP-SBJ: names keep what is written, families look for the category."""
    assert shapes.agreement(*node_of("(S-TPC (NP-SBJ (NN cat)) (VP=1 (VBZ sleeps)))")) == [
        "tags S-TPC NN VBZ",
        "tag-word S-TPC NN sleeps",
        "word-tag S-TPC cat VBZ",
    ]
    found = shapes.parallel(*node_of("(NP (NP-1 (NN cat)) (CC and) (NP-2 (NN dog)))"))
    assert found[:3] == ["length NP 0", "labels NP NP-1 NP-2", "to 1 NP alike"]
