"""`runoff reproduce` as a person types it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from click.testing import CliRunner, Result

from runoff.cli import main

if TYPE_CHECKING:
    from pathlib import Path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["reproduce", *map(str, arguments)])


def test_the_list_says_what_each_needs_and_how_long_it_takes() -> None:
    found = json.loads(run("--list", "--json").stdout)
    assert len(found) == 7
    assert all({"citation", "needs", "takes"} == set(about) for about in found.values())
    told = run("--list").stdout
    for name, about in found.items():
        assert name in told
        assert about["needs"] in told


def test_mistakes_are_answered_by_a_sentence(tmp_path: Path) -> None:
    for arguments, words in (
        ((), "name a paper: collins-koo-2005"),
        (("volkovs",), "did you mean volkovs-2011?"),
        (("volkovs-2011",), "give either --data FOLDER or --quick"),
        (("volkovs-2011", "--quick", "--data", tmp_path), "give either --data FOLDER or --quick"),
    ):
        done = run(*arguments)
        assert done.exit_code == 2
        assert words in done.stderr
    for name in ("collins-koo-2005", "marquez-2005-tagging", "espana-bonet-comas-2012", "volkovs-2011"):
        done = run(name, "--data", tmp_path, "-o", tmp_path / "out")
        assert done.exit_code == 1
        assert "expected" in done.stderr
        assert "Traceback" not in done.stderr
    done = run("volkovs-2011", "--data", tmp_path / "nowhere")
    assert done.exit_code == 1
    assert "expected a folder; volkovs-2011 needs one or more LETOR collections" in done.stderr
