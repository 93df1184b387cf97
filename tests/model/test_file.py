"""A model file: exact, atomic, safe, and clear about what is wrong with it."""

import dataclasses
import errno
import json
import os
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import LinearModel, LogLinear, ModelError, NBest, RunoffError, load


def trained() -> LinearModel:
    rng = np.random.default_rng(0)
    data = NBest.from_arrays(rng.normal(size=(40, 3)), rng.normal(size=40), sizes=[4] * 10, base=rng.normal(size=40))
    return LogLinear(sigma=1.0).fit(data).model


def test_what_is_loaded_is_what_was_saved(tmp_path: Path) -> None:
    model = trained()
    model.save(tmp_path / "m.runoff")
    again = load(tmp_path / "m.runoff")
    assert again.weights.tobytes() == model.weights.tobytes()
    assert again.base_weight == model.base_weight
    assert again.names.equals(model.names)
    assert again.provenance["learner"] == "loglinear"
    assert again.provenance["parameters"]["sigma"] == 1.0


def test_the_same_model_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        trained().save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@given(st.data())
@settings(deadline=None)
def test_a_damaged_file_is_refused_with_a_sentence(draw: st.DataObject) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.runoff"
        LinearModel.of({"a": 1.0, "b": -2.0}).save(path)
        content = bytearray(path.read_bytes())
        cut = draw.draw(st.integers(0, len(content)))
        for _ in range(draw.draw(st.integers(1, 4))):
            content[draw.draw(st.integers(0, len(content) - 1))] ^= draw.draw(st.integers(1, 255))
        path.write_bytes(bytes(content[:cut]) if draw.draw(st.booleans()) else bytes(content))
        try:
            model = load(path)
        except ModelError as error:
            assert "m.runoff" in str(error)  # noqa: PT017 - either outcome is legal
        else:
            assert np.isfinite(model.weights).all()


def test_a_model_of_another_version_says_so(tmp_path: Path) -> None:
    path = tmp_path / "m.runoff"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("model.json", json.dumps({"format": "runoff-model", "version": 99, "runoff": "9.9"}))
    with pytest.raises(ModelError, match=r"version 99 .* Runoff 9\.9.*reads version 3"):
        load(path)


def with_header(path: Path, **changes: object) -> Path:
    """A good model whose header was changed by hand."""
    LinearModel.of({"a": 1.0}).save(path)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(parts["model.json"]) | changes
    parts["model.json"] = json.dumps({key: value for key, value in header.items() if value is not None}).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize(
    "changes",
    [
        {"base_weight": None},
        {"base_weight": "1.5"},
        {"base_weight": True},
        {"base_weight": float("nan")},
        {"preparation": None},
        {"preparation": "list-features"},
        {"preparation": {"step": "list-features"}},
        {"preparation": ["list-features"]},
        {"preparation": [{}]},
        {"preparation": [{"step": 1}]},
        {"preparation": [{"step": "thresholds"}]},
        {"preparation": [{"step": "thresholds", "cuts": [], "relative": []}]},
        {"preparation": [{"step": "thresholds", "cuts": {"a": 1.0}, "relative": []}]},
        {"preparation": [{"step": "thresholds", "cuts": {"a": ["1"]}, "relative": []}]},
        {"preparation": [{"step": "thresholds", "cuts": {"a": [None]}, "relative": []}]},
        {"preparation": [{"step": "thresholds", "cuts": {"a": [True]}, "relative": []}]},
        {"preparation": [{"step": "thresholds", "cuts": {"a": [1.0]}}]},
        {"preparation": [{"step": "thresholds", "cuts": {"a": [1.0]}, "relative": "a"}]},
        {"preparation": [{"step": "thresholds", "cuts": {"a": [1.0]}, "relative": [1]}]},
        {"provenance": None},
        {"provenance": []},
        {"provenance": {"parameters": "sigma=1"}},
        {"provenance": {"parameters": None}},
        {"calibration": {}},
        {"calibration": "best"},
        {"calibration": {"means": "worst"}},
        {"calibration": {"means": "best", "slope": -1.0}},
        {"calibration": {"means": "best", "sharpness": float("inf")}},
        {"calibration": {"means": "best", "intercept": True}},
        {"calibration": {"means": "right", "alone": 1.5}},
        {"calibration": {"means": "best", "metric": "dream"}},
        {"calibration": {"means": "best", "metric": 3}},
        {"calibration": {"means": "best", "lists": "many"}},
        {"calibration": {"means": "best", "weight": 1.0}},
    ],
)
def test_a_damaged_header_is_refused(tmp_path: Path, changes: dict[str, object]) -> None:
    with pytest.raises(ModelError, match=r"m\.runoff is not a Runoff model, or it is damaged[.:]"):
        load(with_header(tmp_path / "m.runoff", **changes))


def test_a_good_header_that_was_written_by_hand_is_taken(tmp_path: Path) -> None:
    steps = [{"step": "list-features"}, {"step": "thresholds", "cuts": {"a": [1, 2.5]}, "relative": ["a"]}]
    path = with_header(
        tmp_path / "m.runoff", base_weight=2, preparation=steps, provenance={"parameters": {"metric": "wer"}}
    )
    assert (load(path).base_weight, load(path).preparation, load(path).metric) == (2.0, tuple(steps), "wer")


def test_a_step_of_a_later_version_is_named_when_it_is_needed(tmp_path: Path) -> None:
    model = load(with_header(tmp_path / "m.runoff", preparation=[{"step": "dream"}]))
    with pytest.raises(ModelError, match="prepares data by 'dream', which this Runoff does not know; upgrade Runoff"):
        model.scores(NBest.from_arrays([[1.0]], sizes=[1]))


@pytest.mark.parametrize("names", [["a", "a"], ["a", None]])
def test_names_of_weights_must_be_there_and_differ(tmp_path: Path, names: list[str | None]) -> None:
    weights = LinearModel.of({"a": 1.0, "b": 2.0})
    dataclasses.replace(weights, names=pa.array(names, pa.large_string())).save(tmp_path / "m.runoff")
    with pytest.raises(ModelError, match="the names of its weights are not all there and different"):
        load(tmp_path / "m.runoff")


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04"])
def test_something_else_is_not_a_model(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(ModelError, match="not a Runoff model"):
        load(tmp_path / "x")


def test_a_missing_model_is_said(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no such file"):
        load(tmp_path / "nowhere.runoff")


def test_a_full_disk_leaves_the_old_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.runoff"
    LinearModel.of({"old": 1.0}).save(path)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RunoffError, match=r"the disk is full.*unchanged"):
        LinearModel.of({"new": 1.0}).save(path)
    assert load(path).heaviest() == [("old", 1.0)]
    assert [each.name for each in tmp_path.iterdir()] == ["m.runoff"]


def test_a_kill_during_saving_leaves_the_old_model(tmp_path: Path) -> None:
    path = tmp_path / "m.runoff"
    LinearModel.of({"old": 1.0}).save(path)
    script = (
        "import os, signal, runoff\n"
        "os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
        f"runoff.LinearModel.of({{'new': 1.0}}).save({str(path)!r})\n"
    )
    done = subprocess.run([sys.executable, "-c", script], check=False)
    assert done.returncode == -signal.SIGKILL
    assert load(path).heaviest() == [("old", 1.0)]


def test_a_folder_that_does_not_exist_is_said(tmp_path: Path) -> None:
    with pytest.raises(RunoffError, match="cannot be written: no such file or directory"):
        LinearModel.of({}).save(tmp_path / "nowhere" / "m.runoff")
