"""What a first run compiles is said in lines that count it, and does not slow the rate of the work."""

import io

import pytest
from numba import njit

from runoff import progress
from runoff.cli import first_compilation
from runoff.cli.first_compilation import CompilationReport, report_compilation


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    monkeypatch.setattr(progress, "_left_out", {"seconds": 0.0})
    return now


def test_short_compilation_is_silent_and_long_one_is_counted(clock, monkeypatch) -> None:
    said = io.StringIO()
    monkeypatch.setattr(first_compilation.sys, "stderr", said)
    report = CompilationReport()
    for seconds, told in ((0.4, ""), (0.8, "2 functions in 1 s"), (3.0, ""), (2.5, "4 functions in 7 s")):
        report.start()
        clock[0] += seconds
        report.end()
        line = f"compiling, first time only: {told} so far.\n" if told else ""
        assert said.getvalue() == line
        said.seek(0)
        said.truncate()


def test_a_function_within_another_is_counted_and_its_time_is_not_counted_twice(clock) -> None:
    report = CompilationReport()
    report.start()
    clock[0] += 0.25
    report.start()
    clock[0] += 0.25
    report.end()
    report.end()
    assert (report.functions, report.seconds) == (2, 0.5)


def test_compilation_does_not_slow_the_rate_of_the_work(clock) -> None:
    pace, report = progress.Pace(clock[0]), CompilationReport()
    report.start()
    clock[0] += 90
    report.end()
    clock[0] += 10
    assert pace.rate(20, clock[0]) == 2.0
    assert pace.left(20, 50, clock[0]) == 15.0


def test_the_time_left_is_told_once_there_is_something_to_go_by(clock) -> None:
    pace = progress.Pace(clock[0])
    assert pace.left(0, 50, clock[0] + 60) is None
    assert pace.left(3, 50, clock[0] + 1.9) is None
    assert pace.left(50, 50, clock[0] + 60) is None
    assert pace.left(10, 50, clock[0] + 2.0) == pytest.approx(8.0)


def test_what_numba_compiles_is_counted() -> None:
    report = report_compilation()
    before = report.functions

    @njit
    def doubled(value: float) -> float:
        return 2 * value

    assert doubled(2.0) == 4.0
    first = report.functions
    assert first > before
    assert doubled(3.0) == 6.0
    assert report.functions == first
    assert report_compilation() is report
