"""Diagonal alignment beside a slow version from the paper (Dyer, Chahuneau & Smith 2013)."""

import math
from collections import defaultdict

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from runoff.kernels.diagonal_alignment import best_tension, expected_distance
from runoff.metrics.tokens import tokenised
from runoff.tasks.translation.aligner import align_bitext
from runoff.tasks.translation.bitext import Bitext

NULL, FIRST_TENSION, TENSIONS = 0.2, 4.0, (0.1, 14.0)


def bitext_of(source, target):
    return Bitext(tokenised(source, str.split), tokenised(target, str.split))


def random_texts(seed, pairs=12, words=5, longest=6):
    rng = np.random.default_rng(seed)
    return [
        [" ".join(f"{side}{w}" for w in rng.integers(0, words, rng.integers(1, longest))) for _ in range(pairs)]
        for side in "ef"
    ]


def priors(j, n, length, tension):
    """Equation 2 of the paper, with h(i, j) = -|i / length - j / n|; positions from 1."""
    shares = [math.exp(-tension * abs(i / length - j / n)) for i in range(1, length + 1)]
    return [NULL, *((1 - NULL) * share / sum(shares) for share in shares)]


def slow_training(pairs, table, iterations):
    """EM over dictionaries; the tension maximises the expected log-likelihood, found by scipy."""
    tension, likelihoods = FIRST_TENSION, []
    for _ in range(iterations):
        counts, cells, likelihood = defaultdict(float), [], 0.0
        for source, target in pairs:
            places, n = [None, *source], len(target)
            for j, f in enumerate(target, 1):
                prior = priors(j, n, len(source), tension)
                parts = [prior[i] * table[f, e] for i, e in enumerate(places)]
                likelihood += math.log(sum(parts))
                for i, e in enumerate(places):
                    share = parts[i] / sum(parts)
                    counts[f, e] += share
                    if i:
                        cells.append((share, i, j, n, len(source)))
        totals = defaultdict(float)
        for (_, e), count in counts.items():
            totals[e] += count
        table = {(f, e): counts[f, e] / totals[e] for f, e in table}
        likelihoods.append(likelihood)

        def expected(tension, cells=cells):
            return -sum(share * math.log(priors(j, n, length, tension)[i]) for share, i, j, n, length in cells)

        tension = minimize_scalar(expected, bounds=TENSIONS, method="bounded", options={"xatol": 1e-9}).x
    return table, likelihoods, tension


def test_training_is_that_of_a_slow_version_over_dictionaries():
    source, target = random_texts(3)
    first = align_bitext(bitext_of(source, target), "model1", iterations=2, smoothing="none")
    found = align_bitext(bitext_of(source, target), "diagonal", iterations=2, smoothing="none")
    for sides, start, table, direction in (
        ((source, target), first.direct, found.direct, "forward"),
        ((target, source), first.inverse, found.inverse, "backward"),
    ):
        pairs = [(e.split(), f.split()) for e, f in zip(*sides, strict=True)]
        begin = {(f, e): start.probability(e, f) for source, target in pairs for e in [None, *source] for f in target}
        slow, likelihoods, _ = slow_training(pairs, begin, 2)
        # The slow version begins with what a table keeps: probabilities of single precision.
        assert found.report.log_likelihoods(direction, "diagonal") == pytest.approx(likelihoods, rel=1e-6)
        for (f, e), value in slow.items():
            assert table.probability(e, f) == pytest.approx(value, rel=1e-4, abs=1e-7)


@pytest.mark.parametrize("seed", range(4))
def test_the_best_tension_gives_the_distance_of_the_data(seed):
    rng = np.random.default_rng(seed)
    lengths, masses, tension = rng.integers(1, 12, 8), rng.random(8), rng.uniform(0.5, 12)
    places = rng.random(8)
    distance = sum(
        mass
        * sum(math.exp(-tension * abs(i / n - place)) * abs(i / n - place) for i in range(1, n + 1))
        / sum(math.exp(-tension * abs(i / n - place)) for i in range(1, n + 1))
        for place, n, mass in zip(places, lengths.tolist(), masses, strict=True)
    )
    assert expected_distance(places, lengths, masses, tension) == pytest.approx(distance, rel=1e-12)
    assert best_tension(places, lengths, masses, distance, *TENSIONS) == pytest.approx(tension, rel=1e-5)
    assert best_tension(places, lengths, masses, 1e9, *TENSIONS) == pytest.approx(TENSIONS[0], abs=1e-6)
    assert best_tension(places, lengths, masses, -1.0, *TENSIONS) == pytest.approx(TENSIONS[1], abs=1e-6)


def test_links_are_the_most_probable_positions():
    source, target = random_texts(5, pairs=30)
    found = align_bitext(bitext_of(source, target), "diagonal", iterations=3, smoothing="none", symmetrise="forward")
    pairs = [(e.split(), f.split()) for e, f in zip(source, target, strict=True)]
    first = align_bitext(bitext_of(source, target), "model1", iterations=3, smoothing="none").direct
    begin = {(f, e): first.probability(e, f) for source, target in pairs for e in [None, *source] for f in target}
    _, _, tension = slow_training(pairs, begin, 3)
    for at, (words, theirs) in enumerate(pairs):
        links = dict.fromkeys(range(len(theirs)), -1) | {j: i for i, j in found.alignments.links(at)}
        for j, f in enumerate(theirs):
            prior = priors(j + 1, len(theirs), len(words), tension)
            values = [prior[i] * found.direct.probability(e, f) for i, e in enumerate([None, *words])]
            assert values[links[j] + 1] == pytest.approx(max(values), rel=1e-3)


def test_words_that_tell_nothing_are_aligned_along_the_diagonal():
    # Each word once: what is left is where it stands.
    texts = [" ".join(f"{side}{at}" for at in range(6)) for side in "ef"]
    found = align_bitext(bitext_of(*([text] for text in texts)), "diagonal", iterations=1)
    assert found.alignments.links(0) == [(at, at) for at in range(6)]
