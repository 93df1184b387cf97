"""Split labels: what is added can be read off the tree, and taken away gives the tree back."""

from __future__ import annotations

import random

import pytest

from runoff.errors import UsageError
from runoff.tasks.parsing.brackets import parse_tree
from runoff.tasks.parsing.grammar import SPLITS, Settings, train_grammar
from runoff.tasks.parsing.grammar.split_labels import MARK, SplitNode, split_tree
from runoff.tasks.parsing.grammar.symbols import Symbols
from runoff.tasks.parsing.heads import head_child


def labels(text: str, *splits: str) -> list[str]:
    return [part.label.replace(MARK, "~") for part in split_tree(parse_tree(text), splits).walk()]


def written(part: SplitNode) -> str:
    below = part.word if part.word is not None else " ".join(map(written, part.children))
    return f"({part.plain} {below})"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Collins (1999), section 7.3.1: a base noun phrase has no noun phrase in it but a possessive.
        ("(NP (DT the) (NN dog))", "NP~base DT NN"),
        ("(NP (NP (DT the) (NN dog)) (PP (IN of) (NP (NN war))))", "NP NP~base DT NN PP IN NP~base NN"),
        ("(NP (NP (NNP Ann) (POS 's)) (NN dog))", "NP~base NP~base NNP POS NN"),
        ("(NP (NX (NP (NN a))))", "NP~base NX NP~base NN"),  # only children count
        ("(WHNP (WP who))", "WHNP WP"),
    ],
)
def test_base_noun_phrases(text: str, expected: str) -> None:
    assert labels(text, "base") == expected.split()


@pytest.mark.parametrize(
    ("text", "is_subjectless"),
    [
        ("(S (VP (VB go)))", True),
        ("(S (NP (PRP I)) (VP (VBP go)))", False),
        ("(S (VP (VB go)) (NP (PRP I)))", True),
        ("(S (NP (NN war)))", False),  # no verb phrase
        ("(S (S (VP (VB go))) (NP (PRP I)) (VP (VBP go)))", False),
    ],
)
def test_sentences_without_subject(text: str, is_subjectless: bool) -> None:
    assert (labels(text, "subjectless")[0] == "S~subjectless") == is_subjectless


def test_prepositions_and_auxiliaries() -> None:
    text = "(SBAR (IN Of) (S (VP (VBZ Is) (VP (VBD had) (VBN seen) (PP (IN OF) (IN in)) (NN is) (AUX 've)))))"
    split = "SBAR IN~clause S VP VBZ~be VP VBD~have VBN PP IN~of IN NN AUX~have"
    assert " ".join(labels(text, "preposition", "auxiliary")) == split
    assert " ".join(labels(text)) == "SBAR IN S VP VBZ VP VBD VBN PP IN IN NN AUX"


def random_text(rng: random.Random, depth: int = 5) -> str:
    if depth == 0 or rng.random() < 0.3:
        return f"({rng.choice(['NN', 'IN', 'VBZ', 'POS', 'X'])} {rng.choice(['of', 'is', 'has', 'dog'])})"
    children = " ".join(random_text(rng, depth - 1) for _ in range(rng.randint(1, 3)))
    return f"({rng.choice(['S', 'NP', 'VP', 'SBAR', 'PP', 'X'])} {children})"


@pytest.mark.parametrize("seed", range(30))
def test_without_splits_it_is_the_same_tree(seed: int) -> None:
    text = random_text(random.Random(seed))
    part = split_tree(parse_tree(text), SPLITS)
    assert written(part) == text
    for each in part.walk():
        assert each.label.split(MARK)[0] == each.plain
        assert split_tree(parse_tree(written(part)), SPLITS) == part
        if each.word is None:
            assert each.head == head_child(each.plain, tuple(child.plain for child in each.children))


def test_heads_are_found_by_plain_labels() -> None:
    part = split_tree(parse_tree("(S (NP (PRP I)) (VP (VBZ is)) (. .))"), SPLITS)
    assert part.children[part.head].plain == "VP"


def test_a_split_that_there_is_not() -> None:
    with pytest.raises(UsageError, match="there is no split 'basic'; there are: base"):
        Settings(splits=("basic",))


def test_symbols_have_a_number_each() -> None:
    parts = [split_tree(parse_tree(text), ["base"]) for text in ("(X (X a) (NP (X b)))", "(NP (NP (X c)))")]
    symbols = Symbols.of(parts)
    assert symbols.names == ("", "NP", f"NP{MARK}base", "X", "X")
    assert symbols.plain == ("", "NP", "NP", "X", "X")
    assert [symbols.number(part) for part in parts[0].walk()] == [3, 4, 2, 4]
    assert symbols.number(split_tree(parse_tree("(Z a)"), [])) is None
    assert symbols.number(split_tree(parse_tree("(NP (X a))"), [])) == 1


def test_a_label_that_looks_split_stays_as_it_is() -> None:
    # A treebank's own label may be written as a split one; the mark itself cannot be in a label.
    assert MARK.isspace()
    tree = "(TOP (S (NP~base (DT the)) (NP (DT the))))"
    grammar = train_grammar([parse_tree(tree)] * 3, Settings(rare=1))
    assert tree in grammar.nbest(["the", "the"], 10).trees
