"""Models keep what makes their features: they choose from raw lists of parses as from data that has features."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

import runoff.tasks.parsing.features.extract as extraction
from runoff import (
    CRF,
    Boost,
    DataError,
    LinearModel,
    LogLinear,
    NBest,
    Perceptron,
    UsageError,
    load,
    merge,
    read,
    tasks,
    write,
)
from runoff.features.leaves import leaf_names, leaves_step
from runoff.learners.featurized import FeaturizedLearner, with_featurizer
from runoff.model import TreeModel, Trees, Votes
from runoff.tasks.parsing import ParseFeaturizer, ParseList, extract, to_nbest, write_lists

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.learners import Learner

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


def featurized(weights: dict[str, float], base_weight: float = 0.0, **parts: Any) -> LinearModel:
    """A model by hand that keeps a featurizer of its own features."""
    model = replace(LinearModel.of(weights, base_weight), **parts)
    featurizer = ParseFeaturizer()
    featurizer.vocabulary = pa.array(["heavy:NP 5"], pa.large_string())
    return with_featurizer(model, featurizer)


def vocabulary(model: LinearModel) -> list[str]:
    found = tasks.featurizer_of(model)
    assert isinstance(found, ParseFeaturizer)
    assert found.vocabulary is not None
    return found.vocabulary.to_pylist()


def dense(data: NBest) -> np.ndarray:
    return data.features.to_scipy().toarray()


def column(data: NBest, name: str) -> list[float]:
    return dense(data)[:, pa.compute.index(data.features.column_names(), name).as_py()].tolist()


# ---------------------------------------------------------------- what a model keeps


def test_a_model_keeps_the_features_it_weighs_and_no_others() -> None:
    weights = {"heavy:NP 5": 0.0, VP_RULE: 0.5, "rule+:S>NP/i VP! .": -1.0, "length:words": 3.0, "lm": 1.0}
    assert vocabulary(featurized(weights, base_weight=1.0)) == [VP_RULE, "rule+:S>NP/i VP! ."]


def test_voters_count_though_their_mean_is_zero() -> None:
    # Vector 0 is zero, vector 1 has +1 and vector 2 has 0 again for column 0, as many votes each: the path weighs it.
    votes = Votes(*map(np.array, ([0, 1, 2], [0, 0], [1.0, -1.0], [0.0, 0.0], [1, 0, 1])))
    assert vocabulary(featurized({VP_RULE: 0.0, "heavy:NP 5": 0.0}, votes=votes)) == [VP_RULE]


def test_thresholds_and_ranks_need_the_feature_that_they_are_made_from() -> None:
    cut = {"step": "thresholds", "cuts": {"bigram:NP a": [2.0, 3.0], "bigram:NP b": [2.0]}, "relative": [], "mark": ""}
    found = featurized({"bigram:NP a>=3.0": 1.0, "bigram:NP b>=2.0": 0.0, VP_RULE: 1.0}, preparation=(cut,))
    assert vocabulary(found) == ["bigram:NP a", VP_RULE]


def test_trees_and_leaves_need_the_features_that_they_look_at() -> None:
    trees = Trees(np.array([[1]]), np.array([[0.5]]), np.array([[False]]), np.array([[0.0, 1.0]]))
    names = pa.array([VP_RULE, "bigram:NP a", "heavy:NP 5"], pa.large_string())
    featurizer = ParseFeaturizer()
    featurizer.vocabulary = names
    grown = TreeModel(np.array([1.0, 0.0, 0.0]), names, trees=trees)
    assert vocabulary(with_featurizer(grown, featurizer)) == [VP_RULE, "bigram:NP a"]
    leaves = leaves_step([trees], names)
    found = featurized({leaf_names(leaves)[1]: 1.0, VP_RULE: 0.0}, preparation=(leaves,))
    assert vocabulary(found) == ["bigram:NP a"]


def test_a_model_that_has_learned_nothing_leaves_the_first_round_as_it_is() -> None:
    chosen = featurized({VP_RULE: 0.0}, base_weight=1.0).pick(to_nbest(parse_lists()))
    assert (chosen.changed, chosen[0].score) == (0, -1.0)


def test_names_of_other_features_are_left_out_of_the_vocabulary() -> None:
    data = NBest.from_arrays([[1, 2, 3]], sizes=[1], feature_names=["lm", "word:NN dog", "list:position"])
    found = ParseFeaturizer.like(data)
    assert found.vocabulary is not None
    assert found.vocabulary.to_pylist() == ["word:NN dog"]
    with pytest.raises(UsageError, match="the data has no features of parses"):
        ParseFeaturizer.like(NBest.from_arrays([[1]], sizes=[1], feature_names=["lm"]))


def test_a_featurizer_that_has_not_learned_gets_a_sentence() -> None:
    with pytest.raises(UsageError, match="call fit_transform first"):
        ParseFeaturizer().transform(to_nbest(parse_lists()))
    with pytest.raises(UsageError, match="call fit_transform first"):
        ParseFeaturizer().to_step()
    with pytest.raises(UsageError, match="min_lists must be a whole number of at least 1; found 0"):
        ParseFeaturizer(min_lists=0)


def test_steps_of_files_are_checked() -> None:
    names = pa.array([VP_RULE], pa.large_string())
    assert ParseFeaturizer.is_step({"step": "parsing", "vocabulary": names})
    for wrong in ({}, {"vocabulary": ["a"]}, {"vocabulary": pa.array([1])}, {"vocabulary": names, "supplied": ["lm"]}):
        assert not ParseFeaturizer.is_step({"step": "parsing", **wrong})


# ---------------------------------------------------------------- choosing


def test_choices_by_hand_and_lists_without_candidates() -> None:
    # With +2 for the rule, 'a' gains 2 - (3 - 1) x 0.5 = +1 and 'b' 2 - 0.25 x 0.5 by the right tree.
    chosen = featurized({VP_RULE: 2.0}, base_weight=0.5).pick(to_nbest(parse_lists(gold=None)))
    assert [choice.index for choice in chosen] == [2, 1, -1, 0]
    assert [choice.text for choice in chosen] == [RIGHT, RIGHT, None, WRONG]
    assert chosen.scores.tolist() == [2 - 1.5, 2 - 0.875, 0.0, -3.5]


def test_gold_trees_make_no_difference_to_the_choice() -> None:
    model = featurized({VP_RULE: 2.0}, base_weight=0.5)
    assert list(model.pick(to_nbest(parse_lists()))) == list(model.pick(to_nbest(parse_lists(gold=None))))


def test_only_weighed_features_are_extracted(file: Path) -> None:
    data = featurized({VP_RULE: 2.0, "rule:NP>NP! PP": 0.0}).prepare(read(file))
    assert data.features.column_names().to_pylist() == [VP_RULE]
    # In 'b' and 'd' one candidate has it or none: a column that is the same for all is not stored.
    assert column(data, VP_RULE) == [0, 0, 1, 0, 1, 0]
    assert data.quality is not None


def test_data_with_features_is_taken_as_it_is(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = extract(read(file), families=["rule"], min_lists=1)
    write(data, tmp_path / "data.arrow")
    model = featurized({VP_RULE: 2.0})
    monkeypatch.setattr(extraction, "chunk_of", None)  # nothing is extracted again
    ready = read(tmp_path / "data.arrow")
    same = model.prepare(ready)
    assert same.features.column_names().equals(data.features.column_names())
    assert list(model.pick(ready)) == list(LinearModel.of({VP_RULE: 2.0}).pick(data))
    assert model.pick(ready[ready.find("b")])[0].group == "b"


def test_runoffs_own_lists_without_features_are_extracted(tmp_path: Path) -> None:
    records = [{"id": "a", "candidates": [{"text": WRONG, "base": -1.0}, {"text": RIGHT, "base": -1.5}]}]
    (tmp_path / "own.jsonl").write_text("\n".join(map(json.dumps, records)))
    model = featurized({VP_RULE: 2.0}, base_weight=1.0)
    assert model.pick(read(tmp_path / "own.jsonl"))[0].text == RIGHT
    assert model.pick(records)[0].text == RIGHT


def test_one_list_is_extracted_as_it_is_among_all(file: Path) -> None:
    model = featurized({VP_RULE: 2.0, "consensus:place": -0.25, "heavy:PP 2": 0.5})
    data = read(file)
    whole, alone = model.prepare(data), model.prepare(data[data.find("b")])
    assert np.array_equal(dense(alone), dense(whole[1]))
    assert alone.features.column_names().equals(whole.features.column_names())
    with pytest.raises(UsageError, match=r"there is no group 'x' in this data; its ids look like: a, b, c\."):
        model.explain(data, "x")


def test_a_broken_gold_tree_is_named_with_its_list(tmp_path: Path) -> None:
    write_lists(parse_lists(gold="(S (broken"), tmp_path / "lists.jsonl")
    with pytest.raises(DataError, match=r"list 'a', gold tree: the tree is not closed"):
        ParseFeaturizer(min_lists=1).fit_transform(read(tmp_path / "lists.jsonl"))
    blind = read(tmp_path / "lists.jsonl").replace(references=None)
    assert ParseFeaturizer(min_lists=1).fit_transform(blind).quality is None


def test_notes_of_the_reader_are_kept(tmp_path: Path) -> None:
    (tmp_path / "lists.jsonl").write_text(json.dumps({"id": "a", "nbest": [[-1, RIGHT]], "mood": "good"}))
    data = ParseFeaturizer(min_lists=1).fit_transform(read(tmp_path / "lists.jsonl"))
    assert data.notes[0] == "Keys that Runoff does not use were left out: mood (1 list)."


def test_candidates_without_texts_get_a_sentence() -> None:
    bare = to_nbest(parse_lists()).replace(texts=None)
    with pytest.raises(DataError, match="are made from trees, and the candidates have no texts"):
        featurized({VP_RULE: 1.0}).pick(bare)


# ---------------------------------------------------------------- the same features again


def test_features_like_those_of_data_or_of_a_model(file: Path, tmp_path: Path) -> None:
    data = extract(read(file), families=["rule", "consensus"], min_lists=1)
    again = ParseFeaturizer.like(data).transform(read(file))
    assert again.features.column_names().equals(data.features.column_names())
    assert (again.features.to_scipy() != data.features.to_scipy()).nnz == 0
    featurized({VP_RULE: 1.0, "rule:NP>NP! PP": 0.0}).save(tmp_path / "m.runoff")
    assert vocabulary(load(tmp_path / "m.runoff")) == [VP_RULE]


def test_presence_is_in_the_names_and_survives_the_way_through_a_model() -> None:
    twice = "(S1 (S (NP (NP (NN a)) (NP (NN a))) (VP (VB b))))"  # NP>NN! is in it twice
    once = "(S1 (S (NP (NN a) (NN a)) (VP (VB b))))"
    lists = to_nbest([ParseList("a", once, [-1.0, -2.0], [twice, once])])
    name, there = "rule:NP>NN!", "rule?:NP>NN!"
    assert column(ParseFeaturizer("rule", min_lists=1).fit_transform(lists), name) == [2, 0]
    present = ParseFeaturizer("rule", min_lists=1, presence=True)
    assert column(present.fit_transform(lists), there) == [1, 0]
    # A model of presence chooses by presence, whatever it is given to choose from.
    assert column(ParseFeaturizer.from_step(present.to_step()).transform(lists), there) == [1, 0]
    assert featurized({there: 1.0}).pick(lists)[0].score == 1.0
    assert featurized({name: 1.0}).pick(lists)[0].score == 2.0


def test_features_that_candidates_bring_stay_next_to_those_of_trees(tmp_path: Path) -> None:
    raw = to_nbest(parse_lists())
    brought = NBest.from_arrays([[1.5], [2], [3], [4], [5], [6]], sizes=[6], feature_names=["lm"]).features
    featurizer = ParseFeaturizer("rule", min_lists=1)
    made = featurizer.fit_transform(raw.replace(features=brought))
    assert column(made, "lm") == [1.5, 2, 3, 4, 5, 6]
    assert made.features.column_names()[0].as_py() == "lm"
    assert featurizer.vocabulary is not None
    assert "lm" not in featurizer.vocabulary.to_pylist()
    model = with_featurizer(LinearModel.of({"lm": 1.0, VP_RULE: 10.0}), featurizer)
    model.save(tmp_path / "m.runoff")
    again = load(tmp_path / "m.runoff")
    assert again.scores(raw.replace(features=brought)).tolist() == [1.5, 2, 13, 4, 15, 6]
    assert again.unseen(raw.replace(features=brought)).columns == 0
    other = NBest.from_arrays([[1]] * 6, sizes=[6], feature_names=["tm"]).features
    assert again.unseen(raw.replace(features=other)).columns == 1


# ---------------------------------------------------------------- learned models


@pytest.fixture(scope="module")
def raw() -> NBest:
    return to_nbest([replace(each, id=f"{each.id}{time}") for time in range(20) for each in parse_lists()])


@pytest.fixture(scope="module")
def ready(raw: NBest) -> NBest:
    return extract(raw, families=["rule", "bigram", "consensus"])


@pytest.mark.parametrize(
    ("learner", "step"),
    [
        (Boost(rounds=20, smoothing=0.001), "thresholds"),
        (CRF(group_ranks=True, max_iter=5), "group-ranks"),
        (Perceptron(max_epochs=3, average="voted"), None),
    ],
    ids=["thresholds", "group ranks", "votes"],
)
def test_learned_models_choose_alike_from_raw_lists_and_from_data(
    raw: NBest, ready: NBest, tmp_path: Path, learner: Learner, step: str | None
) -> None:
    featurizer = ParseFeaturizer("rule,bigram,consensus")
    of_raw = FeaturizedLearner(featurizer, learner.clone().set_params(metric="parseval")).fit(raw).model
    of_ready = FeaturizedLearner(ParseFeaturizer(), learner.clone().set_params(metric="parseval")).fit(ready).model
    of_raw.save(tmp_path / "m.runoff")
    kept = load(tmp_path / "m.runoff")
    assert of_raw.n_active > 0 or of_raw.votes is not None
    if step is not None:
        assert step in {each["step"] for each in of_raw.preparation}
    for model in (of_raw, of_ready, kept):
        for data in (raw, ready):
            assert np.array_equal(model.scores(data), of_raw.scores(raw))
            assert list(model.pick(data)) == list(of_raw.pick(raw))


def test_quality_counts_tags_where_the_metric_does(tmp_path: Path) -> None:
    retagged = RIGHT.replace("(NN rice)", "(VB rice)")
    lists = to_nbest([ParseList("a", RIGHT, [-1.0, -2.0], [retagged, RIGHT])])
    learner = tasks.get("parsing").learner("perceptron", families="rule", min_lists=1, epochs=3)
    with pytest.raises(DataError):  # brackets alone give nothing to learn
        learner.set_params(metric="parseval[tags=0]").fit(lists)
    assert learner.set_params(metric="parseval").fit(lists).model.pick(lists).indices.tolist() == [1]
    featurizer = ParseFeaturizer(families="rule", min_lists=1)
    plain = featurizer.fit_transform(lists, "evalb[tags=0]").quality.tolist()
    assert plain == [6.0, 6.0]
    worth = featurizer.fit_transform(lists, "evalb[tags=0.5]").quality.tolist()
    assert worth == [6.0 + 0.5 * 4, 6.0 + 0.5 * 5]  # five words without the full stop
    assert featurizer.transform(lists).quality.tolist() == worth
    write(featurizer.transform(lists), tmp_path / "made.arrow")
    made = read(tmp_path / "made.arrow")
    assert ParseFeaturizer().fit_transform(made, "parseval[tags=1]").quality.tolist() == [6.0 + 4, 6.0 + 5]


def test_systems_of_merged_lists_may_be_called_like_families() -> None:
    ours = to_nbest(parse_lists())
    more = to_nbest([ParseList(each.id, each.gold, each.scores, each.trees[::-1]) for each in parse_lists()])
    names, found = (("rule", "word"), ("one", "two")), []
    for pair in names:
        featurizer = ParseFeaturizer(min_lists=1)
        merged = merge(dict(zip(pair, (ours, more), strict=True)))
        learner = FeaturizedLearner(featurizer, LogLinear(sigma=1.0, calibration="none")).fit(merged)
        own = featurizer.transform(merged)
        found.append((own.features.to_scipy(), learner.model.scores(merged)))
        assert VP_RULE in own.features.column_names().to_pylist()
        assert featurizer.supplied_names.to_pylist()[0] == f"{pair[0]}:found"
        # Data with features is recognised as such.
        assert featurizer.transform(own) is not None
        assert np.allclose(learner.model.scores(own), learner.model.scores(merged))
        some = LinearModel.of({f"{pair[0]}:score": 1.0, VP_RULE: 1.0})
        assert featurizer.for_model(some).vocabulary.to_pylist() == [VP_RULE]  # type: ignore[union-attr]
    assert (found[0][0] != found[1][0]).nnz == 0
    assert np.allclose(found[0][1], found[1][1])
