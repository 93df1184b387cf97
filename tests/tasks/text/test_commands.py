"""Lists of plain texts as a person works with them: `train --task text` and the group `runoff text`."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from runoff import NBest, load, read, write
from runoff.cli import main
from runoff.features.first_choice import COLUMN

WORDS = ["so", "it", "is", "that", "we", "can", "see", "how", "the", "big", "red", "dog", "ran", "down", "old", "house"]
QUICK = ("--families", "position,length,repetition,agreement", "--recipes", "vote,loglinear")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments], catch_exceptions=False)


def lists(number: int, seed: int) -> list[dict]:
    """The first hypothesis often stutters; of the others most are right and one lacks a word."""
    rng = random.Random(seed)
    records = []
    for at in range(number):
        said = rng.sample(WORDS, 6)
        stutter = said[:2] + said[1:] if rng.random() < 0.7 else said
        candidates = [stutter, said, said[:-1], said]
        records.append(
            {"id": f"u{at}", "references": [" ".join(said)], "candidates": [{"text": " ".join(c)} for c in candidates]}
        )
    return records


def write_lines(path: Path, records: list[dict]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Train, dev and test lists, and a model for texts."""
    where = tmp_path_factory.mktemp("texts")
    for seed, (name, size) in enumerate({"train": 60, "dev": 40, "test": 50}.items()):
        write_lines(where / f"{name}.jsonl", lists(size, seed))
    done = train(where / "train.jsonl", where / "m.runoff", *QUICK)
    assert done.exit_code == 0, done.output
    return where


def train(data: Path, out: Path, *more: object) -> Result:
    return run("train", data, "--task", "text", "--metric", "wer", "-o", out, *more)


# ------------------------------------------------------------------------ training


def test_training_tells_what_was_tried_and_kept(folder: Path, tmp_path: Path) -> None:
    done = train(folder / "train.jsonl", tmp_path / "m.runoff", *QUICK, "--picture", tmp_path / "m.svg")
    assert "of 4 families (position, length, agreement, repetition) in " in done.stdout
    assert "2 recipes tried in " in done.stdout
    assert "recipe" in done.stdout
    assert "without threshold" in done.stdout
    assert "Gains are in wer, over the first round, on 5 folds of the training lists (60 lists)." in done.stdout
    assert "to take the first choice's place;" in done.stdout
    assert "of 60 held-out lists." in done.stdout
    assert "The best of several tries is flattered." in done.stdout
    assert "in turn, the gain is +" in done.stdout
    assert "next: runoff eval" in done.stderr
    assert "gain in wer" in (tmp_path / "m.svg").read_text()


def test_training_as_json(folder: Path, tmp_path: Path) -> None:
    done = train(folder / "train.jsonl", tmp_path / "m.runoff", *QUICK, "--json")
    found = json.loads(done.stdout)
    assert set(found["recipes"]) == {"vote", "loglinear"}
    assert set(found["seconds"]) == {"features", "training"}
    assert found["recipe"] in found["recipes"]
    assert found["output"] == str(tmp_path / "m.runoff")


def test_folds_prove_it_first_beside_the_rivals(folder: Path, tmp_path: Path) -> None:
    done = train(folder / "train.jsonl", tmp_path / "m.runoff", *QUICK, "--folds", 3)
    assert "minimum Bayes risk" in done.stdout
    assert "Every group was chosen by a model of the other 2 folds" in done.stdout
    assert done.stdout.index("minimum Bayes risk") < done.stdout.index("recipes tried")


def test_dev_data_judges_the_recipes(folder: Path, tmp_path: Path) -> None:
    done = train(folder / "train.jsonl", tmp_path / "m.runoff", *QUICK, "--dev", folder / "dev.jsonl")
    assert "on dev data (40 lists)" in done.stdout


def test_bold_takes_the_best_score(folder: Path, tmp_path: Path) -> None:
    done = train(folder / "train.jsonl", tmp_path / "m.runoff", *QUICK, "--bold")
    assert "It is bold: whatever has the best score takes the first choice's place." in done.stdout
    assert load(tmp_path / "m.runoff").provenance["parameters"]["careful"] is False


def test_where_nothing_gains_the_first_choice_stays(tmp_path: Path) -> None:
    right_first = [{"references": ["a b"], "candidates": [{"text": "a b"}, {"text": "a c"}]} for _ in range(20)]
    data = write_lines(tmp_path / "d.jsonl", right_first)
    done = train(data, tmp_path / "m.runoff", *QUICK)
    assert "Kept: none. Every first choice stays as it is." in done.stdout
    assert "flattered" not in done.stdout
    assert "warning: no gain over the first round is sure enough" in done.stderr
    judged = run("eval", tmp_path / "m.runoff", data, "--metric", "wer")
    assert "minimum Bayes risk" in judged.stdout
    assert "differs from the first round in 0." in judged.stdout
    like = run("text", "features", data, "--like", tmp_path / "m.runoff", "-o", tmp_path / "o.arrow")
    assert like.exit_code == 2
    assert "leaves every first choice alone and makes no features" in like.stderr


def test_orders_of_words_are_lists_or_one_number(folder: Path, tmp_path: Path) -> None:
    for given, kept in (("[1,2,3]", [1, 2, 3]), ("2", [2])):
        more = ("--families", "length,words", "--recipes", "loglinear", "--set", f"word_orders={given}")
        done = train(folder / "train.jsonl", tmp_path / "m.runoff", *more)
        assert done.exit_code == 0, done.output
        assert list(load(tmp_path / "m.runoff").provenance["parameters"]["word_orders"]) == kept


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--task", "text", "--learner", "boost"], "leave out --learner, or --task text"),
        (["--families", "length"], "--families belongs to --task text"),
        (["--recipes", "vote"], "--recipes belongs to --task text"),
        (["--bold"], "--bold belongs to --task text"),
        (["--task", "text", "--careful"], "--task text is careful by itself"),
        (["--careful"], "--careful needs held-out lists to see which lead pays; give --dev"),
        (["--task", "text", "--families", "length", "--set", "families=lm"], "families is given twice"),
        (["--task", "text", "--set", "width=3"], "TextReranker has no parameter 'width'"),
        (
            ["--task", "text", "--metric", "wer", "--set", "word_orders=x"],
            "word_orders of TextReranker must be a list, each a whole number from 1 to 8",
        ),
        (["--task", "text"], "say what a choice is judged by: --metric M. For texts there are: bleu, "),
        (["--task", "text", "--metric", "wr"], "there is no metric 'wr'; did you mean wer?"),
        (["--task", "text", "--metric", "wer", "--recipes", "nix"], "there is no recipe 'nix'"),
        (["--task", "text", "--metric", "wer", "--families", "nix"], "there is no feature family 'nix'"),
    ],
)
def test_options_that_cannot_work(folder: Path, tmp_path: Path, options: list[str], said: str) -> None:
    done = run("train", folder / "train.jsonl", "-o", tmp_path / "m.runoff", *options)
    assert done.exit_code == 2
    assert said in done.stderr
    assert not (tmp_path / "m.runoff").exists()


TWO = [{"text": "a"}, {"text": "b"}]


@pytest.mark.parametrize(
    ("records", "said"),
    [
        ([], "the file is empty"),
        ([{"references": ["a"], "candidates": TWO}], "one list is too little"),
        ([{"references": ["a"], "candidates": TWO[:1]}] * 9, "has a better and a worse candidate: nothing to learn"),
        ([{"references": ["a"], "candidates": [TWO[1]] * 3}] * 9, "has a better and a worse candidate"),
        ([{"references": [""], "candidates": [{"text": ""}] * 3}] * 9, "has a better and a worse candidate"),
        ([{"candidates": TWO}] * 9, "neither references nor quality"),
        ([{"candidates": [{"features": {"f": 1}, "quality": 1}] * 2}] * 9, "these candidates have none"),
        ([{"references": ["a"], "candidates": []}] * 3, "there are no candidates"),
    ],
)
def test_data_that_cannot_be_learned_from(tmp_path: Path, records: list[dict], said: str) -> None:
    done = train(write_lines(tmp_path / "d.jsonl", records), tmp_path / "m.runoff", *QUICK)
    assert done.exit_code in (1, 2)
    assert said in done.stderr
    assert not (tmp_path / "m.runoff").exists()


def test_empty_texts_are_texts(tmp_path: Path) -> None:
    blank = [{"references": ["x y"], "candidates": [{"text": ""}, {"text": "x y"}, {"text": " "}]}] * 12
    data = write_lines(tmp_path / "d.jsonl", blank)
    assert train(data, tmp_path / "m.runoff", *QUICK).exit_code == 0
    assert [choice.text for choice in load(tmp_path / "m.runoff").pick(read(data))] == ["x y"] * 12


def test_careful_with_another_learner(folder: Path, tmp_path: Path) -> None:
    for name in ("train", "dev"):
        made = run("text", "features", folder / f"{name}.jsonl", "--metric", "wer", "--families", "length,agreement")
        assert made.exit_code == 2  # no output named
        more = ("--metric", "wer", "--families", "length,agreement", "-o", tmp_path / f"{name}.arrow")
        assert run("text", "features", folder / f"{name}.jsonl", *more).exit_code == 0
    careful = (
        "train",
        tmp_path / "train.arrow",
        "--dev",
        tmp_path / "dev.arrow",
        "--careful",
        "-o",
        tmp_path / "m.runoff",
    )
    done = run(*careful, "--metric", "wer")
    assert done.exit_code == 0, done.output
    assert "Careful: " in done.stdout
    assert "of 40 dev lists." in done.stdout
    assert load(tmp_path / "m.runoff").provenance["threshold"]["switched"] > 0
    voted = run(*careful, "--learner", "perceptron", "--set", "average=voted", "--metric", "wer")
    assert voted.exit_code == 2
    assert "a model that votes has no lead to compare with a threshold" in voted.stderr


def test_careful_leaves_the_first_choice_where_the_learner_was_misled(tmp_path: Path) -> None:
    # On the dev data the feature points the wrong way: no lead pays there.
    def data(name: str, quality: list[int]) -> Path:
        lists_ = NBest.from_arrays([[0.0], [1.0]] * 30, quality=quality * 30, sizes=[2] * 30, feature_names=["x"])
        write(lists_, tmp_path / name)
        return tmp_path / name

    dev = data("dev.arrow", [1, 0])
    done = run(
        "train", data("train.arrow", [0, 1]), "--dev", dev, "--careful", "--set", "sigma=1", "-o", tmp_path / "m.runoff"
    )
    assert "Careful: no lead was sure to gain on the dev data" in done.stdout
    assert load(tmp_path / "m.runoff").pick(read(dev)).changed == 0


# ------------------------------------------------------------------------ with the model


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


def test_describe_with_a_task(folder: Path) -> None:
    done = run("describe", folder / "test.jsonl", "--metric", "wer", "--task", "text")
    assert "minimum Bayes risk" in done.stdout
    plain = json.loads(run("describe", folder / "test.jsonl", "--metric", "wer", "--task", "text", "--json").stdout)
    assert [each["name"] for each in plain["baselines"][0]["rivals"]][3:] == ["vote", "bayes-risk"]


# ------------------------------------------------------------------------ runoff text


def test_every_command_of_texts_has_an_example() -> None:
    from runoff.tasks.text.commands import text

    for name in text.commands:
        assert f"runoff text {name}" in run("text", name, "--help").output.split("Example:")[1]


def test_families() -> None:
    from runoff.tasks.text import FAMILIES

    table = run("text", "families").stdout
    assert all(f"\n{name} " in table for name in FAMILIES)
    plain = json.loads(run("text", "families", "--json").stdout)
    assert {each["name"]: each["usual"] for each in plain["families"]}["embedding"] is False


def test_features_for_any_learner(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "f.arrow"
    plain = run(
        "text", "features", folder / "train.jsonl", "-o", out, "--metric", "wer", "--families", "length", "--json"
    )
    found = json.loads(plain.stdout)
    made = read(out)
    assert found["features"] == made.features.n_columns > 0
    assert made.quality is not None
    # The features of a model are those by which it chooses.
    like = run("text", "features", folder / "test.jsonl", "-o", out, "--like", folder / "m.runoff")
    assert like.exit_code == 0
    names = set(read(out).features.column_names().to_pylist())
    assert set(load(folder / "m.runoff").names.to_pylist()) - {COLUMN} <= names
    again = train(out, tmp_path / "m.runoff")
    assert again.exit_code == 1
    assert "carry a feature" in again.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--set", "width=3"], "features of texts have no setting 'width'"),
        (["--set", "folds=x"], "folds of TextSettings must be a whole number of at least 2; found 'x'."),
        (["--like", "{m}", "--families", "lm"], "--like takes families and settings from the model"),
        (["--like", "{plain}"], "makes no features of texts; --like takes a model of `runoff train --task text`"),
    ],
)
def test_features_that_cannot_be_made(folder: Path, tmp_path: Path, options: list[str], said: str) -> None:
    from runoff import LinearModel

    LinearModel.of({"x": 1.0}).save(tmp_path / "plain.runoff")
    places = {"m": folder / "m.runoff", "plain": tmp_path / "plain.runoff"}
    given = [each.format(**places) for each in options]
    done = run("text", "features", folder / "test.jsonl", "-o", tmp_path / "o.arrow", *given)
    assert done.exit_code == 2
    assert said in done.stderr


def test_baselines(folder: Path) -> None:
    done = run("text", "baselines", folder / "test.jsonl", "--metric", "wer,chrf")
    assert done.stdout.count("minimum Bayes risk  ") == 2
    assert "chosen" not in done.stdout
    plain = json.loads(run("text", "baselines", folder / "test.jsonl", "--metric", "wer", "--json").stdout)
    by_name = {each["name"]: each for each in plain["results"][0]["rivals"]}
    assert by_name["vote"]["score"] == 0.0  # two of four hypotheses are always right
    assert by_name["vote"]["better"]
    unnamed = run("text", "baselines", folder / "test.jsonl")
    assert unnamed.exit_code == 2
    assert "--metric M. For texts there are" in unnamed.stderr


def test_pick_without_a_model_or_references(tmp_path: Path) -> None:
    candidates = ["a cat sat", "a cat", "a dog went off", "a cat"]
    data = write_lines(tmp_path / "d.jsonl", [{"id": "q", "candidates": candidates}])
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
    assert set(chosen["vote"]) == {"group", "index", "id", "text", "score", "probability", "first"}
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
    scores = [each["score"] for each in (*result["rivals"], result["first"], result["chosen"])]
    assert min(scores) >= result["oracle"]["score"]


def test_ctrl_c_while_features_are_made(folder: Path, tmp_path: Path) -> None:
    # A real signal from inside: it comes while this family is being made, wherever that is in time.
    script = (
        "import os, signal, sys, time\n"
        "import runoff.tasks.text.featurizer as module\n"
        "def slow(*_, **__):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    time.sleep(30)\n"
        "module.position = slow\n"
        "from runoff.cli import main\n"
        "main(sys.argv[1:])\n"
    )
    command = ["train", folder / "train.jsonl", "--task", "text", "--metric", "wer", "-o", tmp_path / "m.runoff"]
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, command)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 130
    assert done.stderr == "runoff: interrupted: no model was written.\n"
    assert not (tmp_path / "m.runoff").exists()
