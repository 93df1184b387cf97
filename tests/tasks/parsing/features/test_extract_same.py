"""Extraction gives the same however the work is cut, shared out and kept."""

from __future__ import annotations

import importlib
import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from runoff.formats import read, write
from runoff.tasks.parsing.features.extract import extract
from runoff.tasks.parsing.lists import write_lists
from runoff.tasks.parsing.parse_list import Origin, ParseList

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from runoff.nbest import NBest

    Some = Callable[..., list[list[str]]]

module = importlib.import_module(
    "runoff.tasks.parsing.features.extract"
)  # which a package may hide behind the function


def assert_same(one: NBest, other: NBest) -> None:
    assert one.features.column_names().to_pylist() == other.features.column_names().to_pylist()
    left, right = one.features.to_scipy(), other.features.to_scipy()
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(left, name), getattr(right, name))
    assert one.stats.keys() == other.stats.keys()
    for name, rows in one.stats.items():
        np.testing.assert_array_equal(rows, other.stats[name])
    np.testing.assert_array_equal(one.base, other.base)
    np.testing.assert_array_equal(one.offsets, other.offsets)
    assert one.texts == other.texts
    assert one.notes == other.notes
    if one.quality is not None or other.quality is not None:
        np.testing.assert_array_equal(one.quality, other.quality)


@pytest.fixture(scope="module")
def lists(some_lists: Some, parse_lists: Callable[..., list[ParseList]]) -> list[ParseList]:
    return parse_lists(some_lists(11, 60))


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK", 25)


@pytest.mark.parametrize("candidates", [1, 7, 10**6])
def test_chunks(lists: list[ParseList], monkeypatch: pytest.MonkeyPatch, candidates: int) -> None:
    one = extract(lists, min_lists=2, processes=1)
    monkeypatch.setattr(module, "CHUNK", candidates)
    assert_same(one, extract(lists, min_lists=2, processes=1))


@pytest.mark.slow
def test_processes(lists: list[ParseList], capfd: pytest.CaptureFixture[str]) -> None:
    assert_same(extract(lists, min_lists=2, processes=1), extract(lists, min_lists=2, processes=3))
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_processes_take_what_python_takes_and_nothing_from_the_working_folder(
    lists: list[ParseList], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scores as numpy has them, and paths; a file that is called like a module is not taken for it."""
    (tmp_path / "numpy.py").write_text("raise SystemExit('the wrong numpy')")
    monkeypatch.chdir(tmp_path)
    odd = [
        ParseList(e.id, e.gold, list(np.array(e.scores, np.float32)), e.trees, origin=Origin(tmp_path, 1))
        for e in lists[:9]
    ]
    assert_same(extract(odd, min_lists=2, processes=1), extract(odd, min_lists=2, processes=2))


def test_cache_cold_and_warm(lists: list[ParseList], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without = extract(lists, min_lists=2, processes=1)
    assert_same(without, extract(lists, min_lists=2, processes=1, cache=tmp_path / "new" / "cache"))
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "new" / "cache").iterdir()}
    assert len(files) > 3
    monkeypatch.setattr(module, "chunk_of", None)  # whoever calls this now fails
    warm = extract(lists, min_lists=2, processes=1, cache=tmp_path / "new" / "cache")
    assert_same(without, warm)
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "new" / "cache").iterdir()} == files


@pytest.mark.parametrize(
    ("damage", "processes"), [("empty", 1), ("cut", 1), ("letter", 1), ("other", 1), ("letter", 2)]
)
def test_a_damaged_cache_is_made_anew(lists: list[ParseList], tmp_path: Path, damage: str, processes: int) -> None:
    whole = extract(lists, min_lists=2, processes=1, cache=tmp_path)
    path = sorted(tmp_path.iterdir())[1]
    before = path.read_bytes()
    middle = before.index(b"indices.npy") + 400
    path.write_bytes(
        {
            "empty": b"",
            "cut": before[: len(before) // 2],
            "letter": before[:middle] + bytes([before[middle] ^ 1]) + before[middle + 1 :],
            "other": b"PK\x05\x06" + bytes(18),  # an archive with nothing in it
        }[damage]
    )
    assert_same(whole, extract(lists, min_lists=2, processes=processes, cache=tmp_path))
    assert np.load(path)["indices"].size > 0
    assert [each.suffix for each in tmp_path.iterdir()] == [".npz"] * len(list(tmp_path.iterdir()))


def test_another_gold_tree_or_score_or_family_is_another_chunk(tmp_path: Path) -> None:
    trees = ["(X (NN a))", "(Y (NN a))"]
    for gold in (None, *trees):
        for scores in ([0.0, -1.0], [0.0, -2.0]):
            extract([ParseList("a", gold, scores, trees)], families=["rule"], processes=1, cache=tmp_path)
    extract([ParseList("a", None, [0.0, -1.0], trees)], families=["word"], processes=1, cache=tmp_path)
    assert len(list(tmp_path.iterdir())) == 7


@pytest.mark.slow
def test_two_runs_fill_the_same_cache(lists: list[ParseList], tmp_path: Path) -> None:
    write_lists(lists, tmp_path / "lists.jsonl")
    program = (
        "import importlib, pathlib, sys; from runoff.formats import write;"
        "from runoff.tasks.parsing.lists import read_lists;"
        "module = importlib.import_module('runoff.tasks.parsing.features.extract'); module.CHUNK = 25;"
        "lists, cache, out = sys.argv[1:];"
        "write(module.extract(read_lists(lists), min_lists=2, processes=1, cache=pathlib.Path(cache)), out)"
    )
    out = tmp_path / "other.arrow"
    other = subprocess.Popen([sys.executable, "-c", program, tmp_path / "lists.jsonl", tmp_path / "cache", out])
    expected = extract(lists, min_lists=2, processes=1)
    while other.poll() is None:  # again and again, so that both are at it at the same time
        assert_same(expected, extract(lists, min_lists=2, processes=1, cache=tmp_path / "cache"))
    assert other.returncode == 0
    assert_same(expected, read(out))


def test_families_in_any_order_and_twice_are_the_same(lists: list[ParseList]) -> None:
    assert_same(
        extract(lists, families=["edges", "rule", "rule"], processes=1),
        extract(lists, families=["rule", "edges"], processes=1),
    )


def test_data_is_written_and_read(lists: list[ParseList], tmp_path: Path) -> None:
    data = extract(lists, min_lists=2, processes=1)
    write(data, tmp_path / "data.arrow")
    assert_same(data, read(tmp_path / "data.arrow"))
