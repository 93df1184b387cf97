import math
from collections import defaultdict

import numpy as np
import pytest
from scipy.special import digamma as exact_digamma

from runoff.kernels.word_model import digamma
from runoff.metrics.tokens import tokenised
from runoff.tasks.translation.aligner import align_bitext
from runoff.tasks.translation.bitext import Bitext

NULL = None


def bitext_of(source, target):
    return Bitext(tokenised(source, str.split), tokenised(target, str.split))


def slow_model1(pairs, iterations, normalise):
    """Koehn (2010), "Statistical machine translation", figure 4.3, with NULL; dictionaries of words."""
    kinds = len({word for _, target in pairs for word in target})
    table = {(f, e): 1 / kinds for source, target in pairs for e in [NULL, *source] for f in target}
    likelihoods = []
    for _ in range(iterations):
        counts, log_likelihood = defaultdict(float), 0.0
        for source, target in pairs:
            places = [NULL, *source]
            for f in target:
                total = sum(table[f, e] for e in places)
                log_likelihood += math.log(total / len(places))
                for e in places:
                    counts[f, e] += table[f, e] / total
        rows = defaultdict(dict)
        for f, e in table:
            rows[e][f] = counts[f, e]
        table = {(f, e): value for e, row in rows.items() for f, value in normalise(row).items()}
        likelihoods.append(log_likelihood)
    return table, likelihoods


def plain(row):
    return {f: count / sum(row.values()) for f, count in row.items()}


def variational(row, alpha=0.01):
    # as fast_align's ttables.h: NormalizeVB
    total = sum(count + alpha for count in row.values())
    return {f: math.exp(exact_digamma(count + alpha) - exact_digamma(total)) for f, count in row.items()}


def added(row, alpha=0.01):
    total = sum(count + alpha for count in row.values())
    return {f: (count + alpha) / total for f, count in row.items()}


def random_texts(seed, pairs=30, words=7, longest=6):
    rng = np.random.default_rng(seed)
    return [
        [" ".join(f"{side}{w}" for w in rng.integers(0, words, rng.integers(1, longest))) for _ in range(pairs)]
        for side in "ef"
    ]


@pytest.mark.parametrize(("smoothing", "normalise"), [("none", plain), ("variational", variational), ("add", added)])
def test_model1_is_that_of_a_slow_version_over_dictionaries(smoothing, normalise):
    source, target = random_texts(1)
    found = align_bitext(bitext_of(source, target), "model1", iterations=4, smoothing=smoothing)
    for table, direction, sides in (
        (found.direct, "forward", (source, target)),
        (found.inverse, "backward", (target, source)),
    ):
        pairs = [(e.split(), f.split()) for e, f in zip(*sides, strict=True)]
        slow, likelihoods = slow_model1(pairs, 4, normalise)
        assert found.report.log_likelihoods(direction) == pytest.approx(likelihoods, rel=1e-12)
        assert len(table) == len(slow)
        for (f, e), value in slow.items():
            assert table.probability(e, f) == pytest.approx(value, rel=1e-6, abs=1e-30)


def test_model1_finds_what_koehns_textbook_example_converges_to():
    # Koehn (2010), figure 4.4: das Haus / das Buch / ein Buch without NULL goes to 1 for the right pairs.
    found = align_bitext(
        bitext_of(["das Haus", "das Buch", "ein Buch"], ["the house", "the book", "a book"]),
        "model1",
        iterations=100,
        smoothing="none",
    )
    for source, target in [("das", "the"), ("Buch", "book"), ("Haus", "house"), ("ein", "a")]:
        assert found.direct.translations(source, 1)[0][0] == target


@pytest.mark.parametrize("seed", range(3))
def test_the_likelihood_never_falls(seed):
    # Dempster, Laird and Rubin (1977), theorem 1
    found = align_bitext(bitext_of(*random_texts(seed)), "model1", iterations=40, smoothing="none")
    for direction in ("forward", "backward"):
        likelihoods = np.array(found.report.log_likelihoods(direction))
        assert (np.diff(likelihoods) >= -1e-9 * abs(likelihoods[-1])).all()


def test_digamma_is_that_of_scipy():
    points = np.concatenate([np.geomspace(1e-6, 1e6, 200), [1, 2, 5.999, 6, 6.001]])
    np.testing.assert_allclose([digamma(float(x)) for x in points], exact_digamma(points), rtol=1e-11, atol=1e-11)
