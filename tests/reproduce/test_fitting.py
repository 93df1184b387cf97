"""An interrupted training is no result."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import pytest

from runoff import LogLinear, NBest
from runoff.reproduce.fitting import fitted

DATA = NBest.from_arrays([[1.0], [0.0]] * 4, [1, 0] * 4, sizes=[2] * 4)


def test_what_has_ended_is_the_model() -> None:
    assert fitted(LogLinear(sigma=1.0, calibration="none"), DATA).n_active == 1


def test_ctrl_c_goes_on() -> None:
    model = LogLinear(sigma=1.0, calibration="none").fit(DATA).model
    half = dataclasses.replace(model, provenance={**model.provenance, "finished": False})
    learner = SimpleNamespace(fit=lambda *_: SimpleNamespace(model=half))
    with pytest.raises(KeyboardInterrupt):
        fitted(learner, DATA)
