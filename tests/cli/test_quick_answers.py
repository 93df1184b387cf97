"""What is wrong is said before anything slow is imported, since that is most of the time of a failing command."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

SLOW = ("numba", "scipy", "matplotlib", "sacrebleu", "runoff.learners", "runoff.report")
READERS = ("pyarrow", "numpy")
RUN = """
import json, sys
from runoff.cli import main
try:
    main(sys.argv[1:], prog_name="runoff")
except SystemExit as end:
    print(json.dumps([end.code, sorted(name for name in sys.modules if name in %r)]))
"""


def imported_by(folder: Path, *command: str) -> tuple[int, list[str]]:
    """Exit code of a command, and what it imported of what takes long."""
    done = subprocess.run(
        [sys.executable, "-c", RUN % ((*SLOW, *READERS),), *command], capture_output=True, text=True, cwd=folder
    )
    code, names = json.loads(done.stdout.splitlines()[-1])
    assert done.stderr.startswith("runoff: "), done.stderr
    return code, names


@pytest.mark.parametrize(
    "command",
    [
        ["describe", "nowhere.jsonl"],
        ["train", "nowhere.jsonl", "-o", "model"],
        ["eval", "model", "nowhere.jsonl"],
        ["compare", "model", "model", "nowhere.jsonl"],
        ["pick", "model", "nowhere.jsonl"],
        ["scores", "model", "nowhere.jsonl"],
        ["explain", "model", "nowhere.jsonl", "--group", "1"],
        ["margins", "model", "nowhere.jsonl"],
        ["convert", "nowhere.jsonl", "lists.arrow"],
    ],
    ids=lambda command: command[0],
)
def test_a_file_that_is_not_there(command: list[str], tmp_path: Path) -> None:
    (tmp_path / "model").write_text("no model")
    code, imported = imported_by(tmp_path, *command)
    assert code == 1
    assert not set(imported) & set(SLOW)


def test_a_metric_that_is_not_there_and_a_file_that_is_not_recognised(tmp_path: Path) -> None:
    (tmp_path / "lists.jsonl").write_text('{"candidates": ["a", "b"], "reference": "a"}\n')
    code, imported = imported_by(tmp_path, "describe", "lists.jsonl", "--metric", "werr")
    assert (code, set(imported) & {"runoff.report", "runoff.learners"}) == (2, set())
    (tmp_path / "odd.txt").write_text("Once upon a time\n")
    code, imported = imported_by(tmp_path, "describe", "odd.txt")
    assert (code, set(imported) & {"numba", "runoff.report", "runoff.learners"}) == (1, set())
