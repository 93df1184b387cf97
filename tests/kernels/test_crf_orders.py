"""Sums over all orders of documents, against plain enumeration, decimals of any size, and other formulas."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from helpers.naive_crf import (
    all_orders,
    every_discount,
    every_kind,
    every_sum,
    ideal_for,
    plain,
    ranking,
    slopes_by_differences,
    space_for,
)
from runoff.kernels.crf_objectives import EL, KL, LA, LS, ML
from runoff.kernels.crf_order_objectives import ENUMERATED, EXACT
from runoff.kernels.permutation_sums import covariances, orders

# ---------------------------------------------------------------- all orders

GRADES = {2: [1, 0], 3: [2, 0, 2], 4: [0, 1, 2, 0], 5: [1, 1, 0, 2, 1], 6: [0, 2, 1, 0, 0, 1]}


@every_sum
@every_discount
@pytest.mark.parametrize("n", GRADES)
def test_orders_against_plain_enumeration(kind: int, way: int, discount: str, n: int) -> None:
    rng = np.random.default_rng(n)
    scores = 1.5 * rng.normal(size=n)
    for gains in (np.array(GRADES[n], float), np.exp2(GRADES[n]) - 1, rng.uniform(size=n)):
        for strength in (0.05, 1.0, 7.0):

            def value(point: np.ndarray, gains: np.ndarray = gains, strength: float = strength) -> float:
                return plain(kind, strength, *all_orders(point, gains, ideal_for(n, discount))[1:])

            found, slopes = ranking(kind, strength, scores, gains, way=way, discount=discount)
            assert found == pytest.approx(value(scores), rel=1e-10, abs=1e-11)
            if strength == 1.0:
                assert slopes == pytest.approx(slopes_by_differences(value, scores, 1e-4), abs=1e-8)


@every_kind
def test_shorter_lists_use_the_tables_of_longer_ones(kind: int) -> None:
    rng = np.random.default_rng(0)
    for n in (2, 3, 4):
        scores, gains = rng.normal(size=n), np.array(GRADES[n], float)
        for way in (ENUMERATED, EXACT):
            alone = ranking(kind, 0.8, scores, gains, way=way)
            within = ranking(kind, 0.8, scores, gains, way=way, most=6)
            assert within[0] == pytest.approx(alone[0], abs=1e-13)
            assert within[1] == pytest.approx(alone[1], abs=1e-13)


def test_letors_first_two_places_make_more_orders_right() -> None:
    # One good document of three, all orders alike: it belongs at the first place, or at one of the first two.
    scores, gains, alpha = np.zeros(3), np.array([1.0, 0.0, 0.0]), np.array([1.0, 1 / math.log2(3), 0.5])
    for way in (ENUMERATED, EXACT):
        for discount, right in (("log", alpha[0]), ("letor", alpha[:2].mean())):
            value, slopes = ranking(ML, 1.0, scores, gains, way=way, discount=discount)
            assert value == pytest.approx(math.log(6))
            others = (alpha.sum() - right) / 2
            assert slopes == pytest.approx(alpha.mean() - np.array([right, others, others]))
        # NDCG by place is 1, 0.63 and 0.5, or by LETOR's rule 1, 1 and 0.63.
        for discount, reached in (("log", alpha.mean()), ("letor", (2 + alpha[1]) / 3)):
            assert ranking(EL, 1.0, scores, gains, way=way, discount=discount)[0] == pytest.approx(1 - reached)


@settings(deadline=None)
@given(st.integers(2, 6), st.integers(0, 2**32), st.sampled_from([0.1, 3.0, 50.0, 400.0]))
def test_chances_of_every_document_at_every_place(n: int, seed: int, size: float) -> None:
    rng = np.random.default_rng(seed)
    log_weights, worth = size * rng.normal(size=(n, n)), rng.normal(size=(n, n))
    space, together = space_for(n), np.zeros((n, n))
    total = orders(n, log_weights.T.copy(), space, space.places)
    mean = covariances(n, log_weights.T.copy(), worth.T.copy(), space, together)
    each = np.array(list(itertools.permutations(range(n))))
    place = np.arange(n)
    heavy, worths = log_weights[each, place].sum(axis=1), worth[each, place].sum(axis=1)
    p = np.exp(heavy - logsumexp(heavy))
    assert total == pytest.approx(logsumexp(heavy), rel=1e-12, abs=1e-9)
    places, cross = np.zeros((n, n)), np.zeros((n, n))
    for order, chance, value in zip(each, p, worths, strict=True):
        places[order, place] += chance
        cross[order, place] += chance * value
    assert np.abs(space.places.T - places).max() < 1e-9
    assert mean == pytest.approx(p @ worths, abs=1e-9)
    assert np.abs(together.T - (cross - (p @ worths) * places)).max() < 1e-8
    assert space.places.sum(axis=0) == pytest.approx(np.ones(n), abs=1e-12)
    assert space.places.sum(axis=1) == pytest.approx(np.ones(n), abs=1e-12)


# ---------------------------------------------------------------- heavy scores


def in_decimals(kind: int, strength: float, scores: list[float], losses: np.ndarray) -> tuple[float, list[float]]:
    """Value and derivative by every answer's score with 60 digits and exponents of any size."""
    with localcontext() as context:
        context.prec, context.Emax, context.Emin = 60, 10**15, -(10**15)
        s, loss, strong = [Decimal(x) for x in scores], [Decimal(float(x)) for x in losses], Decimal(strength)
        right = [at for at, each in enumerate(loss) if each == 0]
        share = [Decimal(1) / len(right) if each == 0 else Decimal(0) for each in loss]
        mean = sum(s[at] for at in right) / len(right)
        exponents = {
            LA: [a + strong * b for a, b in zip(s, loss, strict=True)],
            LS: [b * (a - mean) + b for a, b in zip(s, loss, strict=True)],
        }.get(kind, s)
        top = max(exponents)
        weights = [(each - top).exp() for each in exponents]
        z = sum(weights)
        p, log_z = [each / z for each in weights], top + z.ln()
        if kind in (ML, LA):
            return float(log_z - mean), [float(a - b) for a, b in zip(p, share, strict=True)]
        if kind == LS:
            pull = sum(a * b for a, b in zip(p, loss, strict=True))
            return float(log_z), [float(a * b - pull * c) for a, b, c in zip(p, loss, share, strict=True)]
        if kind == EL:
            expected = sum(a * b for a, b in zip(p, loss, strict=True))
            return float(expected), [float(a * (b - expected)) for a, b in zip(p, loss, strict=True)]
        q = [(-each / strong).exp() for each in loss]
        q = [each / sum(q) for each in q]
        divergence = sum(a * (a.ln() - b + log_z) for a, b in zip(q, s, strict=True) if a)
        return float(divergence), [float(a - b) for a, b in zip(p, q, strict=True)]


@every_sum
@every_discount
@pytest.mark.parametrize("size", [1e2, 1e3, 1e5])
def test_the_heaviest_scores_against_decimals(kind: int, way: int, discount: str, size: float) -> None:
    rng = np.random.default_rng(int(size))
    n, strength = 5, 0.4
    for gains in (np.array([2.0, 0, 1, 0, 2]), rng.uniform(size=n)):
        for scores in (
            size * rng.choice([-1.0, 1.0], n),
            size * rng.normal(size=n),
            size * np.array([1.0, 1, 1, 1, -1]),
        ):
            ideal = ideal_for(n, discount)
            each, by_order, losses = all_orders(scores, gains, ideal)
            value, pulls = in_decimals(kind, strength, by_order.tolist(), losses)
            expected = np.zeros(n)
            np.add.at(expected, each.ravel(), (np.array(pulls)[:, None] * ideal.alpha).ravel())
            found, slopes = ranking(kind, strength, scores, gains, way=way, discount=discount)
            # Scores of this size end at this many digits.
            assert found == pytest.approx(value, rel=1e-11, abs=1e-13 * size + 1e-10)
            assert slopes == pytest.approx(expected, abs=1e-13 * size + 1e-9)


@pytest.mark.parametrize("size", [1e20, 1e100])
def test_scores_of_more_digits_than_a_number_has(size: float) -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        scores, gains = size * rng.normal(size=6), np.array([2.0, 0, 1, 0, 2, 1])
        value, slopes = ranking(ML, 1.0, scores, gains, way=ENUMERATED)
        found = ranking(ML, 1.0, scores, gains)
        assert found[0] == pytest.approx(value, rel=1e-12)
        assert found[1] == pytest.approx(slopes, abs=1e-12)


@every_kind
def test_strong_losses_and_cold_temperatures_do_not_overflow(kind: int) -> None:
    scores, gains = np.array([0.3, -1.0, 0.5, 2.0, 0.0]), np.array([2.0, 0, 1, 0, 2])
    for strength in (1e-4, 1e5):
        _, by_order, losses = all_orders(scores, gains, ideal_for(5))
        value, _ = in_decimals(kind, strength, by_order.tolist(), losses)
        for way in (ENUMERATED, EXACT) if kind != LS else (ENUMERATED,):
            assert ranking(kind, strength, scores, gains, way=way)[0] == pytest.approx(value, rel=1e-11, abs=1e-8)


# ---------------------------------------------------------------- more documents than can be enumerated


def permanent(matrix: list[list[Decimal]]) -> Decimal:
    """By Glynn's formula (2010): a sum over signs, with nothing in common with a programme over subsets."""
    n, total = len(matrix), Decimal(0)
    if n == 0:
        return Decimal(1)
    for signs in itertools.product((1, -1), repeat=n - 1):
        product = Decimal(math.prod(signs))
        for column in zip(*matrix, strict=True):
            product *= column[0] + sum(sign * each for sign, each in zip(signs, column[1:], strict=True))
        total += product
    return total / 2 ** (n - 1)


@pytest.mark.parametrize("size", [1.0, 60.0])
def test_ten_documents_against_glynns_formula(size: float) -> None:
    rng = np.random.default_rng(3)
    n = 10
    log_weights, space = size * rng.normal(size=(n, n)), space_for(n)
    total = orders(n, log_weights.T.copy(), space, space.places)
    with localcontext() as context:
        context.prec = 400  # signs cancel most of what is added up
        weights = [[Decimal(float(x)).exp() for x in row] for row in log_weights]
        z = permanent(weights)
        assert total == pytest.approx(float(z.ln()), rel=1e-13)
        places = space.places.T
        heaviest = np.unravel_index(np.argsort(places, axis=None)[[-1, -20, -40]], (n, n))
        for i, place in zip(*heaviest, strict=True):
            rest = [[w for at, w in enumerate(row) if at != place] for j, row in enumerate(weights) if j != i]
            expected = weights[i][place] * permanent(rest) / z
            assert places[i, place] == pytest.approx(float(expected), abs=1e-12)


def log_space(log_weights: np.ndarray) -> tuple[float, np.ndarray]:
    """Sum over orders and chances of documents at places, subset by subset and in logarithms throughout."""
    n = len(log_weights)
    before, after = np.full(1 << n, -np.inf), np.full(1 << n, -np.inf)
    before[0] = after[-1] = 0.0
    members = [[i for i in range(n) if s >> i & 1] for s in range(1 << n)]
    for s in range(1, 1 << n):
        before[s] = logsumexp([before[s ^ 1 << i] + log_weights[i, len(members[s]) - 1] for i in members[s]])
    places = np.full((n, n), -np.inf)
    for s in range((1 << n) - 2, -1, -1):
        place = len(members[s])
        terms = {i: log_weights[i, place] + after[s | 1 << i] for i in range(n) if i not in members[s]}
        after[s] = logsumexp(list(terms.values()))
        for i, term in terms.items():
            places[i, place] = np.logaddexp(places[i, place], before[s] + term)
    return float(before[-1]), np.exp(places - before[-1])


@pytest.mark.parametrize("kind", [ML, LA, KL, EL], ids=["ml", "la", "kl", "el"])
@pytest.mark.parametrize("size", [1.0, 1e3])
def test_ten_documents_in_log_space(kind: int, size: float) -> None:
    rng = np.random.default_rng(int(size))
    n, strength = 10, 0.6
    scores, gains = size * rng.normal(size=n), rng.integers(0, 3, n).astype(float)
    ideal = ideal_for(n)
    worth = np.outer(gains, ideal.discount) / (np.sort(gains)[::-1] @ ideal.discount)
    by_score = np.outer(scores, ideal.alpha)
    in_order = np.sort(gains)[::-1]  # documents of a grade share the places of that grade
    mean = sum(scores[gains == grade].mean() * ideal.alpha[in_order == grade].sum() for grade in set(gains))
    found, slopes = ranking(kind, strength, scores, gains)
    if kind in (ML, LA):
        total, places = log_space(by_score - (strength * worth if kind == LA else 0.0))
        expected = total - mean + (strength if kind == LA else 0.0)
    elif kind == KL:
        (total, places), (total_q, q) = log_space(by_score), log_space(worth / strength)
        expected = total - total_q + float(np.sum(q * (worth / strength - by_score)))
        assert slopes == pytest.approx((places - q) @ ideal.alpha, abs=1e-12 * size + 1e-10)
    else:
        expected = 1.0 - float(np.sum(log_space(by_score)[1] * worth))
    assert found == pytest.approx(expected, rel=1e-11, abs=1e-12 * size)


@pytest.mark.parametrize("n", [8, 12, 14, 16])
@every_discount
def test_orders_that_are_all_alike_have_closed_forms(n: int, discount: str) -> None:
    scores, gains, ideal = np.zeros(n), (np.arange(n) % 3).astype(float), ideal_for(n, discount)
    mean_loss = 1 - n * gains.mean() * ideal.discount.mean() / (np.sort(gains)[::-1] @ ideal.discount)
    assert ranking(ML, 1.0, scores, gains, discount=discount)[0] == pytest.approx(math.lgamma(n + 1), rel=1e-13)
    assert ranking(EL, 1.0, scores, gains, discount=discount)[0] == pytest.approx(mean_loss, rel=1e-12)
    # As it gets hot, every order is wanted alike, and that is what there is.
    assert ranking(KL, 1e9, scores, gains, discount=discount)[0] == pytest.approx(0, abs=1e-12)
    slopes = ranking(ML, 1.0, scores, gains, discount=discount)[1]
    pulls = [float(slopes[gains == gain].sum()) for gain in (0, 1, 2)]
    assert pulls[0] > 0 > pulls[2]


@pytest.mark.parametrize("kind", [ML, LA, KL, EL], ids=["ml", "la", "kl", "el"])
@pytest.mark.parametrize(("n", "size"), [(7, 1.0), (12, 2.0), (13, 30.0), (16, 3.0)])
def test_what_holds_for_any_number_of_documents(kind: int, n: int, size: float) -> None:
    rng = np.random.default_rng(n)
    scores, gains = size * rng.normal(size=n), rng.integers(0, 3, n).astype(float)
    value, slopes = ranking(kind, 0.7, scores, gains)
    assert slopes.sum() == pytest.approx(0, abs=1e-10)
    moved = ranking(kind, 0.7, scores + 5.0, gains)
    assert moved[0] == pytest.approx(value, abs=1e-9)
    shuffle = rng.permutation(n)
    other = ranking(kind, 0.7, scores[shuffle], gains[shuffle])
    assert other[0] == pytest.approx(value, abs=1e-10)
    assert other[1] == pytest.approx(slopes[shuffle], abs=1e-10)
    along = rng.normal(size=n)
    step = slopes_by_differences(lambda t: ranking(kind, 0.7, scores + t[0] * along, gains)[0], np.zeros(1), 1e-3)
    assert float(step[0]) == pytest.approx(float(slopes @ along), abs=1e-7)


def test_the_slope_of_the_expected_loss_is_a_covariance() -> None:
    rng = np.random.default_rng(4)
    n, gains, ideal = 6, np.array([0.0, 2, 1, 0, 1, 0]), ideal_for(6)
    scores = rng.normal(size=n)
    each, by_order, losses = all_orders(scores, gains, ideal)
    p = np.exp(by_order - logsumexp(by_order))
    weights = np.zeros((len(each), n))  # of every document's place, in every order
    np.put_along_axis(weights, each, np.broadcast_to(ideal.alpha, each.shape), axis=1)
    covariance = (p * losses) @ weights - (p @ losses) * (p @ weights)  # eq. 7, with E(y) in its last term
    for way in (ENUMERATED, EXACT):
        assert ranking(EL, 1.0, scores, gains, way=way)[1] == pytest.approx(covariance, abs=1e-14)
