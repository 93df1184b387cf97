"""Which features a model wants, and lists in any form as data that has them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from runoff.tasks.parsing.reranking import Wanted, wanted_like

import runoff.tasks.parsing.features.extract as extraction
from runoff import Boost, DataError, LinearModel, ModelError, UsageError, write
from runoff.model import Votes
from runoff.tasks.parsing import ParseList, data_for, extract, extract_file, rerank, wanted_by, write_lists

if TYPE_CHECKING:
    from pathlib import Path

RIGHT = "(S1 (S (NP (PRP I)) (VP (VBP eat) (NP (NN rice)) (PP (IN with) (NP (NNS sticks)))) (. .)))"
WRONG = "(S1 (S (NP (PRP I)) (VP (VBP eat) (NP (NP (NN rice)) (PP (IN with) (NP (NNS sticks))))) (. .)))"
ODD = "(S1 (S (NP (PRP I)) (VP (VBP eat) (NP (NN rice) (IN with) (NNS sticks))) (. .)))"
VP_RULE = "rule:VP>VBP! NP PP"


def parse_lists(gold: str | None = RIGHT) -> list[ParseList]:
    """The right tree is last in the first list, second in the second; the third has none and the fourth one alone."""
    return [
        ParseList("a", gold, [-1.0, -2.0, -3.0], [WRONG, ODD, RIGHT]),
        ParseList("b", gold, [-1.5, -1.75], [ODD, RIGHT]),
        ParseList("c", gold),
        ParseList("d", gold, [-7.0], [WRONG]),
    ]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "lists.jsonl.gz"
    write_lists(parse_lists(), path)
    return path


def test_a_model_wants_what_it_weighs_and_nothing_else() -> None:
    weights = {"heavy:NP 5": 0.0, VP_RULE: 0.5, "rule+:S>NP/i VP! .": -1.0, "length:words": 3.0, "lm": 1.0}
    wanted = wanted_by(LinearModel.of(weights, base_weight=1.0))
    assert wanted.vocabulary.to_pylist() == [VP_RULE, "rule+:S>NP/i VP! ."]
    assert wanted.families == ("rule", "closed")


def test_voters_count_though_their_mean_is_zero() -> None:
    # Vector 0 is zero, vector 1 has +1 and vector 2 has 0 again for column 0, as many votes each: the path weighs it.
    votes = Votes(*map(np.array, ([0, 1, 2], [0, 0], [1.0, -1.0], [0.0, 0.0], [1, 0, 1])))
    model = replace(LinearModel.of({VP_RULE: 0.0, "heavy:NP 5": 0.0}), votes=votes)
    assert wanted_by(model).vocabulary.to_pylist() == [VP_RULE]


def test_cut_points_want_the_feature_that_they_are_made_from() -> None:
    step = {"step": "thresholds", "cuts": {"bigram:NP a": [2.0, 3.0], "bigram:NP b": [2.0]}, "relative": [], "mark": ""}
    model = LinearModel.of({"bigram:NP a>=3.0": 1.0, "bigram:NP b>=2.0": 0.0, VP_RULE: 1.0})
    found = wanted_by(replace(model, preparation=(step,)))
    assert found.vocabulary.to_pylist() == ["bigram:NP a", VP_RULE]


def test_a_model_that_has_learned_nothing_leaves_the_first_round_as_it_is() -> None:
    chosen = rerank(LinearModel.of({VP_RULE: 0.0}, base_weight=1.0), parse_lists())
    assert (chosen.changed, chosen[0].score) == (0, -1.0)


@pytest.mark.parametrize("weights", [{"lm": 1.0, "length": -1.0}, {}])
def test_a_model_of_something_else_gets_a_sentence(weights: dict[str, float]) -> None:
    with pytest.raises(ModelError, match="the model weighs no feature of parses"):
        wanted_by(LinearModel.of(weights, base_weight=1.0))


def test_names_of_other_features_are_left_out() -> None:
    assert Wanted.of(["lm", "list:position"]) is None
    found = Wanted.of(["lm", "word:NN dog", "list:position"])
    assert found is not None
    assert found.vocabulary.to_pylist() == ["word:NN dog"]


def test_rerank_chooses_by_weights_and_keeps_lists_without_candidates() -> None:
    # With +2 for the rule, 'a' gains 2 - (3 - 1) x 0.5 = +1 and 'b' 2 - 0.25 x 0.5 by the right tree.
    chosen = rerank(LinearModel.of({VP_RULE: 2.0}, base_weight=0.5), parse_lists(gold=None))
    assert [choice.index for choice in chosen] == [2, 1, -1, 0]
    assert [choice.text for choice in chosen] == [RIGHT, RIGHT, None, WRONG]
    assert chosen.scores.tolist() == [2 - 1.5, 2 - 0.875, 0.0, -3.5]


def test_gold_trees_make_no_difference_to_the_choice() -> None:
    model = LinearModel.of({VP_RULE: 2.0}, base_weight=0.5)
    with_gold, without = rerank(model, parse_lists()), rerank(model, parse_lists(gold=None))
    assert list(with_gold) == list(without)


def test_only_weighed_features_are_extracted(file: Path) -> None:
    data = data_for(LinearModel.of({VP_RULE: 2.0, "rule:NP>NP! PP": 0.0}), file)
    assert data.features.column_names().to_pylist() == [VP_RULE]
    # In 'b' and 'd' one candidate has it or none: a column that is the same for all is not stored.
    assert data.features.to_scipy().toarray()[:, 0].tolist() == [0, 0, 1, 0, 1, 0]
    assert data.quality is not None


def test_data_with_features_is_taken_as_it_is(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = extract_file(file, families=["rule"], min_lists=1)
    write(data, tmp_path / "data.arrow")
    model = LinearModel.of({VP_RULE: 2.0})
    monkeypatch.setattr(extraction, "make_chunk", None)  # nothing is extracted again
    same = data_for(model, tmp_path / "data.arrow")
    assert same.features.column_names().equals(data.features.column_names())
    assert list(model.pick(same)) == list(model.pick(data))
    assert data_for(model, tmp_path / "data.arrow", only="b").group_ids.to_pylist() == ["b"]
    with pytest.raises(UsageError, match=r"data\.arrow has features, .* leave out the file gold\.mrg"):
        data_for(model, tmp_path / "data.arrow", gold="gold.mrg")
    with pytest.raises(ModelError, match="weighs no feature of parses"):
        data_for(LinearModel.of({"lm": 1.0}), tmp_path / "data.arrow")


def test_runoffs_own_lists_without_features_are_extracted(tmp_path: Path) -> None:
    records = [{"id": "a", "candidates": [{"text": WRONG, "base": -1.0}, {"text": RIGHT, "base": -1.5}]}]
    (tmp_path / "own.jsonl").write_text("\n".join(map(json.dumps, records)))
    model = LinearModel.of({VP_RULE: 2.0}, base_weight=1.0)
    assert model.pick(data_for(model, tmp_path / "own.jsonl"))[0].text == RIGHT


def test_one_list_is_extracted_as_it_is_among_all(file: Path) -> None:
    model = LinearModel.of({VP_RULE: 2.0, "consensus:place": -0.25, "heavy:PP 2": 0.5})
    whole = data_for(model, file)
    alone = data_for(model, file, only="b")
    assert np.array_equal(alone.features.to_scipy().toarray(), whole[1].features.to_scipy().toarray())
    with pytest.raises(UsageError, match=r"no list 'x' in .*; the ids of its 4 lists look like: 'a', 'b', 'c'\."):
        data_for(model, file, only="x")


def test_without_judging_gold_trees_are_not_even_read(tmp_path: Path) -> None:
    path = tmp_path / "lists.jsonl"
    write_lists(parse_lists(gold="(S (broken"), path)
    assert extract_file(path, judge=False, min_lists=1).quality is None
    with pytest.raises(DataError, match=r"lists\.jsonl, line 1, list 'a', gold tree: the tree is not closed"):
        extract_file(path, min_lists=1)


def test_notes_of_the_reader_are_kept(tmp_path: Path) -> None:
    (tmp_path / "lists.jsonl").write_text(json.dumps({"id": "a", "nbest": [[-1, RIGHT]], "mood": "good"}))
    data = extract_file(tmp_path / "lists.jsonl", min_lists=1)
    assert data.notes[0] == "Keys that Runoff does not use were left out: mood (1 list)."


def test_features_like_those_of_data_or_of_a_model(file: Path, tmp_path: Path) -> None:
    data = extract_file(file, families=["rule", "consensus"], min_lists=1)
    write(data, tmp_path / "data.arrow")
    wanted = wanted_like(tmp_path / "data.arrow")
    assert wanted.families == ("rule", "consensus")
    again = extract_file(file, families=wanted.families, vocabulary=wanted.vocabulary)
    assert again.features.column_names().equals(data.features.column_names())
    assert (again.features.to_scipy() != data.features.to_scipy()).nnz == 0
    LinearModel.of({VP_RULE: 1.0, "rule:NP>NP! PP": 0.0}).save(tmp_path / "m.runoff")
    assert wanted_like(tmp_path / "m.runoff").vocabulary.to_pylist() == [VP_RULE]
    with pytest.raises(UsageError, match="has no features of parses"):
        wanted_like(file)


def test_presence_is_in_the_names_and_survives_the_way_through_a_model() -> None:
    twice = "(S1 (S (NP (NP (NN a)) (NP (NN a))) (VP (VB b))))"  # NP>NN! is in it twice
    once = "(S1 (S (NP (NN a) (NN a)) (VP (VB b))))"
    lists = [ParseList("a", once, [-1.0, -2.0], [twice, once])]
    name = "rule:NP>NN!"
    counts = extract(lists, families=["rule"], min_lists=1)
    assert _column(counts, name) == [2, 0]
    there = extract(lists, families=["rule"], min_lists=1, presence=True)
    assert _column(there, "rule?:NP>NN!") == [1, 0]
    # A model of presence chooses by presence, whatever it is given to choose from.
    wanted = wanted_by(LinearModel.of({"rule?:NP>NN!": 1.0}))
    assert wanted.families == ("rule",)
    assert _column(extract(lists, families=wanted.families, vocabulary=wanted.vocabulary), "rule?:NP>NN!") == [1, 0]
    assert rerank(LinearModel.of({"rule?:NP>NN!": 1.0}), lists)[0].score == 1.0
    assert rerank(LinearModel.of({name: 1.0}), lists)[0].score == 2.0


def test_a_boosted_model_scores_lists_and_data_alike(file: Path, tmp_path: Path) -> None:
    many = [replace(each, id=f"{each.id}{time}") for time in range(20) for each in parse_lists()]
    write_lists(many, file)
    train = extract_file(file, families=["rule", "bigram", "consensus"])
    model = Boost(rounds=20, smoothing=0.001).fit(train).model
    assert model.n_active > 0
    model.save(tmp_path / "m.runoff")
    assert any(step["step"] == "thresholds" for step in model.preparation)
    assert np.array_equal(model.scores(data_for(model, file)), model.scores(train))


def _column(data: Any, name: str) -> list[float]:
    place = pa.compute.index(data.features.column_names(), name).as_py()
    return data.features.to_scipy().toarray()[:, place].tolist()
