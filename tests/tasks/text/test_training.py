"""`runoff train` on plain texts."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING, Any

import pytest

from helpers.text_files import FEW, run, train, write_records
from runoff import NBest, load, read, tasks, write
from runoff.tasks.text import featurizer

if TYPE_CHECKING:
    from pathlib import Path


def test_training_tells_what_was_tried_and_kept(folder: Path, tmp_path: Path) -> None:
    few = (*FEW[:-1], "loglinear,crf")
    done = train(folder / "train.jsonl", tmp_path / "m.runoff", *few, "--picture", tmp_path / "m.svg")
    assert "of 4 families (position, length, agreement, repetition) in " in done.stdout
    assert "2 recipes tried in " in done.stdout
    assert "recipe" in done.stdout
    assert "without threshold" in done.stdout
    assert "Gains in wer over the first round, on 5 folds of the training lists (60 lists)." in done.stdout
    assert "replaces the first choice;" in done.stdout
    assert "of 60 held-out lists." in done.stdout
    assert "tested on that one, the gain is +" in done.stdout
    assert "task: text (plain texts)" in done.stderr
    assert "next: runoff eval" in done.stderr
    assert "fewer word errors per 100 words" in (tmp_path / "m.svg").read_text()
    # The same by the name of the task, and the same again.
    named = train(folder / "train.jsonl", tmp_path / "n.runoff", *few, "--task", "text")
    assert "task: text" not in named.stderr
    assert load(tmp_path / "n.runoff").weights.tobytes() == load(tmp_path / "m.runoff").weights.tobytes()


def test_what_needs_no_training_is_kept_where_training_gains_no_more(folder: Path, tmp_path: Path) -> None:
    done = train(folder / "train.jsonl", tmp_path / "m.runoff", *FEW, "--picture", tmp_path / "m.svg")
    assert "Kept: vote, which needs no training. Its gain is +" in done.stdout
    assert "That is not reliable, or not above the gain of vote." in done.stdout
    assert "the model chooses by that." in done.stderr
    assert "Kept: vote (no training needed)" in (tmp_path / "m.svg").read_text()
    model = load(tmp_path / "m.runoff")
    assert (model.provenance["fallback"], model.provenance["recipe"]) == ("vote", "vote")
    # By construction two of four texts are right, or three with the first.
    records = [json.loads(line) for line in (folder / "test.jsonl").read_text().splitlines()]
    chosen = [choice.text for choice in model.pick(read(folder / "test.jsonl"))]
    assert chosen == [record["references"][0] for record in records]


def test_training_as_json(folder: Path, tmp_path: Path) -> None:
    done = train(folder / "train.jsonl", tmp_path / "m.runoff", *FEW, "--json")
    found = json.loads(done.stdout)
    assert set(found["recipes"]) == {"vote", "loglinear"}
    assert set(found["seconds"]) == {"features", "training"}
    assert found["recipe"] in found["recipes"]
    assert found["output"] == str(tmp_path / "m.runoff")


def test_cross_validation_comes_first_and_shows_the_baselines(folder: Path, tmp_path: Path) -> None:
    done = train(folder / "train.jsonl", tmp_path / "m.runoff", *FEW, "--folds", 3)
    assert "minimum Bayes risk" in done.stdout
    assert "3-fold cross-validation (fold seed 0): no model saw the groups in which it chose" in done.stdout
    assert done.stdout.index("minimum Bayes risk") < done.stdout.index("recipes tried")


def test_dev_data_judges_the_recipes(folder: Path, tmp_path: Path) -> None:
    done = train(folder / "train.jsonl", tmp_path / "m.runoff", *FEW, "--dev", folder / "dev.jsonl")
    assert "on dev data (40 lists)" in done.stdout


def test_bold_takes_the_best_score(folder: Path, tmp_path: Path) -> None:
    done = train(folder / "train.jsonl", tmp_path / "m.runoff", *FEW, "--bold")
    assert "without a threshold (--bold): the candidate with the best score always wins." in done.stdout
    assert load(tmp_path / "m.runoff").provenance["parameters"]["careful"] is False


def test_where_nothing_gains_the_first_choice_stays(tmp_path: Path) -> None:
    right_first = [{"references": ["a b"], "candidates": [{"text": "a b"}, {"text": "a c"}]} for _ in range(20)]
    data = write_records(tmp_path / "d.jsonl", right_first)
    done = train(data, tmp_path / "m.runoff", *FEW)
    assert "Kept: none. Every first choice stays." in done.stdout
    assert "in turn, the gain is" not in done.stdout
    assert "warning: no recipe has a sure gain over the first round" in done.stderr
    judged = run("eval", tmp_path / "m.runoff", data, "--metric", "wer")
    assert "minimum Bayes risk" in judged.stdout
    found = json.loads(run("eval", tmp_path / "m.runoff", data, "--metric", "wer", "--json").stdout)
    assert found["changed"] == 0
    like = run("features", data, "--like", tmp_path / "m.runoff", "-o", tmp_path / "o.arrow")
    assert like.exit_code == 2
    assert "contains no featurizer" in like.stderr


@pytest.mark.parametrize(("given", "kept"), [("[1,2,3]", [1, 2, 3]), ("1,2", [1, 2]), ("2", [2])])
def test_orders_of_words_are_lists_or_one_number(folder: Path, tmp_path: Path, given: str, kept: list[int]) -> None:
    more = ("--families", "length,words", "--recipes", "loglinear", "--set", f"word_orders={given}")
    done = train(folder / "train.jsonl", tmp_path / "m.runoff", *more, "--set", "folds=2")
    assert done.exit_code == 0, done.output
    assert list(load(tmp_path / "m.runoff").provenance["parameters"]["word_orders"]) == kept


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--metric", "wer", "--learner", "boost", "--recipes", "vote"], "--recipes does not apply"),
        (["--metric", "wer", "--learner", "boost", "--bold"], "--bold does not apply"),
        (["--metric", "wer", "--dev", "{dev}", "--careful"], "the task text is careful by default"),
        (["--metric", "wer", "--careful"], "--careful needs held-out lists to choose a threshold; give --dev"),
        (["--families", "length", "--set", "families=lm"], "families is given twice"),
        (
            ["--task", "rows", "--metric", "wer", "--families", "length"],
            "--families does not apply: the task is rows",
        ),
        (["--task", "rows", "--metric", "wer", "--recipes", "vote"], "--recipes does not apply: the task is rows"),
        (["--task", "rows", "--metric", "wer", "--bold"], "--bold does not apply: the task is rows"),
        (["--set", "width=3"], "TextReranker has no parameter 'width'"),
        (["--learner", "boost", "--set", "width=3"], "Boost has no parameter 'width'"),
        (["--learner", "boost", "--set", "recipes=vote"], "recipes belongs to the reranker that tries recipes"),
        (["--learner", "boost", "--set", "lm_order=9"], "lm_order of TextSettings must be a whole number from 1 to 6"),
        (
            ["--metric", "wer", "--set", "word_orders=x"],
            "word_orders of TextReranker must be a list, each a whole number from 1 to 8",
        ),
        ([], "give the metric to train for: --metric M. For texts there are: bleu, "),
        (["--metric", "wr"], "there is no metric 'wr'; did you mean wer?"),
        (["--metric", "wer", "--recipes", "nix"], "there is no recipe 'nix'"),
        (["--metric", "wer", "--families", "nix"], "there is no feature family 'nix'"),
        (["--metric", "wer", "--featurizer", "{m}"], "leave --featurizer out"),
    ],
)
def test_options_that_cannot_work(folder: Path, tmp_path: Path, options: list[str], said: str) -> None:
    given = [each.format(dev=folder / "dev.jsonl", m=folder / "m.runoff") for each in options]
    done = run("train", folder / "train.jsonl", "-o", tmp_path / "m.runoff", *given)
    assert done.exit_code == 2
    assert said in done.stderr
    assert not (tmp_path / "m.runoff").exists()


TWO = [{"text": "a"}, {"text": "b"}]


@pytest.mark.parametrize(
    ("records", "said"),
    [
        ([], "the file is empty"),
        ([{"references": ["a"], "candidates": TWO}], "one list is too few"),
        ([{"references": ["a"], "candidates": TWO[:1]}] * 9, "there is nothing to learn: no training list has"),
        (
            [{"references": ["a"], "candidates": [TWO[1]] * 3}] * 9,
            "no training list has candidates of different quality",
        ),
        (
            [{"references": [""], "candidates": [{"text": ""}] * 3}] * 9,
            "no training list has candidates of different quality",
        ),
        ([{"candidates": TWO}] * 9, "neither references nor quality"),
    ],
)
@pytest.mark.parametrize("task", [[], ["--task", "text"]])
def test_data_that_cannot_be_learned_from(
    tmp_path: Path, records: list[dict[str, Any]], said: str, task: list[str]
) -> None:
    done = train(write_records(tmp_path / "d.jsonl", records), tmp_path / "m.runoff", *FEW, *task)
    assert done.exit_code in (1, 2)
    assert said in done.stderr
    assert not (tmp_path / "m.runoff").exists()


@pytest.mark.parametrize(
    ("records", "said"),
    [
        ([{"candidates": [{"features": {"f": 1}, "quality": 1}] * 2}] * 9, "these have none; leave out --task text"),
        ([{"references": ["a"], "candidates": []}] * 3, "there are no candidates"),
    ],
)
def test_data_without_texts(tmp_path: Path, records: list[dict[str, Any]], said: str) -> None:
    done = train(write_records(tmp_path / "d.jsonl", records), tmp_path / "m.runoff", "--task", "text")
    assert done.exit_code == 1
    assert said in done.stderr


def test_empty_texts_are_texts(tmp_path: Path) -> None:
    blank = [{"references": ["x y"], "candidates": [{"text": ""}, {"text": "x y"}, {"text": " "}]}] * 12
    data = write_records(tmp_path / "d.jsonl", blank)
    assert train(data, tmp_path / "m.runoff", *FEW).exit_code == 0
    assert [choice.text for choice in load(tmp_path / "m.runoff").pick(read(data))] == ["x y"] * 12


# ------------------------------------------------------------------------ by other learners


def test_another_learner_gets_features_of_texts(folder: Path, tmp_path: Path) -> None:
    more = ("--learner", "boost", "--families", "length,repetition", "--set", "rounds=20", "--set", "smoothing=0.01")
    done = train(folder / "train.jsonl", tmp_path / "m.runoff", *more)
    assert done.exit_code == 0, done.output
    model, test = load(tmp_path / "m.runoff"), read(folder / "test.jsonl", metric="wer")
    assert model.provenance["learner"] == "boost"
    # Raw lists are enough: every stutter is found.
    rows = test.offsets[:-1] + model.pick(test).indices
    assert test.quality[rows].mean() == 0
    # The same in two steps: features first, then a learner with the featurizer that was kept.
    kept, features = tmp_path / "f.runoff", tmp_path / "train.arrow"
    how = ("--metric", "wer", "--families", "length,repetition")
    assert run("features", folder / "train.jsonl", *how, "-o", features, "--keep", kept).exit_code == 0
    two_steps = ("train", features, "--learner", "boost", *more[-4:], "-o", tmp_path / "n.runoff")
    assert "task: rows" in run(*two_steps).stderr
    assert tasks.featurizer_of(load(tmp_path / "n.runoff")) is None
    assert run(*two_steps, "--featurizer", kept).exit_code == 0
    assert load(tmp_path / "n.runoff").scores(test).tobytes() == model.scores(test).tobytes()
    wrong = run(*two_steps, "--featurizer", tmp_path / "n.runoff")
    assert wrong.exit_code == 2
    assert "is named twice" in wrong.stderr
    bare = tmp_path / "bare.runoff"
    assert run(*two_steps[:-1], bare).exit_code == 0
    none = run(*two_steps, "--featurizer", bare)
    assert none.exit_code == 2
    assert "contains no featurizer; give the --keep file of `runoff features`" in none.stderr


def test_careful_with_another_learner(folder: Path, tmp_path: Path) -> None:
    careful = ("--dev", folder / "dev.jsonl", "--careful", "--learner", "loglinear", "--families", "length,agreement")
    done = train(folder / "train.jsonl", tmp_path / "m.runoff", *careful, "--learner", "loglinear", "--set", "sigma=1")
    assert done.exit_code == 0, done.output
    assert "Careful: " in done.stdout
    assert "of 40 dev lists." in done.stdout
    assert load(tmp_path / "m.runoff").provenance["threshold"]["switched"] > 0
    voted = (*careful[:-3], "perceptron", *careful[-2:], "--set", "average=voted", "--set", "epochs=2")
    refused = train(folder / "train.jsonl", tmp_path / "m.runoff", *voted)
    assert refused.exit_code == 2
    assert "a model that votes has no lead to compare with a threshold" in refused.stderr


def test_careful_leaves_the_first_choice_where_the_learner_was_misled(tmp_path: Path) -> None:
    # On the dev data the feature points the wrong way: no lead pays there.
    def data(name: str, quality: list[int]) -> Path:
        lists = NBest.from_arrays([[0.0], [1.0]] * 30, quality=quality * 30, sizes=[2] * 30, feature_names=["x"])
        write(lists, tmp_path / name)
        return tmp_path / name

    training, dev = data("train.arrow", [0, 1]), data("dev.arrow", [1, 0])
    done = run(
        "train",
        training,
        "--dev",
        dev,
        "--careful",
        "--learner",
        "loglinear",
        "--set",
        "sigma=1",
        "-o",
        tmp_path / "m.runoff",
    )
    assert "Careful: no threshold gains reliably on the dev data" in done.stdout
    assert load(tmp_path / "m.runoff").pick(read(dev)).changed == 0


def test_ctrl_c_while_features_are_made(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A real signal from inside: it comes while this family is being made, wherever that is in time.
    def interrupted(*_: Any) -> None:
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(featurizer, "position_features", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs begin without it
    try:
        done = train(folder / "train.jsonl", tmp_path / "m.runoff", "--task", "text")
    finally:
        signal.signal(signal.SIGINT, before)
    assert done.exit_code == 130
    assert done.stderr.splitlines()[1:] == ["runoff: interrupted: no model was written."]  # the first names the learner
    assert not (tmp_path / "m.runoff").exists()
