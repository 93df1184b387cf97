"""What a service counts, in the form that Prometheus reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.server.served_model import ServedModel

_SECONDS = 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30
_BATCHES = 1, 2, 4, 8, 16, 32, 64, 128


class Measurements:
    """Counters of one service."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        registry = self._registry
        self.requests = Counter(
            "runoff_requests", "Requests by path and status.", ["path", "status"], registry=registry
        )
        self.seconds = Histogram(
            "runoff_request_seconds", "From request to answer.", ["path"], buckets=_SECONDS, registry=registry
        )
        self.lists = Counter("runoff_lists", "Lists in requests, by model.", ["model"], registry=registry)
        self.candidates = Counter(
            "runoff_candidates", "Candidates in requests, by model.", ["model"], registry=registry
        )
        self.reloads = Counter(
            "runoff_model_reloads", "Models replaced while running.", ["model", "outcome"], registry=registry
        )
        self._versions = Gauge("runoff_model_version", "Files of a model so far.", ["model"], registry=registry)
        self._waiting = Gauge("runoff_waiting_requests", "Requests that wait for a model.", registry=registry)
        self.batches = Histogram(
            "runoff_batch_requests", "Requests scored together.", buckets=_BATCHES, registry=registry
        )

    def page(self, models: Mapping[str, ServedModel], waiting: int) -> bytes:
        """All of them, as text."""
        for name, served in models.items():
            self._versions.labels(name).set(served.version)
        self._waiting.set(waiting)
        return generate_latest(self._registry)
