"""`runoff answer index` and `runoff answer search` as a person uses them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from runoff.cli.main import main
from runoff.tasks.answers.retrieval import index_building

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments])


@pytest.fixture
def index(folder: Path) -> Path:
    path = folder.parent / "b.index"
    assert run("answer", "index", folder, "-o", path).exit_code == 0
    return path


def test_indexing_says_what_it_did(folder: Path) -> None:
    (folder / "a.png").write_bytes(b"\0")
    path = folder.parent / "b.index"
    done = run("answer", "index", folder, "-o", path)
    assert done.exit_code == 0
    assert done.stdout == f"{path}: 9 passages of 3 files: 3 added, 0 changed, 0 removed, 0 kept\n"
    assert done.stderr == "note: left out: 1 binary file, a.png\n"
    again = json.loads(run("answer", "index", folder, "-o", path, "--json").stdout)
    assert (again["kept"], again["passages"], again["notes"]) == (3, 9, ["left out: 1 binary file, a.png"])


def test_searching(index: Path) -> None:
    done = run("answer", "search", index, "Who built the Golden Gate Bridge?", "-k", 2)
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[0].startswith("1. ")
    assert lines[0].endswith("america.txt, line 1")
    assert lines[1] == "   The Golden Gate Bridge is red."
    assert len(lines) == 4
    found = json.loads(run("answer", "search", index, "1894", "--json").stdout)
    assert [hit["text"] for hit in found["hits"]] == ["It opened in 1894."]
    assert found["hits"][0]["file"] == "europe/tower.txt"


def test_boolean_searching(index: Path) -> None:
    done = run("answer", "search", index, "--boolean", '"golden gate" of the bridge', "-k", 1, "--json")
    assert [(hit["text"], hit["score"]) for hit in json.loads(done.stdout)["hits"]] == [
        ("The Golden Gate Bridge is red.", 2.0)
    ]


def test_finding_nothing_is_said(index: Path) -> None:
    done = run("answer", "search", index, "zebra")
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == "none of the 9 passages has any of these words.\n"


def test_mistakes_are_sentences(folder: Path, index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = run("answer", "search", index, "a", "--proximity", 3)
    assert (done.exit_code, done.stderr) == (2, "runoff: --proximity is for boolean queries; add --boolean.\n")
    done = run("answer", "search", folder / "asia.txt", "a")
    assert (done.exit_code, done.stderr.count("\n")) == (1, 1)
    assert "is not a Runoff index" in done.stderr
    done = run("answer", "index", folder, "-o", folder / "none" / "i")
    assert (done.exit_code, "there is no folder" in done.stderr) == (2, True)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(index_building, "passages_of_text", interrupted)
    done = run("answer", "index", folder, "-o", index, "--fresh")
    assert (done.exit_code, done.stderr) == (130, f"runoff: interrupted: {index} is as it was.\n")
