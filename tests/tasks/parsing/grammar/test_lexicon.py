"""Words: classes of frequent, rare and unknown ones, and how likely a tag gives a word."""

from __future__ import annotations

import math

import numpy as np
import pytest

from runoff.tasks.parsing.brackets import parse_tree
from runoff.tasks.parsing.grammar import Settings, train_grammar
from runoff.tasks.parsing.grammar.lexicon import Lexicon
from runoff.tasks.parsing.grammar.word_shapes import word_shapes

NOUN, VERB = 1, 2


def lexicon(*words: tuple[str, int], rare: int = 2, unseen: float = 10.0) -> Lexicon:
    """Of sentences that all begin with the frequent word `the`."""
    return Lexicon.of([[("the", 3), *words], [("the", 3)]], rare, unseen)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("1999", "0"),
        ("3.14", "0"),
        ("10:30", "0"),
        ("1/2", "0"),
        ("--", "?"),
        ("...", "?"),
        ("dog", "a"),  # too short for a suffix
        ("walking", "a+ing"),
        ("buildings", "a+ings"),  # the longest ending that is known
        ("Walking", "C+ing"),
        ("NATO", "CC"),
        ("A", "C"),  # one capital is no word in capitals
        ("mid-1990s", "0a-"),
        ("well-known", "a-"),
        ("Straße", "C+e"),
        ("мир", "a"),
        ("日本語", "a"),
        ("½", "?"),
    ],
)
def test_shapes(word: str, expected: str) -> None:
    assert word_shapes(word, False)[0] == expected


@pytest.mark.parametrize(
    "word", ["x", "X", "1", "-", "-LRB-", "\u00a0", "é", "İ", "ǅ", "\u200b", "a" * 5000, "'s", "%"]
)
@pytest.mark.parametrize("is_first", [True, False])
def test_every_word_has_three_shapes_of_which_the_last_is_for_all(word: str, is_first: bool) -> None:
    found = word_shapes(word, is_first)
    assert len(found) == 3
    assert all(found)
    assert found[-1] == "unknown"
    assert found[0].startswith(found[1])


def test_a_capital_says_less_at_the_beginning() -> None:
    assert word_shapes("Dogs", True)[:2] == ("F+s", "F")
    assert word_shapes("Dogs", False)[:2] == ("C+s", "C")
    assert word_shapes("dogs", True) == word_shapes("dogs", False)


def test_frequent_words_are_classes_and_rare_ones_are_not() -> None:
    found = lexicon(("dog", NOUN), ("dog", NOUN), ("cat", NOUN), rare=2)
    assert found.names[found.class_of("dog", False)] == "dog"
    assert found.names[found.class_of("cat", False)] == "like unknown"  # one rare word is too few for its shape
    assert found.rare_words == {"cat": {NOUN: 1}}


def test_a_shape_needs_three_words() -> None:
    two = lexicon(("aiming", NOUN), ("baring", NOUN))
    three = lexicon(("aiming", NOUN), ("baring", NOUN), ("caring", VERB))
    assert two.names[two.class_of("wiring", False)] == "like unknown"
    assert three.names[three.class_of("wiring", False)] == "like a+ing"


def test_probabilities_by_hand() -> None:
    # NOUN: the class of -ing words 2, `dog` 2, and a thousandth more of the rare ones for each of their shapes (-ing,
    # small letters, any), of `dog` for any: 2.002 + 0.002 + 0.004 + 2 = 4.008 in all.
    # Of the -ing words of NOUN there are 2, of which `aiming` is 1, and 10 unseen ones shared by 10,000 words.
    found = lexicon(("aiming", NOUN), ("baring", NOUN), ("caring", VERB), ("dog", NOUN), ("dog", NOUN))
    its_class = found.class_of("aiming", False)
    known, within = found.probability("aiming", its_class, NOUN)
    assert known == pytest.approx(2.002 / 4.008)
    assert within == pytest.approx((1 + 10 / 10_000) / (2 + 10))
    assert found.probability("wiring", its_class, NOUN)[1] == pytest.approx((10 / 10_000) / 12)
    dog = found.class_of("dog", False)
    assert found.probability("dog", dog, NOUN) == (pytest.approx(2 / 4.008), 1.0)
    assert found.probability("dog", dog, VERB)[0] == 0.0
    # A word never seen and of no known shape may have every tag, by how often the tag is.
    strange = found.class_of("%%", False)
    assert found.names[strange] == "like unknown"
    assert found.probability("%%", strange, NOUN)[0] == pytest.approx(0.004 / 4.008)


def test_a_tag_that_a_shape_never_had_has_no_probability() -> None:
    found = lexicon(("aiming", NOUN), ("baring", NOUN), ("caring", NOUN), ("dog", VERB), ("dog", VERB))
    its_class = found.class_of("wiring", False)
    assert found.probability("wiring", its_class, VERB)[0] == 0.0


def test_classes_of_a_tag_share_its_probability() -> None:
    found = lexicon(("aiming", NOUN), ("baring", NOUN), ("caring", VERB), ("dog", NOUN), ("dog", VERB), ("x", VERB))
    for tag in (NOUN, VERB, 3):
        shares = [p for its_class in range(len(found.names)) for its, p in found._tags.get(its_class, []) if its == tag]
        assert sum(shares) == pytest.approx(1.0)


@pytest.mark.parametrize("unseen", [0.1, 10.0])
def test_words_of_a_class_and_tag_share_no_more_than_one(unseen: float) -> None:
    # Words that begin a sentence once, and stand inside one twice: of their class at the beginning there are 3, and
    # what the words share of it must not be more than it is, whatever they are elsewhere.
    names = ["Ab", "Bc", "Cd"]
    sentences = [[(name, NOUN), ("the", 3), (name, NOUN), (name, NOUN)] for name in names]
    found = Lexicon.of([*sentences, [("the", 3)]], rare=4, unseen=unseen)
    for is_first in (True, False):
        its_class = found.class_of("Ab", is_first)
        seen = sum(found.probability(name, its_class, NOUN)[1] for name in names)
        one_more = found.probability("Zz", its_class, NOUN)[1]
        assert seen + (10_000 - len(names)) * one_more <= 1.0 + 1e-12  # of 10,000 words that a shape is taken to have


def test_every_word_has_a_tag() -> None:
    # All words in small letters end in -ed: their shape has words, the rougher shape of `zzz` has none of its own.
    found = lexicon(("walked", VERB), ("talked", VERB), ("jumped", VERB))
    leaves = found.leaves(["the", "zzz", "Zzz", "%", "7"])
    assert set(leaves.places.tolist()) == {0, 1, 2, 3, 4}


def test_an_unknown_word_of_a_shape_that_only_finer_ones_have() -> None:
    texts = [f"(S (NP (DT the)) (VP (VBD {word})))" for word in ("walked", "talked", "jumped")]
    grammar = train_grammar(map(parse_tree, [*texts, texts[0].replace("walked", "the")]), Settings(rare=4))
    parsed = grammar.nbest(["the", "zzz"], 3)
    assert parsed.trees[0] == "(TOP (S (NP (DT the)) (VP (VBD zzz))))"
    assert all(map(math.isfinite, parsed.scores))


def test_unknown_words_get_the_tags_of_their_shape() -> None:
    texts = [f"(S (NP (DT the) (NN {noun})) (VP (VBD {verb})))" for noun, verb in zip(
        ["station", "nation", "action", "motion"], ["walked", "talked", "jumped", "ran"], strict=True
    )]  # fmt: skip
    grammar = train_grammar(map(parse_tree, texts), Settings(rare=4))
    assert (
        grammar.nbest(["the", "fiction", "helped"]).trees[0] == "(TOP (S (NP (DT the) (NN fiction)) (VP (VBD helped))))"
    )


def test_leaves_are_all_tags_of_all_words() -> None:
    found = lexicon(("dog", NOUN), ("dog", VERB), rare=2)
    leaves = found.leaves(["dog", "the", "dog"])
    assert leaves.places.tolist() == [0, 0, 1, 2, 2]
    assert leaves.tags.tolist() == [NOUN, VERB, 3, NOUN, VERB]
    assert np.isfinite(np.log(leaves.known * leaves.within)).all()


def test_a_frequent_word_that_looks_like_a_class_is_a_word() -> None:
    texts = ["(S (NN like) (NN unknown) (NN a))"] * 5
    grammar = train_grammar(map(parse_tree, texts), Settings(rare=2))
    assert grammar.describe()["frequent_words"] == 3
    assert grammar.nbest(["like", "unknown", "a"]).trees == ["(TOP (S (NN like) (NN unknown) (NN a)))"]
