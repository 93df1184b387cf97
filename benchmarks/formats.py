"""Every file and folder of a tool that the documentation shows: its format, the command, seconds, and the way back.

Every row is a command of docs/formats.md, run on the small fixture as a new process, as a user types it, with its
seconds and CPU-seconds; then `convert` to JSON lines and to Parquet, which must read back the same lists. The last
line is one JSON object. Usage: python benchmarks/formats.py
"""

from __future__ import annotations

import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import runoff
from runoff.formats import recognise
from runoff.tables import text_table
from shared import finish

ROOT = Path(__file__).resolve().parents[1]
FIXTURES = ROOT / "tests" / "fixtures"
SECTIONS = "## What tools write", "## What language models write"


def commands() -> list[list[str]]:
    """The commands of the page, without `runoff`."""
    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    sections = [page.partition(head)[2].partition("\n## ")[0] for head in SECTIONS]
    return [command.split() for each in sections for command in re.findall(r"`runoff (describe [^`]+)`", each)]


def without_metric(options: list[str]) -> list[str]:
    """Options of reading alone: lists are converted with the qualities that their files have."""
    at = options.index("--metric") if "--metric" in options else len(options)
    return options[:at] + options[at + 2 :]


def run(*arguments: str) -> tuple[float, float]:
    """Seconds and CPU-seconds of a new process."""
    started, used = time.perf_counter(), _cpu()
    subprocess.run([sys.executable, "-m", "runoff", *arguments], cwd=FIXTURES, check=True, capture_output=True)
    return time.perf_counter() - started, _cpu() - used


def _cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def are_equal(lists: runoff.NBest, others: runoff.NBest) -> bool:
    """Whether ids, texts, scores and columns are the same; the order of columns may differ."""
    names, theirs = (each.features.column_names().to_pylist() for each in (lists, others))
    table, their_table = (each.features.to_scipy().toarray() for each in (lists, others))
    same = [
        lists.group_ids == others.group_ids,
        _same(lists.base, others.base),
        sorted(names) == sorted(theirs),
    ]
    same += [lists.texts == others.texts, _same(lists.quality, others.quality)]
    return all(same) and np.array_equal(table[:, np.argsort(names)], their_table[:, np.argsort(theirs)])


def _same(numbers: Any, others: Any) -> bool:
    return np.array_equal([] if numbers is None else numbers, [] if others is None else others)


def main() -> None:
    """Run all commands and compare what was read with what comes back."""
    rows: list[list[str]] = []
    results: dict[str, dict[str, object]] = {}
    for command in commands():
        _, place, *options = command
        seconds, cpu = run(*command)
        with tempfile.TemporaryDirectory() as folder:
            first, second = Path(folder) / "lists.jsonl", Path(folder) / "lists.parquet"
            for target in (first, second):
                run("convert", place, str(target), *without_metric(options))
            lists = runoff.read(second)
            same = are_equal(lists, runoff.read(first))
        name = recognise(FIXTURES / place).name
        results[place] = {
            "format": name,
            "lists": len(lists),
            "candidates": lists.n_candidates,
            "seconds": round(seconds, 2),
            "cpu_seconds": round(cpu, 2),
            "converted": same,
        }
        row = [place, name, str(len(lists)), f"{seconds:.2f}", f"{cpu:.2f}", "yes" if same else "no"]
        rows.append([f"runoff {' '.join(command)}", *row])
    print(text_table(["command", "fixture", "format", "lists", "seconds", "CPU", "converts"], rows, left=3))
    finish({"formats": results})


if __name__ == "__main__":
    main()
