"""Objectives of the conditional random field and sums over orders, against plain sums over every answer."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import chisquare

from runoff.arrays import frozen
from runoff.kernels.crf import (
    EL,
    ENUMERATED,
    EXACT,
    KL,
    LA,
    LS,
    ML,
    MOST_ENUMERATED,
    Aim,
    Ideal,
    Lists,
    Moves,
    Space,
    State,
    objective,
    orders,
    ranking_objective,
    sgd_pass,
)

KINDS = {"ml": ML, "la": LA, "ls": LS, "el": EL, "kl": KL}
every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
every_discount = pytest.mark.parametrize("discount", ["log", "letor"])


# ---------------------------------------------------------------- plain formulas


def plain(kind: int, strength: float, scores: np.ndarray, losses: np.ndarray) -> float:
    """An objective over answers with these scores (minus energies) and losses, as its paper writes it.

    Where several answers are right, Volkovs et al. (eq. 10) sum over them; here, as in their eq. 11, it is the mean,
    so that a list with many right answers does not weigh more.
    """
    energies, right = -scores, losses == 0
    if kind in (ML, LA):
        lowered = energies - (strength * losses if kind == LA else 0.0)  # eq. 4, with the weight of section 6.2
        return float(np.mean(lowered[right] + logsumexp(-lowered)))  # eq. 2
    if kind == LS:
        return float(logsumexp(-losses * (energies - energies[right].mean()) + losses))  # eq. 11
    log_p = -energies - logsumexp(-energies)
    if kind == EL:
        return float(np.exp(log_p) @ losses)  # eq. 6
    log_q = -losses / strength - logsumexp(-losses / strength)  # eq. 9
    return float(np.exp(log_q) @ (log_q - log_p))  # eq. 8


def all_orders(scores: np.ndarray, gains: np.ndarray, ideal: Ideal) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every order (documents by place), its score (eq. 13, with the sign that eq. 14 asks for), 1 - NDCG (eq. 12)."""
    n = scores.size
    each = np.array(list(itertools.permutations(range(n))))
    reached = gains[each] @ ideal.discount[:n]
    losses = 1 - reached / (np.sort(gains)[::-1] @ ideal.discount[:n])
    losses[losses < 1e-9] = 0.0
    return each, scores[each] @ ideal.alpha[:n], losses


def slopes_by_differences(value: Any, point: np.ndarray, step: float = 1e-5) -> np.ndarray:
    """Derivatives by differences of the fourth order."""
    found = np.empty(point.size)
    for at in range(point.size):
        moved = [point.copy() for _ in range(4)]
        for each, times in zip(moved, (-2, -1, 1, 2), strict=True):
            each[at] += times * step
        lower2, lower, upper, upper2 = map(value, moved)
        found[at] = (lower2 - 8 * lower + 8 * upper - upper2) / (12 * step)
    return found


def ideal_for(n: int, discount: str = "log") -> Ideal:
    """Weights of the places: log 2 / log(1 + place), and LETOR's discounts, which leave the first two places alone."""
    alpha = [1 / math.log2(1 + place) for place in range(1, n + 1)]
    letor = [1.0 if place <= 2 else 1 / math.log2(place) for place in range(1, n + 1)]
    return Ideal(frozen(np.array(alpha)), frozen(np.array(letor if discount == "letor" else alpha)))


def space_for(n: int, *, enumerated: bool = False) -> Space:
    lowest = np.array([0] + [(s & -s).bit_length() - 1 for s in range(1, 1 << n)], np.int8)
    table = np.array(list(itertools.permutations(range(n if enumerated else 1))), np.int8)
    squares = [np.zeros((n, n)) for _ in range(6)]
    lists = [np.zeros(len(table)) for _ in range(3)]
    return Space(frozen(lowest), frozen(table), np.zeros((4, 1 << n)), *squares, *lists)


def seeds(seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).integers(1, 2**63, 1).astype(np.uint64)


def ranking(
    kind: int,
    strength: float,
    scores: np.ndarray,
    gains: np.ndarray,
    *,
    way: int = EXACT,
    discount: str = "log",
    most: int | None = None,
    samples: int = 100,
    seed: int = 1,
) -> tuple[float, np.ndarray]:
    """Value and slopes of the kernel, with tables for `most` documents."""
    most = most or scores.size
    slopes = np.full(scores.size, np.nan)
    space = space_for(most, enumerated=way == ENUMERATED)
    ideal = ideal_for(most, discount)
    found = ranking_objective(
        kind, float(strength), way, scores.copy(), gains.astype(float), ideal, space, samples, seeds(seed), slopes
    )
    return found, slopes


def answers(seed: int, n: int, right: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    losses = rng.uniform(0.1, 2.0, n)
    losses[rng.permutation(n)[:right]] = 0.0
    return 2 * rng.normal(size=n), losses


# ---------------------------------------------------------------- answers in a list


@every_kind
@pytest.mark.parametrize(("n", "right"), [(1, 1), (2, 1), (5, 1), (6, 3), (9, 8)])
@pytest.mark.parametrize("strength", [0.3, 1.0, 4.0])
def test_value_and_slopes_over_a_list(kind: int, n: int, right: int, strength: float) -> None:
    scores, losses = answers(n, n, right)
    slopes = np.full(n, np.nan)
    value = objective(kind, strength, scores, losses, slopes)
    assert value == pytest.approx(plain(kind, strength, scores, losses), rel=1e-12, abs=1e-13)
    expected = slopes_by_differences(lambda point: plain(kind, strength, point, losses), scores)
    assert slopes == pytest.approx(expected, abs=1e-9)
    assert slopes.sum() == pytest.approx(0, abs=1e-12)  # one constant more for all changes nothing


def test_values_by_hand() -> None:
    # Two answers, the right one a point ahead: p = 1 / (1 + e^-1) for it.
    e = math.e
    scores, losses, slopes = np.array([1.0, 0.0]), np.array([0.0, 2.0]), np.zeros(2)
    expected = {
        ML: math.log(1 + 1 / e),
        LA: math.log(1 + e**3 / e),  # the loss of 2 counts one and a half times
        LS: math.log(1 + math.exp(-2 + 2)),
        EL: 2 / (1 + e),
        KL: 0.0,  # what is wanted, exp(0) against exp(-2 / 2), are the model's own odds
    }
    for kind, value in expected.items():
        strength = 2.0 if kind == KL else 1.5
        assert objective(kind, strength, scores, losses, slopes) == pytest.approx(value, abs=1e-15)


def test_several_right_answers_count_as_their_mean() -> None:
    scores, slopes = np.array([0.0, 0.0, 0.0]), np.zeros(3)
    value = objective(ML, 1.0, scores, np.array([0.0, 0.0, 1.0]), slopes)
    assert value == pytest.approx(math.log(3), abs=1e-15)  # eq. 10 as it stands would be twice that
    assert slopes == pytest.approx([1 / 3 - 1 / 2, 1 / 3 - 1 / 2, 1 / 3], abs=1e-15)


@every_kind
def test_heavy_scores_of_a_list_do_not_overflow(kind: int) -> None:
    losses = np.array([0.0, 0.5, 1.0, 0.0])
    for size in (1e3, 1e5, 1e150):
        scores, slopes = size * np.array([-1.0, 1.0, 0.25, 0.5]), np.zeros(4)
        assert objective(kind, 0.7, scores, losses, slopes) == pytest.approx(plain(kind, 0.7, scores, losses))
        assert np.isfinite(slopes).all()
        assert np.abs(slopes).sum() < 10


# ---------------------------------------------------------------- all orders

GRADES = {2: [1, 0], 3: [2, 0, 2], 4: [0, 1, 2, 0], 5: [1, 1, 0, 2, 1], 6: [0, 2, 1, 0, 0, 1]}
# Every objective in both ways, but LS beyond enumeration, which is an estimate.
every_sum = pytest.mark.parametrize(
    ("kind", "way"),
    [(kind, way) for kind in KINDS.values() for way in (ENUMERATED, EXACT) if (kind, way) != (LS, EXACT)],
)


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


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 6), st.integers(0, 2**32), st.sampled_from([0.1, 3.0, 50.0, 400.0]))
def test_chances_of_every_document_at_every_place(n: int, seed: int, size: float) -> None:
    rng = np.random.default_rng(seed)
    log_weights, worth = size * rng.normal(size=(n, n)), rng.normal(size=(n, n))
    space = space_for(n)
    total = orders(log_weights, worth, True, space.lowest, space.room, space.weights, space.places, space.cross)
    each = np.array(list(itertools.permutations(range(n))))
    place = np.arange(n)
    heavy, worths = log_weights[each, place].sum(axis=1), worth[each, place].sum(axis=1)
    p = np.exp(heavy - logsumexp(heavy))
    assert total == pytest.approx(logsumexp(heavy), rel=1e-12, abs=1e-9)
    places, cross = np.zeros((n, n)), np.zeros((n, n))
    for order, chance, value in zip(each, p, worths, strict=True):
        places[order, place] += chance
        cross[order, place] += chance * value
    assert space.places == pytest.approx(places, abs=1e-9)
    assert space.cross == pytest.approx(cross, abs=1e-8)
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
    total = orders(
        log_weights, np.zeros((n, n)), False, space.lowest, space.room, space.weights, space.places, space.cross
    )
    with localcontext() as context:
        context.prec = 400  # signs cancel most of what is added up
        weights = [[Decimal(float(x)).exp() for x in row] for row in log_weights]
        z = permanent(weights)
        assert total == pytest.approx(float(z.ln()), rel=1e-13)
        heaviest = np.unravel_index(np.argsort(space.places, axis=None)[[-1, -20, -40]], (n, n))
        for i, place in zip(*heaviest, strict=True):
            rest = [[w for at, w in enumerate(row) if at != place] for j, row in enumerate(weights) if j != i]
            expected = weights[i][place] * permanent(rest) / z
            assert space.places[i, place] == pytest.approx(float(expected), abs=1e-12)


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


# ---------------------------------------------------------------- LS by sampling


@pytest.mark.parametrize(("n", "discount"), [(6, "log"), (6, "letor"), (7, "log")])
def test_sampled_ls_comes_as_near_as_one_likes(n: int, discount: str) -> None:
    assert n <= MOST_ENUMERATED
    rng = np.random.default_rng(n)
    scores, gains = rng.normal(size=n), np.array([2.0, 0, 1, 0, 1, 0, 2][:n])
    value, slopes = ranking(LS, 1.0, scores, gains, way=ENUMERATED, discount=discount)
    errors = []
    for samples in (100, 10_000, 400_000):
        found = [ranking(LS, 1.0, scores, gains, samples=samples, seed=seed, discount=discount) for seed in (1, 2)]
        errors.append(max(abs(each[0] - value) for each in found))
        assert found[0][0] != found[1][0]
    assert errors[2] < 0.02
    assert errors[2] < errors[0]
    assert found[0][1] == pytest.approx(slopes, abs=0.01)


def test_sampled_ls_is_finite_and_the_same_for_the_same_seed() -> None:
    scores, gains = np.linspace(1, -1, 12), np.arange(12.0) % 3
    for size in (1.0, 1e3, 1e5):  # also where the model is sure of one order
        value, slopes = ranking(LS, 1.0, size * scores, gains, samples=50)
        assert np.isfinite(value)
        assert np.isfinite(slopes).all()
    first, again = (ranking(LS, 1.0, scores, gains, samples=50, seed=3) for _ in range(2))
    assert first[0] == again[0]
    assert first[1].tobytes() == again[1].tobytes()
    assert first[1].sum() == pytest.approx(0, abs=1e-12)


# ---------------------------------------------------------------- which documents stand for a long list


def visits(grades: list[float], documents: int, times: int, seed: int = 1) -> list[tuple[int, ...]]:
    """Documents that were drawn at each of some visits: every one has a weight of its own, which a visit moves."""
    n = len(grades)
    lists = Lists(
        frozen(np.array([0, n])),
        frozen(np.arange(n + 1)),
        frozen(np.arange(n, dtype=np.int32)),
        None,
        frozen(np.zeros(n)),
        frozen(np.array(grades, float)),
    )
    aim = Aim(ML, 1.0, EXACT, documents, 1, ideal_for(documents))
    nothing, weights = np.zeros(0), np.random.default_rng(seed).uniform(1, 2, n + 1)
    state = State(
        weights=weights,
        first=nothing,
        second=nothing,
        sums=nothing,
        seen=np.zeros(0, np.int64),
        counters=np.zeros(1, np.int64),
        loss=np.zeros(1),
        random=seeds(seed),
    )
    space, found = space_for(documents), []
    for _ in range(times):
        before = weights.copy()
        sgd_pass(np.array([0]), lists, aim, Moves(1e-6, 1e-3, False), state, space)
        found.append(tuple(np.flatnonzero(weights[:-1] != before[:-1]).tolist()))
    return found


def test_documents_are_drawn_by_the_seed() -> None:
    grades = [0, 0, 0, 1, 1, 2, 0, 0, 1]
    assert visits(grades, 4, 50) == visits(grades, 4, 50)
    assert visits(grades, 4, 50) != visits(grades, 4, 50, seed=2)
    assert len(set(visits(grades, 4, 50))) > 20  # anew at every visit


def test_every_grade_is_kept_while_there_is_room_and_no_document_comes_twice() -> None:
    grades = [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 1, 0, 3]
    for documents in (4, 5, 9, 13):
        for drawn in visits(grades, documents, 200):
            assert len(drawn) == documents  # one drawn twice would leave fewer
            assert {grades[each] for each in drawn} == {0, 1, 2, 3}
    for drawn in visits(grades, 2, 200):
        assert len({grades[each] for each in drawn}) == len(drawn) == 2


def test_short_lists_are_taken_whole() -> None:
    for documents in (5, 6):
        assert set(visits([0, 1, 0, 2, 0], documents, 30)) == {(0, 1, 2, 3, 4)}


def test_a_list_of_one_grade_is_passed_over() -> None:
    assert set(visits([1, 1, 1, 1], 3, 5)) == {()}


def test_documents_of_a_grade_come_equally_often() -> None:
    grades = [0, 0, 0, 0, 0, 1, 1, 1, 2, 2]
    counts = np.bincount([each for drawn in visits(grades, 5, 6000) for each in drawn], minlength=10)
    for grade in (0, 1, 2):
        assert chisquare(counts[np.array(grades) == grade]).pvalue > 1e-4


def test_all_sets_are_equally_likely_where_every_document_has_its_own_grade() -> None:
    found = Counter(visits([0.0, 1, 2, 3, 4, 5], 3, 6000))
    assert len(found) == 20
    assert chisquare(list(found.values())).pvalue > 1e-4


def test_what_room_is_left_is_filled_evenly() -> None:
    # One of each grade, and one of the other three documents, two of which have the grade 0. Rejecting sets that lack
    # a grade comes to the same: 6 of the 9 sets have two zeros.
    grades, times = [0, 0, 0, 1, 1], 20_000
    zeros = sum(sum(grades[each] == 0 for each in drawn) == 2 for drawn in visits(grades, 3, times))
    assert zeros / times == pytest.approx(2 / 3, abs=5 * math.sqrt(2 / 9 / times))
