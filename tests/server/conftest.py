"""Models that are served."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from runoff.model import LinearModel

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def rows_model(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("models") / "rows.runoff"
    LinearModel.of({"lm": 1.0, "length": -0.5}).save(path)
    return path


@pytest.fixture(scope="session")
def text_model(tmp_path_factory) -> Path:
    import runoff
    from runoff.tasks.text import TextReranker

    lists = [
        {"id": str(at), "references": [right], "candidates": [wrong, right, wrong + " x"]}
        for at, (right, wrong) in enumerate([("the cat sat", "the cats at"), ("a dog ran", "a dock ran")] * 15)
    ]
    data = runoff.grade(runoff.NBest.from_records(lists), "wer")
    path = tmp_path_factory.mktemp("models") / "texts.runoff"
    TextReranker(metric="wer").fit(data).model.save(path)
    return path
