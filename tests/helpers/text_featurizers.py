"""Featurizers of plain texts, and lists that have everything a family can look at."""

from __future__ import annotations

import functools
import zlib
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff import NBest
from runoff.tasks.text import TextFeaturizer

if TYPE_CHECKING:
    from collections.abc import Sequence

VOCABULARY = [
    "the",
    "a",
    "cat",
    "dog",
    "sat",
    "sat.",
    "on",
    "mat,",
    "Anna",
    "Bob",
    "3",
    "14",
    "(so)",
    "éa",
    "日本",
    "ran",
    "ran",
]


class Encoder:
    """A stand-in for a sentence encoder: eight sums over letters."""

    device = SimpleNamespace(type="cpu")

    def encode(self, texts: Sequence[str], **_: Any) -> np.ndarray:
        return np.array(
            [[zlib.crc32(f"{at}{text}".encode()) % 97 - 48 for at in range(8)] for text in texts], np.float32
        )


def synthetic(seed: int, n: int = 12, *, base: bool = False, inputs: bool = True, supplied: bool = False) -> NBest:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 6, n)
    total = int(sizes.sum())
    references = [" ".join(rng.choice(VOCABULARY, 5)) for _ in range(n)]
    texts = []
    for reference, size in zip(references, sizes.tolist(), strict=True):
        for _ in range(size):
            words = reference.split()
            for place in rng.choice(5, rng.integers(0, 3), replace=False):
                words[place] = rng.choice(VOCABULARY)
            texts.append(" ".join(words[: rng.integers(3, 6)]))
    return NBest.from_arrays(
        rng.normal(size=(total, 2)) if supplied else None,
        texts=texts,
        sizes=sizes,
        references=references,
        inputs=[" ".join(rng.choice(VOCABULARY, 4)) for _ in range(n)] if inputs else None,
        base=rng.normal(size=total) if base else None,
        feature_names=["p", "q"] if supplied else None,
    )


def fit(train: NBest, families: str, metric: str = "chrf", **settings: Any) -> tuple[TextFeaturizer, NBest]:
    """A fitted featurizer, and the training lists with their features."""
    featurizer = TextFeaturizer(families=families, **settings)
    return featurizer, featurizer.fit_transform(train, metric)


@functools.cache
def fitted(families: str, metric: str = "chrf", *, base: bool = False, hashed: int = 0) -> TextFeaturizer:
    encoder = Encoder() if families in ("all", "embedding") else None
    train = synthetic(0, 25, base=base, supplied=True)
    return fit(train, families, metric, min_lists=2, encoder=encoder, hashed=hashed)[0]


def table(data: NBest) -> np.ndarray:
    return data.features.to_scipy().toarray().astype(np.float32)
