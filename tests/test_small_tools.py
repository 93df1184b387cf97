"""Progress, tables, files and threads."""

import io
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import runoff
from runoff.parallel import even_cuts, in_threads
from runoff.progress import progress
from runoff.tables import html_bars, html_table, shorten, text_table


def test_plain_progress_tells_rate_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with progress("fitting", 100) as step:
        now[0] = 1.0
        step(10, "loss 3")  # too soon for another line
        now[0] = 10.0
        step(50, "loss 2")
    assert stream.getvalue() == "fitting: 50 of 100, 5.0 per second, 10 s left. loss 2\n"


def test_plain_progress_without_a_known_total_tells_the_rate_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with progress("reading", 0) as step:
        now[0] = 10.0
        step(50)
    assert stream.getvalue() == "reading: 50, 5.0 per second. \n"


def test_bars_go_to_both_sides_and_escape_html() -> None:
    found = html_bars([("<lm>", 2.0), ("length", -1.0)])
    assert "&lt;lm&gt;" in found
    assert "margin-left:50.0%;width:50.0%" in found
    assert "margin-left:25.0%;width:25.0%" in found


def test_data_models_and_learners_show_themselves_in_notebooks() -> None:
    data = runoff.NBest.from_arrays(
        [[0.0], [1.0]] * 8, [0, 1] * 8, sizes=[2] * 8, texts=["<b>", "c"] * 8, feature_names=["<lm>"]
    )
    learner = runoff.LogLinear(sigma=1.0, calibration="none")
    assert "<table>" not in learner._repr_html_()
    learner.fit(data)
    for each in (data, learner.model, learner):
        assert "<table>" in each._repr_html_()
        assert "<b>" not in each._repr_html_()
        assert "<lm>" not in each._repr_html_()
    assert "3 more" in data._repr_html_()


def test_tables_line_up_wide_letters_and_escape_html() -> None:
    lines = text_table(["a", "b"], [["日本", "1"], ["x", "22"]]).splitlines()
    assert lines[2:] == ["日本   1", "x     22"]
    assert "&lt;b&gt;" in html_table(["h"], [["<b>"]])
    assert shorten("a\n b\tc" + "x" * 20, 8) == "a b cxx…"


@given(st.lists(st.integers(0, 50), min_size=1, max_size=40), st.integers(1, 10))
def test_cuts_cover_everything_once_in_about_equal_pieces(work: list[int], pieces: int) -> None:
    totals = np.concatenate([[0], np.cumsum(work)])
    cuts = even_cuts(totals, pieces)
    assert cuts[0] == 0
    assert cuts[-1] == len(work)
    assert np.all(np.diff(cuts) > 0)
    heaviest = max(totals[stop] - totals[start] for start, stop in pairwise(cuts))
    assert heaviest <= totals[-1] / pieces + max(work)


def test_results_come_in_the_order_of_the_pieces() -> None:
    assert in_threads(lambda piece: piece * piece, range(20)) == [piece * piece for piece in range(20)]
