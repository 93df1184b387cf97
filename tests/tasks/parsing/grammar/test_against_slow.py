"""The parser against the same grammar in plain Python, which lists and scores every derivation of small sentences."""

from __future__ import annotations

import math
import random
from itertools import product
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from helpers.slow_grammar import Derivation, EveryTree, SlowGrammar
from runoff.tasks.parsing.brackets import parse_tree
from runoff.tasks.parsing.grammar import Grammar, Settings, train_grammar

if TYPE_CHECKING:
    from collections.abc import Sequence

ENOUGH = 3000  # more trees than any sentence here has, or as many as are looked at
CHOICES = list(product([True, False], [1, 2], [0, 1, 2]))  # lexical, vertical, horizontal

SENTENCES = [
    "(S (NP (DT the) (NN dog)) (VP (VBD saw) (NP (DT a) (NN cat))) (. .))",
    "(S (NP (NP (DT the) (NN dog)) (PP (IN of) (NP (NN man)))) (VP (VBD saw) (NP (NN man))))",
    "(S (NP (NN man)) (VP (VBD was) (VP (VBN seen) (PP (IN in) (NP (NN saw))))))",
    "(S (VP (VB saw) (NP (DT the) (NN man)) (PP (IN in) (NP (DT a) (NN cat)))))",
    "(S (NP (NP (NN man) (POS 's)) (NN dog)) (VP (VBZ is) (ADJP (JJ in))))",
    "(S (NP (DT the) (NN cat)) (VP (VBD saw) (SBAR (IN that) (S (NP (DT the) (NN dog)) (VP (VBD saw))))))",
    "(FRAG (NP (NN dog)) (, ,) (NP (NN cat)) (CC and) (NP (NN man)))",
]


def loose(**choices: object) -> Settings:
    """Settings that rule nothing out."""
    return Settings(**{"threshold": 1e-300, "beam": 1e9, "rare": 1, **choices})  # type: ignore[arg-type]


def both(texts: Sequence[str], settings: Settings) -> tuple[SlowGrammar, Grammar]:
    return SlowGrammar(texts, settings), train_grammar(map(parse_tree, texts), settings)


def best_of(derivations: Sequence[Derivation]) -> dict[str, float]:
    """Trees without splits and heads, with the score of their best derivation, the best tree first."""
    found: dict[str, float] = {}
    for score, tree in derivations:
        found.setdefault(tree.written(), score)
    return found


def assert_same(grammar: Grammar, words: Sequence[str], every: Sequence[Derivation], k: int) -> None:
    """The same trees with the same scores; of trees with equal scores any may come first."""
    parsed = grammar.nbest(words, k)
    if not every:
        assert parsed.is_flat
        return
    assert not parsed.is_flat
    scores = best_of(every)
    looked_at = best_of(every[: 4 * k])  # as many derivations as the parser looks at
    assert parsed.scores == pytest.approx(list(looked_at.values())[:k], abs=1e-9)
    assert len(set(parsed.trees)) == len(parsed.trees)
    for text, score in zip(parsed.trees, parsed.scores, strict=True):
        assert score == pytest.approx(scores[text], abs=1e-9)
        assert parse_tree(text).words() == list(words)


# ------------------------------------------------------------- by hand


@pytest.mark.parametrize(("lexical", "vertical", "horizontal"), CHOICES)
def test_a_grammar_of_english(lexical: bool, vertical: int, horizontal: int) -> None:
    slow, grammar = both(SENTENCES, loose(lexical=lexical, vertical=vertical, horizontal=horizontal, heights=2))
    for words in ("man saw", "the dog saw", "dog of man saw cat", "saw the man", "man was seen"):
        every = slow.every_derivation(words.split())
        assert every, words
        for k in (1, 3, ENOUGH):
            assert_same(grammar, words.split(), every, k)


@pytest.mark.parametrize("heights", [1, 2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_constituents_of_one_child_up_to_the_settings(heights: int) -> None:
    # Any of A, B and C over any other: without a bound there were infinitely many trees.
    texts = ["(A (B (C (NN x))))", "(B (A (NN x)))", "(C (B (NN x) (A (NN x))))", "(A (C (NN x)))"]
    slow, grammar = both(texts, loose(heights=heights, vertical=1))
    for words in (["x"], ["x", "x"]):
        every = slow.every_derivation(words)
        assert_same(grammar, words, every, ENOUGH)
    parsed = grammar.nbest(["x"], ENOUGH)
    assert parsed.is_flat == (heights == 1)  # TOP is one, and what is below it another
    if heights > 1:
        assert max(text.count("(") - 1 for text in parsed.trees) == heights


@pytest.mark.parametrize("splits", [(), ("base",), ("subjectless", "auxiliary"), ("preposition",)])
def test_derivations_that_differ_in_splits_are_one_tree(splits: tuple[str, ...]) -> None:
    slow, grammar = both(SENTENCES, loose(splits=splits, heights=2))
    for words in ("the dog of man saw", "saw in cat", "man 's dog saw"):
        assert_same(grammar, words.split(), slow.every_derivation(words.split()), ENOUGH)


# ------------------------------------------------------------ at random


def random_tree(rng: random.Random, labels: list[str], tags: list[str], words: list[str], depth: int) -> str:
    def node(levels: int, label: str) -> str:
        children = []
        for _ in range(rng.choice((1, 2, 2, 3))):
            is_word = levels == 1 or rng.random() < 0.45
            children.append(
                f"({rng.choice(tags)} {rng.choice(words)})" if is_word else node(levels - 1, rng.choice(labels))
            )
        return f"({label} {' '.join(children)})"

    return node(depth, rng.choice(labels))


def random_bank(rng: random.Random) -> tuple[list[str], list[str]]:
    """A small treebank and its words; X is a label and a tag."""
    labels = rng.sample(["S", "NP", "VP", "X", "PP"], rng.choice((1, 2, 2, 3)))
    tags = rng.sample(["NN", "X", "VBD", "IN"], rng.choice((1, 2, 2, 3)))
    words = rng.sample(["dog", "is", "of", "Cat"], rng.choice((1, 2, 3)))
    depths = [rng.choice((1, 2, 3)) for _ in range(rng.choice((1, 2, 3, 4, 6)))]
    return [random_tree(rng, labels, tags, words, depth) for depth in depths], words


def random_settings(rng: random.Random) -> Settings:
    lexical, vertical, horizontal = rng.choice(CHOICES)
    return loose(
        lexical=lexical,
        vertical=vertical,
        horizontal=horizontal,
        rare=rng.choice((1, 2, 4)),
        heights=rng.choice((1, 1, 2)),
        smoothing=rng.choice((0.5, 4.0)),
        unseen=rng.choice((0.1, 10.0)),
    )


@given(seed=st.integers(0, 2**32 - 1))
@examples(deadline=None)
def test_random_treebanks(seed: int) -> None:
    rng = random.Random(seed)
    texts, known = random_bank(rng)
    slow, grammar = both(texts, random_settings(rng))
    words = [rng.choice([*known, "unseen"]) for _ in range(rng.choice((1, 2, 3)))]
    assume(len(EveryTree(slow, words).under(0, len(words), "")) < 5000)
    every = slow.every_derivation(words)
    for k in (1, 4, ENOUGH):
        assert_same(grammar, words, every, k)
    parsed = grammar.nbest(words, 20)
    for text, score in zip(parsed.trees, parsed.scores, strict=True):
        assert parsed.is_flat or score >= grammar.log_probability(parse_tree(text)) - 1e-9


@given(seed=st.integers(0, 2**32 - 1))
@examples(deadline=None)
def test_log_probabilities_of_random_treebanks(seed: int) -> None:
    rng = random.Random(seed)
    texts, _known = random_bank(rng)
    slow, grammar = both(texts, random_settings(rng))
    for text in texts:
        found = grammar.log_probability(parse_tree(text))
        assert found == pytest.approx(slow.log_probability(text), abs=1e-9)
        assert -math.inf < found < 0


# ---------------------------------------------------- probability of a tree


@pytest.mark.parametrize(("lexical", "vertical", "horizontal"), CHOICES)
def test_log_probability_of_real_looking_trees(lexical: bool, vertical: int, horizontal: int) -> None:
    slow, grammar = both(SENTENCES, loose(lexical=lexical, vertical=vertical, horizontal=horizontal, rare=2))
    seen = [*SENTENCES]
    unseen = [
        "(S (NP (DT a) (NN cat)) (VP (VBD saw) (PP (IN in) (NP (NN man)))))",
        "(S (NP (NP (NN cat) (POS 's)) (NN man)) (VP (VBZ is) (VP (VBN seen))) (. .))",
        "(S (NP (NN dog)) (VP (VBD saw) (SBAR (IN that) (S (NP (NN man)) (VP (VBD was))))))",
    ]
    for text in [*seen, *unseen]:
        assert grammar.log_probability(parse_tree(text)) == pytest.approx(slow.log_probability(text), abs=1e-9)
    assert all(grammar.log_probability(parse_tree(text)) > -math.inf for text in seen)


@pytest.mark.parametrize(
    "text",
    [
        "(S (NP (DT the) (NN dog)) (QP (VBD saw)))",  # a label that is in no tree
        "(S (NP (DT the) (QQ dog)) (VP (VBD saw)))",  # a tag that is in no tree
        "(S (S (NP (DT the) (NN dog)) (VP (VBD saw))))",  # no S has an S for its head
        "(S (NP (DT the) (NN dog) (DT the)) (VP (VBD saw)))",  # no NP has a DT after its head
        "(S (NP (-NONE- *)))",  # nothing said
    ],
)
def test_trees_that_cannot_be(text: str) -> None:
    grammar = train_grammar(map(parse_tree, SENTENCES), loose())
    assert grammar.log_probability(parse_tree(text)) == -math.inf


def test_a_word_with_a_tag_that_its_shape_never_had_cannot_be() -> None:
    # `dogged` is known as a word that ends in -ed, and all such words were VBD.
    texts = [f"(S (NP (DT the) (NN the)) (VP (VBD {word})))" for word in ("walked", "talked", "jumped")]
    settings = loose(rare=2)
    slow, grammar = both(texts, settings)
    assert slow.class_of("dogged", False) == "like a+ed"
    tree = "(S (NP (DT the) (NN dogged)) (VP (VBD walked)))"
    assert slow.log_probability(tree) == -math.inf
    assert grammar.log_probability(parse_tree(tree)) == -math.inf


def test_traces_and_function_tags_do_not_matter() -> None:
    grammar = train_grammar(map(parse_tree, SENTENCES), loose())
    plain = "(S (NP (DT the) (NN dog)) (VP (VBD saw)))"
    full = "( (S (NP-SBJ-1 (DT the) (NN dog)) (VP (VBD saw) (NP (-NONE- *-1)))))"
    assert grammar.log_probability(parse_tree(full)) == grammar.log_probability(parse_tree(plain))


@pytest.mark.parametrize(("lexical", "vertical", "horizontal"), CHOICES)
def test_the_score_of_a_tree_is_that_of_its_best_heads(lexical: bool, vertical: int, horizontal: int) -> None:
    slow, grammar = both(SENTENCES, loose(lexical=lexical, vertical=vertical, horizontal=horizontal, heights=2))
    compared = 0
    for words in ("dog of man saw cat", "the dog saw"):
        every = slow.every_derivation(words.split())
        parsed = grammar.nbest(words.split(), ENOUGH)
        best = {}
        for _, tree in every:
            best.setdefault(tree.written(), tree)
        for text, score in zip(parsed.trees, parsed.scores, strict=True):
            own = slow.log_probability(text)
            assert score >= grammar.log_probability(parse_tree(text)) - 1e-9
            if best[text] == slow.own(text):
                assert score == pytest.approx(own, abs=1e-9)
                compared += 1
    assert compared > 1


def test_what_the_parser_cannot_make_has_no_probability() -> None:
    # NP is under S with a noun for its head, and under VP with a pronoun: a pronoun under S was never seen.
    grammar = train_grammar(map(parse_tree, ["(S (NP (NN a)))", "(VP (NP (PRP b)))"]), loose())
    tree = "(TOP (S (NP (PRP b))))"
    assert grammar.nbest(["b"], 10).trees == ["(TOP (VP (NP (PRP b))))"]
    assert grammar.log_probability(parse_tree(tree)) == -math.inf
    assert grammar.log_probability(parse_tree(tree.replace("PRP b", "NN a"))) > -math.inf


# ------------------------------------------------------------------ lists


@pytest.mark.parametrize("lexical", [True, False])
@pytest.mark.parametrize("is_loose", [True, False])
def test_lists_are_distinct_over_the_same_words_and_in_order(lexical: bool, is_loose: bool) -> None:
    settings = loose(lexical=lexical) if is_loose else Settings(lexical=lexical, rare=1)
    grammar = train_grammar(map(parse_tree, SENTENCES), settings)
    longest = 0
    for text in [*SENTENCES, "(S (NN dog) (IN of) (NN man) (IN in) (NN cat) (VBD saw) (IN that) (NN dog) (VBD saw))"]:
        words = parse_tree(text).words()
        parsed = grammar.nbest(words, 200)
        longest = max(longest, len(parsed.trees))
        assert len(set(parsed.trees)) == len(parsed.trees) == len(parsed.scores)
        assert all(parse_tree(tree).words() == words for tree in parsed.trees)
        assert all(str(parse_tree(tree)) == tree for tree in parsed.trees)
        assert all(math.isfinite(score) for score in parsed.scores)
        assert parsed.scores == sorted(parsed.scores, reverse=True)
    assert longest >= 10


def test_fewer_asked_for_is_the_beginning_of_more() -> None:
    grammar = train_grammar(map(parse_tree, SENTENCES), Settings(rare=1))
    words = ["the", "dog", "of", "man", "saw", "the", "cat", "in", "a", "saw"]
    more = grammar.nbest(words, 100)
    for k in (1, 2, 10):
        fewer = grammar.nbest(words, k)
        assert more.trees[: len(fewer.trees)] == fewer.trees
        assert more.scores[: len(fewer.scores)] == fewer.scores


def test_pruning_leaves_scores_as_they_are() -> None:
    # What the defaults find is among all trees, with the same scores, and the best tree is the best of all.
    everything, pruned = (train_grammar(map(parse_tree, SENTENCES), each) for each in (loose(), Settings(rare=1)))
    for words in ("the dog saw a cat .", "man was seen in a saw", "dog , cat and man"):
        all_trees = everything.nbest(words.split(), ENOUGH)
        scores = dict(zip(all_trees.trees, all_trees.scores, strict=True))
        parsed = pruned.nbest(words.split(), 20)
        assert not parsed.is_flat
        assert parsed.trees[0] == all_trees.trees[0]
        for text, score in zip(parsed.trees, parsed.scores, strict=True):
            assert score <= scores[text] + 1e-9


def test_the_beam_keeps_the_best_tree_of_a_label_that_is_mostly_a_head() -> None:
    # A has a noun for its head nine times, as the child that TOP is about, and an adjective once, as a modifier. Over
    # `c` an A is about 8 times as probable as a B; the beam of e^9 must not leave it out.
    texts = [*["(A (NN c))"] * 9, "(B (NN c))", "(B (NN c) (A (JJ b)))"]
    slow = SlowGrammar(texts, settings := Settings(rare=1))
    best = slow.every_derivation(["c"])
    assert [each.tree.written() for each in best] == ["(TOP (A (NN c)))", "(TOP (B (NN c)))"]
    parsed = train_grammar(map(parse_tree, texts), settings).nbest(["c"], 2)
    assert parsed.trees == [each.tree.written() for each in best]
    assert parsed.scores == pytest.approx([each.score for each in best], abs=1e-9)
