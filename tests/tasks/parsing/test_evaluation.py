"""A model's choice among parses in the numbers of parsing papers."""

from __future__ import annotations

import json

import pytest
from runoff.tasks.parsing.evaluation import evaluate_reranking

from runoff import DataError, LinearModel, NBest, evaluate
from runoff.report.scored import Settings
from runoff.tasks.parsing import ParseList, extract
from runoff.tasks.parsing.tree_scores import METRICS, evaluate_trees, parts

# Constituents, S1 not counted: S NP VP NP PP NP, six. The other two: all six and NP over "rice with sticks";
# S NP VP right of four.
RIGHT = "(S1 (S (NP (PRP I)) (VP (VBP eat) (NP (NN rice)) (PP (IN with) (NP (NNS sticks)))) (. .)))"
WRONG = "(S1 (S (NP (PRP I)) (VP (VBP eat) (NP (NP (NN rice)) (PP (IN with) (NP (NNS sticks))))) (. .)))"
FLAT = "(S1 (S (NP (PRP I)) (VP (VBP eat) (NP (NN rice) (IN with) (NNS sticks))) (. .)))"
MODEL = LinearModel.of({"rule:VP>VBP! NP PP": 9.0}, base_weight=1.0)
LISTS = [
    ParseList("a", RIGHT, [-1.0, -2.0, -3.0], [WRONG, FLAT, RIGHT]),
    ParseList("b", RIGHT, [-1.5, -1.75], [FLAT, RIGHT]),
    ParseList("none", RIGHT),
    ParseList("d", RIGHT, [-7.0], [WRONG]),
    ParseList("no gold", None, [-1.0, -2.0], [WRONG, RIGHT]),
    ParseList("worse", FLAT, [-1.0, -2.0], [FLAT, RIGHT]),
]


@pytest.fixture(scope="module")
def data() -> NBest:
    return extract(LISTS, families=["rule"], min_lists=1)


def test_numbers_by_hand(data: NBest) -> None:
    found = evaluate_reranking(MODEL, data)
    # a, b, d, worse. First round: matched 6 + 3 + 6 + 4, gold 6 + 6 + 6 + 4, test 7 + 4 + 7 + 4.
    first = parts(found.sums["evalb"]["first round"])
    assert (first["recall"], first["precision"]) == pytest.approx((100 * 19 / 22, 100 * 19 / 22))
    assert first["exact"] == 25.0
    # Chosen is the right tree of a and b, and in the last list, of whose gold tree it has S NP VP: three of six.
    chosen = parts(found.sums["evalb"]["chosen"])
    assert (chosen["recall"], chosen["precision"]) == pytest.approx((100 * 21 / 22, 100 * 21 / 25))
    oracle = parts(found.sums["parseval"]["oracle"])
    assert (oracle["recall"], oracle["precision"]) == pytest.approx((100 * 22 / 22, 100 * 22 / 23))
    assert (found.lists, found.changed, found.better, found.worse) == (4, 3, 2, 1)
    gain = 100 * 42 / 47 - 100 * 38 / 44
    assert found.proof["evalb"].gain.delta == pytest.approx(gain)
    assert found.error_reduction("evalb") == pytest.approx(gain / (100 - 100 * 38 / 44))


def test_intervals_and_p_are_those_of_every_evaluation(data: NBest) -> None:
    settings = Settings(resamples=50, trials=70, seed=3)
    found = evaluate_reranking(MODEL, data, settings)
    plain = evaluate(MODEL, data, ",".join(METRICS), resamples=50, trials=70, seed=3)
    assert found.proof.results == plain.results


def test_it_agrees_with_trees_against_gold_trees(data: NBest) -> None:
    found = evaluate_reranking(MODEL, data)
    chosen = [
        ParseList(each.id, each.gold, [0.0] if choice.text else [], [choice.text] if choice.text else [])
        for each, choice in zip(LISTS, MODEL.pick(data), strict=True)
        if each.gold is not None
    ]
    trees = evaluate_trees(chosen)
    for metric in METRICS:
        assert found.sums[metric]["chosen"].tolist() == trees.sums(metric).tolist()


def test_what_is_left_out_is_said(data: NBest) -> None:
    said = str(evaluate_reranking(MODEL, data))
    assert "4 lists; the choice differs from the first round in 3: better in 2, worse in 1, as good in 0." in said
    assert "1 group(s) have no candidates and are left out of every number." in said
    assert "1 list(s) have no gold tree and are left out of every number." in said
    assert "Warning: evalb: chosen is not better than the first round beyond chance" in said


def test_text_and_json(data: NBest) -> None:
    found = evaluate_reranking(MODEL, data)
    lines = str(found).splitlines()
    assert lines[2] == "evalb"
    assert " ".join(lines[3].split()) == "first round 4 86.36 86.36 86.36 0.00 100.00 100.00 25.00 100.00"
    (row,) = [line for line in lines if line.startswith("evalb ") and "%" in line]
    gain, low, _, high, p, less, share = row.split()[1:]
    # As above: 89.36 - 86.36 of the 13.64 that were missing; the oracle, 97.78, could win 11.41.
    assert (gain, less, share) == ("+3.00", "22.0%", "26.3%")
    assert float(low) < 3 < float(high)
    assert 0 < float(p) <= 1
    plain = json.loads(json.dumps(found.to_dict()))
    assert [each["metric"] for each in plain["results"]] == list(METRICS)
    assert plain["results"][0]["parts"]["chosen"]["recall"] == pytest.approx(100 * 21 / 22)
    assert plain["results"][0]["error_reduction"] == pytest.approx(found.error_reduction("evalb"))
    assert plain["better"] == 2


def test_a_first_round_without_fault_has_no_errors_to_reduce() -> None:
    data = extract([ParseList("a", RIGHT, [-1.0, -2.0], [RIGHT, WRONG])], families=["rule"], min_lists=1)
    found = evaluate_reranking(MODEL, data)
    assert found.error_reduction("evalb") is None
    assert "None" not in str(found)


def test_data_that_cannot_be_judged_gets_a_sentence(data: NBest) -> None:
    blind = extract([ParseList("a", None, [-1.0, -2.0], [RIGHT, WRONG])], families=["rule"], min_lists=1)
    with pytest.raises(DataError, match="no gold trees to compare with; add them, or give a file of them by --gold"):
        evaluate_reranking(MODEL, blind)
    with pytest.raises(DataError, match=r"lacks the statistics of evalb@40, parseval, parseval@40, which"):
        evaluate_reranking(MODEL, data.replace(stats={"evalb": data.stats["evalb"]}))
