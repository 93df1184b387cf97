"""Merging chunks: the same columns however names are counted, and memory that does not grow with the chunks."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from runoff.tasks.parsing.features import feature_table
from runoff.tasks.parsing.features.chunk import Chunk
from runoff.tasks.parsing.features.consensus import NAMES as CONSENSUS
from runoff.tasks.parsing.features.feature_table import common_columns, known_columns, table

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.nbest import Features

ROWS, STORED, NAMES = 200, 50_000, 500


def chunk_of(seed: int, names: list[str]) -> Chunk:
    rng = np.random.default_rng(seed)
    letters = [name.encode() for name in names]
    return Chunk(
        parseval=np.zeros((ROWS, 10)),
        evalb=np.zeros((ROWS, 10)),
        lengths=np.zeros(1, np.int64),
        misfits=np.zeros(1, np.int64),
        indptr=np.linspace(0, STORED, ROWS + 1).astype(np.int64),
        indices=np.tile(np.arange(NAMES, dtype=np.int32), STORED // NAMES),
        values=rng.integers(1, 9, STORED).astype(np.uint8),
        name_ends=np.cumsum([0, *map(len, letters)]),
        name_letters=np.frombuffer(b"".join(letters), np.uint8),
        seen=rng.integers(0, 5, NAMES).astype(np.int32),
        dense=rng.random((ROWS, len(CONSENSUS))),
    )


@pytest.fixture
def paths(tmp_path: Path) -> list[Path]:
    """Three chunks; each has half of its names from the one before, and one feature that distinguishes nothing."""
    found = []
    for at in range(3):
        names = [f"rule:{'äb'[number % 2]}{number}" for number in range(at * NAMES // 2, at * NAMES // 2 + NAMES)]
        chunk = chunk_of(at, names)
        chunk = replace(chunk, indices=np.where(chunk.indices == NAMES - 1, 0, chunk.indices).astype(np.int32))
        found.append(tmp_path / f"{at}.npz")
        chunk.save(found[-1])
    return found


def test_columns_are_by_first_appearance(paths: list[Path]) -> None:
    seen: dict[str, int] = {}
    stored = set()
    for path in paths:  # counted with a dictionary
        chunk = Chunk.load(path)
        text = chunk.name_letters.tobytes()
        names = [text[start:end].decode() for start, end in zip(chunk.name_ends, chunk.name_ends[1:], strict=False)]
        for name, lists in zip(names, chunk.seen.tolist(), strict=True):
            seen[name] = seen.get(name, 0) + lists
        stored |= {names[index] for index in np.unique(chunk.indices)}
    found, total = common_columns(paths, 4)
    assert found.to_pylist() == [name for name, lists in seen.items() if lists >= 4 and name in stored]
    assert total == len(seen) == 2 * NAMES


@pytest.mark.parametrize("passes", [2, 7, 20])
def test_names_in_several_passes(paths: list[Path], monkeypatch: pytest.MonkeyPatch, passes: int) -> None:
    once = common_columns(paths, 3)
    size = sum(path.stat().st_size for path in paths)
    monkeypatch.setattr(feature_table, "_PER_PASS", size // (passes - 1))
    assert common_columns(paths, 3) == once


@pytest.mark.parametrize("rows", [1, 7, ROWS - 1])
def test_rows_in_several_steps(paths: list[Path], monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    columns, _ = common_columns(paths, 3)
    once = table(paths, columns, consensus=CONSENSUS[:3], presence=True)
    monkeypatch.setattr(feature_table, "_PER_STEP", rows)
    again = table(paths, columns, consensus=CONSENSUS[:3], presence=True)
    assert again.names == once.names
    assert (again.to_scipy() != once.to_scipy()).nnz == 0
    assert np.array_equal(again.indptr, once.indptr)


def peak(paths: list[Path]) -> int:
    tracemalloc.start()
    columns, _ = common_columns(paths, 1)
    made = table(paths, columns, consensus=CONSENSUS, presence=False)
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert made.indices.size > len(paths) * STORED * 0.9
    return found


def test_memory_does_not_grow_with_the_chunks(paths: list[Path]) -> None:
    peak(paths)  # imports and compiles
    few, many = peak(paths), peak(paths * 6)
    assert many < 1.3 * few


def test_nothing_is_left_beside_the_chunks(paths: list[Path]) -> None:
    made = made_of(paths)
    assert sorted(paths[0].parent.iterdir()) == paths
    assert made.check().n_stored == int(made.indptr[-1])
    for path in paths:
        path.unlink()
    assert int(made.indices.max()) < made.n_columns  # the data does not need the chunks any more


def made_of(paths: list[Path]) -> Features:
    return table(paths, known_columns(common_columns(paths, 1)[0]), consensus=(), presence=False)
