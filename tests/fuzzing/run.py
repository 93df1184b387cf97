"""Attacks targets with many mutants each, in processes that may die, and counts how each mutant ended."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from fuzzing.targets import TARGETS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_PATIENCE = 120.0  # seconds for one mutant; compiling with bounds checks counts


@dataclass
class Counts:
    """How the mutants of a target ended; every entry of `failures` is one too many."""

    accepted: int = 0
    refused: int = 0
    failures: list[str] = field(default_factory=list)

    def add(self, outcome: str) -> None:
        """Count one more."""
        self.accepted += outcome == "accepted"
        self.refused += outcome == "refused"
        if outcome not in ("accepted", "refused"):
            self.failures.append(outcome)


def attack(names: Sequence[str], mutants: int, seed: int = 0, *, checked: Path | None = None) -> dict[str, Counts]:
    """Open so many mutants of every target; with `checked`, a folder for compiled code, array bounds are checked."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    if checked is not None:
        environment |= {"NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(checked)}
    counts = {name: Counts() for name in names}
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            seeds = Path(folder) / name / "seeds"
            seeds.mkdir(parents=True)
            for at, content in enumerate(TARGETS[name].seeds()):
                (seeds / f"{at:03}").write_bytes(content)
        pending, start = list(names), 0
        while pending:
            command = [sys.executable, "-m", "fuzzing.child", folder, str(seed), str(start), str(mutants), *pending]
            ended = _run(command, environment, counts)
            if ended is None:
                break
            name, start = ended[0], ended[1] + 1
            pending = pending[pending.index(name) :]
            if start >= mutants:
                pending, start = pending[1:], 0
    return counts


def _run(command: list[str], environment: Mapping[str, str], counts: dict[str, Counts]) -> tuple[str, int] | None:
    """One process, until all is done (None) or it dies: the target and the number of the mutant that killed it."""
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, env=dict(environment))
        lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=_feed, args=(process, lines), daemon=True).start()
        name, number, trouble = command[7], int(command[5]), ""
        while True:
            try:
                line = lines.get(timeout=_PATIENCE)
            except queue.Empty:
                process.kill()
                trouble = f"no end after {_PATIENCE:g} s"
                continue
            if not line:
                break
            name, at, outcome = line.rstrip("\n").split("\t", 2)
            number = int(at)
            if line.endswith("\n"):  # else it did not live to say more
                counts[name].add(outcome if outcome in ("accepted", "refused") else f"mutant {at}: {outcome}")
                number += 1
        status = process.wait()
        if status == 0 and not trouble:
            return None
        errors.seek(0)
        trouble = trouble or f"the process died ({status}): {errors.read()[-500:]}"
    counts[name].add(f"mutant {number}: {trouble}")
    return name, number


def _feed(process: subprocess.Popen[str], lines: queue.Queue[str]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        lines.put(line)
    lines.put("")
