"""Trees against gold trees in the numbers of parsing papers; the statistics themselves are pinned in tests/parsing."""

from __future__ import annotations

import json

import pytest

from runoff import DataError, UsageError
from runoff.tasks.parsing import ParseList
from runoff.tasks.parsing.tree_scores import evaluate_trees, parts

# Constituents, S1 not counted: S NP VP NP PP NP, six. The other two: all six and NP over "rice with sticks";
# S NP VP right of four.
RIGHT = "(S1 (S (NP (PRP I)) (VP (VBP eat) (NP (NN rice)) (PP (IN with) (NP (NNS sticks)))) (. .)))"
WRONG = "(S1 (S (NP (PRP I)) (VP (VBP eat) (NP (NP (NN rice)) (PP (IN with) (NP (NNS sticks))))) (. .)))"
FLAT = "(S1 (S (NP (PRP I)) (VP (VBP eat) (NP (NN rice) (IN with) (NN sticks))) (. .)))"
LONG = f"(S1 (NP {'(NN a) ' * 41}))"


def one(name: str, gold: str, *trees: str) -> ParseList:
    return ParseList(name, gold, [0.0] * len(trees), list(trees))


def test_numbers_by_hand() -> None:
    found = evaluate_trees([one("a", RIGHT, WRONG), one("b", RIGHT, FLAT), one("c", RIGHT, RIGHT)])
    # matched 6 + 3 + 6, gold 18, test 7 + 4 + 6; of five words per sentence (the full stop goes) one tag is wrong.
    expected = {
        "recall": 100 * 15 / 18,
        "precision": 100 * 15 / 17,
        "f": 100 * 30 / 35,
        "crossing": 0.0,
        "no-crossing": 100.0,
        "two-crossing": 100.0,
        "exact": 100 / 3,
        "tags": 100 * 14 / 15,
    }
    for metric in ("evalb", "evalb@40", "parseval", "parseval@40"):
        assert parts(found.sums(metric)) == pytest.approx(expected)
        assert found.counts(metric) == {"sentences": 3, "counted": 3, "errors": 0, "skipped": 0}
    assert found.notes == ()


def test_what_evalb_leaves_out_is_counted_by_its_reason() -> None:
    found = evaluate_trees(
        [
            one("other word", RIGHT, RIGHT.replace("rice", "mice")),
            one("fewer words", RIGHT, "(S1 (NP (NN rice)))"),
            one("no word left", RIGHT, "(S1 (X (. .)))"),
            one("no tree", RIGHT),
            one("good", RIGHT, RIGHT),
        ]
    )
    assert [each.status for each in found.sentences] == ["error", "error", "skipped", "skipped", "counted"]
    assert found.counts("evalb") == {"sentences": 5, "counted": 1, "errors": 2, "skipped": 2}
    # The other variant looks at the number of words alone, and has nothing to look at where there is no tree.
    assert found.counts("parseval") == {"sentences": 5, "counted": 4, "errors": 0, "skipped": 1}
    assert parts(found.sums("evalb"))["f"] == 100.0
    assert parts(found.sums("parseval"))["recall"] == 50.0
    assert len(found.notes) == 3
    assert found.notes[0].startswith("2 of 4 candidates differ from the gold tree in the number of words")
    assert found.notes[1].startswith("EVALB leaves out 3 of 4 candidates")
    assert found.notes[2] == "1 of 5 sentences have no tree and are skipped."


def test_sentences_above_the_cut_off_count_only_without_it() -> None:
    found = evaluate_trees([one("long", LONG, LONG), one("short", RIGHT, WRONG)])
    assert [found.counts(name)["sentences"] for name in ("evalb", "evalb@40", "parseval", "parseval@40")] == [
        2,
        1,
        2,
        1,
    ]
    assert parts(found.sums("evalb@40"))["f"] == pytest.approx(100 * 12 / 13)
    assert parts(found.sums("evalb"))["f"] == pytest.approx(100 * 14 / 15)


def test_tables_and_json_say_the_same() -> None:
    found = evaluate_trees([one("a", RIGHT, WRONG), one("b", RIGHT)])
    header, rule, evalb, *_ = str(found).splitlines()
    assert " ".join(header.split()) == "sentences counted errors skipped LR LP F CB 0 CB <= 2 CB exact tags"
    assert set(rule) == {"-"}
    assert " ".join(evalb.split()) == "evalb 2 1 0 1 100.00 85.71 92.31 0.00 100.00 100.00 0.00 100.00"
    assert "parseval, up to 40 words" in str(found)
    _, _, first, second = found.each().splitlines()
    assert " ".join(first.split()) == "a 6 counted 100.00 85.71 6 6 7 0 5 5"
    assert " ".join(second.split()) == "b 6 skipped 0.00 0.00 0 0 0 0 0 0"
    plain = json.loads(json.dumps(found.to_dict(each=True)))
    assert plain["evalb"]["precision"] == pytest.approx(100 * 6 / 7)
    assert plain["each"][0]["evalb"]["matched"] == 6
    assert "each" not in found.to_dict()


def test_nothing_to_compare_is_a_sentence() -> None:
    with pytest.raises(DataError, match=r"list 'a': there is no gold tree to compare with\."):
        evaluate_trees([ParseList("a", None, [0.0], [RIGHT])])
    with pytest.raises(UsageError, match=r"list 'a': expected one tree per sentence; found 2\."):
        evaluate_trees([one("a", RIGHT, RIGHT, WRONG)])
