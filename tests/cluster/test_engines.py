"""What every engine promises: order, sharing, errors as they are, and work that survives its workers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest

from helpers import cluster_jobs as jobs
from runoff.arrays import frozen
from runoff.cluster.processes import Processes
from runoff.engines import LostWorkerError, current
from runoff.errors import DataError, RunoffError, UsageError

from .conftest import NEEDS_RAY

if TYPE_CHECKING:
    from runoff.engines import Engine


def test_results_come_in_the_order_of_the_pieces(engine: Engine) -> None:
    assert current() is engine
    found = list(engine.map(jobs.scaled, range(7), engine.share(np.arange(3.0))))
    np.testing.assert_array_equal(found, [piece * np.arange(3.0) for piece in range(7)])
    assert os.getpid() not in set(engine.map(jobs.process, range(4)))


def test_pieces_are_taken_when_there_is_room(engine: Engine) -> None:
    taken = []
    found = engine.map(jobs.begun, (taken.append(piece) or piece for piece in range(1000)))
    assert [next(found), next(found)] == [[0], [1]]
    found.close()
    assert len(taken) < 20


def test_what_is_frozen_is_shared_and_what_is_not_is_copied(engine: Engine) -> None:
    own = np.zeros(3)
    shared = frozen(np.ones(3)), own, pa.array(["a", None])
    handles = [engine.share(each) for each in shared]
    for is_writable, owned, first, texts in engine.map(jobs.about, [0, 0], *handles):
        assert not is_writable
        assert owned
        assert first >= 1.0
        assert texts == ["a", None]
    assert own[0] == 0.0


def test_a_mistake_of_the_user_is_the_same_sentence(engine: Engine) -> None:
    with pytest.raises(DataError, match=r"^lists.jsonl, line 7: expected a tree\.$"):
        list(engine.map(jobs.wrong, range(4)))


def test_another_error_tells_where_it_was(engine: Engine) -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        list(engine.map(jobs.broken, [0]))
    assert "cluster_jobs.py" in "".join(caught.value.__notes__)


def test_the_piece_of_a_killed_worker_is_done_by_another(engine: Engine, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    assert list(engine.map(jobs.die_once, range(6), engine.share(str(mark)))) == [0, 1, 4, 9, 16, 25]
    assert mark.exists()


def test_a_piece_that_ends_every_worker_is_a_sentence(engine: Engine) -> None:
    with pytest.raises(LostWorkerError, match=r"a worker died, and so did 3 others .* Use fewer workers, or machines"):
        list(engine.map(jobs.die, [0]))
    assert list(engine.map(jobs.begun, [1])) == [[1]]  # and the next has workers again


def test_states_of_a_killed_worker_are_made_again(engine: Engine, tmp_path: Path) -> None:
    with engine.states(jobs.begun, [10, 20, 30]) as states:
        assert states.ask(jobs.added, 1, changes=True) == [[10, 1], [20, 1], [30, 1]]
        mark = str(tmp_path / "mark")
        assert states.ask(jobs.added_or_dead, (2, mark), changes=True) == [[10, 1, 2], [20, 1, 2], [30, 1, 2]]
        assert states.ask(jobs.added, 3, changes=True) == [[10, 1, 2, 3], [20, 1, 2, 3], [30, 1, 2, 3]]
    assert (tmp_path / "mark").exists()


def test_a_full_disk_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with Processes(1) as processes:
        monkeypatch.setattr("runoff.cluster.messages.write", full)
        with pytest.raises(RunoffError, match=r"to share it with processes: the disk is full\. Set TMPDIR to a folder"):
            processes.share(np.zeros(3))


def test_what_has_no_name_cannot_be_sent() -> None:
    with Processes(1) as processes, pytest.raises(UsageError, match="this cannot be given to other processes: "):
        list(processes.map(lambda piece: piece, [1]))


def test_files_go_with_their_handles_and_the_folder_with_the_engine() -> None:
    with Processes(1) as processes:
        folder = processes._folder
        handle = processes.share(np.zeros(3))
        assert len(list(folder.iterdir())) == 1
        del handle
        assert not list(folder.iterdir())
        list(processes.map(jobs.begun, [1]))
        (worker,) = processes._started
    assert not folder.exists()
    assert worker._worker.poll() is not None


LISTENING = """
from pathlib import Path
from runoff.cluster import on

def listening():
    rows = [line.split() for kind in ("tcp", "tcp6") for line in Path(f"/proc/net/{kind}").read_text().splitlines()[1:]]
    return {row[1] for row in rows if row[3] == "0A"}  # as proc_net_tcp.rst of Linux has it

before = listening()
with on("local:1") as cluster:
    assert list(cluster.map(abs, [-1])) == [1]
    print(*{each.rpartition(":")[0] for each in listening() - before})
"""


@pytest.mark.parametrize("program", [pytest.param(LISTENING, marks=NEEDS_RAY)])
@pytest.mark.skipif(not Path("/proc/net/tcp6").exists(), reason="the system does not list sockets")
def test_a_local_cluster_listens_on_this_machine_alone(program: str) -> None:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120)
    loopback = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}
    assert done.stdout.split()
    assert set(done.stdout.split()) <= loopback
