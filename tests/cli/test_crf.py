"""The conditional random field on the command line: rankings in LETOR's format, what is said and what is drawn."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from click.testing import CliRunner, Result

from runoff import CRF, load, read
from runoff.cli import main
from runoff.metrics import get

if TYPE_CHECKING:
    from pathlib import Path

LETOR = [f"ndcg-letor@{k}" for k in range(1, 11)]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments], catch_exceptions=False)


def train(data: Path, out: Path, *more: object, **settings: object) -> Result:
    pairs = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
    return run("train", data, "--learner", "crf", "-o", out, *pairs, *more)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Queries with three to twelve graded documents each, in LETOR's format."""
    where = tmp_path_factory.mktemp("letor")
    for seed, (name, queries) in enumerate({"train": 60, "vali": 30, "test": 40}.items()):
        rng, lines = np.random.default_rng(seed), []
        for query in range(queries):
            for _ in range(rng.integers(3, 13)):
                values = rng.normal(size=4)
                grade = int(np.digitize(values[0] - values[1] + rng.normal(), [0.8, 2.0]))
                told = " ".join(f"{at}:{value:.6f}" for at, value in enumerate(values, 1))
                lines.append(f"{grade} qid:{seed}{query:03} {told} #docid = d{len(lines)} inc = 1 prob = 0.5")
        (where / f"{name}.txt").write_text("\n".join(lines) + "\n")
    return where


def rows_of_table(text: str) -> dict[str, list[float]]:
    """First numbers of every line that begins with the name of a metric."""
    found = re.findall(r"^(ndcg-letor@\d+|map) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)", text, re.MULTILINE)
    return {name: [float(each) for each in numbers] for name, *numbers in found}


def check_evaluation(model: Path, test: Path) -> dict[str, list[float]]:
    """`runoff eval` prints NDCG@1-10 and MAP by LETOR's rules, equal to those of the library."""
    done = run("eval", model, test, "--metric", "ndcg-letor@1-10,map", "--resamples", 20, "--trials", 20)
    assert done.exit_code == 0, done.output
    table = rows_of_table(done.stdout)
    assert list(table) == [*LETOR, "map"]
    data, kept = read(test), load(model)
    for name, (_, chosen, _, _) in table.items():
        metric = get(name)
        assert chosen == pytest.approx(metric.score(metric.rows(data, kept.ranking(data)).sum(axis=0)), abs=6e-5)
    return table


def test_a_fold_of_letor(shared_data: Path, tmp_path: Path) -> None:
    folds = sorted(shared_data.glob("letor/*/Fold1"))
    if not folds:
        pytest.skip(f"no LETOR fold under {shared_data}")
    fold, out = folds[0], tmp_path / "m.runoff"
    settings = {"objective": "kl", "space": "permutations", "max_epochs": 8}
    done = train(fold / "train.txt.gz", out, "--dev", fold / "vali.txt.gz", "--metric", "ndcg", **settings)
    assert done.exit_code == 0, done.output
    provenance = load(out).provenance
    assert (
        len(provenance["chosen_on_dev"]) == 14
    )  # three temperatures and three rates; three more l2; two more documents
    assert f"dev: ndcg {provenance['dev']['score']:.4g}" in done.stdout
    table = check_evaluation(out, fold / "test.txt.gz")
    # Linear rankers reach 0.36 to 0.40 NDCG@1 and 0.47 to 0.48 @5 on the mean of the folds of MQ2008 (table 1).
    for name, (first, chosen, oracle, random) in table.items():
        assert max(first, random) + 0.05 < chosen < oracle, name


@pytest.mark.parametrize("objective", ["ml", "la", "ls", "el", "kl"])
def test_every_objective_ranks(folder: Path, tmp_path: Path, objective: str) -> None:
    out = tmp_path / "m.runoff"
    settings = {"objective": objective, "space": "permutations", "max_epochs": 4, "documents": 5}
    done = train(folder / "train.txt", out, "--dev", folder / "vali.txt", "--metric", "ndcg", **settings)
    assert done.exit_code == 0, done.output
    for first, chosen, *_ in check_evaluation(out, folder / "test.txt").values():
        assert chosen > first
    library = CRF(**settings, metric="ndcg").fit(read(folder / "train.txt"), read(folder / "vali.txt"))
    assert load(out).weights.tobytes() == library.model.weights.tobytes()
    provenance = load(out).provenance
    lines = dict(line.split(": ", 1) for line in done.stdout.splitlines() if ": " in line)
    assert int(lines["epochs"]) == provenance["epochs"]
    assert int(lines["groups left out (no pair to learn from)"]) == provenance["dropped_groups"]
    assert float(lines["loss on the training data"].replace(",", "")) == pytest.approx(provenance["loss"], rel=1e-3)


def test_settings_reach_the_learner_and_json_has_the_whole_record(folder: Path, tmp_path: Path) -> None:
    settings = {
        "objective": "la",
        "space": "permutations",
        "method": "adam",
        "loss_weight": 2.5,
        "rate": 0.02,
        "l2": 0.001,
        "documents": 7,
        "orders": "enumerate",
        "samples": 30,
        "gain": "2^r-1",
        "discount": "letor",
        "average": False,
        "epochs": 2,
        "scale": "none",
        "base": False,
        "min_groups": 2,
        "shuffle": False,
    }
    done = train(folder / "train.txt", tmp_path / "m.runoff", "--json", **settings)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert {key: found["parameters"][key] for key in settings} == settings
    assert (found["objective"], found["loss_weight"], found["rate"], found["l2"]) == ("la", 2.5, 0.02, 0.001)
    assert found["setting"] == "la, loss weight 2.5, rate 0.02, l2 0.001, 7 documents"
    assert found["epochs"] == 2


def test_lists_of_choices_are_json_and_what_was_chosen_is_said(folder: Path, tmp_path: Path) -> None:
    settings = {"space": "permutations", "objective": "la", "epochs": 2}
    several = {"loss_weight": "[1,3]", "rate": "[0.1,0.01]", "l2": "[0,0.1]", "documents": "[4,8]"}
    out = tmp_path / "m.runoff"
    done = train(folder / "train.txt", out, "--dev", folder / "vali.txt", "--metric", "ndcg", **settings, **several)
    assert done.exit_code == 0, done.output
    provenance = load(out).provenance
    assert provenance["parameters"]["documents"] == [4, 8]
    assert provenance["documents"] in (4, 8)
    assert len(provenance["chosen_on_dev"]) == 6  # two by two, and one more of each of the others
    chosen = [provenance[name] for name in ("loss_weight", "rate", "l2", "documents")]
    setting = "la, loss weight {!r}, rate {!r}, l2 {!r}, {} doc".format(*chosen)
    assert f"objective and settings: {setting}" in done.stdout
    assert f"best on dev: {setting}uments, 2 epochs, ndcg {provenance['dev']['score']:.4g}, of 6 tried" in done.stdout
    assert "note:" not in done.stderr


@pytest.mark.parametrize("learner", ["crf", "adarank"])
def test_learners_of_whole_rankings_choose_by_the_usual_metric_unless_another_is_named(
    folder: Path, tmp_path: Path, learner: str
) -> None:
    assert read(folder / "train.txt").metric.startswith("map")  # what LETOR's data is judged by
    given = ["--learner", learner, "--dev", folder / "vali.txt", "-o", tmp_path / "m"]
    if learner == "crf":
        given += ["--set", "space=permutations", "--set", "rate=0.1", "--set", "temperature=1", "--set", "max_epochs=2"]
    for more, name in (([], "map"), (["--metric", "ndcg-letor@5"], "ndcg-letor@5")):
        assert run("train", folder / "train.txt", *given, *more).exit_code == 0
        assert load(tmp_path / "m").provenance["dev"]["metric"].split("|")[0] == name
    candidates = train(folder / "train.txt", tmp_path / "m", "--dev", folder / "vali.txt", temperature=1, l2=0.1)
    assert candidates.exit_code == 0
    assert load(tmp_path / "m").provenance["dev"]["metric"].split("|")[0] == "map"


def test_what_is_said_of_steps_epochs_and_convergence_is_what_there_was(folder: Path, tmp_path: Path) -> None:
    given = {"temperature": 1, "l2": 0.01}
    batch = train(folder / "train.txt", tmp_path / "m", **given)
    provenance = load(tmp_path / "m").provenance
    assert provenance["steps"] > 1
    assert f"steps: {provenance['steps']}\n" in batch.stdout
    assert "converged: yes\n" in batch.stdout
    assert "epoch" not in batch.stdout
    steps = train(folder / "train.txt", tmp_path / "m", **given, method="sgd", rate=0.1, epochs=2)
    assert "epochs: 2\n" in steps.stdout
    assert "converged" not in steps.stdout
    assert "converged" not in load(tmp_path / "m").provenance
    several = train(folder / "train.txt", tmp_path / "m", **{**given, "l2": "[0.01,0.1]"})
    assert re.search(r"best by folds: kl, temperature 1.0, l2 \S+, map [\d.]+, of 2 tried", several.stdout)


def test_what_was_given_and_changes_nothing_is_said(folder: Path, tmp_path: Path) -> None:
    done = train(folder / "train.txt", tmp_path / "m", temperature=1, l2=0.01, rate=0.1, documents=6)
    assert "note: they have no effect with kl by lbfgs over candidates: rate, documents.\n" in done.stderr


def test_ls_by_samples_is_said_to_be_an_estimate(folder: Path, tmp_path: Path) -> None:
    settings = {"space": "permutations", "objective": "ls", "documents": 9, "samples": 30, "rate": 0.1, "epochs": 1}
    done = train(folder / "train.txt", tmp_path / "m.runoff", **settings, l2=0)
    assert done.exit_code == 0, done.output
    assert "note: LS has no closed form over the orders of 9 documents: every step is an estimate" in done.stderr


def test_folds_prove_it_first(folder: Path, tmp_path: Path) -> None:
    given = {"temperature": 1, "l2": 0.01, "epochs": 1}
    done = train(folder / "train.txt", tmp_path / "m.runoff", "--folds", "3", "--metric", "ndcg", "--json", **given)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["folds"]["results"][0]["better"]
    assert found["loss_unit"] > 0


def drawn_texts(picture: Path) -> list[str]:
    """What is written in an SVG, as matplotlib notes it beside the shapes of the letters."""
    return re.findall(r"<!-- (.*?) -->", picture.read_text())


def test_the_picture_shows_the_loss_and_the_dev_curve(folder: Path, tmp_path: Path) -> None:
    picture, given = tmp_path / "p.svg", {"space": "permutations", "max_epochs": 5, "temperature": 1}
    more = ["--dev", folder / "vali.txt", "--metric", "ndcg", "--picture", picture]
    done = train(folder / "train.txt", tmp_path / "m.runoff", *more, **given)
    assert done.exit_code == 0, done.output
    texts = drawn_texts(picture)
    assert "loss on the training data" in texts
    assert "ndcg on the dev data" in texts
    assert texts.count("epochs") == 2
    epochs = load(tmp_path / "m.runoff").provenance["epochs"]
    assert any(f"{epochs:,} epoch" in text and "chosen" in text for text in texts)


def test_the_picture_of_lbfgs_shows_something(folder: Path, tmp_path: Path) -> None:
    image = pytest.importorskip("matplotlib.image")
    picture = tmp_path / "p.png"
    given = {"temperature": 1, "l2": 0.01, "epochs": 1}
    assert train(folder / "train.txt", tmp_path / "m.runoff", "--picture", picture, **given).exit_code == 0
    pixels = image.imread(picture)[..., :3]
    colourful = pixels.max(axis=2) - pixels.min(axis=2) > 0.1  # text and axes are grey
    assert colourful.sum() > 30


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"objective": "svm"}, "objective of CRF must be one of ml, la, ls, el, kl"),
        ({"temperature": -1}, "temperature of CRF must be a positive finite number"),
        ({"space": "permutations", "documents": 17}, "can take up to 16 documents; found documents=17"),
        ({"space": "permutations", "orders": "enumerate", "documents": 8}, "can take up to 7 documents"),
        ({"space": "permutations", "method": "lbfgs"}, "whole rankings are learned step by step"),
        ({"width": 3}, "CRF has no parameter 'width'"),
    ],
    ids=str,
)
def test_mistakes_are_answered_in_a_sentence(
    folder: Path, tmp_path: Path, settings: dict[str, object], words: str
) -> None:
    done = train(folder / "train.txt", tmp_path / "m.runoff", **settings)
    assert done.exit_code == 2
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 2  # the task, and the sentence
    assert not (tmp_path / "m.runoff").exists()


def test_learners_says_everything_about_it() -> None:
    assert re.search(r"^crf +Conditional random field", run("learners").stdout, re.MULTILINE)
    told = run("learners", "crf").stdout
    documented = told.split("Parameters\n")[1].split("Examples\n")[0]
    defaults = told.split("Defaults: ")[1]
    for name, value in CRF.parameters().items():
        assert re.search(rf"^(\w+, )*{name}(, \w+)*$", documented, re.MULTILINE), f"{name} is not described"
        assert f"{name}={value!r}" in defaults
    for word in ("ml", "la", "ls", "el", "kl", "candidates", "permutations", "lbfgs", "sgd", "adam", "2^r-1", "letor"):
        assert f'"{word}"' in documented
