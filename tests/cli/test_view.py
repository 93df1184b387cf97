"""`runoff view` and `runoff report` as commands."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from runoff.cli import main
from runoff.model import LinearModel

if TYPE_CHECKING:
    from pathlib import Path


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


def test_mistakes_are_said(folder: Path) -> None:
    lists = folder / "lists.jsonl"
    assert "found 3 files" in run("report", lists, lists, lists, "-o", folder / "r.html")
    assert "named twice" in run("report", lists, "-o", lists)
    LinearModel.of({"other": 1.0}).save(folder / "m.runoff")
    assert "the model knows none of the features" in run("report", folder / "m.runoff", lists, "-o", folder / "r.html")
