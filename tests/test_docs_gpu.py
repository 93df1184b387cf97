"""What docs/gpu.md tells people to type works where torch is installed, here on the CPU."""

from pathlib import Path

import numpy as np
import pytest

import runoff
from helpers.pages import Page, said_by
from runoff.learners import dense_lists

PAGE = Page("gpu.md")


def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch", reason="torch is not installed: pip install 'runoff[gpu]'")
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    runoff.NBest.from_arrays(X, X[:, 0] + rng.normal(size=200), sizes=[5] * 40).save("train.arrow")
    said_by("convert", "train.arrow", "train.jsonl")
    taken = []
    find = dense_lists.find_device
    monkeypatch.setattr(
        dense_lists, "find_device", lambda torch, name, known: taken.append(name) or find(torch, "cpu", known)
    )
    for command in PAGE.commands():
        said_by(*command)
    PAGE.run_python()
    assert set(taken) == {"cuda"}
    assert runoff.load("field.runoff").provenance["objective"] == "el"


def test_the_share_that_is_too_sparse_is_the_one_told() -> None:
    assert "less than a twentieth" in PAGE.text
    assert dense_lists._LEAST_STORED == 1 / 20
