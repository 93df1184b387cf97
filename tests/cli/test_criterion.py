"""One rule says which metric chooses: the one asked for, else the data's usual one, else the learner's own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import runoff
from runoff import CRF, LinearModel, LogLinear, NBest
from runoff.cli import main
from runoff.learners import AdaRank, Regression, learner

if TYPE_CHECKING:
    from pathlib import Path

QUICK: dict[str, dict[str, Any]] = {
    "blend": {},
    "loglinear": {"sigma": [0.1, 1.0], "max_iter": 20},
    "boost": {"smoothing": 0.0025, "max_rounds": 60, "min_groups": 1},
    "perceptron": {"tau": 0.0, "max_epochs": 12},
    "crf": {"l2": [0.001, 0.1], "temperature": [0.1, 10.0], "max_iter": 20},
    "svm": {"C": [0.001, 0.01]},
    "mert": {"restarts": 2, "directions": 0, "max_rounds": 2},
    "pro": {"sigma": [0.1, 1.0], "max_iter": 20},
    "regression": {},
    "listnet": {"rate": 0.1, "max_epochs": 12},
    "adarank": {"max_rounds": 30},
}


def letor(path: Path, seed: int, queries: int) -> Path:
    """Noisy queries, so that metrics disagree about what is best."""
    rng, lines = np.random.default_rng(seed), []
    for query in range(queries):
        for _ in range(8):
            values = rng.normal(size=6)
            grade = int(np.digitize(values[0] - 0.3 * values[1] + 2.0 * rng.normal(), [1.0, 2.5]))
            lines.append(f"{grade} qid:{query} " + " ".join(f"{at}:{each:.4f}" for at, each in enumerate(values, 1)))
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    where = tmp_path_factory.mktemp("letor")
    return letor(where / "train.txt", 1, 30), letor(where / "vali.txt", 2, 25)


def train(data: Path, out: Path, *more: object, settings: dict[str, Any]) -> Result:
    pairs = [part for key, value in settings.items() for part in ("--set", f"{key}={json.dumps(value)}")]
    return CliRunner().invoke(main, ["train", str(data), "-o", str(out), *map(str, more), *pairs])


def same(a: LinearModel, b: LinearModel) -> bool:
    return a.weights.tobytes() == b.weights.tobytes() and a.base_weight == b.base_weight


@pytest.mark.parametrize("metric", [None, "ndcg@3"])
@pytest.mark.parametrize("name", QUICK)
def test_shell_and_python_choose_by_the_same_metric(
    files: tuple[Path, Path], tmp_path: Path, name: str, metric: str | None
) -> None:
    data, dev = files
    asked = [] if metric is None else ["--metric", metric]
    done = train(data, tmp_path / "m", "--dev", dev, "--learner", name, *asked, settings=QUICK[name])
    assert done.exit_code == 0, done.output
    by_shell = runoff.load(tmp_path / "m")
    by_python = learner(name)(metric=metric, **QUICK[name]).fit(runoff.read(data), runoff.read(dev)).model
    assert same(by_shell, by_python)
    for model in (by_shell, by_python):
        assert model.metric == (metric or "map,ndcg-letor@1-10")  # LETOR's usual metrics
        assert model.provenance["dev"]["metric"].split("|")[0] == (metric or "map")
        assert model.provenance["chosen_on"] == "25 lists of dev data"
    assert f"chosen by: {metric or 'map'} on 25 lists of dev data\n" in done.stdout


@pytest.mark.parametrize("name", ["loglinear", "regression"])
def test_folds_choose_by_the_metric_too(files: tuple[Path, Path], tmp_path: Path, name: str) -> None:
    chosen = {}
    for metric in ("map", "ndcg@3"):
        done = train(files[0], tmp_path / "m", "--learner", name, "--metric", metric, "--json", settings=QUICK[name])
        facts = json.loads(done.stdout)
        assert (facts["metric"], facts["chosen_on"]) == (metric, "5 folds of 30 training lists")
        chosen[metric] = facts.get("sigma_scores", facts.get("chosen_by_folds"))
        by_python = learner(name)(metric=metric, **QUICK[name]).fit(runoff.read(files[0])).model
        assert same(runoff.load(tmp_path / "m"), by_python)
    assert chosen["map"] != chosen["ndcg@3"]


def test_dev_data_is_judged_by_the_metric_of_the_training_data(files: tuple[Path, Path]) -> None:
    data, dev = (runoff.read(path) for path in files)
    model = Regression().fit(data, dev.replace(metric="mrr")).model
    assert model.provenance["dev"]["metric"].split("|")[0] == "map"
    assert same(model, Regression().fit(data, dev).model)


def test_without_a_usual_metric_the_learners_own_decides(files: tuple[Path, Path]) -> None:
    data = runoff.read(files[0]).replace(metric=None)
    assert AdaRank().metric_for(data).label == "ndcg"
    assert CRF(space="permutations").metric_for(data).label == "ndcg"
    assert LogLinear().metric_for(data).label == "quality"
    model = AdaRank(max_rounds=5).fit(data).model
    assert [each.metric for each in runoff.evaluate(model, data).results] == ["ndcg"]


def test_nothing_chosen_is_not_called_chosen(files: tuple[Path, Path]) -> None:
    data, dev = (runoff.read(path) for path in files)
    assert "chosen_on" not in Regression(l2=0.1).fit(data, dev).model.provenance
    assert "chosen_on" not in LogLinear(sigma=1.0).fit(data).model.provenance
    one = NBest.from_arrays([[0.0], [1.0]], quality=[0, 1], sizes=[2])
    assert "chosen_on" not in Regression().fit(one).model.provenance


def test_cross_validation_chooses_and_judges_by_one_metric(files: tuple[Path, Path]) -> None:
    data = runoff.read(files[0])[:16]
    usual = runoff.cross_validate(Regression(), data, folds=2)
    assert usual.results[0].metric == "map"
    assert runoff.cross_validate(Regression(metric="mrr"), data, folds=2).results[0].metric == "mrr"
    asked, given = (
        runoff.cross_validate(each, data, "ndcg@3", folds=2) for each in (Regression(), Regression(metric="ndcg@3"))
    )
    assert asked.to_dict() == given.to_dict()
    learner = Regression()
    runoff.cross_validate(learner, data, "ndcg@3", folds=2)
    assert learner.metric is None


def test_quality_is_that_of_the_metric_asked_for(tmp_path: Path) -> None:
    rng, lists = np.random.default_rng(0), []
    right, wrong = ["a", "few", "of", "these", "words", "are", "long"], ["x", "entirely-different"]
    for _ in range(30):  # wrong words of one letter or of many: word and character error rates disagree
        is_wrong, which = rng.random((6, 7)) < 0.3, rng.integers(2, size=(6, 7))
        texts = [[wrong[which[at, to]] if is_wrong[at, to] else right[to] for to in range(7)] for at in range(6)]
        lists.append({"input": [" ".join(text) for text in texts], "output": " ".join(right)})
    path = tmp_path / "lists.json"
    path.write_text(json.dumps(lists))
    assert runoff.read(path).metric == "wer"
    done = train(path, tmp_path / "m", "--learner", "regression", "--task", "rows", "--metric", "cer", settings={})
    assert done.exit_code == 0, done.output
    by_shell = runoff.load(tmp_path / "m")
    assert same(by_shell, Regression(metric="cer").fit(runoff.read(path)).model)
    assert not same(by_shell, Regression().fit(runoff.read(path)).model)
