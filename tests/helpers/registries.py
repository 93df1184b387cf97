"""Registries that a test may change."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from runoff import registry

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def own_registries() -> Iterator[None]:
    """What is registered inside is gone afterwards."""
    kinds = [
        registry.FORMATS,
        registry.METRICS,
        registry.FEATURIZERS,
        registry.LEARNERS,
        registry.TASKS,
        registry.PAPERS,
    ]
    before = [(each, len(each), dict(each._entries)) for each in kinds]  # the length is known when all tasks are
    try:
        yield
    finally:
        for each, _, entries in before:
            each._entries.clear()
            each._entries.update(entries)
