"""kill -9 of a worker and of the process that gives out the work, in the middle of jackknifing and of training."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from runoff.model import load
from runoff.nbest import NBest
from runoff.tasks.parsing.demo.treebank import documents

from .conftest import NEEDS_RAY

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the system does not list processes"),
]
ENGINES = ["processes:2", pytest.param("local:2", marks=NEEDS_RAY)]
# The commands themselves, with small parts and frequent checkpoints.
COMMAND = """
import sys
import runoff.learners.training_loop as loop
import runoff.tasks.parsing.jackknife_parts as parts
loop._CHECKPOINT_SECONDS, parts.SIZE = 0.1, 10
from runoff.cli import main
main(sys.argv[1:])
"""


def start(command: list[str], cluster: str) -> subprocess.Popen[str]:
    where = ["--cluster", cluster] if cluster else []
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, *command, *where], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def finished(command: list[str], cluster: str = "") -> str:
    process = start(command, cluster)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return out + err


def working(process: subprocess.Popen[str]) -> int:
    """A worker that is at work for this process, or for the cluster that it has started."""
    for _ in range(3000):
        for each in descendants(process.pid):
            try:
                program = Path(f"/proc/{each}/cmdline").read_bytes()
            except OSError:
                continue
            if b"runoff.cluster.worker" in program or program.startswith((b"ray::_call", b"ray::Desk")):
                return each
        if process.poll() is not None:
            raise AssertionError(f"it ended by itself: {process.communicate()}")
        time.sleep(0.01)
    raise AssertionError("there was no worker")


def descendants(process: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            children = [int(each) for each in task.read_text().split()]
        except OSError:
            continue
        for child in children:
            found += [child, *descendants(child)]
    return found


def until(is_so: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    for _ in range(6000):
        if is_so():
            return
        if process.poll() is not None:
            raise AssertionError(f"it ended by itself: {process.communicate()}")
        time.sleep(0.01)
    raise AssertionError("nothing came of it")


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trees")
    for document in documents(15, seed=0):
        (folder / f"{document.name}.mrg").write_text("\n".join(document.trees))
    return folder


@pytest.mark.parametrize("cluster", ENGINES)
@pytest.mark.parametrize("victim", ["worker", "driver"])
def test_jackknifing(trees: Path, tmp_path: Path, victim: str, cluster: str) -> None:
    command = ["parse", "jackknife", str(trees), "-k", "5", "--folds", "3", "-o"]
    here, there = tmp_path / "here.jsonl", tmp_path / "there.jsonl"
    finished([*command, str(here)])
    process = start([*command, str(there)], cluster)
    parts = Path(f"{there}.parts")
    until(lambda: len(list(parts.glob("*.json"))) >= 2, process)
    if victim == "worker":
        os.kill(working(process), signal.SIGKILL)
        _, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
    else:
        process.kill()
        process.wait()
        assert not there.exists()
        finished([*command, str(there)], cluster)
    assert there.read_bytes() == here.read_bytes()


@pytest.fixture(scope="module")
def lists(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lists") / "lists.arrow"
    rng = np.random.default_rng(0)
    features = (rng.random((6000, 400)) < 0.1).astype(float)
    quality = features @ rng.normal(size=400) + 5 * rng.normal(size=6000)
    NBest.from_arrays(features, quality=quality, sizes=[10] * 600).save(path)
    return path


@pytest.mark.parametrize("cluster", ENGINES)
@pytest.mark.parametrize("victim", ["worker", "driver"])
def test_training(lists: Path, tmp_path: Path, victim: str, cluster: str) -> None:
    def command(name: str) -> list[str]:
        fixed = ("rounds=6000", "smoothing=0.001", "calibration=none", f"checkpoint={tmp_path / name}.checkpoint")
        settings = [each for setting in fixed for each in ("--set", setting)]
        return ["train", str(lists), "--learner", "boost", *settings, "-o", str(tmp_path / f"{name}.runoff")]

    finished(command("here"))
    process = start(command("there"), cluster)
    checkpoint = tmp_path / "there.checkpoint"
    until(checkpoint.exists, process)
    if victim == "worker":
        os.kill(working(process), signal.SIGKILL)
        _, err = process.communicate(timeout=300)
        assert process.returncode == 0, err
    else:
        process.kill()
        process.wait()
        assert not (tmp_path / "there.runoff").exists()
        finished(command("there"), cluster)
    here, there = (load(tmp_path / f"{name}.runoff") for name in ("here", "there"))
    assert there.weights.tobytes() == here.weights.tobytes()
    assert there.training_path.deltas.tobytes() == here.training_path.deltas.tobytes()
    assert there.provenance["loss"] == here.provenance["loss"]
