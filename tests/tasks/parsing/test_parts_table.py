"""A model's choice among parses in the numbers of parsing papers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from runoff import DataError, LinearModel, NBest, describe, evaluate
from runoff.learners.featurized import with_featurizer
from runoff.metrics import Resampling, get, with_statistics
from runoff.tasks.parsing import ParseFeaturizer, ParseList, extract, to_nbest
from runoff.tasks.parsing.parts_table import PartsTable
from runoff.tasks.parsing.tree_scores import METRICS, evaluate_trees, parts

if TYPE_CHECKING:
    from runoff.report import Evaluation

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
FEW = Resampling(resamples=50, trials=70, seed=3)


@pytest.fixture(scope="module")
def data() -> NBest:
    return extract(LISTS, families=["rule"], min_lists=1)


@pytest.fixture(scope="module")
def found(data: NBest) -> Evaluation:
    return evaluate(MODEL, data)


def table(found: Evaluation) -> PartsTable:
    assert isinstance(found.details, PartsTable)
    return found.details


def test_numbers_by_hand(found: Evaluation) -> None:
    sums = table(found).sums
    # a, b, d, worse. First round: matched 6 + 3 + 6 + 4, gold 6 + 6 + 6 + 4, test 7 + 4 + 7 + 4.
    first = parts(sums["evalb"]["first round"])
    assert (first["recall"], first["precision"]) == pytest.approx((100 * 19 / 22, 100 * 19 / 22))
    assert first["exact"] == 25.0
    # Chosen is the right tree of a and b, and in the last list, of whose gold tree it has S NP VP: three of six.
    chosen = parts(sums["evalb"]["chosen"])
    assert (chosen["recall"], chosen["precision"]) == pytest.approx((100 * 21 / 22, 100 * 21 / 25))
    oracle = parts(sums["parseval"]["oracle"])
    assert (oracle["recall"], oracle["precision"]) == pytest.approx((100 * 22 / 22, 100 * 22 / 23))
    # Six lists, one of them empty; of the four that the choice changes, one has no gold tree to judge it by.
    assert (found.groups, found.changed, found.wins, found.losses) == (6, 4, 2, 1)
    gain = 100 * 42 / 47 - 100 * 38 / 44
    assert found["evalb"].gain.delta == pytest.approx(gain)
    assert found["evalb"].error_reduction == pytest.approx(gain / (100 - 100 * 38 / 44))


def test_all_parts_are_reported_unless_others_are_asked_for(data: NBest, found: Evaluation) -> None:
    assert sorted(each.metric for each in found.results) == sorted(METRICS)
    few = evaluate(MODEL, data, ",".join(METRICS), resampling=FEW)
    again = evaluate(MODEL, data, resampling=FEW)
    assert {each.metric: each for each in few.results} == {each.metric: each for each in again.results}
    assert [each.metric for each in evaluate(MODEL, data, "parseval[part=exact]", resampling=FEW).results] == [
        "parseval[part=exact]"
    ]


def test_it_agrees_with_trees_against_gold_trees(data: NBest, found: Evaluation) -> None:
    chosen = [
        ParseList(each.id, each.gold, [0.0] if choice.text else [], [choice.text] if choice.text else [])
        for each, choice in zip(LISTS, MODEL.pick(data), strict=True)
        if each.gold is not None
    ]
    trees = evaluate_trees(chosen)
    for metric in METRICS:
        assert table(found).sums[metric]["chosen"].tolist() == trees.sums(metric).tolist()


def test_what_is_left_out_is_said(found: Evaluation) -> None:
    said = str(found)
    assert "6 groups; the choice differs from the first round in 4: better in 2, worse in 1, equal in 1." in said
    assert "1 group(s) have no candidates and are left out of every number." in said
    assert "Lists without a gold tree, not counted in this table: 1." in said
    assert "Warning: evalb: chosen is not significantly better than the first round" in said


def test_text_and_json(found: Evaluation) -> None:
    lines = str(table(found)).splitlines()
    assert lines[2] == "evalb"
    assert " ".join(lines[3].split()) == "first round 4 86.36 86.36 86.36 0.00 100.00 100.00 25.00 100.00"
    evalb = found["evalb"]
    # As above: 89.36 - 86.36 of the 13.64 that were missing; the oracle, 97.78, could win 11.41.
    assert evalb.gain.delta == pytest.approx(3.00, abs=0.005)
    assert evalb.error_reduction == pytest.approx(0.220, abs=0.0005)
    assert evalb.recovered == pytest.approx(0.263, abs=0.0005)
    assert evalb.gain.low < 3 < evalb.gain.high
    assert 0 < evalb.p <= 1
    plain = json.loads(json.dumps(found.to_dict()))
    assert sorted(each["metric"] for each in plain["results"]) == sorted(METRICS)
    assert plain["details"]["evalb"]["chosen"]["recall"] == pytest.approx(100 * 21 / 22)
    assert plain["details"]["evalb"]["chosen"]["sentences"] == 4
    (of_evalb,) = [each for each in plain["results"] if each["metric"] == "evalb"]
    assert of_evalb["error_reduction"] == pytest.approx(evalb.error_reduction)
    assert plain["better"] == 2


def test_a_first_round_without_fault_has_no_errors_to_reduce() -> None:
    data = extract([ParseList("a", RIGHT, [-1.0, -2.0], [RIGHT, WRONG])], families=["rule"], min_lists=1)
    found = evaluate(MODEL, data, resampling=FEW)
    assert found["evalb"].error_reduction is None
    assert "None" not in str(found)


def test_data_that_cannot_be_judged_gets_a_sentence() -> None:
    blind = extract([ParseList("a", None, [-1.0, -2.0], [RIGHT, WRONG])], families=["rule"], min_lists=1)
    with pytest.raises(DataError, match="neither references nor quality, so choices cannot be evaluated"):
        evaluate(MODEL, blind)
    with pytest.raises(DataError, match=r"compares trees with gold trees, and this data has none; .* as --references"):
        get("parseval").quality(blind)


def test_statistics_that_are_missing_are_computed_from_the_trees(data: NBest, found: Evaluation) -> None:
    few = data.replace(stats={"evalb": data.stats["evalb"]})
    assert table(evaluate(MODEL, few, resampling=FEW)).to_dict() == table(found).to_dict()


def test_raw_lists_are_judged_as_extracted_ones(data: NBest, found: Evaluation) -> None:
    """PARSEVAL computes itself from trees and references; the numbers are those of extraction."""
    raw = to_nbest(LISTS)
    for name, rows in data.stats.items():
        assert np.array_equal(with_statistics(raw, get(name)).stats[name], rows), name
    assert np.array_equal(get("parseval").quality(raw), data.quality)
    featurizer = ParseFeaturizer("rule", min_lists=1)
    featurizer.fit_transform(raw)
    of_raw = evaluate(with_featurizer(MODEL, featurizer), raw)
    assert of_raw.results == found.results
    assert table(of_raw).to_dict() == table(found).to_dict()


def test_raw_lists_are_described(data: NBest) -> None:
    said = str(describe(to_nbest(LISTS), resampling=FEW))
    assert "task         parsing: trees in brackets" in said
    assert "groups       6 (1 without candidates)" in said
    assert "parseval" in said
    assert "oracle" in said
    from_raw, from_data = describe(to_nbest(LISTS), resampling=FEW), describe(data, resampling=FEW)
    assert from_raw.prospects == from_data.prospects
