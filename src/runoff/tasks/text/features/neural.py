"""Scores of neural models as a family of text features; see `runoff.features.neural`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.features.neural import (
    CandidateTexts,
    NeuralModel,
    NeuralScorer,
    is_model_step,
    parse_models,
    usual_folder,
    writable,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Floats
    from runoff.tasks.text.distinct_texts import DistinctTexts

_WORTH_KEEPING = 1.0  # seconds of work from which on scores are written: not for every request of a service


class NeuralFeatures:
    """Columns by some neural models, for each distinct text of the lists."""

    def __init__(self, models: Sequence[NeuralModel], device: str = "auto") -> None:
        folder = writable(usual_folder())
        self.scorers = [NeuralScorer(model, device, folder, keep_after=_WORTH_KEEPING) for model in models]

    @classmethod
    def of_setting(cls, models: str, prompt: str | None, device: str) -> NeuralFeatures:
        """Those that the settings `neural`, `prompt` and `device` name."""
        return cls(parse_models(models, prompt=prompt), device)

    def features(self, lists: DistinctTexts, *, verbose: bool = False) -> tuple[tuple[str, ...], Floats]:
        """Names of columns, and a row for every text."""
        texts = CandidateTexts.of_lists(lists.texts, lists.data.inputs, lists.list_of)
        found = [scorer.columns(texts, verbose=verbose) for scorer in self.scorers]
        return tuple(name for names, _ in found for name in names), np.hstack([table for _, table in found])

    def notes(self) -> tuple[str, ...]:
        """What the user should know."""
        return tuple(note for scorer in self.scorers for note in scorer.notes())

    def to_step(self) -> list[dict[str, Any]]:
        """What a model file keeps."""
        return [scorer.model.to_step() for scorer in self.scorers]

    @classmethod
    def from_step(cls, kept: Sequence[dict[str, Any]]) -> NeuralFeatures:
        """Restore from a model file; a folder that has changed is refused."""
        return cls([NeuralModel.from_step(each) for each in kept])


def is_neural_step(kept: Any) -> bool:
    """Whether what a file has names some neural models."""
    return isinstance(kept, list) and bool(kept) and all(map(is_model_step, kept))
