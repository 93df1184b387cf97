"""Models of an attacker: whatever the arrays of a model say, it opens as a valid model or not at all."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner

from helpers.tampered_arrow import FAR, as_file, texts_with_offsets
from runoff import LinearModel, NBest, load, write
from runoff.cli import main
from runoff.errors import ModelError
from runoff.opening import limits

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "m.runoff"
    LinearModel.of({"aa": 1.0, "bb": -1.0, "cc": 0.5, "dd": 2.0}).save(path)
    return path


def replaced(path: Path, name: str, content: bytes) -> Path:
    """The model with another member of that name."""
    with zipfile.ZipFile(path) as archive:
        members = {each: archive.read(each) for each in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, old in members.items():
            archive.writestr(each, content if each == name else old)
    return path


WEIGHT = pa.array([1.0, 2.0, 3.0, 4.0])
NAME = pa.array(["a", "b", "c", "d"], pa.large_string())
# Files and not tables: pytest would show a table of a test that fails, and crash.
TAMPERED = {
    "offset outside": {"name": texts_with_offsets([0, 2, FAR, 6, 8]), "weight": WEIGHT},
    "offset negative": {"name": texts_with_offsets([0, -FAR, 4, 6, 8]), "weight": WEIGHT},
    "offset outside, 32 bits": {"name": texts_with_offsets([0, 2, FAR, 6, 8], kind=pa.string()), "weight": WEIGHT},
    "not UTF-8": {"name": texts_with_offsets([0, 2, 4, 6, 8], b"\xffbcdefgh"), "weight": WEIGHT},
    "a name missing": {"name": pa.array(["a", None, "c", "d"], pa.large_string()), "weight": WEIGHT},
    "a name twice": {"name": pa.array(["a", "a", "c", "d"], pa.large_string()), "weight": WEIGHT},
    "a weight missing": {"name": NAME, "weight": pa.array([1.0, None, 3.0, 4.0])},
    "no number": {"name": NAME, "weight": pa.array([1.0, float("nan"), 3.0, 4.0])},
    "infinite": {"name": NAME, "weight": pa.array([1.0, float("inf"), 3.0, 4.0])},
    "whole numbers": {"name": NAME, "weight": pa.array([1, 2, 3, 4])},
    "no names": {"weight": WEIGHT},
    "names are numbers": {"name": WEIGHT, "weight": WEIGHT},
    "weights are texts": {"name": NAME, "weight": NAME},
}
FILES = {name: as_file(pa.table(columns)) for name, columns in TAMPERED.items()}


@pytest.mark.parametrize("content", FILES.values(), ids=FILES)
def test_weights_that_lie_are_refused(model: Path, content: bytes) -> None:
    with pytest.raises(ModelError, match=r"m\.runoff .*damaged"):
        load(replaced(model, "weights.arrow", content))


def test_the_command_line_says_so_and_goes_on_living(model: Path, tmp_path: Path) -> None:
    replaced(model, "weights.arrow", FILES["offset outside"])
    write(NBest.from_arrays([[1.0], [2.0]], sizes=[2]), tmp_path / "lists.arrow")
    done = CliRunner().invoke(main, ["pick", str(model), str(tmp_path / "lists.arrow")])
    assert done.exit_code == 1
    assert "m.runoff is not a Runoff model, or it is damaged: weights.arrow:" in done.stderr
    assert done.stdout == ""


def test_a_member_that_unpacks_to_far_more_than_the_file_is_refused(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "_ALWAYS", 1 << 20)
    replaced(model, "weights.arrow", bytes(1 << 24))
    with pytest.raises(ModelError, match=r"weights\.arrow unpacks to 16\.0 MiB, and a file of .* may unpack to"):
        load(model)


def test_a_training_path_and_votes_have_the_types_of_ours(model: Path) -> None:
    for column, delta in ((pa.array([0.0]), pa.array([1.0])), (pa.array([0]), pa.array([1]))):
        content = as_file(pa.table({"column": column, "delta": delta}))
        with zipfile.ZipFile(model, "a") as archive:
            archive.writestr("training_path.arrow", content)
        with pytest.raises(ModelError, match="damaged"):
            load(model)
        LinearModel(np.ones(4), NAME).save(model)
