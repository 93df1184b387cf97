"""Data and a model of parses, made by the commands themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from helpers.rice import RIGHT, run, sentences
from runoff.tasks.parsing import ParseList, read_lists, write_lists

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def parse_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Lists to train on and to test with, data with features and a model of it, made by the commands themselves."""
    where = tmp_path_factory.mktemp("parses")
    write_lists(sentences(80, 0), where / "train.jsonl.gz")
    write_lists(
        [*sentences(30, 1), ParseList("empty", RIGHT.format(i="I", eat="eat", rice="rice", sticks="forks"))],
        where / "test.jsonl",
    )
    blind = [ParseList(each.id, None, each.scores, each.trees) for each in read_lists(where / "test.jsonl")]
    write_lists(blind, where / "blind.jsonl")
    done = run("features", where / "train.jsonl.gz", "-o", where / "train.arrow", "--set", "min_lists=2")
    assert done.exit_code == 0, done.output
    assert "task: parsing (trees in brackets); use --task to choose another." in done.stderr
    trained = run("train", where / "train.arrow", "-o", where / "m.runoff")
    assert trained.exit_code == 0, trained.output
    trees = [each.gold for each in read_lists(where / "test.jsonl")]
    (where / "gold.mrg").write_text("".join(f"{tree}\n" for tree in trees))
    return where
