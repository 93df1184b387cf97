"""The perceptron on the command line: what it writes, what it says and what it draws."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from helpers.interrupts import ctrl_c_in
from runoff import Perceptron, load, read
from runoff.cli import main
from runoff.demo.sentences import lists
from runoff.learners.perceptron_run import PerceptronRun

if TYPE_CHECKING:
    from pathlib import Path

PNG = b"\x89PNG"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments], catch_exceptions=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Train, dev and test lists of texts with references."""
    where = tmp_path_factory.mktemp("lists")
    for seed, (name, size) in enumerate({"train": 80, "dev": 40, "test": 60}.items()):
        lines = (json.dumps(record) for record in lists(size, seed))
        (where / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    return where


def train(folder: Path, out: Path, *more: object) -> Result:
    command = ["train", folder / "train.jsonl", "--metric", "wer", "--learner", "perceptron", "-o", out]
    return run(*command, *more)


def test_a_model_is_written_and_everything_worth_knowing_is_said(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "m.runoff"
    done = train(folder, out, "--dev", folder / "dev.jsonl", "--set", "order=orum", "--set", "tau=auto")
    assert done.exit_code == 0, done.output
    model = load(out)
    provenance = model.provenance
    library = Perceptron("orum", metric="wer").fit(
        read(folder / "train.jsonl", metric="wer"), read(folder / "dev.jsonl", metric="wer")
    )
    assert model.weights.tobytes() == library.model.weights.tobytes()
    lines = dict(line.split(": ", 1) for line in done.stdout.splitlines() if ": " in line)
    assert lines["order and margin"] == "orum, uneven"
    assert float(lines["scale of the margins, tau"].replace(",", "")) == provenance["tau"]
    assert int(lines["epochs"]) == provenance["epochs"]
    assert int(lines["epochs tried"]) == provenance["epochs_tried"]
    assert lines["converged"] in ("yes", "no")
    dev = provenance["dev"]
    assert lines["dev"] == f"wer {dev['score']:.4g} (first round {dev['first_round']:.4g})"
    assert f"wrote {out}" in lines
    assert f"next: runoff eval {out} HELD_OUT_DATA" in done.stderr
    judged = json.loads(run("eval", out, folder / "test.jsonl", "--metric", "wer", "--json").stdout)["results"][0]
    assert judged["better"]
    assert judged["chosen"]["score"] < judged["first"]["score"]


def test_settings_reach_the_learner_and_json_has_the_whole_record(folder: Path, tmp_path: Path) -> None:
    settings = {
        "order": "gap",
        "margin": "even",
        "tau": 2.5,
        "top": 0.25,
        "bottom": 3,
        "update": "pair",
        "average": False,
        "epochs": 4,
        "slack": 0.5,
        "scale": "none",
        "base": False,
        "min_groups": 2,
        "shuffle": False,
    }
    pairs = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
    done = train(folder, tmp_path / "m.runoff", *pairs, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert {key: found["parameters"][key] for key in settings} == settings
    assert found["epochs"] == 4
    assert found["base_weight"] == 0
    assert found["order"] == "gap, even"


def test_voters_are_kept_and_explained(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "v.runoff"
    done = train(folder, out, "--set", "average=voted", "--set", "tau=10", "--set", "epochs=3")
    assert done.exit_code == 0, done.output
    votes = load(out).votes
    assert f"voted by {votes.n_voters:,} vectors" in done.stdout
    data = read(folder / "test.jsonl", metric="wer")
    picked = run("pick", out, folder / "test.jsonl", "--json")
    assert picked.exit_code == 0
    explained = run("explain", out, folder / "test.jsonl", "--group", data.group_ids[0].as_py())
    assert explained.exit_code == 0
    assert "votes" in explained.stdout
    assert run("eval", out, folder / "test.jsonl", "--metric", "wer").exit_code == 0


def test_folds_prove_it_first(folder: Path, tmp_path: Path) -> None:
    done = train(folder, tmp_path / "m.runoff", "--folds", "2", "--set", "tau=10", "--set", "epochs=3", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["folds"] is not None


def drawn_texts(picture: Path) -> list[str]:
    """What is written in an SVG, as matplotlib notes it beside the shapes of the letters."""
    return re.findall(r"<!-- (.*?) -->", picture.read_text())


def test_the_picture_shows_violated_pairs_and_the_dev_curve(folder: Path, tmp_path: Path) -> None:
    common = ["--dev", folder / "dev.jsonl", "--set", "tau=10"]
    for name in ("p.png", "p.svg"):
        done = train(folder, tmp_path / "m.runoff", *common, "--picture", tmp_path / name)
        assert done.exit_code == 0, done.output
    assert (tmp_path / "p.png").read_bytes().startswith(PNG)
    texts = drawn_texts(tmp_path / "p.svg")
    assert "violated pairs in training" in texts
    assert "wer on the dev data" in texts
    assert texts.count("epochs") == 2
    assert "rounds" not in texts
    epochs = load(tmp_path / "m.runoff").provenance["epochs"]
    assert any(f"{epochs:,} epoch" in text and "chosen" in text for text in texts)


@pytest.mark.parametrize("epochs", [1, 2, 3, 4])
def test_an_epoch_is_marked_once_in_a_picture_of_few(folder: Path, tmp_path: Path, epochs: int) -> None:
    picture = tmp_path / "few.svg"
    done = train(folder, tmp_path / "m.runoff", "--set", "tau=1000", "--set", f"epochs={epochs}", "--picture", picture)
    assert done.exit_code == 0, done.output
    marks = Counter(text for text in drawn_texts(picture) if re.fullmatch(r"[0-9]", text))
    # The axis begins at the first epoch, and no whole number stands there twice.
    assert marks["1"] == 1
    assert max(marks.values()) == 1


def test_a_picture_of_voters_and_of_a_training_that_converged(folder: Path, tmp_path: Path) -> None:
    for at, settings in enumerate((["average=voted", "tau=1", "epochs=3"], ["tau=0", "epochs=200", "update=pair"])):
        more = [part for each in settings for part in ("--set", each)]
        picture = tmp_path / f"{at}.svg"
        done = train(folder, tmp_path / "m.runoff", *more, "--dev", folder / "dev.jsonl", "--picture", picture)
        assert done.exit_code == 0, done.output
        assert "violated pairs in training" in drawn_texts(picture)


def test_learners_says_everything_about_it() -> None:
    assert re.search(r"^perceptron +Perceptron over", run("learners").stdout, re.MULTILINE)
    told = run("learners", "perceptron").stdout
    documented = told.split("Parameters\n")[1].split("Examples\n")[0]
    defaults = told.split("Defaults: ")[1]
    for name, value in Perceptron.parameters().items():
        assert re.search(rf"^(\w+, )*{name}(, \w+)*$", documented, re.MULTILINE), f"{name} is not described"
        assert f"{name}={value!r}" in defaults
    for word in ("best-vs-rest", "splitting", "gap", "ordinal", "insensitive", "orum", "mt", "even", "uneven", "Shen"):
        assert word in told
    assert json.loads(run("learners", "perceptron", "--json").stdout)["perceptron"]["order"] == "orum"


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("tau=-1", "tau of Perceptron must be a finite number of at least 0"),
        ("order=best", "order of Perceptron must be one of auto, best-vs-rest"),
        ("average=mean", 'average of Perceptron must be true, false or "voted"; found'),
        ("width=3", "Perceptron has no parameter 'width'"),
        ("order=mt", "the order mt, uneven requires no pair"),
        ("slack=1e200", "scores overflowed"),
    ],
)
def test_mistakes_are_answered_in_a_sentence(folder: Path, tmp_path: Path, setting: str, words: str) -> None:
    done = train(folder, tmp_path / "m.runoff", "--set", "epochs=2", "--set", "tau=1", "--set", setting)
    assert done.exit_code == (1 if setting in ("order=mt", "slack=1e200") else 2)  # the data's fault, or the user's
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 2  # the task, and the sentence
    assert not (tmp_path / "m.runoff").exists()


def test_ctrl_c_in_the_first_epoch_is_told_and_drawn(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(runs: list, *_: object, **__: object) -> bool:
        for each in runs:
            each.advance(3)
        return False

    monkeypatch.setattr(sys.modules[Perceptron._run.__module__], "run_all", interrupted)
    more = ["--dev", folder / "dev.jsonl", "--picture", tmp_path / "p.svg"]
    done = train(folder, tmp_path / "m.runoff", "--set", "tau=1", *more)
    assert done.exit_code == 0, done.output
    assert "interrupted" in done.stderr
    assert "None" not in done.stdout
    assert "epochs: 0\n" in done.stdout
    assert load(tmp_path / "m.runoff").provenance["finished"] is False


def test_ctrl_c_leaves_a_model(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ctrl_c_in(monkeypatch, PerceptronRun, "", steps=200)
    settings = ["tau=10000", "epochs=10000000", f"checkpoint={tmp_path / 'kept'}"]
    more = [part for each in settings for part in ("--set", each)]
    done = train(folder, tmp_path / "m.runoff", *more)
    assert done.exit_code == 0, done.output
    assert "interrupted: the model is from the last of the epochs so far." in done.stderr
    assert "rounds" not in done.stderr
    provenance = load(tmp_path / "m.runoff").provenance
    assert provenance["finished"] is False
    assert f"epochs: {provenance['epochs']:,}\n" in done.stdout
