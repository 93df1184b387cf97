"""Why one tree won over another, with both trees."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from runoff import DataError, LinearModel, NBest, UsageError
from runoff.tasks.parsing import ParseList, explain, extract

if TYPE_CHECKING:
    from pathlib import Path

RIGHT = "(S1 (S (NP (PRP I)) (VP (VBP eat) (NP (NN rice)) (PP (IN with) (NP (NNS sticks)))) (. .)))"
WRONG = "(S1 (S (NP (PRP I)) (VP (VB eat) (NP (NP (NN rice)) (PP (IN with) (NP (NNS sticks))))) (. .)))"
SHORT = "(S1 (S (NP (PRP I)) (VP (VBP eat) (NP (NN rice)))))"
# The gold tree as treebanks have it: with function tags and a trace.
GOLD = "(TOP (S (NP-SBJ (PRP I)) (VP (VBP eat) (NP (NN rice)) (PP-MNR (IN with) (NP (NNS sticks) (-NONE- *)))) (. .)))"
MODEL = LinearModel.of({"rule:VP>VBP! NP PP": 3.0, "rule:VP>VBP! NP": -1.0}, base_weight=1.0)


def data(gold: str | None, *trees: str) -> NBest:
    scores = [-float(place) for place in range(len(trees))]
    return extract([ParseList("a", gold, scores, list(trees))], families=["rule"], min_lists=1)


def test_reasons_and_both_trees_with_marks() -> None:
    found = explain(MODEL, data(GOLD, WRONG, RIGHT), "a")
    assert (found.reasons.winner.index, found.reasons.rival.index) == (1, 0)
    assert found.reasons.difference == 3.0 - 1.0
    assert [[(node.label, mark.name) for node, mark in each.items()] for each in found.marks] == [
        [("VB", "WRONG"), ("NP", "WRONG")],
        [("VBP", "RIGHT")],
    ]
    _, _, trees = found.to_text().partition("candidate 0, rival")
    # Six gold constituents, seven of the rival: F = 12 / 13.
    assert trees.splitlines() == [
        " and first round's choice, F 92.31",
        "  S1",
        "    S",
        "      NP  I/PRP",
        "      VP",
        "        eat/-VB",
        "-       NP",
        "          NP  rice/NN",
        "          PP",
        "            with/IN",
        "            NP  sticks/NNS",
        "      ./.",
        "",
        "candidate 1, winner, F 100.00",
        "  S1",
        "    S",
        "      NP  I/PRP",
        "      VP",
        "        eat/+VBP",
        "        NP  rice/NN",
        "        PP",
        "          with/IN",
        "          NP  sticks/NNS",
        "      ./.",
        "",
        "Marked: + only in this tree, and right; - only in this tree, and wrong. "
        "Marks count punctuation as words, F does not.",
    ]


def test_without_a_gold_tree_marks_only_say_where_they_differ() -> None:
    text = explain(MODEL, data(None, WRONG, RIGHT), "a").to_text()
    assert "*       NP\n" in text
    assert text.endswith("\nMarked: * only in this tree.")
    assert ", F " not in text


def test_trees_over_other_words_are_shown_without_marks() -> None:
    found = explain(MODEL, data(RIGHT, SHORT, RIGHT), "a")
    assert found.marks == ({}, {})
    assert "The two trees have 3 and 6 words, so their differences cannot be marked." in str(found)
    assert "Marked" not in str(found)
    other_gold = explain(MODEL, data(SHORT, WRONG, RIGHT), "a")
    assert "The gold tree has 3 words and these trees have 6, so it is not used." in str(other_gold)
    assert "Marked: * only in this tree." in str(other_gold)


def test_any_rival() -> None:
    found = explain(MODEL, data(RIGHT, WRONG, RIGHT, SHORT), "a", against="2")
    assert found.reasons.rival.index == 2
    assert "candidate 2, rival\n" in str(found)  # it has other words, so that there is no F to be shown
    with pytest.raises(UsageError, match="no candidate '9'"):
        explain(MODEL, data(RIGHT, WRONG, RIGHT), "a", against="9")


def test_picture_and_json(tmp_path: Path) -> None:
    found = explain(MODEL, data(GOLD, WRONG, RIGHT), "a")
    found.draw(tmp_path / "two.svg")
    drawn = (tmp_path / "two.svg").read_text()
    assert "candidate 1, winner, F 100.00" in drawn
    assert "1 constituent only here (0 right, 1 wrong)" in drawn
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["only_winner"] == [{"label": "VBP", "start": 1, "end": 2, "mark": "RIGHT"}]
    assert plain["gold"].startswith("(TOP (S (NP (PRP I))")
    assert plain["difference"] == 2.0


def test_texts_that_are_no_trees_get_a_sentence() -> None:
    plain = NBest.from_arrays([[0], [1]], sizes=[2], feature_names=["x"], texts=["yes", "no"], group_ids=["a"])
    with pytest.raises(DataError, match=r"list 'a', candidate 1, column 1: expected an opening bracket; found 'yes'"):
        explain(LinearModel.of({"x": 1.0}), plain, "a")
    with pytest.raises(DataError, match="the candidates of this data have no texts"):
        explain(LinearModel.of({"x": 1.0}), plain.replace(texts=None), "a")
    with pytest.raises(DataError, match="candidate 2: the tree has no words, only traces"):
        explain(LinearModel.of({"x": 1.0}), plain.replace(texts=["(NN a)", "(NP (-NONE- *))"]), "a")


def test_trees_that_differ_in_nothing_that_is_shown() -> None:
    said = "The two trees differ at most in traces and function tags, which are not shown."
    other = RIGHT.replace("(PP ", "(PP-MNR ")
    assert explain(MODEL, data(None, RIGHT, other), "a", against=1).notes == (said,)
    assert explain(MODEL, data(SHORT, RIGHT, other), "a", against=1).notes == (
        said,
        "The gold tree has 3 words and these trees have 6, so it is not used.",
    )
