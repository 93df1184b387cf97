"""`runoff view` and `runoff report` as commands."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from runoff.cli import main
from runoff.model import LinearModel

if TYPE_CHECKING:
    from pathlib import Path

view, demo = (importlib.import_module(f"runoff.cli.{name}") for name in ("view", "demo"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    candidates = '[{"text": "a", "features": {"lm": 0}}, {"text": "b", "features": {"lm": 1}}]'
    line = f'{{"reference": "b", "candidates": {candidates}}}\n'
    (tmp_path / "lists.jsonl").write_text(line * 5)
    LinearModel.of({"lm": 1.0}).save(tmp_path / "m.runoff")
    return tmp_path


def run(*arguments: object) -> str:
    return CliRunner().invoke(main, [*map(str, arguments)]).output


def test_a_report_of_a_model_and_one_of_lists(folder: Path) -> None:
    quick = ("--resamples", 10, "--trials", 10, "--metric", "wer")
    said = run("report", folder / "m.runoff", folder / "lists.jsonl", "-o", folder / "r.html", *quick)
    assert f"wrote {folder / 'r.html'}" in said
    assert '"better":5' in (folder / "r.html").read_text()
    run("report", folder / "lists.jsonl", "-o", folder / "bare.html", *quick)
    assert '"model":null' in (folder / "bare.html").read_text()


def test_a_report_needs_no_further_packages(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in sys.modules if each.startswith(("fastapi", "runoff.server"))]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("fastapi", "uvicorn", "prometheus_client"):
        monkeypatch.setitem(sys.modules, name, None)
    assert "wrote" in run("report", folder / "lists.jsonl", "-o", folder / "r.html")
    assert "There are references: name a metric" in (folder / "r.html").read_text()
    assert "pip install 'runoff[view]'" in run("view", folder / "lists.jsonl")


def test_two_models_are_compared(folder: Path) -> None:
    LinearModel.of({"lm": -1.0}).save(folder / "old.runoff")
    quick = ("--resamples", 10, "--trials", 10, "--metric", "wer", "--compare", folder / "old.runoff")
    run("report", folder / "m.runoff", folder / "lists.jsonl", "-o", folder / "r.html", *quick)
    assert '"name":"old.runoff"' in (folder / "r.html").read_text()
    found = run("view", folder / "lists.jsonl", "--compare", folder / "old.runoff")
    assert "a second model beside the first" in found


def test_very_many_lists_are_resampled_less_unless_asked_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view, "_MANY", 4)
    model, lists, out = folder / "m.runoff", folder / "lists.jsonl", folder / "r.html"
    run("report", model, lists, "-o", out, "--metric", "wer")
    assert "from 200 resamples and p from 1,000 trials" in out.read_text()
    run("report", model, lists, "-o", out, "--metric", "wer", "--trials", 10)
    assert "resamples and p" not in out.read_text()


def test_the_demo_opens_the_viewer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []
    monkeypatch.setattr(demo, "show", lambda study, port, opens: shown.append((study, port, opens)))
    said = run("demo", "-o", tmp_path / "d", "--view")
    assert f"runoff view {tmp_path / 'd'}/model.runoff {tmp_path / 'd'}/test.jsonl" in said
    ((study, port, opens),) = shown
    assert (len(study.data), port, opens) == (500, 0, True)


def test_mistakes_are_said(folder: Path) -> None:
    lists = folder / "lists.jsonl"
    assert "found 3 files" in run("report", lists, lists, lists, "-o", folder / "r.html")
    assert "named twice" in run("report", lists, "-o", lists)
    LinearModel.of({"other": 1.0}).save(folder / "m.runoff")
    assert "the model knows none of the features" in run("report", folder / "m.runoff", lists, "-o", folder / "r.html")
