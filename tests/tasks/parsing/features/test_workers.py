"""Worker processes: what they answer, and what is said when they do not."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np
import orjson
import pytest

from runoff.errors import DataError, RunoffError
from runoff.tasks.parsing.features import workers
from runoff.tasks.parsing.features.chunk import Chunk, make_chunk
from runoff.tasks.parsing.parse_list import Origin, ParseList

if TYPE_CHECKING:
    from pathlib import Path

LISTS = [ParseList("a", "(X (NN a))", [-0.1, -1 / 3], ["(X (NN a))", "(Y (NN a))"], ["a"], 3, "d", Origin("x", 1))]


def test_a_worker_writes_what_this_process_would(tmp_path: Path) -> None:
    with workers.Workers(1, ["rule", "consensus"]) as running:
        running.pool.submit(running.make, LISTS, tmp_path / "a.npz").result()
        running.pool.submit(running.make, LISTS[:0], tmp_path / "b.npz").result()  # and then the next
    found, expected = Chunk.load(tmp_path / "a.npz"), make_chunk(LISTS, ["rule", "consensus"])
    for name in vars(expected):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    assert Chunk.load(tmp_path / "b.npz").indptr.tolist() == [0]


def test_one_line_of_answer_for_each_line(tmp_path: Path) -> None:
    broken = ParseList("b", None, [0.0], ["(X"])
    requests = [
        orjson.dumps({"families": ["rule"], "lists": lists, "path": str(path)})
        for lists, path in ((LISTS, tmp_path / "a"), ([broken], tmp_path / "b"), (LISTS, tmp_path / "no" / "c"))
    ]
    answers = [orjson.loads(line)["trouble"] for line in workers.answers(io.BytesIO(b"\n".join(requests)))]
    assert answers[0] is None
    assert answers[1].startswith("list 'b', candidate 1: ")
    assert answers[2] == f"{tmp_path / 'no' / 'c'} cannot be written: no such file or directory."
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_the_sentence_of_a_worker_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "no" / "a.npz"
    with workers.Workers(2, ["rule"]) as running, pytest.raises(DataError) as caught:
        running.pool.submit(running.make, LISTS, path).result()
    assert str(caught.value) == f"{path} cannot be written: no such file or directory."


@pytest.mark.parametrize(
    "program", ["raise SystemExit(3)", "import os, sys; sys.stdin.readline(); os.kill(os.getpid(), 9)"]
)
def test_a_worker_that_dies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    monkeypatch.setattr(workers, "_PROGRAM", program)
    with workers.Workers(1, ["rule"]) as running, pytest.raises(RunoffError, match="extracts features died"):
        running.pool.submit(running.make, LISTS * 1000, tmp_path / "a.npz").result()


def test_at_the_end_workers_are_gone(tmp_path: Path) -> None:
    with workers.Workers(1, ["rule"]) as running:
        running.pool.submit(running.make, LISTS, tmp_path / "a.npz").result()
        (process,) = running._started
        assert process.poll() is None
    assert process.poll() is not None
