"""How long it takes to describe a small file of every tool, as typed in a shell, and how fast many samples are read.

Seconds are those of the processor, of a process of its own each, the median of three; the files are those of the tests.
Usage: python benchmarks/tool_formats.py [tool …]
"""

from __future__ import annotations

import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import orjson

from runoff import formats
from runoff.tables import text_table
from shared import finish

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from helpers.tool_files import FIXTURES, TOOLS, metric

REPEATS, SAMPLES, LISTS = 3, 200_000, 20_000


def main() -> None:
    """Describe every file, then read many samples."""
    named = sys.argv[1:] or list(TOOLS)
    rows, seconds = [], {}
    for name in named:
        kind, source = TOOLS[name]
        command = ["describe", *source, *metric(source)]
        seconds[name] = statistics.median(_seconds_of(command) for _ in range(REPEATS))
        rows.append([name, kind, " ".join(command), f"{seconds[name]:.2f}"])
    print(text_table(["tool", "format", "runoff …", "seconds"], rows))
    finish({"describe": seconds, "records": _many_samples()})


def _seconds_of(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "runoff", *command], cwd=FIXTURES, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _many_samples() -> dict[str, float]:
    """Samples as rows and as lists, beside parsing their lines."""
    draw = random.Random(0)
    found: dict[str, float] = {}
    words = [f"w{number}" for number in range(2000)]
    texts = [" ".join(draw.choices(words, k=30)) for _ in range(SAMPLES)]
    each = SAMPLES // LISTS
    contents = {
        "one per line": (
            {"task_id": f"t{at % LISTS}", "completion": text, "passed": at % 3 == 0, "reward": draw.random()}
            for at, text in enumerate(texts)
        ),
        "lists": (
            {"prompt": f"p{at}", "samples": texts[at * each : (at + 1) * each], "rewards": [draw.random()] * each}
            for at in range(LISTS)
        ),
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, records in contents.items():
            path = Path(folder) / "samples.jsonl"
            path.write_text("".join(json.dumps(record) + "\n" for record in records))
            start = time.process_time()
            with path.open("rb") as lines:
                for line in lines:
                    orjson.loads(line)
            parsed = time.process_time()
            data = formats.read(path)
            done = time.process_time()
            if data.n_candidates != SAMPLES or len(data) != LISTS:
                raise AssertionError(repr(data))
            found |= {f"{name}, parsing alone": parsed - start, f"{name}, read": done - parsed}
    for name, seconds in found.items():
        print(f"{SAMPLES:,} samples, {name}: {seconds:.2f} s")
    return found


if __name__ == "__main__":
    main()
