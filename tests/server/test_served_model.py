"""Models that are replaced while they are served."""

from __future__ import annotations

import pytest

from runoff.errors import ModelError, RunoffError, UsageError
from runoff.model import LinearModel
from runoff.server.served_model import ServedModel, open_models


def test_a_damaged_file_leaves_the_old_model_in_service(tmp_path):
    path = tmp_path / "m.runoff"
    LinearModel.of({"lm": 1.0}).save(path)
    served = ServedModel(path)
    path.write_bytes(b"nonsense")
    with pytest.raises(RunoffError):
        served.refresh()
    assert served.model.heaviest() == [("lm", 1.0)]
    assert not served.refresh()  # said once
    LinearModel.of({"lm": 3.0}).save(path)
    assert served.refresh()
    assert (served.version, served.model.heaviest()) == (2, [("lm", 3.0)])


def test_a_file_that_is_gone_leaves_the_old_model_in_service(tmp_path):
    path = tmp_path / "m.runoff"
    LinearModel.of({"lm": 1.0}).save(path)
    served = ServedModel(path)
    path.unlink()
    assert not served.refresh()
    assert served.model.heaviest() == [("lm", 1.0)]


def test_names_differ(tmp_path, rows_model):
    path = tmp_path / rows_model.name
    path.write_bytes(rows_model.read_bytes())
    with pytest.raises(UsageError, match=r"two models are called 'rows': .* give one another name: NAME="):
        open_models([(None, rows_model), (None, path)], say=lambda _: None)
    found = open_models([(None, rows_model), ("other", path)], say=lambda _: None)
    assert list(found) == ["rows", "other"]


def test_what_is_no_model_is_refused(tmp_path):
    (tmp_path / "x").write_text("no model")
    with pytest.raises(ModelError):
        open_models([(None, tmp_path / "x")], say=lambda _: None)
