"""`runoff plan-cluster`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from runoff.cli import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def costs(tmp_path: Path) -> str:
    path = tmp_path / "costs.json"
    path.write_text(
        '{"stages": [{"name": "reading", "seconds": 36}, {"name": "boosting", "seconds": 720, "rounds": 9}]}'
    )
    return str(path)


def said(*command: str) -> str:
    done = CliRunner().invoke(main, ["plan-cluster", *command], catch_exceptions=False)
    return f"{done.exit_code} {done.output}"


def test_a_table(costs: str) -> None:
    still = ("--latency", "0", "--start", "0", "--spread", "0", "--costs", costs)
    found = said("--candidates", "100M", "--workers", "1,10", "--price", "0.1", *still)
    # 36 seconds of a core for a million are an hour for 100 million; nothing else costs anything here.
    assert found.splitlines() == [
        "0 100,000,000 candidates          1 worker       10 workers",
        "---------------------------------------------------------",
        "reading                   60.0 min, 0.10    6.0 min, 0.10",
        "boosting                20.0 hours, 2.00  2.0 hours, 2.00",
        "Time, and price of all workers for as long.",
    ]


def test_as_json(costs: str) -> None:
    found = json.loads(
        said("--candidates", "1e6", "--workers", "4", "--stages", "reading", "--costs", costs, "--json")[2:]
    )
    assert list(found["stages"]) == ["reading"]
    assert found["stages"]["reading"]["4"]["compute"] == pytest.approx(9.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--candidates", "many"], "--candidates must be a number above 0, such as 1e9, 20M or 10Gbit; found 'many'."),
        (["--candidates", "0"], "--candidates must be a number above 0"),
        (["--candidates", "1M", "--workers", "2,x"], "--workers must be whole numbers of at least 1"),
        (["--candidates", "1M", "--bandwidth", "fast"], "--bandwidth must be a number above 0"),
        (["--candidates", "1M", "--stages", "guessing"], "there are no costs of 'guessing'; there are: "),
    ],
)
def test_mistakes(options: list[str], message: str) -> None:
    found = said(*options)
    assert found.startswith("2 ")
    assert message in found
