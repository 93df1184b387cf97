"""Synthetic lists of texts: with a signal that tells the right text, or with none at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff import NBest
from runoff.metrics import get
from runoff.ranking import first_round

if TYPE_CHECKING:
    from runoff.learners import Learner

WORDS = (
    "the", "a", "cat", "dog", "sat", "on", "mat", "and", "ran", "far",
    "old", "big", "red", "car", "went", "home", "to", "see", "my", "friend",
)  # fmt: skip


def sentence(rng: np.random.Generator, n: int = 7) -> list[str]:
    return [str(word) for word in rng.choice(WORDS, n, replace=False)]


def repeating_lists(seed: int, n: int = 60, k: int = 4, *, base: bool = False) -> NBest:
    """The reference in a random place; the others say one of its words twice, and swap another."""
    rng = np.random.default_rng(seed)
    texts, references = [], []
    for _ in range(n):
        right = sentence(rng)
        references.append(" ".join(right))
        place = int(rng.integers(k))
        for at in range(k):
            words = list(right)
            if at != place:
                words.insert(again := int(rng.integers(len(words))), words[again])
            texts.append(" ".join(words))
    scores = rng.normal(size=n * k) if base else None
    return NBest.from_arrays(texts=texts, sizes=[k] * n, references=references, base=scores, metric="wer")


def number_lists(seed: int, n: int = 60, k: int = 4) -> NBest:
    """Of texts that differ in a number, the one with the input's number is right."""
    rng = np.random.default_rng(seed)
    texts, references, inputs = [], [], []
    for _ in range(n):
        numbers = [str(number) for number in rng.choice(np.arange(100, 999), k, replace=False)]
        right = int(rng.integers(k))
        start, end = " ".join(sentence(rng, 2)), " ".join(sentence(rng, 2))
        inputs.append(f"was {numbers[right]} denn")
        texts += [f"{start} {number} {end}" for number in numbers]
        references.append(f"{start} {numbers[right]} {end}")
    return NBest.from_arrays(texts=texts, sizes=[k] * n, references=references, inputs=inputs, metric="exact")


def noise_lists(seed: int, n: int = 60, k: int = 4, *, base: bool = False) -> NBest:
    """Random texts with random quality: there is nothing to learn."""
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(WORDS, rng.integers(4, 9))) for _ in range(n * k)]
    scores = rng.normal(size=n * k) if base else None
    return NBest.from_arrays(texts=texts, sizes=[k] * n, quality=rng.normal(size=n * k), base=scores)


def gain(learner: Learner, data: NBest, name: str) -> float:
    """What the learner's choices gain over the first round's, in units of the metric; positive is better."""
    metric = get(name)
    rows = [metric.rows(data, ranked).sum(axis=0) for ranked in (learner.model.ranking(data), first_round(data))]
    return float(metric.signed(rows[0]) - metric.signed(rows[1]))
