"""Engines by name."""

from __future__ import annotations

import sys

import pytest

from runoff.cluster import engine, on
from runoff.engines import HERE, current
from runoff.errors import UsageError


@pytest.mark.parametrize("name", ["", "here:2", "processes:0", "processes:-1", "local:two", "dask", "http://a:1"])
def test_a_name_that_there_is_not(name: str) -> None:
    with pytest.raises(UsageError, match="there are: here, processes, processes:N, local, local:N, auto, ray://HOST"):
        engine(name)


def test_engines_are_nested_and_end() -> None:
    with on("processes:3") as outer:
        assert (current(), outer.workers) == (outer, 3)
        with on("here"):
            assert current() is HERE
        assert current() is outer
    assert current() is HERE


def test_without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match=r"clusters need Ray; install it: pip install 'runoff\[cluster\]'\."):
        engine("local:2")
