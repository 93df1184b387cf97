"""Checkpoints: what is refused, what is mended, and what a full disk does."""

from __future__ import annotations

import errno
import os
import zipfile
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from helpers.boosting_data import binary
from helpers.checkpoints import rewrite
from runoff import Boost, Perceptron, UsageError
from runoff.learners.checkpoint import Checkpoint

if TYPE_CHECKING:
    from pathlib import Path

SETTINGS = {"rounds": 40, "smoothing": 0.0025}


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A checkpoint after 20 rounds."""
    file = tmp_path / "run.checkpoint"
    Boost(**{**SETTINGS, "rounds": 20}, checkpoint=str(file)).fit(binary(8))
    return file


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ({"runoff": "0.0.1"}, "checkpoint of Runoff 0.0.1 "),
        ({"version": 99}, "(format 99)"),
        ({"version": None}, "(format 0)"),
        ({"fingerprint": "x"}, "other data or other parameters"),
        ({"fingerprint": 3}, "is not a checkpoint of Runoff, or it is damaged"),
    ],
)
def test_a_checkpoint_of_another_runoff_or_of_other_data_is_refused(kept: Path, header: dict, words: str) -> None:
    rewrite(kept, header)
    before = kept.read_bytes()
    with pytest.raises(UsageError) as error:
        Boost(**SETTINGS, checkpoint=str(kept)).fit(binary(8))
    assert words in str(error.value)
    assert "remove it to start over" in str(error.value)
    assert kept.read_bytes() == before


def test_rewriting_alone_changes_nothing(kept: Path) -> None:
    rewrite(kept)
    resumed = Boost(**SETTINGS, checkpoint=str(kept)).fit(binary(8)).model
    assert (
        resumed.training_path.deltas.tobytes() == Boost(**SETTINGS).fit(binary(8)).model.training_path.deltas.tobytes()
    )


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.7, 0.99])
def test_a_truncated_checkpoint_is_refused(kept: Path, share: float) -> None:
    content = kept.read_bytes()
    kept.write_bytes(content[: int(share * len(content))])
    with pytest.raises(UsageError, match="is not a checkpoint of Runoff, or it is damaged"):
        Boost(**SETTINGS, checkpoint=str(kept)).fit(binary(8))


@pytest.mark.parametrize(
    "columns",
    [
        {"column": [10**6] * 20},
        {"column": [-1] * 20},
        {"delta": [float("nan")] * 20},
        {"delta": ["x"] * 20},
        {"column": [[1, 2]] * 20},
    ],
)
def test_rounds_that_cannot_be_are_refused(kept: Path, columns: dict) -> None:
    rewrite(kept, **columns)
    with pytest.raises(UsageError, match="is not a checkpoint of Runoff, or it is damaged"):
        Boost(**SETTINGS, checkpoint=str(kept)).fit(binary(8))


def test_a_file_of_something_else_is_refused(kept: Path) -> None:
    kept.write_bytes(b"something else")
    with pytest.raises(UsageError, match="is not a checkpoint"):
        Boost(**SETTINGS, checkpoint=str(kept)).fit(binary(8))


def test_a_full_disk_does_not_end_the_training_and_is_said(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = kept.read_bytes()

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("runoff.files.os.fsync", full)
    model = Boost(**SETTINGS, checkpoint=str(kept)).fit(binary(8)).model
    assert model.training_path.deltas.tobytes() == Boost(**SETTINGS).fit(binary(8)).model.training_path.deltas.tobytes()
    (warning,) = model.provenance["warnings"]
    assert "The checkpoint is not up to date" in warning
    assert "the disk is full. The previous file is unchanged." in warning
    assert kept.read_bytes() == before
    assert [each.name for each in kept.parent.iterdir()] == [kept.name]
    monkeypatch.undo()
    assert Boost(**SETTINGS, checkpoint=str(kept)).fit(binary(8)).model.provenance["warnings"] == []


def test_dev_data_and_names_belong_to_a_checkpoint_whose_rounds_they_choose(tmp_path: Path) -> None:
    data, file = binary(8), str(tmp_path / "run.checkpoint")
    chosen = {"smoothing": 0.0025, "max_rounds": 30, "checkpoint": file}
    Boost(**chosen).fit(data, binary(9))
    Boost(**chosen).fit(data, binary(9))
    with pytest.raises(UsageError, match="other data or other parameters"):
        Boost(**chosen).fit(data, binary(10))
    renamed = data.replace(features=type(data.features).of(data.features, [f"f{i}" for i in range(40)]))
    dev = binary(9)
    with pytest.raises(UsageError, match="other data or other parameters"):
        Boost(**chosen).fit(
            renamed, dev.replace(features=type(dev.features).of(dev.features, [f"f{i}" for i in range(40)]))
        )


def test_many_runs_are_kept_apart(tmp_path: Path) -> None:
    data, dev, file = binary(8), binary(9), tmp_path / "run.checkpoint"
    first = Boost(max_rounds=30, checkpoint=str(file)).fit(data, dev).model
    with zipfile.ZipFile(file) as archive:
        runs = orjson.loads(archive.read("checkpoint.json"))["runs"]
    assert len({name for name, _, _ in runs}) == 8
    assert [rounds for _, rounds, _ in runs] == [30] * 8
    again = Boost(max_rounds=30, checkpoint=str(file)).fit(data, dev).model
    assert again.training_path.deltas.tobytes() == first.training_path.deltas.tobytes()
    assert again.provenance == first.provenance


@pytest.mark.parametrize("learner", [Boost(rounds=5, smoothing=0.0025), Perceptron(epochs=2, tau=0.1)], ids=str)
def test_a_second_training_with_the_same_checkpoint_is_refused(
    learner: Boost | Perceptron, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link").symlink_to("kept")
    met: list[str] = []
    really = Checkpoint.save

    def save(self: Checkpoint, runs: Any) -> None:
        if not met:
            met.append("")
            with pytest.raises(UsageError) as error:
                learner.clone().set_params(checkpoint=str(tmp_path / "link")).fit(binary(8))
            met.append(str(error.value))
        really(self, runs)

    monkeypatch.setattr(Checkpoint, "save", save)
    learner.set_params(checkpoint=str(tmp_path / "kept")).fit(binary(8))
    assert met[1].endswith(f"link is in use by process {os.getpid()}; wait until it has ended, or choose another name.")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["kept", "link"]
