"""`runoff tag …` as a person runs it, on a synthetic newspaper."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

import runoff
from helpers.little_grammar import no_pictures
from runoff.cli import main
from runoff.tasks.tagging import evaluate_tags, read_corpus, write_corpus
from runoff.tasks.tagging.demo.newspaper import newspaper
from runoff.tasks.tagging.demo.run import TEMPLATES
from runoff.tasks.tagging.demo.run import run as run_demo

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["tag", *map(str, arguments)], catch_exceptions=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A newspaper for training and one for testing, and a tagger."""
    where = tmp_path_factory.mktemp("tag")
    write_corpus(newspaper(40, 0), where / "train.conll")
    write_corpus(newspaper(10, 1), where / "test.conll")
    (where / "templates.txt").write_text(TEMPLATES)
    found = run("train", where / "train.conll", "--templates", where / "templates.txt", "-o", where / "tagger.runoff")
    assert found.exit_code == 0, found.output
    return where


def test_a_tagger_labels_and_is_judged_like_conlleval(folder: Path) -> None:
    found = run("label", folder / "tagger.runoff", folder / "test.conll", "-o", folder / "labelled.conll")
    assert found.exit_code == 0, found.output
    labelled = read_corpus(folder / "labelled.conll", columns="word,tag,predicted")
    judged = run("eval", folder / "test.conll", folder / "labelled.conll", "--json")
    assert judged.exit_code == 0, judged.output
    expected = evaluate_tags(labelled, "predicted")
    assert json.loads(judged.stdout) == json.loads(json.dumps(expected.to_dict()))
    columns = run("eval", folder / "labelled.conll")
    assert columns.stdout.splitlines()[:2] == expected.conlleval().splitlines()[:2]


def test_lists_of_taggings_are_lists_like_any_other(folder: Path, tmp_path: Path) -> None:
    found = run("nbest", folder / "tagger.runoff", folder / "test.conll", "-k", 3, "-o", tmp_path / "lists.jsonl.gz")
    assert found.exit_code == 0, found.output
    lists = runoff.read(tmp_path / "lists.jsonl.gz")
    assert runoff.tasks.recognise(lists).name == "tagging"
    assert lists.metric == "conlleval"
    assert set(lists.sizes.tolist()) == {3}
    first = lists.texts.take(lists.offsets[:-1]).to_pylist()
    how = ["--decoding", "best", "-o", tmp_path / "best.conll"]
    assert run("label", folder / "tagger.runoff", folder / "test.conll", *how).exit_code == 0
    best = read_corpus(tmp_path / "best.conll", columns="word,gold,tag")
    assert " ".join(first) == " ".join(best["tag"].texts())


def test_the_pipeline_finds_what_the_article_tells(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_pictures(monkeypatch)
    write_corpus(newspaper(150, 2), tmp_path / "long.conll")
    how = [
        "--templates",
        folder / "templates.txt",
        "--learner",
        "crf",
        "--folds",
        3,
        "-k",
        5,
        "--test",
        0.3,
        "--families",
        "document",
    ]
    found = run("pipeline", tmp_path / "long.conll", "-o", tmp_path / "out", "--rerankers", "loglinear", *how)
    assert found.exit_code == 0, found.output
    result = json.loads((tmp_path / "out" / "result.json").read_text())
    scores = result["test"]["results"][0]
    assert scores["chosen"]["score"] > scores["first"]["score"]
    again = run("pipeline", tmp_path / "long.conll", "-o", tmp_path / "out", "--rerankers", "loglinear", *how)
    assert again.stdout == found.stdout
    assert again.stderr.count(" up to date\n") == 11


@pytest.mark.parametrize("leaves_a_tagger", [False, True])
def test_an_interrupted_jackknife_resumes_with_the_same_lists(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, leaves_a_tagger: bool
) -> None:
    from runoff.tasks.tagging.tagger_settings import TaggerSettings

    how = ["--templates", folder / "templates.txt", "--folds", 3, "-k", 3]
    run("jackknife", folder / "test.conll", "-o", tmp_path / "whole.jsonl", *how)
    real, calls = TaggerSettings.train, []

    def stops(self: TaggerSettings, *given: object, **more: object) -> object:
        calls.append(given)
        made = real(self, *given, **more)
        if len(calls) == 2:
            if not leaves_a_tagger:
                raise KeyboardInterrupt
            made.provenance["finished"] = False  # as after a first Ctrl-C, which ends a training after its step
        return made

    monkeypatch.setattr(TaggerSettings, "train", stops)
    stopped = run("jackknife", folder / "test.conll", "-o", tmp_path / "parts.jsonl", *how)
    assert stopped.exit_code == 130
    assert "the same command resumes" in stopped.stderr
    resumed = run("jackknife", folder / "test.conll", "-o", tmp_path / "parts.jsonl", *how)
    assert resumed.exit_code == 0, resumed.output
    assert len(calls) == 4  # the first fold was kept
    assert (tmp_path / "parts.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix == ".arrow") == []


def test_a_training_that_was_interrupted_says_so(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from runoff.learners.chain_crf import ChainCRFRun

    def stops(_: ChainCRFRun, real: Callable[..., object] = ChainCRFRun.step) -> object:
        signal.raise_signal(signal.SIGINT)
        return real(_)

    monkeypatch.setattr(ChainCRFRun, "step", stops)
    how = ["--templates", folder / "templates.txt", "--learner", "crf"]
    found = run("train", folder / "train.conll", "-o", tmp_path / "some.runoff", *how)
    assert found.exit_code == 0, found.output
    assert "note: the training was interrupted: the tagger is from the steps so far.\nwrote" in found.stderr


def test_a_recipe_does_without_a_column_unless_one_has_no_name(tmp_path: Path) -> None:
    (tmp_path / "two.conll").write_text("Ann\tB-PER\nruns\tO\n\nBob\tB-PER\n")
    found = run("train", tmp_path / "two.conll", "--recipe", "chunks", "-o", tmp_path / "two.runoff")
    assert found.exit_code == 0, found.output
    assert "templates were left out: the sentences have no column 'pos'." in found.stderr
    assert run("label", tmp_path / "two.runoff", tmp_path / "two.conll").stdout.startswith("Ann B-PER B-PER\n")
    (tmp_path / "three.conll").write_text("Ann\tNNP\tB-PER\nruns\tVBZ\tO\n\nBob\tNNP\tB-PER\n")
    found = run("train", tmp_path / "three.conll", "--recipe", "chunks", "-o", tmp_path / "three.runoff")
    assert found.exit_code == 2
    assert "they have: word, 2, tag. Name the columns of the file in their order" in found.stderr


@pytest.mark.parametrize("learner", ["perceptron", "crf", "greedy", "trees"])
def test_a_single_tag(folder: Path, tmp_path: Path, learner: str) -> None:
    (tmp_path / "one.conll").write_text("a\tX\nb\tX\n\nc\tX\n")
    how = ["--templates", folder / "templates.txt", "--learner", learner]
    found = run("train", tmp_path / "one.conll", "-o", tmp_path / "one.runoff", *how)
    if learner == "trees":
        assert found.exit_code == 1
        assert "all tokens have the tag 'X', and boosted trees need two to tell apart." in found.stderr
        return
    assert found.exit_code == 0, found.output
    assert run("label", tmp_path / "one.runoff", tmp_path / "one.conll").stdout == "a X X\nb X X\n\nc X X\n\n"


@pytest.mark.slow
def test_the_demo_gains_what_was_planted(tmp_path: Path) -> None:
    found = run_demo(tmp_path / "demo", 0, say=lambda _: None)
    scores = found["test"]["results"][0]
    assert scores["gain"]["low"] > 5


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["train", "{}/train.conll", "-o", "{}/x", "--recipe", "verbs"], "there is no recipe 'verbs'"),
        (["train", "{}/train.conll", "-o", "{}/x", "--learner", "svm"], "there is no learner 'svm' for tags"),
        (["train", "{}/train.conll", "-o", "{}/x", "--tag", "chunk"], "there is no column of tags 'chunk'"),
        (["train", "{}/train.conll", "-o", "{}/x", "--set", "epoch=3"], "no parameter 'epoch'"),
        (["label", "{}/templates.txt", "{}/test.conll"], "templates.txt"),
        (
            ["nbest", "{}/tagger.runoff", "{}/test.conll", "-o", "{}/x.jsonl", "--tag", "chunk"],
            "test.conll: there is no column of tags 'chunk': the columns are word, tag.",
        ),
        (["eval", "{}/test.conll"], "at least three columns"),
        (["jackknife", "{}/test.conll", "-o", "{}/x.jsonl", "--folds", "50"], "expected 2 to"),
        (["pipeline", "{}/train.conll", "-o", "{}/y", "--test", "nowhere"], "neither a share"),
    ],
)
def test_mistakes_are_said_in_a_sentence(folder: Path, arguments: list[str], said: str) -> None:
    found = run(*(each.format(folder) for each in arguments))
    assert found.exit_code in (1, 2), found.output
    assert said in found.stderr
    assert "Traceback" not in found.stderr
