"""The HMM of alignments beside an enumeration of all alignments of short sentences."""

import itertools
import math
from collections import defaultdict

import numpy as np
import pytest

from runoff.kernels.hmm_alignment import best_path, new_weights, posteriors
from runoff.metrics.tokens import tokenised
from runoff.tasks.translation.aligner import align_bitext
from runoff.tasks.translation.bitext import Bitext

REACH = 15  # of the aligner


def clipped(width, reach):
    return max(-reach - 1, min(reach + 1, width))


def total(weight, at, length, reach):
    return sum(weight[clipped(to - at, reach)] for to in range(1, length + 1))


def slow_alignments(emissions, weight, null, reach):
    """All alignments with their probability and jumps, from Och and Ney (2003), section 3.2: NULL keeps the place."""
    n, length = emissions.shape[0], emissions.shape[1] - 1
    for places in itertools.product(range(length + 1), repeat=n):
        at, probability, jumps = 0, 1.0, []
        for j, place in enumerate(places):
            if place == 0:
                probability *= null
            else:
                width = clipped(place - at, reach)
                probability *= (1 - null) * weight[width] / total(weight, at, length, reach)
                jumps.append((at, width))
                at = place
            probability *= emissions[j, place]
        yield places, probability, jumps


def slow_posteriors(emissions, weight, null, reach):
    length = emissions.shape[1] - 1
    cells, jumps, chances, whole = np.zeros(emissions.shape), defaultdict(float), defaultdict(float), 0.0
    found = list(slow_alignments(emissions, weight, null, reach))
    whole = sum(probability for _, probability, _ in found)
    for places, probability, made in found:
        for j, place in enumerate(places):
            cells[j, place] += probability / whole
        for at, width in made:
            jumps[width] += probability / whole
            for to in range(1, length + 1):
                chances[clipped(to - at, reach)] += probability / whole / total(weight, at, length, reach)
    return math.log(whole), cells, jumps, chances


def random_case(seed, reach):
    rng = np.random.default_rng(seed)
    n, length = rng.integers(1, 5), rng.integers(1, 6)
    emissions = rng.random((n, length + 1)) ** 3 * 10.0 ** rng.integers(-8, 1)
    weights = rng.random(2 * reach + 3) + 0.01
    return emissions, weights, {width: weights[width + reach + 1] for width in range(-reach - 1, reach + 2)}


@pytest.mark.parametrize("reach", [1, 2, 4])
@pytest.mark.parametrize("seed", range(8))
def test_posteriors_and_the_best_alignment_are_those_of_all_alignments(seed, reach):
    emissions, weights, weight = random_case(seed, reach)
    n, columns = emissions.shape
    real, of_null, jumps, chances = np.empty((n, columns)), np.empty(n), *np.zeros((2, weights.size))
    log_likelihood = posteriors(emissions, weights, 0.2, real, of_null, jumps, chances)
    expected, cells, slow_jumps, slow_chances = slow_posteriors(emissions, weight, 0.2, reach)
    assert log_likelihood == pytest.approx(expected, rel=1e-12)
    np.testing.assert_allclose(np.column_stack([of_null, real[:, 1:]]), cells, rtol=1e-10)
    widths = range(-reach - 1, reach + 2)
    np.testing.assert_allclose(jumps, [slow_jumps[width] for width in widths], rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(chances, [slow_chances[width] for width in widths], rtol=1e-10, atol=1e-14)
    out = np.empty(n, np.int32)
    best_path(emissions, weights, 0.2, out)
    by_places = {places: probability for places, probability, _ in slow_alignments(emissions, weight, 0.2, reach)}
    assert by_places[tuple((out + 1).tolist())] == pytest.approx(max(by_places.values()), rel=1e-12)


def slow_hmm(pairs, table, iterations, null=0.2):
    """EM over dictionaries, with an enumeration of alignments and a step of Hunter's (2004) algorithm for weights."""
    weight, likelihoods = dict.fromkeys(range(-REACH - 1, REACH + 2), 1.0), []
    for _ in range(iterations):
        counts, jumps, chances = defaultdict(float), defaultdict(float), defaultdict(float)
        likelihood = 0.0
        for source, target in pairs:
            places = [None, *source]
            emissions = np.array([[table[f, e] for e in places] for f in target])
            part, cells, some_jumps, some_chances = slow_posteriors(emissions, weight, null, REACH)
            likelihood += part
            for j, f in enumerate(target):
                for i, e in enumerate(places):
                    counts[f, e] += cells[j, i]
            for width in some_jumps:
                jumps[width] += some_jumps[width]
            for width in some_chances:
                chances[width] += some_chances[width]
        totals = defaultdict(float)
        for (_, e), count in counts.items():
            totals[e] += count
        table = {(f, e): counts[f, e] / totals[e] for f, e in table}
        weight = {width: jumps[width] / chances[width] if chances[width] else 1e-12 for width in weight}
        likelihoods.append(likelihood)
    return table, likelihoods


def random_texts(seed, pairs=12, words=5, longest=5):
    rng = np.random.default_rng(seed)
    return [
        [" ".join(f"{side}{w}" for w in rng.integers(0, words, rng.integers(1, longest))) for _ in range(pairs)]
        for side in "ef"
    ]


def bitext_of(source, target):
    return Bitext(tokenised(source, str.split), tokenised(target, str.split))


def test_training_is_that_of_a_slow_version_over_dictionaries():
    source, target = random_texts(3)
    first = align_bitext(bitext_of(source, target), "model1", iterations=3, smoothing="none")
    found = align_bitext(bitext_of(source, target), "hmm", iterations=3, smoothing="none")
    for sides, start, table, direction in (
        ((source, target), first.direct, found.direct, "forward"),
        ((target, source), first.inverse, found.inverse, "backward"),
    ):
        pairs = [(e.split(), f.split()) for e, f in zip(*sides, strict=True)]
        begin = {(f, e): start.probability(e, f) for source, target in pairs for e in [None, *source] for f in target}
        slow, likelihoods = slow_hmm(pairs, begin, 3)
        # The slow version begins with what a table keeps: probabilities of single precision.
        assert found.report.log_likelihoods(direction, "hmm") == pytest.approx(likelihoods, rel=1e-6)
        for (f, e), value in slow.items():
            assert table.probability(e, f) == pytest.approx(value, rel=1e-4, abs=1e-7)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("model", ["hmm", "diagonal"])
def test_the_likelihood_never_falls(seed, model):
    # Dempster, Laird and Rubin (1977), theorem 1, which asks for no more than a better expectation in each step.
    texts = random_texts(seed, pairs=40, words=8, longest=30)
    found = align_bitext(bitext_of(*texts), model, iterations=30, smoothing="none")
    for direction in ("forward", "backward"):
        likelihoods = np.array(found.report.log_likelihoods(direction, model))
        assert (np.diff(likelihoods) >= -1e-9 * abs(likelihoods[-1])).all()
        assert likelihoods[-1] > likelihoods[0]


def test_weights_of_one_sentence_length_are_relative_frequencies():
    # From one place all sums are the same, and a weight is its share of the jumps.
    jumps, chances = np.array([1.0, 3.0, 6.0]), np.full(3, 5.0)
    np.testing.assert_allclose(new_weights(jumps, chances, 1e-12), jumps / 6.0)
    assert new_weights(np.zeros(3), np.zeros(3), 1e-12).tolist() == [1.0, 1.0, 1.0]


def test_sentences_of_300_words_do_not_underflow():
    rng = np.random.default_rng(0)
    emissions = rng.random((300, 301)) * 1e-30
    emissions[:, 0] = 1e-100
    emissions[np.arange(300), np.arange(1, 301)] = 1e-3
    weights = np.full(33, 1e-12)
    weights[17] = 1.0
    real, of_null = np.empty((300, 301)), np.empty(300)
    log_likelihood = posteriors(emissions, weights, 0.2, real, of_null, *np.zeros((2, 33)))
    assert np.isfinite(log_likelihood)
    np.testing.assert_allclose(real[:, 1:].sum(axis=1) + of_null, 1.0, rtol=1e-9)
    out = np.empty(300, np.int32)
    best_path(emissions, weights, 0.2, out)
    assert out.tolist() == list(range(300))
