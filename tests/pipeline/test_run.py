"""The whole pipeline with a toy first round: what is written, what is resumed, and what depends on what."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from helpers.registries import own_registries
from helpers.toy_task import ToyRound, ToyTask, write_words
from runoff import LogLinear, UsageError, load, read, tasks
from runoff.learners.recipes import LearnerRecipe
from runoff.pipeline import Outcome, run_pipeline
from runoff.pipeline.stages import STATE

if TYPE_CHECKING:
    from collections.abc import Iterator

FILES = {
    "split.json",
    "guesser.json",
    "featurizer.runoff",
    *(f"{part}.{kind}" for part in ("train", "dev", "test") for kind in ("jsonl.gz", "arrow")),
    "loglinear.runoff",
    "perceptron.runoff",
    "model.runoff",
    "table.md",
    "result.json",
    "result.png",
    "result.svg",
    "decision.txt",
    STATE,
}
ALL_CALLS = ["jackknife 2", "train", "propose dev", "propose test"]


@pytest.fixture(scope="module", autouse=True)
def task() -> Iterator[ToyTask]:
    with own_registries():
        toy = ToyTask()
        tasks.register(toy)
        yield toy


def run(
    words: Path, folder: Path, first_round: ToyRound | None = None, **options: Any
) -> tuple[Outcome, list[str], list[str]]:
    """The outcome, the messages, and what the first round was asked to do."""
    said: list[str] = []
    round_ = first_round or ToyRound()
    options = {"dev": 0.5, "test": 0.25, **options}
    outcome = run_pipeline(tasks.get("toy"), words, folder, first_round=round_, say=said.append, **options)
    return outcome, said, round_.calls


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Outcome, list[str], list[str]]:
    where = tmp_path_factory.mktemp("pipeline")
    words = write_words(where / "words.txt", 12)
    return words, where / "out", *run(words, where / "out")


@pytest.fixture
def done(finished: Any, tmp_path: Path) -> tuple[Path, Path]:
    """The words, and a copy of what was made from them."""
    words, folder, *_ = finished
    return words, Path(shutil.copytree(folder, tmp_path / "out"))


def stages_run(said: list[str]) -> list[str]:
    """Titles of the stages that were not up to date."""
    return [line.partition("] ")[2] for line in said if line.startswith("[") and "up to date" not in line]


def test_everything_is_written_and_the_result_is_right(finished: Any) -> None:
    _, folder, outcome, said, calls = finished
    assert {path.name for path in folder.iterdir()} == FILES
    assert calls == ALL_CALLS
    assert said[:4] == ["note: read without trouble.", *said[1:4]]
    assert [line.partition(":")[0] for line in said[1:4]] == ["train", "dev", "test"]
    exact = outcome.numbers["test"]["results"][0]
    assert (exact["metric"], exact["chosen"]["score"], exact["oracle"]["score"]) == ("exact", 1.0, 1.0)
    assert exact["first"]["score"] < 0.5
    assert outcome.numbers == json.loads((folder / "result.json").read_text())
    assert outcome.numbers["material"]["dev"] == {"words": 60}
    assert outcome.learner in ("loglinear", "perceptron")
    assert (folder / "table.md").read_text().startswith("|  | exact | 95% interval | cer")
    assert f"chosen ({outcome.learner})" in str(outcome)
    assert "words; the choice differs from the first round in" in str(outcome)


def test_the_dev_scores_decide(finished: Any) -> None:
    _, _, outcome, said, _ = finished
    dev = outcome.numbers["learners"]
    assert outcome.learner == max(dev, key=dev.get)
    assert f"{outcome.learner}: exact on dev {dev[outcome.learner]:.2f}" in "\n".join(said)


def test_a_choice_by_chance_is_said(done: tuple[Path, Path], finished: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    _, _, outcome, said, _ = finished
    dev, second = outcome.numbers["learners"], outcome.numbers["runner_up"]["learner"]
    assert dev[outcome.learner] == dev[second]  # both learn everything
    assert outcome.numbers["runner_up"]["p"] == 1.0
    notes = [line for line in said if "coin toss" in line]
    assert notes == [
        f"note: {outcome.learner} (1.00) is not better than {second} (1.00) on dev beyond chance (p 1.000, 60 words): "
        "the choice between the two is a coin toss, which more dev data would decide."
    ]
    known = tasks.get("toy").recipes()
    blind = LearnerRecipe(LogLinear, {"sigma": 1.0, "min_groups": 10_000})  # keeps the first choices
    monkeypatch.setattr(ToyTask, "recipes", lambda _: {**known, "blind": blind})
    outcome, said, _ = run(*done, recipes=["blind", "loglinear"])
    assert outcome.learner == "loglinear"
    assert outcome.numbers["runner_up"]["learner"] == "blind"
    assert outcome.numbers["runner_up"]["p"] < 0.001
    assert not any("coin toss" in line for line in said)
    outcome, said, _ = run(*done, recipes=["loglinear"])
    assert outcome.numbers["runner_up"] is None


def test_the_model_takes_raw_lists(finished: Any) -> None:
    _, folder, outcome, *_ = finished
    picked = load(outcome.model).pick(read(folder / "test.jsonl.gz"))
    assert [choice.text for choice in picked] == [
        each[0] for each in read(folder / "test.jsonl.gz").references.to_pylist()
    ]


def test_one_decision_is_explained(finished: Any) -> None:
    _, folder, outcome, *_ = finished
    assert "leads" in (folder / "decision.txt").read_text()
    assert outcome.numbers["decision"]["winner"]["text"]


def test_the_same_call_makes_nothing_again(done: tuple[Path, Path], finished: Any) -> None:
    outcome, said, calls = run(*done)
    assert calls == []
    assert stages_run(said) == []
    assert outcome.numbers == finished[2].numbers


@pytest.mark.slow
def test_what_depends_on_an_option_is_made_again(done: tuple[Path, Path]) -> None:
    assert stages_run(run(*done, seed=0, about=["vowel"])[1]) == ["evaluation on test"]
    changed = run(*done, recipes=["loglinear"])[1]
    assert stages_run(changed) == ["the best of 1 recipe on dev", "evaluation on test"]
    said = run(*done, recipes=["loglinear"], metrics=["cer"])[1]
    # The featurizer is fitted for the first metric, and the learner as well.
    assert stages_run(said)[0] == "features of train"
    assert "training: loglinear" in stages_run(said)
    _, said, calls = run(*done, ToyRound("lower"), recipes=["loglinear"], metrics=["cer"])
    assert calls == ALL_CALLS
    said = run(*done, ToyRound("lower"), recipes=["loglinear"], metrics=["cer"], features={"vowels": "AEIOUY"})[1]
    assert stages_run(said)[0] == "features of train"


def test_an_interrupted_stage_is_resumed(tmp_path: Path) -> None:
    class Interrupted(ToyRound):
        def train(self, material: Any, path: Path) -> dict[str, Any]:  # noqa: ARG002 - the interface
            path.write_text("half")
            raise KeyboardInterrupt

    words, folder = write_words(tmp_path / "words.txt"), tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        run(words, folder, Interrupted())
    _, said, calls = run(words, folder)
    assert calls == ALL_CALLS[1:]
    assert any("train.jsonl.gz is up to date" in line for line in said)


def test_a_little_dev_data_and_a_model_that_gains_nothing_are_warned_of(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("art end ink old ugh " * 8)  # the first letter is always right
    _, said, _ = run(tmp_path / "words.txt", tmp_path / "out", dev=0.25, recipes=["loglinear"])
    assert "warning: 10 words of dev are too few: the recipe is chosen largely by chance." in said
    assert "warning: no recipe is better than the first round on dev." in said
    assert "note: no choice on test is better than the first round's, so there is no decision to show." in said
    assert not (tmp_path / "out" / "decision.txt").exists()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"k": 1}, "a second round needs at least two candidates; found k = 1"),
        ({"folds": 99}, "20 words cannot be cut into 99 folds"),
        ({"recipes": []}, "expected at least one recipe; there are: loglinear, perceptron"),
        ({"recipes": ["svm"]}, "there is no recipe 'svm' for the task toy; there are: loglinear, perceptron"),
        ({"features": {"families": "all"}}, "the featurizer of the task toy has no setting 'families'; it has: vowels"),
    ],
)
def test_mistakes_get_a_sentence_before_the_work_begins(tmp_path: Path, options: dict[str, Any], sentence: str) -> None:
    words = write_words(tmp_path / "words.txt", 8)
    with pytest.raises(UsageError, match=sentence):
        run(words, tmp_path / "out", **{"dev": 0.5, "test": 0.25, **options})
    assert not (tmp_path / "out").exists()


def test_a_task_needs_a_first_round_and_a_featurizer(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no first round for the task rows; start from lists of candidates"):
        run_pipeline(tasks.get("rows"), tmp_path, tmp_path / "out")

    class Bare(ToyTask):
        def featurizer(self, **settings: Any) -> None:  # noqa: ARG002 - has none
            return None

    with pytest.raises(UsageError, match="a pipeline needs a featurizer, and the task toy has none"):
        run_pipeline(Bare(), tmp_path, tmp_path / "out")
