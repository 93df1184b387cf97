"""What docs/shards.md tells people to type works, and its numbers are those of the program."""

import sys
from pathlib import Path

import numpy as np
import pytest

from helpers.pages import Page, said_by
from runoff import NBest, write
from runoff.formats.shard_set import MOST_CANDIDATES, MOST_STORED
from runoff.memory import Bounds, bounded

SHARDS = Page("shards.md")


@pytest.mark.skipif(sys.platform != "linux", reason="bounds of memory need Linux")
def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(0)
    words = np.array(["a", "cat", "dog", "sat", "ran"])
    texts = [" ".join(words[rng.integers(0, 5, 4)]) for _ in range(240)]
    table = rng.integers(0, 3, (240, 3)).astype(float)
    data = NBest.from_arrays(table, texts=texts, base=rng.random(240), sizes=[4] * 60, references=texts[::4])
    write(data, tmp_path / "lists.jsonl")
    monkeypatch.chdir(tmp_path)
    with bounded(Bounds(10**9, tmp_path)):  # ends what the commands begin
        for command in SHARDS.commands():
            said_by(*command)
    assert len((tmp_path / "chosen.jsonl").read_text().splitlines()) == 12
    SHARDS.run_python()
    assert capsys.readouterr().out == "48 192\n"


def test_numbers_are_those_of_the_program() -> None:
    assert f"up to {MOST_CANDIDATES:,} candidates and {MOST_STORED:,} stored values" in SHARDS.text
    assert Bounds(128 * 5 * 10**6, Path()).smallest_map == 5 * 10**6
    assert Bounds(10**12, Path()).smallest_map == 1 << 25
