"""What tools for speech, translation and retrieval write is described, learned from and converted without a script."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import numpy as np
import pytest

import runoff
from helpers.pages import Page, said_by
from helpers.tool_files import FIXTURES, TOOLS, metric, options
from runoff.formats import recognise

if TYPE_CHECKING:
    from pathlib import Path

EACH = pytest.mark.parametrize(("format_", "source"), TOOLS.values(), ids=TOOLS)


@pytest.fixture(autouse=True)
def _in_the_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FIXTURES)


@EACH
def test_recognised_and_described(format_: str, source: list[str]) -> None:
    assert recognise(source[0]).name == format_
    said = said_by("describe", *source, *metric(source))
    assert "oracle" in said


@EACH
def test_learned_from(format_: str, source: list[str], tmp_path: Path) -> None:
    learner = ["--learner", "loglinear"]
    if len(runoff.read(source[0], format_, **options(source))) == 1:
        pytest.skip("one list is described, but too little to learn from")
    said_by("train", *source, *metric(source), *learner, "-o", str(tmp_path / "model"))
    assert "chosen" in said_by("eval", str(tmp_path / "model"), *source)
    said_by("pick", str(tmp_path / "model"), *source, "-o", str(tmp_path / "chosen.jsonl"))


@EACH
def test_converted_and_read_again(format_: str, source: list[str], tmp_path: Path) -> None:
    data = runoff.read(source[0], format_, **options(source))
    for ending in ("jsonl", "parquet"):
        said_by("convert", *source, str(tmp_path / f"lists.{ending}")) if len(source) == 1 else said_by(
            "convert", source[0], str(tmp_path / f"lists.{ending}"), *source[1:]
        )
        again = runoff.read(tmp_path / f"lists.{ending}")
        for part in ("group_ids", "texts", "candidate_ids", "inputs", "references"):
            ours, theirs = getattr(data, part), getattr(again, part)
            assert (ours is None) == (theirs is None)
            assert ours is None or ours.to_pylist() == theirs.to_pylist()
        for part in ("base", "quality"):
            ours, theirs = getattr(data, part), getattr(again, part)
            assert (ours is None) == (theirs is None)
            assert ours is None or np.array_equal(ours, theirs)
        names, others = (each.features.column_names().to_pylist() for each in (data, again))
        order = [others.index(name) for name in names]
        assert np.array_equal(data.features.to_scipy().toarray(), again.features.to_scipy().toarray()[:, order])


def section(heading: str) -> str:
    return Page("formats.md").text.partition(f"## {heading}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("heading", ["What tools write", "What language models write"])
def test_the_commands_of_the_page_work_as_pasted(heading: str) -> None:
    commands = re.findall(r"`runoff (describe [^`]+)`", section(heading))
    assert len(commands) >= 10
    for command in commands:
        assert "oracle" in said_by(*command.split())


def test_every_tool_has_a_command() -> None:
    page = section("What tools write") + section("What language models write") + section("Records")
    told = set(re.findall(r"runoff describe ([^\s`]+)", page))
    assert {name for name, _ in TOOLS.values()} <= {recognise(place).name for place in told}


def test_the_commands_for_records_work_as_pasted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "language").symlink_to(FIXTURES / "language")
    monkeypatch.chdir(tmp_path)
    commands = section("Records").partition("```sh\n")[2].partition("```")[0].splitlines()
    assert len(commands) == 6
    for command in commands:
        assert said_by(*shlex.split(command)[1:]).strip()
    assert (tmp_path / "by-id.runoff").exists()
