"""A program as a typed user would write it: mypy --strict must find nothing, and it must run.

`tests/test_typed_client.py` checks both, in a folder of its own that has no settings and no sources of Runoff.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import assert_type

import runoff
from runoff.learners import SVM, Learner, TreeBoost
from runoff.metrics import NDCG, WER, Difference, Resampling
from runoff.report import Comparison, Description, Evaluation, Margins


@dataclass(frozen=True)
class Outcome:
    """What a program keeps of an evaluation."""

    gain: float
    low: float
    high: float
    p: float


def lists(count: int) -> runoff.NBest:
    """Lists with two candidates, of which the one that the first round ranks second is right."""
    records = [
        {
            "id": f"utterance-{at}",
            "references": ["the cat sat"],
            "candidates": [
                {"text": "the cats at", "base": -1.0, "features": {"unknown": 1.0}},
                {"text": "the cat sat", "base": -1.2, "features": {"unknown": 0.0}},
            ],
        }
        for at in range(count)
    ]
    return runoff.grade(runoff.NBest.from_records(records), "wer")


def learners(metric: str) -> dict[str, Learner]:
    """Learners behind one type."""
    return {
        "loglinear": runoff.LogLinear(metric=metric, sigma=1.0),
        "boost": runoff.Boost(metric=metric, rounds=5),
        "perceptron": runoff.Perceptron(metric=metric, epochs=2, tau=1.0),
        "crf": runoff.CRF(metric=metric, objective="kl", max_iter=20),
        "svm": SVM(C=1.0),
        "trees": TreeBoost(rounds=5),
    }


def chosen(model: runoff.LinearModel, data: runoff.NBest) -> dict[str, str]:
    """The winners' texts by group."""
    found: dict[str, str] = {}
    for choice in model.pick(data):
        assert_type(choice.index, int)
        assert_type(choice.score, float)
        assert_type(choice.confidence, float | None)
        if choice.text is not None:
            found[str(choice.group)] = choice.text
    return found


def judged(model: runoff.LinearModel, data: runoff.NBest) -> Outcome:
    """The gain of the first metric with its interval."""
    evaluation = runoff.evaluate(model, data, metric=WER(case="lower"), resampling=Resampling(resamples=100, seed=1))
    assert_type(evaluation, Evaluation)
    result = evaluation.results[0]
    gain: Difference = result.gain
    return Outcome(gain.delta, gain.low, gain.high, result.p)


def main(folder: Path) -> Outcome:
    """Read, learn, judge, explain, keep."""
    path = folder / "lists.jsonl"
    runoff.write(lists(40), path)
    data = runoff.read(path)
    train, test = data[:20], data[20:]
    assert_type(train, runoff.NBest)
    description: Description = runoff.describe(test, metric="wer")
    print(description, NDCG(10).label, description.to_dict())
    models = {name: learner.fit(train).model for name, learner in learners("wer").items()}
    model = runoff.LogLinear(metric="wer", sigma=1.0).fit(train).model
    assert_type(model, runoff.LinearModel)
    comparison: Comparison = runoff.compare(model, runoff.Perceptron(metric="wer", epochs=1).fit(train).model, test)
    margins: Margins = runoff.margins(model, {"test": test})
    print(
        comparison,
        margins,
        sorted(models),
        [each.amount for each in model.explain(test, group="utterance-20").contributions],
    )
    print(runoff.tasks.recognise(test).name)
    model.save(folder / "wer.runoff")
    again = runoff.load(folder / "wer.runoff")
    assert [choice.index for choice in again.pick(test)] == [choice.index for choice in model.pick(test)]
    assert set(chosen(model, test).values()) == {"the cat sat"}
    try:
        runoff.read(folder / "none.jsonl")
    except runoff.RunoffError as error:
        print(f"as it should be: {error}")
    return judged(model, test)


if __name__ == "__main__":
    print(main(Path.cwd()))
