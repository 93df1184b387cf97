"""Files that several tests of plain texts read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from helpers.text_files import FEW, stuttering_records, train, write_records

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Train, dev and test lists, and a model for texts."""
    where = tmp_path_factory.mktemp("texts")
    for seed, (name, size) in enumerate({"train": 60, "dev": 40, "test": 50}.items()):
        write_records(where / f"{name}.jsonl", stuttering_records(size, seed))
    done = train(where / "train.jsonl", where / "m.runoff", *FEW)
    assert done.exit_code == 0, done.output
    return where
