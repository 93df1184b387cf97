"""Probabilities are probabilities: they sum to one over what may come of a step, and to no more over all sentences."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest

from runoff.kernels.derivation_steps import HEADS, LABELS, TAGS, WORDS, log_probabilities
from runoff.tasks.parsing.brackets import parse_tree
from runoff.tasks.parsing.grammar import Grammar, Settings, train_grammar
from runoff.tasks.parsing.grammar.backoff import masks
from runoff.tasks.parsing.grammar.derivations import DerivationSteps
from runoff.tasks.parsing.grammar.split_labels import split_tree
from runoff.tasks.parsing.grammar.step_probabilities import count_steps
from runoff.tasks.parsing.treebank_files import tidy

TREES = [
    "(S (NP (DT the) (NN dog)) (VP (VBD saw) (NP (DT a) (NN cat))) (. .))",
    "(S (NP (NP (DT the) (NN dog)) (PP (IN of) (NP (NN man)))) (VP (VBD saw) (NP (NN man))))",
    "(S (NP (NN man)) (VP (VBD was) (VP (VBN seen) (PP (IN in) (NP (NN saw))))))",
    "(S (VP (VB saw) (NP (DT the) (NN man)) (PP (IN in) (NP (DT a) (NN cat)))))",
    "(FRAG (NP (NN dog)) (, ,) (NP (NN cat)) (CC and) (NP (NN man)))",
]
CHOICES = list(product([True, False], [1, 2], [0, 1, 2]))


def rows_of(grammar: Grammar, texts: list[str]) -> DerivationSteps:
    rows = DerivationSteps(grammar.symbols, grammar.class_of.tolist(), grammar.lexicon)
    for text in texts:
        tree = tidy(parse_tree(text), Counter())
        assert tree is not None
        rows.add(split_tree(tree, grammar.settings.splits))
    return rows


@pytest.mark.parametrize("kind", [HEADS, LABELS, TAGS, WORDS])
@pytest.mark.parametrize(("lexical", "vertical", "horizontal"), CHOICES)
def test_outcomes_of_a_step_share_its_probability(kind: int, lexical: bool, vertical: int, horizontal: int) -> None:
    grammar = train_grammar(
        map(parse_tree, TREES), Settings(lexical=lexical, vertical=vertical, horizontal=horizontal, rare=3)
    )
    fields, _ = rows_of(grammar, TREES).table(kind)
    count = len(grammar.lexicon.names) if kind == WORDS else len(grammar.symbols)
    for row in np.unique(fields, axis=0):
        outcomes = np.arange(count)
        below = np.zeros(count)
        if kind == WORDS:
            of_tag = np.array([grammar.lexicon.tag_counts.get((each, int(row[-1])), 0.0) for each in range(count)])
            below = of_tag / of_tag.sum()
        p = np.exp(log_probabilities(grammar.steps, kind, np.tile(row, (count, 1)), outcomes, below))
        assert p.sum() == pytest.approx(1.0, abs=1e-12)
        assert (p >= 0).all()


def test_contexts_that_were_never_seen_are_as_the_next_rougher_one() -> None:
    grammar = train_grammar(map(parse_tree, TREES), Settings(rare=1))
    fields, outcomes = rows_of(grammar, TREES).table(HEADS)
    steps, below = grammar.steps, np.zeros(outcomes.size)
    strange = fields.copy()
    strange[:, 5] = 10_000  # a class of words that there is not: the word is looked at by the finest level alone
    without = train_grammar(map(parse_tree, TREES), Settings(rare=1, lexical=False))
    rows, _ = rows_of(without, TREES).table(HEADS)
    assert log_probabilities(steps, HEADS, strange, outcomes, below) == pytest.approx(
        log_probabilities(without.steps, HEADS, rows, outcomes, below)
    )


def test_witten_bell_by_hand() -> None:
    # Heads of NP: NN twice, PRP once. Collins (1999), section 7.3.4, with 4 for his 5: the context of all that is
    # known, tag NN, was seen twice with one outcome: 2 / (2 + 4), and the rest to the next; with the tag every level
    # but the last is the same. Last: NN 2/3. All: 1/3 + 2/3 (1/3 + 2/3 (1/3 + 2/3 · 2/3)) for 3 levels over the last.
    grammar = train_grammar(
        map(parse_tree, ["(NP (NN a))", "(NP (NN a))", "(NP (PRP b))"]), Settings(rare=1, splits=(), smoothing=4.0)
    )
    rows, outcomes = rows_of(grammar, ["(NP (NN a))"]).table(HEADS)
    label = grammar.symbols.labels["NP"]
    at = int(np.flatnonzero(rows[:, 1] == label)[0])
    found = log_probabilities(grammar.steps, HEADS, rows[at : at + 1], outcomes[at : at + 1], np.zeros(1))
    expected = 2 / 3
    for _ in range(3):
        expected = 1 / 3 + 2 / 3 * expected
    assert math.exp(found[0]) == pytest.approx(expected, abs=1e-12)


def test_shares_of_a_context_and_what_is_left_sum_to_one() -> None:
    settings = Settings(rare=1)
    grammar = train_grammar(map(parse_tree, TREES), settings)
    probabilities = count_steps(rows_of(grammar, TREES), masks(settings), 4.0)
    for name in probabilities._fields:
        assert np.array_equal(getattr(probabilities, name), getattr(grammar.probabilities, name))
    assert probabilities.shares.sum() + probabilities.left_over.sum() == pytest.approx(probabilities.contexts.size)
    assert len(set(probabilities.contexts.tolist())) == probabilities.contexts.size
    assert len(set(probabilities.outcomes.tolist())) == probabilities.outcomes.size


# -------------------------------------------------------- all sentences


@pytest.mark.parametrize(("lexical", "vertical", "horizontal"), CHOICES)
def test_all_trees_of_all_sentences(lexical: bool, vertical: int, horizontal: int) -> None:
    # Every sentence of up to four of the treebank's words. NP with a noun has no choice of heads, so that every tree is
    # there with all its probability, and nearly all of that is on sentences as short.
    texts = ["(NP (NN x))", "(NP (DT y) (NN x))", "(NP (NN x))", "(NP (NN x))"]
    grammar = train_grammar(
        map(parse_tree, texts),
        Settings(lexical=lexical, vertical=vertical, horizontal=horizontal, rare=1, threshold=1e-300, beam=1e9),
    )
    total = 0.0
    for length in range(1, 5):
        for words in product("xy", repeat=length):
            parsed = grammar.nbest(words, 1000)
            total += 0.0 if parsed.is_flat else sum(map(math.exp, parsed.scores))
    assert 0.9 < total <= 1.0 + 1e-12


def test_many_trees_of_all_sentences_are_still_no_more_than_one() -> None:
    texts = ["(S (A (NN x)) (B (NN y)))", "(A (A (NN x)) (NN y))", "(S (B (NN y) (NN x)))", "(A (B (NN x)))"]
    for vertical, smoothing in product((1, 2), (0.1, 20.0)):
        settings = Settings(vertical=vertical, smoothing=smoothing, rare=1, threshold=1e-300, beam=1e9)
        grammar = train_grammar(map(parse_tree, texts), settings)
        total = 0.0
        for length in range(1, 5):
            for words in product("xy", repeat=length):
                parsed = grammar.nbest(words, 4000)
                total += 0.0 if parsed.is_flat else sum(map(math.exp, parsed.scores))
        assert 0.1 < total <= 1.0
