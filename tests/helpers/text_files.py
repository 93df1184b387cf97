"""Files of plain texts for tests of commands."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

from click.testing import CliRunner, Result

from runoff.cli import main

if TYPE_CHECKING:
    from pathlib import Path

WORDS = ["so", "it", "is", "that", "we", "can", "see", "how", "the", "big", "red", "dog", "ran", "down", "old", "house"]
FEW = ("--families", "position,length,repetition,agreement", "--recipes", "vote,loglinear")  # families and recipes


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments], catch_exceptions=False)


def train(data: Path, out: Path, *more: object) -> Result:
    """Train on plain texts, which are recognised as such."""
    return run("train", data, "--metric", "wer", "-o", out, *more)


def stuttering_records(number: int, seed: int) -> list[dict[str, Any]]:
    """The first hypothesis often stutters; of the others two are right and one lacks a word."""
    rng = random.Random(seed)
    records = []
    for at in range(number):
        said = rng.sample(WORDS, 6)
        stutter = said[:2] + said[1:] if rng.random() < 0.7 else said
        candidates = [{"text": " ".join(words)} for words in (stutter, said, said[:-1], said)]
        records.append({"id": f"u{at}", "references": [" ".join(said)], "candidates": candidates})
    return records


def write_records(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path
