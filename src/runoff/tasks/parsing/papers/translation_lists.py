"""Lists of translations with scores as features, of a paper's run: found in a folder or drawn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from runoff.errors import DataError
from runoff.io import read
from runoff.metrics import grade
from runoff.nbest import NBest
from runoff.tasks.parsing.demo.treebank import documents

if TYPE_CHECKING:
    from pathlib import Path

METRIC = "bleu"
SIZES, CANDIDATES, NOISY = {"train": 150, "dev": 60, "test": 120}, 100, 12
KINDS = ("drop", "replace", "swap", "repeat")
_WORTH = (0.5, 0.35, 0.25, 0.2)  # how well the first round sees a mistake of each kind
_LEAST, _MOST = 2, 9  # mistakes of a candidate


@dataclass(frozen=True)
class ScoredTranslations:
    """Train, dev and test, judged by the metric of the lists, BLEU if they name none."""

    files: dict[str, Path] | None
    seed: int = 0

    @cached_property
    def parts(self) -> dict[str, NBest]:
        """All three parts with their statistics."""
        if self.files is None:
            return drawn_translations(self.seed)
        found = {}
        for part, path in self.files.items():
            data = read(path)
            if data.features.n_columns == 0:
                raise DataError("expected lists whose candidates have features, such as scores; found none.", path=path)
            found[part] = data if data.quality is not None else grade(data, data.metric or METRIC)
        return found

    def file_names(self) -> dict[str, str]:
        """Names of the files, for commands."""
        return {part: path.name for part, path in (self.files or {}).items()}

    @property
    def metric(self) -> str:
        """What choices are judged by."""
        return (self.parts["train"].metric or METRIC).partition(",")[0]


def drawn_translations(seed: int) -> dict[str, NBest]:
    """Sentences with two to nine mistakes of four kinds; features see the kinds with noise, the first round less well.

    Examples
    --------
    >>> data = drawn_translations(0)["dev"]
    >>> len(data), data.n_candidates, data.features.n_columns
    (60, 6000, 16)
    """
    rng = np.random.default_rng([seed, 2003])
    count = sum(SIZES.values())
    trees = [each.tree for document in documents(-(-count // 20), seed + 1) for each in document.sentences][:count]
    sentences = [_words(tree) for tree in trees]
    known = sorted({word for words in sentences for word in words})
    mixing = rng.normal(size=(len(KINDS), NOISY)) * (rng.random((len(KINDS), NOISY)) < 0.5)
    found, start = {}, 0
    for part, size in SIZES.items():
        found[part] = _part(sentences[start : start + size], known, mixing, rng)
        start += size
    return found


def _part(sentences: list[list[str]], known: list[str], mixing: np.ndarray, rng: np.random.Generator) -> NBest:
    texts, counts = [], []
    for words in sentences:
        for _ in range(CANDIDATES):
            made = rng.multinomial(rng.integers(_LEAST, _MOST + 1), [1 / len(KINDS)] * len(KINDS))
            texts.append(" ".join(_worse(words, made, known, rng)))
            counts.append(made)
    mistakes = np.array(counts, float)
    direct = mistakes + 2.0 * rng.normal(size=mistakes.shape)
    indirect = mistakes @ mixing + 2.5 * rng.normal(size=(len(mistakes), NOISY))
    base = -mistakes @ np.array(_WORTH) + 1.2 * rng.normal(size=len(mistakes))
    data = NBest.from_arrays(
        np.hstack([direct, indirect]).round(4),
        feature_names=[f"score:{name}" for name in (*KINDS, *range(NOISY))],
        texts=texts,
        base=base.round(4),
        sizes=[CANDIDATES] * len(sentences),
        references=[" ".join(words) for words in sentences],
        metric=METRIC,
    )
    return grade(data, METRIC)


def _worse(words: list[str], mistakes: np.ndarray, known: list[str], rng: np.random.Generator) -> list[str]:
    """The sentence with so many mistakes of every kind."""
    found = list(words)
    for kind, many in zip(KINDS, mistakes, strict=True):
        for _ in range(int(many)):
            at = int(rng.integers(len(found)))
            if kind == "drop" and len(found) > 1:
                del found[at]
            elif kind == "replace":
                found[at] = known[int(rng.integers(len(known)))]
            elif kind == "swap" and at + 1 < len(found):
                found[at], found[at + 1] = found[at + 1], found[at]
            elif kind == "repeat":
                found.insert(at, found[at])
    return found


def _words(tree: str) -> list[str]:
    """Words of a tree in brackets."""
    return [part.rstrip(")") for part in tree.split() if part.endswith(")")]
