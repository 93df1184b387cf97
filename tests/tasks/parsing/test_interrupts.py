"""Ctrl-C and kill -9 as real signals to an extraction on the command line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from runoff.tasks.parsing import ParseList, write_lists

TREES = [
    "(S1 (S (NP (PRP I)) (VP (VBP eat) (NP (NN rice)) (PP (IN with) (NP (NNS sticks)))) (. .)))",
    "(S1 (S (NP (PRP I)) (VP (VBP eat) (NP (NP (NN rice)) (PP (IN with) (NP (NNS sticks))))) (. .)))",
    "(S1 (S (NP (PRP I)) (VP (VBP eat) (NP (NN rice) (IN with) (NNS sticks))) (. .)))",
]
# The command itself, with chunks of a few lists, so that the workers have much to do.
COMMAND = """
import sys
import runoff.tasks.parsing.features.extract as extraction
extraction.CHUNK = 300
from runoff.cli import main
main(sys.argv[1:])
"""


def start(lists: Path, out: Path, *more: str) -> subprocess.Popen[str]:
    command = ["features", str(lists), "-o", str(out), "--set", "processes=2", *more]
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def workers_of(process: subprocess.Popen[str], kept: Path) -> list[int]:
    """Processes of the workers, once these have made a chunk."""
    for _ in range(3000):
        if any(kept.glob("*.npz")):
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
            found = [
                int(each) for task in children.parents[1].iterdir() for each in (task / "children").read_text().split()
            ]
            if len(found) == 2:
                return found
        if process.poll() is not None:
            raise AssertionError(f"the extraction ended by itself: {process.communicate()}")
        time.sleep(0.01)
    raise AssertionError("there were no workers")


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Lists of different words each, so that no chunk is the same as another, which would be made once."""
    path = tmp_path_factory.mktemp("many") / "many.jsonl.gz"
    several = ([tree.replace("rice", f"rice{place}") for tree in TREES] for place in range(8_000))
    write_lists((ParseList(trees[0], trees[0], [-1.0, -2.0, -3.0], trees) for trees in several), path)
    return path


needs_proc = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the system does not list processes")


@pytest.mark.slow
@needs_proc
def test_ctrl_c_ends_the_workers_and_leaves_no_output(many: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    process = start(many, tmp_path / "x.arrow", "--set", f"cache={kept}")
    workers = workers_of(process, kept)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err.endswith(
        f"interrupted while features were extracted (the same command resumes from what is in {kept}): "
        f"{tmp_path / 'x.arrow'} was not written.\n"
    )
    assert "Traceback" not in err
    assert not any(Path(f"/proc/{each}").exists() for each in workers)
    assert [each.name for each in tmp_path.iterdir()] == ["kept"]
    assert all(each.suffix == ".npz" for each in kept.iterdir())  # nothing half-written


@pytest.mark.slow
@needs_proc
def test_what_a_killed_worker_had_is_done_by_another(many: Path, tmp_path: Path) -> None:
    undisturbed = start(many, tmp_path / "x.arrow")
    assert undisturbed.wait(timeout=60) == 0
    kept = tmp_path / "kept"
    process = start(many, tmp_path / "y.arrow", "--set", f"cache={kept}")
    os.kill(workers_of(process, kept)[0], signal.SIGKILL)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert (tmp_path / "x.arrow").read_bytes() == (tmp_path / "y.arrow").read_bytes()


@pytest.mark.slow
@needs_proc
def test_a_killed_extraction_resumes_and_leaves_no_worker(many: Path, tmp_path: Path) -> None:
    assert start(many, tmp_path / "x.arrow").wait(timeout=60) == 0
    kept = tmp_path / "kept"
    process = start(many, tmp_path / "y.arrow", "--set", f"cache={kept}")
    workers = workers_of(process, kept)
    process.kill()
    process.wait()
    made = len(list(kept.glob("*.npz")))
    for _ in range(500):
        if not any(Path(f"/proc/{each}").exists() for each in workers):
            break
        time.sleep(0.01)
    assert not any(Path(f"/proc/{each}").exists() for each in workers)
    assert not list(Path(tempfile.gettempdir()).glob(f"runoff-shared-{process.pid}-*"))
    assert made > 0
    assert start(many, tmp_path / "y.arrow", "--set", f"cache={kept}").wait(timeout=60) == 0
    assert (tmp_path / "x.arrow").read_bytes() == (tmp_path / "y.arrow").read_bytes()
