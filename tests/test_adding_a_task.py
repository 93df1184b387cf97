"""docs/adding-a-task.md, kept true: one file outside the package, and every command takes its lists."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "adding-a-task.md"
# All commands in one process: starting Python six times would take longer than the rest.
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


def lists(path: Path, count: int, seed: int) -> None:
    """Dates that the first round reads month first, though with dots the day comes first."""
    rng, lines = random.Random(seed), []
    for _ in range(count):
        separator = rng.choice("/.")
        right = date(2021, rng.randint(1, 12), rng.randint(1, 12))
        other = date(2021, right.day, right.month)
        first, second = (right.month, right.day) if separator == "/" else (right.day, right.month)
        lines.append(f"? {first}{separator}{second}{separator}2021 = {right}")
        month_first = right if separator == "/" else other
        day_first = other if separator == "/" else right
        lines += [f"-0.4 {month_first}", f"-0.9 {day_first}"]
    path.write_text("\n".join(lines))


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str]]:
    """The commands of the page, run in a folder with the file of the page."""
    folder = tmp_path_factory.mktemp("dates")
    text = PAGE.read_text(encoding="utf-8")
    (folder / "dates.py").write_text(re.findall(r"```python\n(.*?)```", text, re.DOTALL)[0])
    for name, count in (("train", 60), ("dev", 20), ("test", 30), ("lists", 30), ("new", 3)):
        lists(folder / f"{name}.dates", count, len(name))
    commands = [line.split()[1:] for line in text.splitlines() if line.startswith("runoff --plugin")]
    commands += [["--plugin", "dates.py", "tasks", "--json"], ["pick", "dates.runoff", "new.dates"]]
    ran = subprocess.run(
        [sys.executable, "-c", RUN, json.dumps(commands)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
        env={**os.environ, "COLUMNS": "200"},
    )
    found = dict(
        zip([each[2] if "--plugin" in each else "bare" for each in commands], json.loads(ran.stdout), strict=True)
    )
    found["chosen"] = (0, (folder / "chosen.txt").read_text())
    return found


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("describe", ["dates: readings of written dates", "groups       30", "days"]),
        ("train", ["task: dates (readings of written dates)", "wrote dates.runoff"]),
        ("eval", ["days", "chosen", "which removes 100.0% of the first round's error"]),
        ("explain", ["order:month first with", "Candidate"]),
        ("pick", ["3 groups; the choice differs from the first round in"]),
        ("tasks", ['"formats"', '"days"']),
    ],
)
def test_every_command_takes_the_lists(done: dict[str, tuple[int, str]], command: str, words: list[str]) -> None:
    code, output = done[command]
    assert code == 0, output
    for word in words:
        assert word in output


def test_it_learned_what_there_is_to_learn(done: dict[str, tuple[int, str]]) -> None:
    row = next(line for line in done["eval"][1].splitlines() if line.startswith("days"))
    _, first, chosen, *_ = row.split()
    assert float(first) > 10  # half of the dates have dots, and the first round reads them the wrong way round
    assert float(chosen) == 0


def test_chosen_texts_are_written(done: dict[str, tuple[int, str]]) -> None:
    assert len([date.fromisoformat(line) for line in done["chosen"][1].split()]) == 3
