"""`runoff margins` as a person runs it."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from runoff import LinearModel, load, read
from runoff.cli import main
from runoff.report import margins


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["margins", *map(str, arguments)], catch_exceptions=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model, train and dev lists with quality, and others that have references alone."""
    where = tmp_path_factory.mktemp("margins")
    rng = np.random.default_rng(0)

    def record(known: bool) -> dict[str, object]:
        told = [{"text": word, "features": {"x": float(rng.normal())}} for word in ("a b", "a c", "d")]
        if known:
            return {"candidates": [{**each, "quality": place} for place, each in enumerate(told)]}
        return {"candidates": told, "references": ["a b"]}

    (where / "deep").mkdir()
    for name, known in {"train": True, "dev": True, "deep/dev": True, "refs": False}.items():
        (where / f"{name}.jsonl").write_text("\n".join(json.dumps(record(known)) for _ in range(30)))
    LinearModel.of({"x": 1.0}).save(where / "m.runoff")
    return where


def test_margins_agree_with_the_library(folder: Path) -> None:
    done = run(folder / "m.runoff", folder / "train.jsonl", folder / "dev.jsonl", "--json")
    assert done.exit_code == 0
    sets = {f"{name}.jsonl": read(folder / f"{name}.jsonl") for name in ("train", "dev")}
    assert json.loads(done.stdout) == margins(load(folder / "m.runoff"), sets).to_dict()
    text = run(folder / "m.runoff", folder / "train.jsonl", folder / "dev.jsonl").stdout
    assert text == f"{margins(load(folder / 'm.runoff'), sets)}\n"


def test_files_of_the_same_name_are_told_apart_by_their_paths(folder: Path) -> None:
    files = folder / "dev.jsonl", folder / "deep" / "dev.jsonl", folder / "train.jsonl"
    found = json.loads(run(folder / "m.runoff", *files, "--json").stdout)
    assert [each["name"] for each in found["sets"]] == [str(files[0]), str(files[1]), "train.jsonl"]


def test_references_and_a_metric_say_what_is_better(folder: Path) -> None:
    done = run(folder / "m.runoff", folder / "refs.jsonl", "--metric", "wer", "--json")
    only = json.loads(done.stdout)["sets"][0]
    assert only["metric"] == "wer"
    # "a b" has no error, "a c" one and "d" two: three pairs in each of 30 groups.
    assert sum(only["pairs"].values()) == 90
    assert run(folder / "m.runoff", folder / "refs.jsonl").exit_code == 1


def test_a_picture_is_drawn(folder: Path, tmp_path: Path) -> None:
    done = run(folder / "m.runoff", folder / "train.jsonl", folder / "dev.jsonl", "--picture", tmp_path / "m.svg")
    assert done.exit_code == 0
    assert "right in dev.jsonl" in (tmp_path / "m.svg").read_text()


def test_mistakes_get_a_sentence(folder: Path, tmp_path: Path) -> None:
    model, train, dev = folder / "m.runoff", folder / "train.jsonl", folder / "dev.jsonl"
    cases = [
        ((model,), 2, "Missing argument 'DATA...'"),
        ((model, train, train), 2, "train.jsonl is named twice"),
        ((model, train, dev, "--references", dev), 2, "--references belongs to one DATA and there are several"),
        ((model, train, "--metric", "wer,exact"), 2, "give one of: wer, exact"),
        ((model, train, "--picture", train), 2, "named twice, as an output and as an input"),
        ((model, train, "--picture", tmp_path / "m.jpeg"), 2, ".png, .svg or .pdf"),
        ((model, folder / "nothing.jsonl"), 1, "nothing.jsonl"),
        ((train, dev), 1, "train.jsonl"),
    ]
    for arguments, code, sentence in cases:
        done = run(*arguments)
        assert (done.exit_code, done.stdout) == (code, ""), arguments
        assert sentence in done.stderr
        assert "Traceback" not in done.stderr


def test_help_has_an_example() -> None:
    done = run("--help")
    assert "runoff margins model.runoff train.jsonl dev.jsonl" in done.stdout.split("Example:")[1]
