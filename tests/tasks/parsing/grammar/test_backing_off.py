"""Sentences whose words fit into no tree at first: masked words, and words of symbols alone."""

from __future__ import annotations

import pytest

from runoff.tasks.parsing.brackets import parse_tree
from runoff.tasks.parsing.grammar import Grammar, Settings, nbest_search, train_grammar
from runoff.tasks.parsing.grammar.lexicon import ANY, OPEN, OWN

# Rare words without letters are colons here, and no sentence consists of colons.
TREES = [
    "(S (NP (DT the) (NN dog)) (VP (VBD saw) (NP (DT a) (NN cat))) (. .))",
    "(S (NP (NP (DT the) (NN boat)) (: --) (NP (DT a) (NN house)) (: ---)) (VP (VBD fell)) (. .))",
    "(S (NP (NNP Rome)) (VP (VBD burned) (: ...) (NP (DT the) (NN roof))) (. .))",
    "(S (NP (DT a) (NN fire)) (VP (VBD had) (VP (VBN begun) (PP (IN in) (NP (DT the) (NN sea))))) (. .))",
]
MASKED = ["_ _ _ _ .", "_ _ .", "_", "_ _ _ _ _ _ _ _ _ _ _ _", "## @@ ~~ ^^ .", "_ saw the _ ."]


@pytest.fixture(scope="module")
def grammar() -> Grammar:
    return train_grammar(map(parse_tree, TREES), Settings(rare=3))


def test_masked_words_get_no_flat_tree(grammar: Grammar) -> None:
    for text in MASKED:
        words = text.split()
        parsed = grammar.nbest(words, 5)
        assert (parsed.is_flat, parsed.is_backed_off) == (False, True), text
        assert all(parse_tree(tree).words() == words for tree in parsed.trees)
        assert parsed.scores == sorted(parsed.scores, reverse=True)


def test_a_masked_sentence_reads_like_one_of_rare_words(grammar: Grammar) -> None:
    tree = parse_tree(grammar.nbest(["the", "_", "saw", "a", "_", "."], 1).trees[0])
    assert str(tree) == "(TOP (S (NP (DT the) (NN _)) (VP (VBD saw) (NP (DT a) (NN _))) (. .)))"


def test_nothing_backs_off_where_there_is_a_tree(grammar: Grammar) -> None:
    for tree in map(parse_tree, TREES):
        parsed = grammar.nbest(tree.words(), 5)
        assert not parsed.is_backed_off
        assert parsed.trees[0] == f"(TOP {tree})"


def test_only_unknown_words_get_more_tags(grammar: Grammar) -> None:
    words = ["the", "_"]
    own, more, every = (grammar.lexicon.leaves(words, tags) for tags in (OWN, OPEN, ANY))
    assert [leaves.places.tolist().count(0) for leaves in (own, more, every)] == [1, 1, 1]
    named = [{grammar.symbols.names[tag] for tag in leaves.tags[leaves.places == 1]} for leaves in (own, more, every)]
    assert named[0] == {":"}
    assert named[0] < named[1] < named[2]
    assert "NN" in named[1]
    assert "DT" not in named[1]  # no rare word is one
    assert named[2] == set(grammar.symbols.tags)
    assert (every.known > 0).all()


def test_too_many_nodes_narrow_the_beam(grammar: Grammar, monkeypatch: pytest.MonkeyPatch) -> None:
    words = parse_tree(TREES[0]).words()
    expected = grammar.nbest(words, 1).trees
    monkeypatch.setattr(nbest_search, "_EFFORTS", (nbest_search._Effort(1.0, ((1.0, 8),)),))
    parsed = grammar.nbest(words, 1)
    assert (parsed.is_flat, parsed.is_backed_off, parsed.trees) == (False, True, expected)
