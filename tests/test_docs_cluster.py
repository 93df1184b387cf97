"""What cluster.md and scale.md tell people to type works."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from helpers.pages import Page, names, said_by
from runoff import NBest, write
from runoff.cluster.choice import KINDS
from runoff.cluster.simulator import read_costs

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

CLUSTER, SCALE = Page("cluster.md"), Page("scale.md")


def test_the_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng, words = np.random.default_rng(0), np.array(["a", "cat", "dog", "sat", "on", "the", "mat"])
    for name, groups in (("train", 60), ("test", 30)):
        texts = [" ".join(rng.choice(words, 5)) for _ in range(4 * groups)]
        references = [texts[at + rng.integers(4)] for at in range(0, 4 * groups, 4)]
        base = rng.normal(size=4 * groups)
        write(
            NBest.from_arrays(texts=texts, references=references, base=base, sizes=[4] * groups),
            tmp_path / f"{name}.jsonl",
        )
    monkeypatch.chdir(tmp_path)
    for command in CLUSTER.commands():
        said_by(*command)
    assert (tmp_path / "model.runoff").exists()


def test_the_block_of_python_runs() -> None:
    CLUSTER.run_python()


def test_all_kinds_are_told() -> None:
    told = [name for row in CLUSTER.table("| `--cluster`") for name in names(row[0])]
    assert set(told) | {"here"} == set(KINDS.split(", "))


def test_plans_run_and_all_costs_are_told() -> None:
    for command in SCALE.commands():
        assert "worker" in said_by(*command)
    told = {row[0] for row in SCALE.table("## What a million candidates cost")}
    assert told == {each.name for each in read_costs()}
