"""A task with a first round that takes milliseconds: words with one letter upper case, and guesses which one it is."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff import LogLinear, NBest, Perceptron, write
from runoff.errors import UsageError
from runoff.features.featurizer import Featurizer
from runoff.learners.recipes import LearnerRecipe
from runoff.nbest import Features
from runoff.pipeline.stages import digest
from runoff.tasks import FirstRound, Task

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

WORDS = ("orange", "apple", "island", "under", "eleven", "umbrella", "ocean", "iris", "animal", "echo")


@dataclass(frozen=True)
class Words:
    """Words, each with the right upper-case letter."""

    right: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.right)

    def describe(self) -> dict[str, int]:
        return {"words": len(self.right)}

    def documents(self) -> Sequence[str]:
        return [self.right[0]]


@dataclass(frozen=True)
class ToyParts:
    parts: dict[str, Words]
    notes: tuple[str, ...] = ("read without trouble.",)

    def items(self) -> Mapping[str, Words]:
        return self.parts

    def key(self, part: str) -> str:
        return digest(self.parts[part].right)


class ToyRound(FirstRound):
    """Proposes every letter, the first ones first; the right one is the last vowel."""

    unit = "words"
    proposer_file = "guesser.json"
    proposer = "guesser"

    def __init__(self, case: str = "upper") -> None:
        self.case = case
        self.calls: list[str] = []

    @property
    def options(self) -> Mapping[str, Any]:
        return {"case": self.case}

    def read(self, paths: Path, dev: float, test: float, seed: int) -> ToyParts:
        words = np.random.default_rng(seed).permutation([_right(word) for word in paths.read_text().split()]).tolist()
        cuts = [0, round(len(words) * dev), round(len(words) * (dev + test)), len(words)]
        named = zip(("dev", "test", "train"), cuts, cuts[1:], strict=False)
        parts = {name: Words(tuple(words[start:stop])) for name, start, stop in named}
        return ToyParts({name: parts[name] for name in ("train", "dev", "test")})

    def folds_for(self, train: Words, folds: int | None) -> int:
        if folds is not None and folds > len(train):
            raise UsageError(f"{len(train)} words cannot be cut into {folds} folds.")
        return folds or 2

    def train(self, material: Words, path: Path) -> dict[str, Any]:
        self.calls.append("train")
        path.write_text(json.dumps({"words": len(material)}))
        return {"words": len(material)}

    def propose(
        self,
        proposer: Path,
        material: Words,
        path: Path,
        *,
        k: int,
        threads: int | None,  # noqa: ARG002 - the interface
        verbose: bool,  # noqa: ARG002
        say: Callable[[str], object],  # noqa: ARG002
    ) -> dict[str, Any]:
        self.calls.append(f"propose {path.name.partition('.')[0]}")
        assert json.loads(proposer.read_text())["words"] > 0
        return self._write(material, path, k)

    def jackknife(
        self,
        material: Words,
        path: Path,
        *,
        k: int,
        folds: int,
        threads: int | None,  # noqa: ARG002 - the interface
        verbose: bool,  # noqa: ARG002
        say: Callable[[str], object],  # noqa: ARG002
    ) -> dict[str, Any]:
        self.calls.append(f"jackknife {folds}")
        return self._write(material, path, k)

    def _write(self, material: Words, path: Path, k: int) -> dict[str, Any]:
        records = [
            {
                "id": f"{at}",
                "references": [right],
                "candidates": [
                    {"text": _upper(right.lower(), letter), "base": -float(letter)}
                    for letter in range(min(k, len(right)))
                ],
            }
            for at, right in enumerate(material.right)
        ]
        write(NBest.from_records(records), path)
        return {"lists": len(records)}


class ToyFeaturizer(Featurizer):
    """Whether the upper-case letter is a vowel, and how many vowels come after it; learns which letters there are."""

    step = "toy"
    settings = ("vowels",)

    def __init__(self, vowels: str = "AEIOU") -> None:
        self.vowels, self.seen = vowels, ""

    def fit_transform(self, train: NBest, metric: Any = None) -> NBest:
        self.seen = "".join(sorted({letter for text in train.texts.to_pylist() for letter in text if letter.isupper()}))
        self.notes = (f"fitted for {metric}.",)
        return self.transform(train)

    def transform(self, data: NBest) -> NBest:
        rows = [self._row(text) for text in data.texts.to_pylist()]
        return data.replace(features=Features.of(np.array(rows, float), ["vowel", "vowels after"]))

    def _row(self, text: str) -> list[float]:
        at = next(at for at, letter in enumerate(text) if letter.isupper())
        return [float(text[at] in self.vowels), float(sum(each.upper() in self.vowels for each in text[at + 1 :]))]

    def to_step(self) -> dict[str, Any]:
        return {"step": self.step, "vowels": self.vowels, "seen": self.seen}

    @classmethod
    def from_step(cls, step: Mapping[str, Any]) -> ToyFeaturizer:
        found = cls(step["vowels"])
        found.seen = step["seen"]
        return found


class ToyTask(Task):
    name = "toy"
    title = "words with one upper-case letter"
    featurizers = {"toy": ToyFeaturizer}  # noqa: RUF012 - as a plugin's author would write it
    reported = "exact,cer"
    default_recipes = ("loglinear", "perceptron")

    def recognises(self, data: NBest) -> bool:
        return data.texts is not None and all(sum(map(str.isupper, text)) == 1 for text in data.texts.to_pylist())

    def recipes(self) -> Mapping[str, Any]:
        return {
            "loglinear": LearnerRecipe(LogLinear, {"sigma": 1.0}),
            "perceptron": LearnerRecipe(Perceptron, {"epochs": 2, "tau": 1.0}),
        }

    def first_round(self, **settings: Any) -> ToyRound:
        return ToyRound(**settings)


def write_words(path: Path, repeats: int = 4) -> Path:
    """A file of words."""
    path.write_text(" ".join(WORDS * repeats))
    return path


def _upper(word: str, at: int) -> str:
    return word[:at] + word[at].upper() + word[at + 1 :]


def _right(word: str) -> str:
    """The last vowel upper case."""
    return _upper(word, max(at for at, letter in enumerate(word) if letter in "aeiou"))
