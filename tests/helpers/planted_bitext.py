"""Synthetic parallel text whose word alignment is known."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from runoff.metrics.tokens import tokenised
from runoff.tasks.translation.alignments import Alignments
from runoff.tasks.translation.bitext import Bitext


class PlantedBitext(NamedTuple):
    """Sentence pairs and the links they were made with."""

    bitext: Bitext
    alignments: Alignments


def planted_bitext(pairs: int, seed: int = 0, words: int = 2000, swapped: float = 0.15) -> PlantedBitext:
    """Sentences of Zipf's words that are translated word by word, a few of them moved.

    Every source word has one to three translations. A token has none (8%), or two words in a row (8%); target words
    that translate nothing come in between (8%); and phrases of one to three words change places with the next one,
    with probability `swapped`.
    """
    random = np.random.default_rng(seed)
    shares = 1 / np.arange(2, words + 2)
    shares /= shares.sum()
    meanings = [
        (random.integers(0, 2 * words, kinds), random.dirichlet(np.full(kinds, 2.0)))
        for kinds in random.integers(1, 4, words)
    ]
    companions = random.integers(0, 2 * words, words)
    sources, targets, links = [], [], []
    for _ in range(pairs):
        source = random.choice(words, random.integers(3, 25), p=shares).tolist()
        target: list[str] = []
        here: list[tuple[int, int]] = []
        for place in _moved(len(source), swapped, random):
            word = source[place]
            if random.random() < 0.08:
                target.append(f"n{random.integers(0, 6)}")
            kind = random.random()
            if kind < 0.08:
                continue
            here.append((place, len(target)))
            target.append(f"t{random.choice(meanings[word][0], p=meanings[word][1])}")
            if kind > 0.92:
                here.append((place, len(target)))
                target.append(f"t{companions[word]}")
        sources.append(" ".join(f"s{word}" for word in source))
        targets.append(" ".join(target))
        links.append(here)
    bitext = Bitext(tokenised(sources, str.split), tokenised(targets, str.split))
    return PlantedBitext(bitext, Alignments.of(links))


def _moved(length: int, swapped: float, random: np.random.Generator) -> list[int]:
    phrases, at = [], 0
    while at < length:
        end = min(length, at + int(random.integers(1, 4)))
        phrases.append(range(at, end))
        at = end
    for left in range(len(phrases) - 1):
        if random.random() < swapped:
            phrases[left], phrases[left + 1] = phrases[left + 1], phrases[left]
    return [place for phrase in phrases for place in phrase]
