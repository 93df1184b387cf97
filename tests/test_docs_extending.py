"""docs/extending.md, kept true: one file outside the package adds a format, a metric and a learner."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

from helpers.pages import Page

if TYPE_CHECKING:
    from pathlib import Path

PAGE = Page("extending.md")
# All commands in one process: starting Python for each would take longer than the rest.
RUN = """
import json, sys
from click.testing import CliRunner
from runoff.cli import main
found = []
for arguments in json.loads(sys.argv[1]):
    done = CliRunner().invoke(main, arguments)
    found.append([done.exit_code, done.output])
print(json.dumps(found))
"""
LISTS = "@list A dog sat\na dog sat\t0.5\nA dog sat\t0.1\n\n@list The end\nthe end\t0.9\nThe end\t0.7\nthe\t0.6\n"


def test_the_page_of_extensions_runs(tmp_path: Path) -> None:
    (tmp_path / "extras.py").write_text(PAGE.blocks("python")[0])
    (tmp_path / "lists.blocks").write_text(LISTS)
    convert = ["--plugin", "extras.py", "convert", "lists.blocks", "lists.jsonl"]
    wrong = ["--plugin", "extras.py", "describe", "wrong.blocks"]
    (tmp_path / "wrong.blocks").write_text("@list a\nno tab here\n")
    *commands, pick = PAGE.commands()
    ran = subprocess.run(
        [sys.executable, "-c", RUN, json.dumps([*commands, convert, pick, wrong])],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(ran.stdout)
    assert [code for code, _ in found] == [0, 0, 0, 0, 0, 0, 1]
    said = [output for _, output in found]
    # By hand: one letter of 9 and one of 7 are wrong in the first choices, none in the best.
    assert "12.50" in said[0]
    assert "letters|by position" in said[2]
    assert "capital" in said[3]
    chosen = [json.loads(line)["text"] for line in (tmp_path / "chosen.jsonl").read_text().splitlines()]
    assert chosen == ["A dog sat", "The end"]
    assert "wrong.blocks, line 2: expected text TAB score" in said[6]
