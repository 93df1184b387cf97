"""Numbers behind the viewer, against reports that are computed otherwise and against what is obvious."""

from __future__ import annotations

import numpy as np
import pytest

import runoff
from runoff.errors import DataError, UsageError
from runoff.metrics import Resampling
from runoff.model import LinearModel
from runoff.server.group_list import GroupList
from runoff.server.group_page import group_page
from runoff.server.report_page import report_page, scripts
from runoff.server.study import OUTCOMES, Study
from runoff.server.view_app import reweighed

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
    found = runoff.evaluate(model, data, resampling=FEW)
    outcomes = study.overview["outcomes"]
    assert (outcomes["better"], outcomes["worse"]) == (found.wins, found.losses)
    assert outcomes["better"] + outcomes["worse"] + outcomes["equal"] == found.changed
    assert outcomes["empty"] == int((data.sizes == 0).sum())
    scores = {each["name"]: each["score"] for each in study.overview["choices"]}
    result = found.results[0]
    assert scores["chosen"] == result.chosen.score
    assert scores["oracle"] == result.oracle.score == study.overview["oracle_at"][-1][1]


def test_thresholds_are_what_switching_would_give(study, data, model):
    scores = model.scores(data)
    for point in study.thresholds():
        total = 0.0
        for group in np.flatnonzero(data.sizes > 0):
            rows = slice(data.offsets[group], data.offsets[group + 1])
            first, best = np.argmax(data.base[rows]), np.argmax(scores[rows])
            lead = scores[rows][best] - scores[rows][first]
            at = best if best != first and lead >= point["lead"] else first
            total += data.quality[rows][at]
        assert point["score"] == pytest.approx(total / (data.sizes > 0).sum())
    assert study.thresholds()[0]["switched"] == 0


def test_families_add_up_to_the_scores_and_factors_change_them(study, data, model):
    np.testing.assert_allclose(study.families.scores({}), model.scores(data), atol=1e-5)
    other = LinearModel.of({"lm:a": 3.0, "lm:b": -1.5, "length": 0.0}, base_weight=0.2)
    factors = {"lm": 3.0, "length": 0.0, "first-round score": 0.5}
    np.testing.assert_allclose(study.families.scores(factors), other.scores(data), atol=1e-5)
    np.testing.assert_allclose(reweighed(model, factors).scores(data), other.scores(data))
    found = study.reweighed(factors)
    expected = Study(data, other, resampling=FEW)
    assert found["outcomes"] == {name: int((expected.outcomes == at).sum()) for at, name in enumerate(OUTCOMES)}
    assert found["score"] == pytest.approx(runoff.evaluate(other, data, resampling=FEW).results[0].chosen.score)


def test_shares_of_families_add_up_to_the_mean_lead(study):
    better = study.outcomes == OUTCOMES.index("better")
    assert sum(each["better"] for each in study.families.shares(study)) == pytest.approx(
        study.leads[better].mean(), abs=1e-5
    )


def test_trees_have_no_families_to_weigh(data):
    trees = runoff.Boost(depth=2, rounds=5, calibration="none").fit(data).model
    study = Study(data, trees, resampling=FEW)
    assert study.families is None
    with pytest.raises(DataError, match="no weighted sum"):
        study.reweighed({})


@pytest.mark.parametrize("show", ["all", "changed", "better", "worse", "missed", "unsure"])
@pytest.mark.parametrize("order", ["input", "gain", "loss", "regret", "confidence"])
def test_filters_and_orders_are_what_they_say(study, show, order):
    found = GroupList(study).numbers(show, "", order)
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
    assert groups.page(search="question 17")["groups"][0]["at"] == 17
    texts = data.texts.to_pylist()
    expected = [
        at for at in range(60) if any("text 3" in text for text in texts[data.offsets[at] : data.offsets[at + 1]])
    ]
    assert groups.numbers(search="TEXT 3").tolist() == expected
    assert groups.page(search="nowhere to be found") == {"total": 0, "start": 0, "groups": []}
    with pytest.raises(UsageError, match="there is no filter 'new'; there are: all, changed"):
        groups.numbers("new")


def test_pages_are_parts_of_the_whole(study):
    groups = GroupList(study)
    whole = [each["at"] for each in groups.page(size=60)["groups"]]
    assert [each["at"] for start in range(0, 60, 7) for each in groups.page(start=start, size=7)["groups"]] == whole


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
    assert study.overview["choices"][0]["name"] == "first round"
    assert study.overview["outcomes"]["kept"] + study.overview["outcomes"]["empty"] == 60
    bare = Study(data.replace(quality=None))
    assert bare.overview["metric"] is None
    assert group_page(bare, 1)["explanation"] is None
    with pytest.raises(DataError, match="neither references nor quality"):
        Study(data.replace(quality=None), metric="wer")


def test_a_report_is_one_file_that_nothing_in_the_data_can_break_out_of(study):
    page = report_page(study)
    assert "//" not in page.replace("http://www.w3.org/2000/svg", "").replace("// ", "")  # but for comments
    assert '<link rel="stylesheet"' not in page
    assert "src=" not in page
    # The texts hold markup; in the data it is written so that a browser sees none.
    content = page.partition('type="application/json">')[2].partition("</script>")[0]
    assert "<b>" not in content
    assert "\\u003cb>" in content
    assert "import " not in page.rpartition('<script type="module">')[2].partition("\n")[0]


def test_modules_are_joined_in_the_order_of_their_imports():
    order = scripts()
    assert order[-1] == "main.js"
    assert order.index("dom.js") < order.index("charts.js") < order.index("overview.js") < order.index("lists.js")
