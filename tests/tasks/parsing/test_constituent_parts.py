"""Constituents as parts: what is right is what PARSEVAL counts, and trees joined of parts have these and no others.

The outside truth is `judge`, which is pinned to EVALB elsewhere.
"""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runoff.combine import Part
from runoff.errors import DataError
from runoff.metrics import get
from runoff.tasks.parsing.brackets import Forest
from runoff.tasks.parsing.constituent_parts import ConstituentParts
from runoff.tasks.parsing.metric import GOLD, MATCHED, TEST
from runoff.tasks.parsing.parseval import judge
from runoff.tasks.parsing.tree_sketch import tree_sketch

READER = ConstituentParts()
LABELS = ["S", "NP", "NP-SBJ", "VP", "PP", "PRT", "ADVP", "-LRB-", "TOP", "S=1"]
TAGS = ["NN", "VB", "DT", ",", ".", ":", "``", "-NONE-"]


def subtree(rng: random.Random, leaves: list[str]) -> str:
    """A random tree over some leaves, with chains, now and then of the same label."""
    if len(leaves) == 1 and rng.random() < 0.6:
        return leaves[0]
    label = rng.choice(LABELS)
    if len(leaves) == 1 or rng.random() < 0.2:
        again = label if rng.random() < 0.3 else rng.choice(LABELS)
        inside = subtree(rng, leaves)
        return f"({label} ({again} {inside}))"
    cuts = sorted(rng.sample(range(1, len(leaves)), rng.randint(1, min(3, len(leaves) - 1))))
    pieces = [leaves[a:b] for a, b in zip([0, *cuts], [*cuts, len(leaves)], strict=True)]
    return f"({label} {' '.join(subtree(rng, piece) for piece in pieces)})"


def trees(seed: int, count: int = 5) -> list[str]:
    """Trees over the same words and the same punctuation; the other tags differ."""
    rng = random.Random(seed)
    tags = [rng.choice(TAGS) for _ in range(rng.randint(1, 9))]
    found = []
    for _ in range(count):
        leaves = [f"({rng.choice(['NN', 'VB']) if tag in ('NN', 'VB') else tag} w{at})" for at, tag in enumerate(tags)]
        found.append(f"(S1 {subtree(rng, leaves)})")
    return found


@given(st.integers(0, 10**6))
def test_right_parts_are_matched_brackets(seed: int) -> None:
    gold, *texts = trees(seed)
    forest = Forest()
    expected = judge(forest.tree(gold), [forest.tree(text) for text in texts]).parseval
    split = READER.split(texts)
    for parts, row in zip(split, expected.astype(int), strict=True):
        assert sum(READER.right(parts, texts, [gold])) == row[MATCHED]
        assert (len(parts), READER.size(texts, [gold])) == (row[TEST], row[GOLD])


@given(st.integers(0, 10**6))
def test_a_joined_tree_has_its_parts_and_the_words_of_the_first_text(seed: int) -> None:
    texts = trees(seed)
    pool = sorted({part for parts in READER.split(texts) for part in parts})
    random.Random(seed).shuffle(pool)
    kept: list[Part] = []
    for part in pool:
        if not any(
            part.start < o.start < part.stop < o.stop or o.start < part.start < o.stop < part.stop for o in kept
        ):
            kept.append(part)
    joined = READER.join(kept, texts)
    # A second copy may stand without the first, and is the first in the tree.
    plain = sorted((start, stop, label.partition("'")[0]) for start, stop, label in READER.split([joined, *texts])[0])
    assert plain == sorted((start, stop, label.partition("'")[0]) for start, stop, label in kept)
    found, first = tree_sketch(joined), tree_sketch(texts[0])
    assert (found.words, found.tags) == (first.words, first.tags)
    assert found.labels[0] == "S1"


def test_the_parts_of_a_tree_make_the_tree() -> None:
    text = "(S1 (S (NP (NP (NNS We)) (, ,) (PP (IN of) (NP (DT all))) (, ,)) (VP (VBP sleep) (S (VP (VB on)))) (. .)))"
    assert READER.join(READER.split([text])[0], [text]) == text


def test_punctuation_stays_where_the_first_tree_with_the_part_has_it() -> None:
    one = "(S1 (S (NP (NN a)) (, ,) (VP (VB b)) (. .)))"
    two = "(S1 (FRAG (X (NN a) (, ,)) (NP (VB b) (. .))))"
    joined = READER.join([Part(0, 3, "FRAG"), Part(0, 1, "X"), Part(2, 3, "VP")], [one, two])
    assert joined == "(S1 (FRAG (X (NN a) (, ,)) (VP (VB b)) (. .)))"


def test_words_that_most_trees_call_punctuation_do_not_count() -> None:
    texts = ["(S (NP (NN a)) (: -))", "(S (NP (NN a) (: -)))", "(S (NP (NN a) (HYPH -)))"]
    assert [parts[1] for parts in READER.split(texts)] == [Part(0, 1, "NP")] * 3
    # The gold tree says that the dash is a word; the parts end before it, and so does a tree joined of them.
    assert READER.right([Part(0, 1, "S"), Part(0, 1, "NP")], texts, ["(S (NP (NN a)) (HYPH -))"]) == [False, True]


def test_lists_with_odd_trees() -> None:
    assert READER.split(["(())", "(())"]) == [[], []]
    assert READER.join([], ["(())"]) == "(())"
    # Another number of words than most: nothing of it can be joined with the others, and nothing is right.
    texts = ["(S (NN a))", "(S (NN a) (NN b))", "(X (NN a) (NN b))"]
    assert READER.split(texts) == [[], [Part(0, 2, "S")], [Part(0, 2, "X")]]
    assert READER.join([Part(0, 2, "X")], texts) == "(X (NN a) (NN b))"
    assert READER.right([Part(0, 2, "X")], texts, ["(X (NN a))"]) == [False]
    # Words alone, and what counts nothing at all.
    assert READER.join([], ["(NN a)"]) == "(TOP (NN a))"
    assert READER.split(["(S (. !))"]) == [[]]
    assert READER.join([], ["(S (NN a) (NN b))"]) == "(TOP (NN a) (NN b))"


def test_second_copies_of_a_label() -> None:
    (parts,) = READER.split(["(NP (NP (NP (NN a))))"])
    assert [part.label for part in parts] == ["NP", "NP'2", "NP'3"]
    assert READER.right(parts, ["(NN a)"], ["(NP (NP (NN a)))"]) == [True, True, False]
    assert READER.join(parts[:2], ["(NP (NP (NP (NN a))))"]) == "(NP (NP (NN a)))"


def test_clues_come_from_the_first_tree_with_the_part() -> None:
    texts = ["(S1 (S (NP (DT the) (NN cat)) (VP (VBZ sits)) (. .)))", "(S1 (NP (DT the) (NN cat) (VBZ sits)) (. .))"]
    parts = [Part(0, 2, "NP"), Part(0, 3, "NP"), Part(7, 9, "X")]
    found = READER.clues(parts, texts, None, {})
    assert "NP under S" in found[0]
    assert "NP > DT NN" in found[0]
    assert "NP > DT NN VBZ" in found[1]
    assert found[2] == []


@pytest.mark.parametrize(
    "text",
    ["( (S (NP (NN a))) )", "(S\n  (NP (NN a)))", "(S(NP(NN a)))", "(S  (NP (NN\ta)) )"],
)
def test_trees_as_people_write_them(text: str) -> None:
    assert READER.split([text]) == [[Part(0, 1, "S"), Part(0, 1, "NP")]]


@pytest.mark.parametrize(
    "text", ["", "(S (NP", "(S (NP a) b)", "(NP )", "word", "(A (B b)) (C (D d))", "(S (NP (NN a))))"]
)
def test_what_is_no_tree_is_an_error_in_words(text: str) -> None:
    with pytest.raises(DataError, match="the tree"):
        READER.split([text])


def test_no_break_spaces_belong_to_words() -> None:
    assert tree_sketch("(NP (CD 1\u00a0000))").words == ["1\u00a0000"]


def test_only_f_of_all_sentences_is_the_f1_of_parts() -> None:
    names = ["parseval", "parseval[tags=0]", "parseval[part=recall]", "parseval@40", "evalb"]
    assert [READER.is_f1(get(name)) for name in names] == [True, True, False, False, False]
