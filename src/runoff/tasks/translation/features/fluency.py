"""How likely a translation is as a sentence of its language, by the target side of parallel text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.features.lm import LanguageModel
    from runoff.tasks.translation.features.translated_texts import TranslatedTexts

NAMES = ("fluency:log-probability", "fluency:per word", "fluency:worst word", "fluency:unknown words")


def fluency_features(texts: TranslatedTexts, model: LanguageModel) -> tuple[tuple[str, ...], Floats]:
    """Log-probability by an n-gram model of tokens, per word and of the least likely word; unknown words. O(words)."""
    scores = model.score(texts.target)
    lengths = texts.target.lengths + 1
    return NAMES, np.column_stack([scores.total, scores.total / lengths, scores.lowest, scores.unknown])
