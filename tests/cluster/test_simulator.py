"""The simulator against cases that are known: one worker, work without end, and a slow link."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from runoff.cluster.simulator import ClusterOf, StageCosts, plan, read_costs
from runoff.errors import DataError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

FAST = {"bandwidth": 1e15, "latency": 0.0, "start": 0.0, "spread": 0.0}


def test_one_worker_takes_what_was_measured() -> None:
    found = plan(StageCosts("a", seconds=7.0, serial=2.0), 3e6, ClusterOf(1, price=3.6, **FAST))
    assert found.seconds == pytest.approx(27.0)
    assert found.price == pytest.approx(27.0 / 1000)


def test_amdahl() -> None:
    """Amdahl (1967): what stays in one process bounds the gain of any number of workers."""
    costs = StageCosts("a", seconds=95.0, serial=5.0, pieces=1e12)
    for workers in (2, 20, 2_000):
        gain = 100.0 / plan(costs, 1e6, ClusterOf(workers, **FAST)).seconds
        assert gain == pytest.approx(1 / (0.05 + 0.95 / workers), rel=1e-6)


def test_no_more_workers_than_pieces_help() -> None:
    costs = StageCosts("a", seconds=10.0, pieces=5.0)
    five, many = (plan(costs, 1e6, ClusterOf(workers, **FAST)).compute for workers in (5, 500))
    assert five == many == pytest.approx(2.0)
    at_most = StageCosts("a", seconds=10.0, pieces=5.0, most_pieces=16)
    assert plan(at_most, 1e9, ClusterOf(500, **FAST)).compute == pytest.approx(10_000 / 16)


def test_the_link_is_shared() -> None:
    costs = StageCosts("a", seconds=0.0, bytes_in=1e9, bytes_out=1e9, bytes_shared=1e8)
    slow = FAST | {"bandwidth": 1e8, "per_machine": 4}
    assert plan(costs, 1e6, ClusterOf(10, **slow)).exchange == pytest.approx(20.0 + 3.0)


def test_rounds_wait_for_all() -> None:
    costs = StageCosts("a", seconds=1.0, rounds=1_000, round_bytes=1e6, pieces=1e6)
    found = plan(costs, 1e6, ClusterOf(100, 1e9, latency=0.001, start=0.0, spread=0.1))
    assert found.exchange == pytest.approx(1_000 * (0.001 + 1e6 * 100 / 1e9))
    # The expected largest of n normal values is about sqrt(2 ln n): Cramér (1946), section 28.6.
    assert found.waiting == pytest.approx(0.01 * 0.1 * math.sqrt(2 * math.log(100)))


def test_costs_that_come_with_it() -> None:
    names = [each.name for each in read_costs()]
    assert len(names) == len(set(names)) > 8
    assert all(each.seconds + each.serial > 0 for each in read_costs())


@pytest.mark.parametrize(
    "content", ["", "[]", '{"stages": [{"name": "a"}]}', '{"stages": [{"name": "a", "seconds": -1}]}', '{"stages": 1}']
)
def test_costs_that_are_none(tmp_path: Path, content: str) -> None:
    path = tmp_path / "costs.json"
    path.write_text(content)
    with pytest.raises(DataError, match=r"costs\.json: expected costs as benchmarks/scale\.py prints them: an object"):
        read_costs(path)
    with pytest.raises(DataError, match="cannot be read"):
        read_costs(tmp_path / "nowhere.json")


@pytest.mark.parametrize("wrong", [{"workers": 0}, {"workers": 1, "bandwidth": 0}, {"workers": 2, "spread": -0.1}])
def test_clusters_that_cannot_be(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="must be"):
        ClusterOf(**wrong)
