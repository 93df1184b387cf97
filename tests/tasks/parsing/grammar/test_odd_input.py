"""Treebanks, sentences and settings that are unusual, and mistakes."""

from __future__ import annotations

import math
import os
import random
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from runoff.errors import DataError, UsageError
from runoff.tasks.parsing.brackets import parse_tree
from runoff.tasks.parsing.grammar import Grammar, NBestParses, Settings, train_grammar

TREES = [
    "(S (NP (DT the) (NN dog)) (VP (VBD saw) (NP (DT a) (NN cat))) (. .))",
    "(S (NP (NP (DT the) (NN dog)) (PP (IN of) (NP (NN man)))) (VP (VBD saw) (NP (NN man))))",
    "(S (NP (NN man)) (VP (VBD was) (VP (VBN seen) (PP (IN in) (NP (NN saw))))))",
    "(S (VP (VB saw) (NP (DT the) (NN man)) (PP (IN in) (NP (DT a) (NN cat)))))",
    "(FRAG (NP (NN dog)) (, ,) (NP (NN cat)) (CC and) (NP (NN man)))",
]
WORDS = ["the", "dog", "of", "man", "saw", "the", "cat", "in", "a", "saw", "."]


def grammar_of(*texts: str, **choices: object) -> Grammar:
    return train_grammar(map(parse_tree, texts), Settings(**{"rare": 1, **choices}))  # type: ignore[arg-type]


def check(parsed: NBestParses, words: list[str]) -> None:
    assert parsed.trees
    assert len(parsed.trees) == len(parsed.scores) == len(set(parsed.trees))
    assert all(map(math.isfinite, parsed.scores))
    assert all(parse_tree(tree).words() == words for tree in parsed.trees)
    assert all(tree.startswith("(TOP ") for tree in parsed.trees)


# ------------------------------------------------------------ treebanks


def test_one_tree_is_enough() -> None:
    for text in ["(NN a)", "(S (NN a))", TREES[0], TREES[1]]:
        tree = parse_tree(text)
        parsed = grammar_of(text).nbest(tree.words(), 10)
        check(parsed, tree.words())
        assert parsed.trees[0] == f"(TOP {text})"
        assert not parsed.is_flat


def test_a_tag_named_as_a_label() -> None:
    texts = ["(X (X (X a) (X b)) (X c))", "(X (X a))"]
    grammar = grammar_of(*texts)
    for text in texts:
        words = parse_tree(text).words()
        parsed = grammar.nbest(words, 50)
        check(parsed, words)
        assert f"(TOP {text})" in parsed.trees
        own = dict(zip(parsed.trees, parsed.scores, strict=True))[f"(TOP {text})"]
        assert own >= grammar.log_probability(parse_tree(text)) - 1e-9


def test_a_tag_and_a_label_named_as_the_root() -> None:
    grammar = grammar_of("(S (TOP a) (NN b))", "(ROOT (S (TOP a)))")
    assert grammar.nbest(["a", "b"]).trees[0] == "(TOP (S (TOP a) (NN b)))"


def test_words_right_under_the_root() -> None:
    parsed = grammar_of("(TOP (UH oh) (. .))").nbest(["oh", "."])
    assert parsed.trees == ["(TOP (UH oh) (. .))"]


def test_labels_of_another_language() -> None:
    # Labels that no rule knows: the first child that is not punctuation is the head.
    texts = [
        "(СЛОЖ (ГР (ПРИЛ новый) (СУЩ дом)) (ГЛГР (ГЛ стоит)) (. .))",
        "(СЛОЖ (ГР (СУЩ дом)) (ГЛГР (ГЛ стоит) (ГР (СУЩ тут))))",
        "(句 (名 (名詞 犬) (助詞 が)) (動 (動詞 走る)))",
    ]
    grammar = grammar_of(*texts)
    for text in texts:
        words = parse_tree(text).words()
        parsed = grammar.nbest(words, 20)
        check(parsed, words)
        assert parsed.trees[0] == f"(TOP {text})"


def test_two_hundred_labels() -> None:
    texts = [f"(L{i} (T{i % 40} w{i % 50}) (L{i * 7 % 200} (T{(i + 1) % 40} w{(i + 1) % 50})))" for i in range(200)]
    grammar = grammar_of(*texts)
    assert grammar.describe()["labels"] == 201  # and TOP
    parsed = grammar.nbest(["w3", "w4"], 10)
    check(parsed, ["w3", "w4"])
    assert not parsed.is_flat
    assert f"(TOP {texts[3]})" in parsed.trees


def test_chains_higher_than_the_settings() -> None:
    high = "(A (B (C (D (E (NN a))))))"
    grammar = grammar_of(high, "(A (NN a))", heights=3)
    parsed = grammar.nbest(["a"], 20)
    check(parsed, ["a"])
    assert parsed.trees[0] == "(TOP (A (NN a)))"
    assert all(tree.count("(") - 1 <= 3 for tree in parsed.trees)
    assert math.isfinite(grammar.log_probability(parse_tree(high)))
    assert grammar_of(high, heights=6).nbest(["a"], 20).trees == [f"(TOP {high})"]


def test_only_chains_higher_than_the_settings_leave_a_flat_tree() -> None:
    parsed = grammar_of("(A (B (C (NN a))))", heights=2).nbest(["a"])
    assert parsed.is_flat
    check(parsed, ["a"])


def test_a_label_over_itself() -> None:
    grammar = grammar_of("(S (S (S (NN a))))", "(S (NN a) (S (NN a)))", heights=4)
    for words in (["a"], ["a", "a"], ["a"] * 4):
        check(grammar.nbest(words, 200), words)
    assert "(TOP (S (S (S (NN a)))))" in grammar.nbest(["a"], 200).trees


def test_traces_alone_teach_nothing() -> None:
    with pytest.raises(DataError, match="no tree to train a grammar on"):
        train_grammar([parse_tree("(S (NP (-NONE- *)))")])
    with pytest.raises(DataError, match="no tree"):
        train_grammar([])
    grammar = train_grammar([parse_tree("(S (NP (-NONE- *)))"), parse_tree("(S (NP-SBJ (NN a)))")])
    assert grammar.provenance == {"sentences": 1, "words": 1}


def test_a_node_with_many_children() -> None:
    text = f"(S {' '.join(f'(NN a{i % 3})' for i in range(60))})"
    words = parse_tree(text).words()
    parsed = grammar_of(text).nbest(words, 5)
    check(parsed, words)
    assert parsed.trees[0] == f"(TOP {text})"


# ------------------------------------------------------------ sentences


def test_sentences_of_one_word() -> None:
    grammar = grammar_of(*TREES, "(NP (NN dog))", "(UH oh)")
    for word in ("dog", "oh", "never-seen", "7", "%"):
        check(grammar.nbest([word], 10), [word])
    assert grammar.nbest(["dog"]).trees[0] == "(TOP (NP (NN dog)))"
    assert grammar.nbest(["oh"]).trees[0] == "(TOP (UH oh))"


def test_words_never_seen_alone() -> None:
    grammar = grammar_of(*TREES, rare=2)
    for words in (["Xyzzy", "plugh"], ["frobbed"] * 6, ["7"] * 3, ["%", "%"]):
        check(grammar.nbest(words, 10), words)


def test_sentences_that_are_too_long_are_flat() -> None:
    grammar = grammar_of(*TREES, longest=5)
    assert not grammar.nbest(["the", "dog", "saw", "a", "cat"]).is_flat
    words = ["the", "dog", "saw", "a", "cat", "."]
    parsed = grammar.nbest(words)
    assert parsed.is_flat
    check(parsed, words)
    assert parsed.trees == ["(TOP (S (DT the) (NN dog) (VBD saw) (DT a) (NN cat) (. .)))"]  # S is the usual top


def test_sentences_without_any_tree_are_flat() -> None:
    # All words are known, and nothing is ever after a full stop.
    grammar = grammar_of(TREES[0])
    words = [".", "the"]
    parsed = grammar.nbest(words, 5)
    assert parsed.is_flat
    check(parsed, words)
    assert parsed.trees == ["(TOP (S (. .) (DT the)))"]


def test_long_sentences_of_improbable_steps_are_not_flat() -> None:
    # Every word costs a factor of about e^-8.6 in the only trees that there are.
    grammar = train_grammar(map(parse_tree, ["(S (NN b))"] * 1000 + ["(S (JJ c))"] * 1000 + ["(S (S (NN b)) (JJ b))"]))
    for length in (2, 50, 100, 150):
        parsed = grammar.nbest(["b"] * length, 1)
        check(parsed, ["b"] * length)
        assert not parsed.is_flat, length


def test_long_sentences_are_parsed() -> None:
    grammar = grammar_of(*TREES)
    words = [*["the", "dog", "of", "man"], *(["of", "man"] * 40), "saw"]
    parsed = grammar.nbest(words, 3)
    assert not parsed.is_flat
    check(parsed, words)


@pytest.mark.parametrize("word", ["(", ")", "a(b", "a b", "", " ", "a\tb", "a\n"])
def test_words_that_cannot_stand_in_a_tree(word: str) -> None:
    with pytest.raises(DataError, match=r"cannot be in a tree: write brackets as -LRB- and -RRB-"):
        grammar_of(TREES[0]).nbest(["the", word])


def test_a_sentence_without_words() -> None:
    with pytest.raises(DataError, match="the sentence has no words"):
        grammar_of(TREES[0]).nbest([])


@pytest.mark.parametrize("k", [0, -1])
def test_no_trees_asked_for(k: int) -> None:
    with pytest.raises(UsageError, match="k must be a whole number from 1 to 100,000"):
        grammar_of(TREES[0]).nbest(["the"], k)


def test_words_that_a_file_may_have() -> None:
    words = ["\u00a0", "1\\/2", "-LRB-", "`", "e\u0301", "👩‍👩‍👧", "a" * 3000]
    check(grammar_of(*TREES).nbest(words, 3), words)


# ------------------------------------------------------------- settings


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"vertical": 3}, "vertical must be a whole number from 1 to 2, not 3"),
        ({"vertical": 0}, "vertical must be"),
        ({"horizontal": -1}, "horizontal must be a whole number from 0 to 2, not -1"),
        ({"horizontal": 1.0}, "horizontal must be a whole number"),
        ({"rare": 0}, "rare must be a whole number at least 1"),
        ({"heights": 0}, "heights must be"),
        ({"heights": 10}, "heights must be"),
        ({"threshold": 0.0}, "threshold must be between 0 and 1"),
        ({"threshold": 1.0}, "threshold must be between 0 and 1"),
        ({"threshold": math.nan}, "threshold must be between 0 and 1"),
        ({"beam": 0.0}, "beam"),
        ({"beam": math.nan}, "beam"),
        ({"smoothing": -1.0}, "smoothing"),
        ({"smoothing": math.nan}, "smoothing"),
        ({"smoothing": math.inf}, "smoothing"),
        ({"unseen": 0.0}, "unseen"),
        ({"unseen": math.nan}, "unseen"),
        ({"unseen": math.inf}, "unseen"),
        ({"longest": 0}, "longest"),
        ({"longest": math.nan}, "longest"),
    ],
)
def test_settings_that_cannot_be(choices: dict[str, float], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Settings(**choices)  # type: ignore[arg-type]


def test_settings_that_rule_nothing_out() -> None:
    loose = Settings(threshold=1e-300, beam=1e9, rare=1)
    assert Settings.from_dict(loose.to_dict()) == loose
    check(train_grammar(map(parse_tree, TREES), loose).nbest(WORDS, 10), WORDS)


# -------------------------------------------------------- the same again


def test_the_same_treebank_gives_the_same_lists() -> None:
    first, second = (grammar_of(*TREES) for _ in range(2))
    assert first.nbest(WORDS, 100) == second.nbest(WORDS, 100) == first.nbest(WORDS, 100)


def test_the_order_of_a_treebank_does_not_matter() -> None:
    turned = grammar_of(*TREES[::-1]).nbest(WORDS, 100)
    parsed = grammar_of(*TREES).nbest(WORDS, 100)
    assert turned.scores == pytest.approx(parsed.scores, abs=1e-9)
    assert Counter(turned.trees[:3]) == Counter(parsed.trees[:3])


def test_two_threads_at_once() -> None:
    grammar = grammar_of(*TREES, rare=2)
    rng = random.Random(0)
    known = [word for text in TREES for word in parse_tree(text).words()]
    sentences = [[rng.choice([*known, "unseen"]) for _ in range(rng.randint(1, 12))] for _ in range(60)]
    alone = [grammar.nbest(words, 20) for words in sentences]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(lambda words: grammar.nbest(words, 20), sentences * 2))
    assert together == alone * 2


def test_the_same_lists_in_another_process() -> None:
    # The order of sets differs from process to process, by the seed of hashes.
    program = (
        "import sys\n"
        "from runoff.tasks.parsing.brackets import parse_tree\n"
        "from runoff.tasks.parsing.grammar import Settings, train_grammar\n"
        "grammar = train_grammar(map(parse_tree, sys.argv[2:]), Settings(rare=2))\n"
        "sys.stdout.write(repr(grammar.nbest(sys.argv[1].split(), 50)))\n"
    )
    other = subprocess.run(
        [sys.executable, "-c", program, " ".join(WORDS), *TREES],
        env={**os.environ, "PYTHONHASHSEED": "1"},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert other.stdout == repr(grammar_of(*TREES, rare=2).nbest(WORDS, 50))


def test_too_many_labels_are_refused() -> None:
    trees = [parse_tree(f"(L{i} (NN a))") for i in range(600)]
    with pytest.raises(DataError, match="601 labels; a grammar can have 500"):  # and the root
        train_grammar(trees)
