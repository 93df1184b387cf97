"""Plain texts in `runoff features`, `describe`, `eval`, `pick` and the group `runoff text`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from helpers.text_files import run, train, write_records
from runoff import LinearModel, load, read
from runoff.features.first_choice import COLUMN
from runoff.tasks.text import FAMILIES
from runoff.tasks.text.commands import text

if TYPE_CHECKING:
    from pathlib import Path

# ------------------------------------------------------------------------ with a model


def test_eval_explain_compare_and_pick_take_raw_texts(folder: Path, tmp_path: Path) -> None:
    model, test = folder / "m.runoff", folder / "test.jsonl"
    judged = run("eval", model, test, "--metric", "wer,exact", "--picture", tmp_path / "e.svg")
    assert judged.exit_code == 0
    assert judged.stdout.count("minimum Bayes risk  ") == 2
    assert "not seen in training" not in judged.output
    assert run("explain", model, test, "--group", "u0").exit_code == 0
    assert run("compare", model, model, test, "--metric", "wer").exit_code == 0
    chosen = run("pick", model, test, "-o", tmp_path / "c.txt")
    assert chosen.exit_code == 0
    assert len((tmp_path / "c.txt").read_text().splitlines()) == 50


# ------------------------------------------------------------------------ describe


@pytest.mark.parametrize("task", [[], ["--task", "text"]])
def test_describe_shows_the_baselines(folder: Path, task: list[str]) -> None:
    done = run("describe", folder / "test.jsonl", "--metric", "wer,chrf", *task)
    assert done.stdout.count("minimum Bayes risk  ") == 2
    assert "chosen" not in done.stdout
    plain = json.loads(run("describe", folder / "test.jsonl", "--metric", "wer", "--json", *task).stdout)
    baselines = plain["baselines"][0]["baselines"]
    assert [each["name"] for each in baselines] == ["random", "shortest", "longest", "vote", "bayes-risk"]
    by_name = {each["name"]: each for each in baselines}
    assert by_name["vote"]["score"] == 0.0  # two of four hypotheses are always right
    assert by_name["vote"]["better"]


def test_describe_without_a_metric_says_what_is_missing(folder: Path) -> None:
    done = run("describe", folder / "test.jsonl")
    assert done.exit_code == 0
    assert "there are references, so give a metric" in done.stdout
    assert "minimum Bayes risk" not in done.stdout


# ------------------------------------------------------------------------ features


def test_features_for_any_learner(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "f.arrow"
    plain = run("features", folder / "train.jsonl", "-o", out, "--metric", "wer", "--families", "length", "--json")
    found = json.loads(plain.stdout)
    featurized = read(out)
    assert found["features"] == featurized.features.n_columns > 0
    assert found["families"] == ["length"]
    assert featurized.quality is not None
    # The features of a model are those by which it chooses.
    like = run("features", folder / "test.jsonl", "-o", out, "--like", folder / "m.runoff")
    assert like.exit_code == 0
    names = set(read(out).features.column_names().to_pylist())
    assert set(load(folder / "m.runoff").names.to_pylist()) - {COLUMN} <= names
    # Lists that have features are rows, unless they are called texts.
    again = train(out, tmp_path / "m.runoff", "--task", "text")
    assert again.exit_code == 1
    assert "already have a feature 'agree:" in again.stderr
    rows = train(out, tmp_path / "m.runoff", "--learner", "loglinear", "--set", "sigma=1")
    assert "task: rows (rows of features)" in rows.stderr
    assert rows.exit_code == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--set", "width=3"], "the featurizer of the task text has no setting 'width'"),
        (["--set", "folds=x"], "folds of TextSettings must be a whole number of at least 2; found 'x'."),
        (["--like", "{m}", "--families", "lm"], "--like already determines the features; leave out families"),
        (["--like", "{plain}"], "contains no featurizer; leave --like out"),
        (["--like", "{m}", "--keep", "{k}"], "leave one out"),
        (["--task", "rows"], "has rows of features: nothing to extract"),
    ],
)
def test_features_that_cannot_be_made(folder: Path, tmp_path: Path, options: list[str], said: str) -> None:
    LinearModel.of({"x": 1.0}).save(tmp_path / "plain.runoff")
    places = {"m": folder / "m.runoff", "plain": tmp_path / "plain.runoff", "k": tmp_path / "k.runoff"}
    given = [each.format(**places) for each in options]
    done = run("features", folder / "test.jsonl", "-o", tmp_path / "o.arrow", *given)
    assert done.exit_code == 2
    assert said in done.stderr
    assert not (tmp_path / "o.arrow").exists()


def test_features_need_an_output(folder: Path) -> None:
    assert run("features", folder / "train.jsonl", "--metric", "wer").exit_code == 2


# ------------------------------------------------------------------------ runoff text


def test_every_command_of_texts_has_an_example() -> None:
    for name in text.commands:
        assert f"runoff text {name}" in run("text", name, "--help").output.split("Example:")[1]


def test_families() -> None:
    table = run("text", "families").stdout
    assert all(f"\n{name} " in table for name in FAMILIES)
    plain = json.loads(run("text", "families", "--json").stdout)
    assert {each["name"]: each["usual"] for each in plain["families"]}["embedding"] is False


def test_pick_without_a_model_or_references(tmp_path: Path) -> None:
    candidates = ["a cat sat", "a cat", "a dog went off", "a cat"]
    data = write_records(tmp_path / "d.jsonl", [{"id": "q", "candidates": candidates}])
    chosen = {}
    for way in ("vote", "bayes-risk", "shortest", "longest"):
        done = run("text", "pick", "--by", way, data, "-o", tmp_path / "c.jsonl", "--metric", "wer")
        assert done.exit_code == 0, done.output
        chosen[way] = json.loads((tmp_path / "c.jsonl").read_text())
    assert {way: each["index"] for way, each in chosen.items()} == {
        "vote": 1,
        "bayes-risk": 1,
        "shortest": 1,
        "longest": 2,
    }
    assert (chosen["vote"]["score"], chosen["vote"]["probability"]) == (2.0, 0.5)
    # Edits from "a cat" to the four: 1, 0, 3 and 0; from "a cat sat": 0, 1, 3 and 1.
    assert chosen["bayes-risk"]["score"] == -1.0
    assert chosen["longest"]["score"] == 4.0
    facts = {"group", "index", "id", "text", "score", "probability", "first", "confidence", "abstained"}
    assert set(chosen["vote"]) == facts
    assert chosen["vote"]["confidence"] is None
    top = json.loads(run("text", "pick", "--by", "shortest", data, "--top", 3, "--json").stdout)
    assert [each["index"] for each in top["choices"]] == [1, 3, 0]
    assert top["changed"] == 1
    assert run("text", "pick", "--by", "vote", data, "-o", tmp_path / "c.txt").exit_code == 0
    assert (tmp_path / "c.txt").read_text() == "a cat\n"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--top", "0"], "--top must be at least 1; found 0."),
        (["-o", "c.csv"], "choices are written as .jsonl or .ndjson"),
        (["--metric", "ndcg"], "does not compare texts"),
    ],
)
def test_picks_that_cannot_be_made(folder: Path, options: list[str], said: str) -> None:
    done = run("text", "pick", "--by", "vote", folder / "test.jsonl", *options)
    assert done.exit_code == 2
    assert said in done.stderr


def test_real_lists_from_beginning_to_end(shared_data: Path, tmp_path: Path) -> None:
    source = next((shared_data / "speech").glob("*5best*"), None)
    if source is None:
        pytest.skip("there are no 5-best lists of speech in the real data")
    parts = [f"{tmp_path / name}=0.05" for name in ("train.jsonl", "test.jsonl")]
    assert run("split", source, *parts).exit_code == 0
    more = ("--families", "dense", "--recipes", "vote,loglinear")
    assert train(tmp_path / "train.jsonl", tmp_path / "m.runoff", *more).exit_code == 0
    judged = json.loads(run("eval", tmp_path / "m.runoff", tmp_path / "test.jsonl", "--json").stdout)
    (result,) = judged["results"]
    scores = [each["score"] for each in (*result["baselines"], result["first"], result["chosen"])]
    assert min(scores) >= result["oracle"]["score"]
