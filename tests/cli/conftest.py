"""Lists and a model that tests of commands share."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from runoff.cli import main
from runoff.demo.sentences import lists

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Train, dev and test lists with references and no quality, and a trained model."""
    where = tmp_path_factory.mktemp("lists")
    for seed, (name, size) in enumerate({"train": 150, "dev": 60, "test": 80}.items()):
        lines = (json.dumps(record) for record in lists(size, seed))
        (where / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    data = [where / "train.jsonl", "--dev", where / "dev.jsonl", "--metric", "wer"]
    command = [str(each) for each in ("train", *data, "-o", where / "m.runoff")]
    done = CliRunner().invoke(main, command, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return where
