"""Pictures of a training: what is written in them, and that words do not sit on lines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

from helpers.boosting_data import binary
from runoff import Boost
from runoff.learners.boosting_work import BoostingWork
from runoff.report import pictures
from runoff.report.pictures import draw_training, new_figure

if TYPE_CHECKING:
    from pathlib import Path


def texts(picture: Path) -> list[str]:
    """What is written in an SVG, as matplotlib notes it beside the shapes of the letters."""
    return re.findall(r"<!-- (.*?) -->", picture.read_text())


def test_the_first_round_and_the_savings_are_named(tmp_path: Path) -> None:
    learner = Boost(max_rounds=120, smoothing=0.0025).fit(binary(1), binary(2))
    draw_training(learner, tmp_path / "a.svg")
    found = texts(tmp_path / "a.svg")
    assert "first round" in found
    assert f"{learner.model.provenance['rounds']:,} rounds chosen" in found
    assert "from round 1 to n" in found
    assert "within the paper&#x27;s intervals" in found or "within the paper's intervals" in found


def test_the_line_of_the_first_round_is_where_no_round_leads() -> None:
    train, dev = binary(1), binary(2)
    learner = Boost(max_rounds=120, smoothing=0.0025).fit(train, dev)
    _, (axis,) = new_figure(1, 4, 3)
    pictures._dev(axis, learner)
    line = next(each for each in axis.lines if each.get_label() == "first round")
    tops = [start + int(np.argmax(dev.base[start:stop])) for start, stop in zip(dev.offsets, dev.offsets[1:])]  # noqa: B905
    assert list(line.get_ydata()) == pytest.approx([dev.quality[tops].mean()] * 2)
    assert line.get_linestyle() == "--"


@pytest.mark.parametrize("rising", [True, False])
def test_the_legend_of_the_savings_covers_no_line(rising: bool) -> None:
    additions = np.linspace(1000, 10, 3000) if rising else np.linspace(10, 1000, 3000)
    learner = Boost()
    learner.work, learner.history = BoostingWork(additions.astype(np.int64), 1000), [{"round": 1.0}]
    figure, (axis,) = new_figure(1, 4.4, 3.4)
    pictures._savings(axis, learner)
    figure.canvas.draw()
    box = axis.get_legend().get_window_extent()
    for line in axis.lines:
        x, y = axis.transData.transform(np.column_stack([line.get_xdata(), line.get_ydata()])).T
        x, y = (
            np.interp(np.linspace(0, 1, 5000), np.linspace(0, 1, x.size), x),
            np.interp(np.linspace(0, 1, 5000), np.linspace(0, 1, y.size), y),
        )
        assert not np.any((x > box.x0) & (x < box.x1) & (y > box.y0) & (y < box.y1))
