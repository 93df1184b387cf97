"""Numbers behind the viewer, against reports that are computed otherwise and against what is obvious."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import runoff
from runoff.errors import DataError, UsageError
from runoff.metrics import Resampling
from runoff.model import LinearModel
from runoff.server.group_list import GroupList, Wanted
from runoff.server.group_page import group_page
from runoff.server.overview import overview, thresholds
from runoff.server.study import OUTCOMES, Study
from runoff.server.training_curves import training_curves

FEW = Resampling(resamples=50, trials=50)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    sizes = rng.integers(0, 6, 60)
    table = rng.normal(size=(sizes.sum(), 3))
    quality = table @ [1.0, -0.5, 0.2] + rng.normal(size=len(table))
    return runoff.NBest.from_arrays(
        table,
        quality,
        sizes=sizes,
        base=rng.normal(size=len(table)),
        texts=[f"text {at % 7}{' <b>' if at % 5 == 0 else ''}" for at in range(len(table))],
        inputs=[f"Question {at}" for at in range(60)],
        feature_names=["lm:a", "lm:b", "length"],
    )


@pytest.fixture(scope="module")
def model():
    return LinearModel.of({"lm:a": 1.0, "lm:b": -0.5, "length": 0.3}, base_weight=0.4)


@pytest.fixture(scope="module")
def study(data, model):
    return Study(data, model, resampling=FEW, name="some")


def test_outcomes_are_those_of_an_evaluation(study, data, model):
    found, shown = runoff.evaluate(model, data, resampling=FEW), overview(study)
    outcomes = shown["outcomes"]
    assert (outcomes["better"], outcomes["worse"]) == (found.wins, found.losses)
    assert outcomes["better"] + outcomes["worse"] + outcomes["equal"] == found.changed
    assert outcomes["empty"] == int((data.sizes == 0).sum())
    scores = {each["name"]: each["score"] for each in shown["choices"]}
    result = found.results[0]
    assert scores["chosen"] == result.chosen.score
    assert scores["oracle"] == result.oracle.score == shown["oracle_at"][-1][1]


def test_texts_with_features_are_compared_with_choices_without_training_too(study, data):
    # The task of rows has no such choices; that of texts has, and describes the same texts so.
    shown = {each["name"]: each for each in overview(study)["choices"]}
    found = runoff.describe(data, task="text", resampling=FEW).baselines.standings[0].baselines
    assert {"vote", "shortest"} <= shown.keys()
    for each in found:
        if each.name != "random":
            assert shown[each.label]["score"] == each.scored.score
            assert (shown[each.label]["low"], shown[each.label]["high"]) == (each.scored.low, each.scored.high)


def test_two_models_are_compared_as_the_command_does(data, model):
    other = LinearModel.of({"lm:a": -1.0, "lm:b": 0.5, "length": 0.3}, base_weight=0.4)
    found = runoff.compare(model, other, data, resampling=FEW)
    study = Study(data, model, other=other, resampling=FEW, other_name="old")
    shown = overview(study)["comparison"]
    assert (shown["differ"], shown["wins"], shown["losses"]) == (found.differ, found.wins_a, found.wins_b)
    assert shown["lead"]["delta"] == found.duels[0].lead.delta
    groups = GroupList(study)
    counts = [groups.numbers(Wanted(each)).size for each in ("differ", "ahead", "behind")]
    assert counts == [found.differ, found.wins_a, found.wins_b]
    page = group_page(study, int(groups.numbers(Wanted("differ"))[0]))
    best = {each["other_rank"]: each["index"] for each in page["candidates"]}[1]
    assert best == other.pick(data[page["at"]])[0].index


def test_the_curve_by_rounds_ends_with_the_model(data):
    learner = runoff.Boost(rounds=40, calibration="none").fit(data)
    study = Study(data, learner.model, resampling=FEW)
    shown = overview(study)
    curve = shown["training"]["rounds"]
    scores = {each["name"]: each["score"] for each in shown["choices"]}
    assert curve[0][0] == 0
    assert curve[-1][1] == scores["chosen"]
    assert (
        curve[1][1] == runoff.evaluate(learner.model.prefix(curve[1][0]), data, resampling=FEW).results[0].chosen.score
    )


def test_what_training_counted_is_shown_of_the_model_and_of_members(data):
    learner = runoff.Perceptron(epochs=6, calibration="none").fit(data, dev=data)
    (shown,) = overview(Study(data, learner.model, resampling=FEW))["training"]["histories"]
    assert shown["points"] == [(each["epoch"], each["dev"]) for each in learner.history]
    assert (shown["unit"], shown["means"]) == ("epochs", "quality on the dev data")
    members = training_curves(Study(data, runoff.Blend(calibration="none").fit(data).model))["histories"]
    assert {"loglinear", "perceptron"} <= {each["name"] for each in members}


@pytest.mark.parametrize("history", [3, {}, {"epoch": 3, "loss": 4}, {"epoch": [1, 2], "loss": [1]}, {"epoch": [1, 2]}])
def test_a_file_that_claims_what_is_no_history_has_none(data, model, history):
    claimed = dataclasses.replace(model, provenance={"history": history, "members": "none"})
    assert training_curves(Study(data, claimed))["histories"] == []


def test_a_learning_curve_is_shown_as_the_model_keeps_it(data):
    learner = runoff.LogLinear(sigma=1.0, calibration="none")
    curve = runoff.learning_curve(learner, data, resampling=FEW)
    model = curve.stored_in(learner.fit(data).model)
    shown = overview(Study(data, model, resampling=FEW))["training"]["lists"]
    assert [each["lists"] for each in shown["points"]] == [each.lists for each in curve.points]
    assert shown["verdict"] == curve.verdict


def test_thresholds_are_what_switching_would_give(study, data, model):
    scores = model.scores(data)
    for point in thresholds(study):
        total = 0.0
        for group in np.flatnonzero(data.sizes > 0):
            rows = slice(data.offsets[group], data.offsets[group + 1])
            first, best = np.argmax(data.base[rows]), np.argmax(scores[rows])
            lead = scores[rows][best] - scores[rows][first]
            at = best if best != first and lead >= point["lead"] else first
            total += data.quality[rows][at]
        assert point["score"] == pytest.approx(total / (data.sizes > 0).sum())
    assert thresholds(study)[0]["switched"] == 0


@pytest.mark.parametrize("show", ["all", "changed", "better", "worse", "missed", "unsure"])
@pytest.mark.parametrize("order", ["input", "gain", "loss", "regret", "confidence"])
def test_filters_and_orders_are_what_they_say(study, show, order):
    found = GroupList(study).numbers(Wanted(show, order=order))
    passes = {
        "all": lambda _: True,
        "changed": lambda at: OUTCOMES[study.outcomes[at]] in {"better", "worse", "equal"},
        "better": lambda at: study.gains[at] > 0,
        "worse": lambda at: study.gains[at] < 0,
        "missed": lambda at: study.regrets[at] > 0,
        "unsure": lambda at: study.confidences[at] < 0.5,
    }[show]
    keys = {
        "input": lambda at: at,
        "gain": lambda at: -study.gains[at],
        "loss": lambda at: study.gains[at],
        "regret": lambda at: -study.regrets[at],
        "confidence": lambda at: study.confidences[at],
    }[order]
    assert found.tolist() == sorted(filter(passes, range(60)), key=lambda at: (keys(at), at))


def test_search_looks_at_ids_inputs_and_candidates(study, data):
    groups = GroupList(study)
    assert groups.page(Wanted(search="question 17"))["groups"][0]["at"] == 17
    texts = data.texts.to_pylist()
    expected = [
        at for at in range(60) if any("text 3" in text for text in texts[data.offsets[at] : data.offsets[at + 1]])
    ]
    assert groups.numbers(Wanted(search="TEXT 3")).tolist() == expected
    assert groups.page(Wanted(search="nowhere to be found")) == {"total": 0, "start": 0, "groups": []}
    with pytest.raises(UsageError, match="there is no filter 'new'; there are: all, changed"):
        Wanted("new")


def test_pages_are_parts_of_the_whole(study):
    groups = GroupList(study)
    whole = [each["at"] for each in groups.page(Wanted(), size=60)["groups"]]
    assert [each["at"] for start in range(0, 60, 7) for each in groups.page(Wanted(), start, 7)["groups"]] == whole


def test_a_list_is_shown_as_it_is(study, data, model):
    at = int(np.argmax(data.sizes))
    page = group_page(study, at)
    part = data[at]
    assert [each["rank"] for each in page["candidates"]] == list(range(1, page["size"] + 1))
    winner = page["candidates"][0]
    assert winner["index"] == model.pick(part)[0].index
    assert [
        each["quality"] for each in sorted(page["candidates"], key=lambda each: each["index"])
    ] == part.quality.tolist()
    assert min(page["candidates"], key=lambda each: each["first_rank"])["base"] == part.base.max()
    rival = page["candidates"][-1]["index"]
    assert group_page(study, at, rival)["explanation"]["rival"]["index"] == rival
    with pytest.raises(UsageError, match="there are 60 lists"):
        group_page(study, 60)


def test_a_list_without_candidates_is_shown_too(study, data):
    at = int(np.flatnonzero(data.sizes == 0)[0])
    page = group_page(study, at)
    assert (page["outcome"], page["candidates"], page["explanation"]) == ("empty", [], None)


def test_lists_can_be_looked_at_without_a_model_and_without_quality(data):
    study = Study(data)
    assert overview(study)["choices"][0]["name"] == "first round"
    assert overview(study)["outcomes"]["kept"] + overview(study)["outcomes"]["empty"] == 60
    bare = Study(data.replace(quality=None))
    assert overview(bare)["metric"] is None
    assert group_page(bare, 1)["explanation"] is None
    with pytest.raises(DataError, match="neither references nor quality"):
        Study(data.replace(quality=None), metric="wer")


def test_a_translation_comes_with_its_links_to_the_source():
    terms = dict.fromkeys(("lm", "words", "tm:direct", "tm:inverse"), 0.0)
    candidates = [
        {"text": text, "features": {**terms, "lm": -float(at), f"phrase:the bank={text}": 1.0}}
        for at, text in enumerate(("die Bank", "das Ufer"))
    ]
    data = runoff.NBest.from_records([{"id": "a", "input": "the bank", "candidates": candidates}])
    page = group_page(Study(data, LinearModel.of({"lm": 1.0})), 0)
    assert [(each["role"], each["kind"], each["links"]) for each in page["drawings"]] == [
        ("winner", "links", [[0, 2, 0, 2]]),
        ("rival", "links", [[0, 2, 0, 2]]),
    ]


def test_what_cannot_be_drawn_is_said():
    candidates = ["(S (NP (PRP I)) (VP (VBP run)))", "(S (NP (PRP I)"]
    data = runoff.NBest.from_records([{"id": "a", "metric": "parseval", "candidates": candidates}])
    study = Study(data, LinearModel.of({}))
    study.task = runoff.tasks.get("parsing")
    winner, rival = group_page(study, 0)["drawings"]
    assert winner["kind"] == "tree"
    assert "list 'a'" in rival["problem"]
