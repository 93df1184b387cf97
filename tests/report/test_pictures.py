"""Pictures: their titles say what the numbers say, axes show differences, and words do not lie on each other."""

from __future__ import annotations

import dataclasses
import itertools
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

from helpers.boosting_data import binary
from runoff import Boost, NBest, evaluate, metrics
from runoff.combine import Contributions
from runoff.learners import Perceptron
from runoff.metrics import Difference
from runoff.model import LinearModel
from runoff.pictures import new_figure
from runoff.report import pictures, training_pictures
from runoff.report.combination import CombinationReport
from runoff.report.dot_plot import Dot, dot_rows
from runoff.report.findings import decided, gained, kept, trusted
from runoff.report.pictures import draw_combination, draw_demo, draw_evaluation
from runoff.report.reliability import Reliability
from runoff.report.scored import Scored
from runoff.report.training_pictures import draw_recipes, draw_training

if TYPE_CHECKING:
    from pathlib import Path


def texts(picture: Path) -> str:
    """What is written in an SVG, as matplotlib notes it beside the shapes of the letters; wrapped lines are joined."""
    return " ".join(re.findall(r"<!-- (.*?) -->", picture.read_text(), re.DOTALL)).replace("\n", " ")


def lists(first: str = "a bat", second: str = "a cat") -> NBest:
    """Forty lists whose second candidate is right by default."""
    records = [
        {
            "references": [f"a cat {at}"],
            "candidates": [
                {"text": f"{first} {at}", "base": 1.0, "features": {"word:bat": 1.0}},
                {"text": f"{second} {at}", "base": 0.0, "features": {"word:cat": 1.0}},
            ],
        }
        for at in range(40)
    ]
    return metrics.grade(NBest.from_records(records), "wer")


MODEL = LinearModel.of({"word:cat": 3.0, "word:bat": -0.5}, base_weight=1.0)


# -------------------------------------------------------------------- titles


def test_a_title_says_the_gain_in_the_units_of_the_metric(tmp_path: Path) -> None:
    found = evaluate(MODEL, lists(), "wer")
    draw_evaluation(found, tmp_path / "a.svg", "calls.jsonl")
    told = texts(tmp_path / "a.svg")
    # One of three words was wrong in every list, and none is.
    assert "The choices have 33.33 fewer word errors per 100 words than the first round: 0.00 instead of 33.33" in told
    assert "word errors per 100 words (lower is better)" in told
    assert "calls.jsonl: 40 lists" in told
    assert "95% bootstrap intervals" in told


def test_a_title_does_not_praise_what_is_worse_or_due_to_chance() -> None:
    worse = evaluate(MODEL, lists("a cat", "a bat"), "wer").results[0]
    assert gained(worse).startswith("No candidate is better than the first round's choice: 0.00 word errors")
    could = dataclasses.replace(worse, possible=1.0)
    assert gained(could) == (
        "The choices have 33.33 more word errors per 100 words than the first round: 33.33 instead of 0.00"
    )
    chance = dataclasses.replace(could, p=0.4)
    assert "not better than the first round beyond chance" in gained(chance)
    assert "(p 0.400)" in gained(chance)
    higher = dataclasses.replace(could, metric="bleu", higher_is_better=True)
    assert gained(higher) == "The choices gain 33.33 points of bleu over the first round: 33.33 instead of 0.00"
    lost = dataclasses.replace(higher, first=higher.chosen, chosen=higher.first)
    assert "lose 33.33 points of bleu against the first round" in gained(lost)


@pytest.mark.parametrize(
    ("confidence", "right", "told"),
    [(0.8, 0.8, "as often as their confidence says"), (0.9, 0.5, "less often"), (0.5, 0.9, "more often")],
)
def test_the_title_of_a_reliability_says_which_way_it_is_off(confidence: float, right: float, told: str) -> None:
    good = np.arange(100) < 100 * right
    assert told in trusted(Reliability.of(np.full(100, confidence), good))


def test_the_title_of_a_decision_names_both_sides(tmp_path: Path) -> None:
    data = lists()
    explanation = MODEL.explain(data, 0)
    # 3.0 for the cat and 0.5 for not being a bat, less the lead of 1.0 in the first round.
    assert decided(explanation) == "Word (+3.5) spoke for this choice, first-round score (-1.0) against it"
    draw_demo(evaluate(MODEL, data, "wer"), explanation, tmp_path / "a.svg", "Calls", "chosen transcripts")
    told = texts(tmp_path / "a.svg")
    assert "The chosen transcripts have 33.33 fewer" in told
    for word in ("bat", "cat", "word: cat", "+3.00", "-1.00"):
        assert word in told


def test_the_title_of_recipes_names_the_one_that_was_kept(tmp_path: Path) -> None:
    recipes = {
        name: {"gain": gain, "gain_low": gain - 0.25, "gain_without_threshold": gain - 0.5, "keeps_first_choice": False}
        for name, gain in (("boost", 1.5), ("vote", -0.5))
    }
    provenance = {
        "recipes": recipes,
        "recipe": "boost",
        "threshold": {"keeps_first_choice": False},
        "fallback": None,
        "judged_on": "5 folds of the training lists",
    }
    draw_recipes(provenance, metrics.get("wer"), tmp_path / "a.svg", "calls.jsonl")
    told = texts(tmp_path / "a.svg")
    assert "Kept: boost, which has 1.50 fewer word errors per 100 words than the first round on held-out lists" in told
    assert "calls.jsonl: gains on 5 folds of the training lists" in told
    assert "boost (kept)" in told
    assert "points of bleu over" in kept(provenance, metrics.get("bleu"))
    none = {**provenance, "threshold": {"keeps_first_choice": True}}
    assert kept(none, metrics.get("wer")) == "No recipe won anything on held-out lists: the first choice stays"
    bold = {**provenance, "threshold": None}
    assert "1.00 fewer" in kept(bold, metrics.get("wer"))


def test_the_title_of_a_training_says_what_it_brought(tmp_path: Path) -> None:
    learner = Boost(max_rounds=120, smoothing=0.0025).fit(binary(1), binary(2))
    draw_training(learner, tmp_path / "a.svg", "rows.arrow")
    told = texts(tmp_path / "a.svg")
    rounds = learner.model.provenance["rounds"]
    score = learner.history[rounds - 1]["dev"]
    assert f"{rounds:,} rounds bring quality on the dev data from" in told
    assert f"in the first round to {score:,.4g}" in told
    assert f"{rounds:,} rounds chosen" in told
    assert "rows.arrow: training of Boost" in told
    without = Perceptron(epochs=3, tau=1.0).fit(binary(1))
    draw_training(without, tmp_path / "b.svg")
    assert "violated pairs in training went from" in texts(tmp_path / "b.svg")


@pytest.mark.parametrize(("p", "told"), [(0.001, "has 3.00 fewer word errors per 100 words than"), (0.4, "is not")])
def test_the_title_of_a_combination_compares_it_with_the_best_system(p: float, told: str, tmp_path: Path) -> None:
    rows = {"north": 12.0, "south": 10.0, "vote": 9.0, "combined": 7.0, "perfect filter": 1.0}
    report = CombinationReport(
        {name: (Scored(score, score - 0.5, score + 0.5),) for name, score in rows.items()},
        (metrics.get("wer"),),
        "south",
        {"south": (Difference(3.0, 2.0, 4.0, 0.5), p)},
        Contributions(("north", "south"), {}),
        "wer",
    )
    draw_combination(report, tmp_path / "a.svg", "calls")
    drawn = texts(tmp_path / "a.svg")
    assert f"The combination {told}" in drawn
    assert "the best system (south)" in drawn
    assert re.findall("|".join(rows), drawn)[:5] == list(rows)[::-1]  # the best on top


# -------------------------------------------------------------------- axes


def test_an_axis_shows_differences_and_notes_what_is_far_off() -> None:
    _, (axis,) = new_figure(1, 5, 3)
    close = [Dot("first round", 86.0, 85.5, 86.5), Dot("chosen", 87.0, 86.6, 87.4)]
    dot_rows(axis, [*close, Dot("random", 20.0, 19.0, 21.0, may_be_outside=True)], "F")
    low, high = axis.get_xlim()
    assert 85 < low < 85.5
    assert 87.4 < high < 88
    assert "◂ 20.00" in [each.get_text() for each in axis.texts]


def test_the_line_of_the_first_round_is_where_no_round_leads() -> None:
    train, dev = binary(1), binary(2)
    learner = Boost(max_rounds=120, smoothing=0.0025).fit(train, dev)
    _, (axis,) = new_figure(1, 4, 3)
    training_pictures._dev(axis, learner)
    line = next(each for each in axis.lines if each.get_label() == "first round")
    tops = [start + int(np.argmax(dev.base[start:stop])) for start, stop in zip(dev.offsets, dev.offsets[1:])]  # noqa: B905
    assert list(line.get_ydata()) == pytest.approx([dev.quality[tops].mean()] * 2)


def test_words_of_a_candidate_stand_on_one_line_without_touching() -> None:
    figure, (axis,) = new_figure(1, 8, 3)
    pictures._words(axis, "chosen", "the sailors admired an engine", [2], "#0072b2", 9)
    figure.canvas.draw()
    boxes = [each.get_window_extent() for each in axis.texts]
    assert [each.get_text() for each in axis.texts] == ["chosen:", "the", "sailors", "admired", "an", "engine"]
    assert all(left.x1 < right.x0 for left, right in itertools.pairwise(boxes))
    assert len({each.xyann[1] for each in axis.texts}) == 1
