"""A network that counts letters, for tests of what is around networks: it needs neither torch nor weights."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from runoff.features.neural.networks import NETWORKS, Encoded

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pytest

    from runoff.features.neural import NeuralModel


class Counts:
    """Stands for any network: the letters of text and input that are an `a`, and the length."""

    columns = ("a", "length")
    limit, tokens_of_batch, device = 100, 64, SimpleNamespace(type="cpu")
    scored: ClassVar[list[int]] = []  # sizes of the batches that all of them scored

    def __init__(self, model: NeuralModel, device: str = "auto") -> None:
        self.model, self.asked = model, device

    def rows_of(self, _: Encoded) -> int:
        return 1

    def encode(self, given: str | None, text: str) -> Encoded:
        ids = [*map(ord, f"{given or ''}|{text}")]
        return Encoded(ids[: self.limit], cut=len(ids) > self.limit)

    def scores(self, batch: Sequence[Encoded]) -> np.ndarray[Any, Any]:
        self.scored.append(len(batch))
        return np.array([[each.ids.count(ord("a")), each.length] for each in batch], float)


def use_counts(monkeypatch: pytest.MonkeyPatch, caches: Path) -> type[Counts]:
    """Let every kind of model be such a network, and scores be kept in a folder."""
    for name in NETWORKS:
        monkeypatch.setitem(NETWORKS, name, Counts)
    monkeypatch.setenv("XDG_CACHE_HOME", str(caches))
    monkeypatch.setattr(Counts, "scored", [])
    return Counts


def model_folder(path: Path) -> Path:
    """A folder that looks like that of a model."""
    path.mkdir()
    (path / "config.json").write_text("{}")
    (path / "model.safetensors").write_bytes(b"12")
    return path
