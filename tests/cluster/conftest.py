"""Engines for tests: local processes, and a local Ray cluster where Ray is installed."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

import pytest

from runoff.cluster import on

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runoff.engines import Engine

HAS_RAY = importlib.util.find_spec("ray") is not None
NEEDS_RAY = [
    pytest.mark.slow,  # starting a cluster takes seconds
    pytest.mark.skipif(not HAS_RAY, reason="Ray is not installed: pip install 'runoff[cluster]'"),
]
ENGINES = ["processes:2", pytest.param("local:2", marks=NEEDS_RAY)]


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    with on(request.param) as found:
        yield found
