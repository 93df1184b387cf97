"""Chains by enumeration: all taggings of a tiny sequence, and what follows from them."""

from __future__ import annotations

import itertools

import numpy as np


def all_taggings(unary, edges):
    """Every tagging in ascending order, and its score."""
    n, n_tags = unary.shape
    paths = list(itertools.product(range(n_tags), repeat=n))
    scores = []
    for path in paths:
        total = sum(unary[at, tag] for at, tag in enumerate(path))
        for at in range(1, n):
            total += edges[min(at, len(edges) - 1), path[at - 1], path[at]]
        scores.append(total)
    return paths, np.array(scores)


def tag_chances(paths, scores, n, n_tags):
    """Logarithm of the sum, and probabilities of tags and of pairs."""
    most = scores.max()
    chances = np.exp(scores - most)
    total = np.log(chances.sum()) + most
    chances /= chances.sum()
    tags, pairs = np.zeros((n, n_tags)), np.zeros((n, n_tags, n_tags))
    for path, chance in zip(paths, chances, strict=True):
        for at, tag in enumerate(path):
            tags[at, tag] += chance
            if at:
                pairs[at, path[at - 1], tag] += chance
    return total, tags, pairs


def random_scores(rng, trial):
    """Scores of a tiny sequence: with ties, with forbidden pairs, with edges of their own, of any size, by turns."""
    n, n_tags = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    unary = rng.integers(-2, 3, (n, n_tags)).astype(float)
    if trial % 2:
        unary = rng.normal(size=(n, n_tags)) * (400.0 if trial % 5 == 0 else 1.0)
    edges = rng.integers(-1, 2, (n if trial % 3 == 0 else 1, n_tags, n_tags)).astype(float)
    if trial % 4 == 0:
        edges[rng.random(edges.shape) < 0.3] = -np.inf
    return unary, edges


def little_sequences(rng, *, history=False, n_tags=3, sizes=(4, 1, 0, 3)):
    """Random sequences of few features, one of them empty."""
    from runoff.features.sequences import Sequences

    def features(many, each):
        return [[rng.choice(many, each, replace=False).tolist() for _ in range(n)] for n in sizes]

    return Sequences.of(
        features(6, 3),
        6,
        history=features(3, 2) if history else None,
        modes=[1] * 3 if history else [],
        tags=[rng.integers(0, n_tags, n).tolist() for n in sizes],
        n_tags=n_tags,
    )
