"""Folds of graded documents as LETOR has them, from files or drawn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from runoff.errors import DataError
from runoff.nbest import NBest
from runoff.reproduce.data_files import PARTS, files_in, part_of

if TYPE_CHECKING:
    from pathlib import Path

QUERIES, DOCUMENTS, COLUMNS = 60, 12, 20  # of a fifth of the synthetic collection


class Fold(Protocol):
    """Train, validation and test."""

    @property
    def parts(self) -> dict[str, NBest]:
        """The three parts by name."""


@dataclass(frozen=True)
class FoldFiles:
    """A fold in files, read when it is needed."""

    files: tuple[tuple[str, Path], ...]

    @cached_property
    def parts(self) -> dict[str, NBest]:
        """Read the three parts."""
        from runoff.io import read

        return {part: read(path) for part, path in self.files}


@dataclass(frozen=True)
class DrawnFold:
    """A fold in memory."""

    parts: dict[str, NBest]


def find_folds(folder: Path) -> dict[str, list[FoldFiles]]:
    """Collections by name: folders inside, or this one, with Fold1, Fold2 … of train, vali and test each."""
    collections: dict[str, list[FoldFiles]] = {}
    places = sorted({path.parent for path in files_in(folder) if path.parent.name.lower().startswith("fold")})
    for place in places:
        found = {}
        for part, names in PARTS.items():
            path = part_of(sorted(each for each in place.iterdir() if each.is_file()), names)
            if path is None:
                raise DataError(
                    f"expected train, vali and test of a fold, found none that is called {' or '.join(names)}.",
                    path=place,
                )
            found["vali" if part == "dev" else part] = path
        collections.setdefault(place.parent.name, []).append(FoldFiles(tuple(found.items())))
    if not collections:
        raise DataError(
            "expected a LETOR collection: folders Fold1, Fold2 … with train.txt, vali.txt and test.txt (plain or "
            "compressed), here or in folders inside; found none.",
            path=folder,
        )
    return collections


def drawn_folds(seed: int) -> list[DrawnFold]:
    """Five folds of synthetic queries, three fifths, one and one; grades 0 to 2 follow the columns with much noise."""
    rng = np.random.default_rng([seed, 2011])
    truth = np.abs(rng.normal(size=COLUMNS)) * (rng.random(COLUMNS) < 0.4)
    fifths = [_fifth(rng, truth) for _ in range(5)]

    def joined(*which: int) -> NBest:
        tables, grades = zip(*(fifths[at % 5] for at in which), strict=True)
        ids = [f"{at % 5 + 1}.{query}" for at in which for query in range(QUERIES)]
        sizes = np.full(QUERIES * len(which), DOCUMENTS)
        return NBest.from_arrays(np.vstack(tables), np.concatenate(grades), sizes=sizes, group_ids=ids)

    return [
        DrawnFold({"train": joined(at, at + 1, at + 2), "vali": joined(at + 3), "test": joined(at + 4)})
        for at in range(5)
    ]


def _fifth(rng: np.random.Generator, truth: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Columns between 0 and 1, and grades; a query has its own level, so that only differences within it tell."""
    level = rng.random((QUERIES, 1, COLUMNS)) * 0.5
    table = level + 0.5 * rng.random((QUERIES, DOCUMENTS, COLUMNS))
    worth = (table - level) @ truth
    noisy = worth / worth.std() + 1.6 * rng.normal(size=worth.shape)
    grades = (noisy > np.quantile(noisy, 0.8)).astype(float) + (noisy > np.quantile(noisy, 0.94))
    return np.round(table.reshape(-1, COLUMNS), 4), grades.ravel()
