"""Pages of mapped files are given back, and come again when they are asked for."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest

import runoff
from runoff.opening.mapped import release_pages


def resident_of_files() -> int:
    """Bytes, as Linux counts them (man proc_pid_status)."""
    found = re.search(r"RssFile:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found
    return int(found[1]) * 1024


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what of a process is pages of files")
def test_pages_are_given_back_and_come_again(tmp_path):
    table = np.random.default_rng(0).normal(size=(400_000, 5)).astype(np.float32)
    runoff.NBest.from_arrays(table, sizes=[4] * 100_000).save(tmp_path / "lists.arrow")
    data = runoff.read(tmp_path / "lists.arrow")
    size = (tmp_path / "lists.arrow").stat().st_size
    total = float(np.sum(data.features.values, dtype=np.float64))
    before = resident_of_files()
    release_pages()
    assert before - resident_of_files() > 0.8 * size
    assert float(np.sum(data.features.values, dtype=np.float64)) == total
