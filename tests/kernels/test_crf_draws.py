"""What is drawn: orders where LS has no closed form, and the documents that stand for a long list."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

from helpers.naive_crf import ideal_for, ranking, seeds, space_for
from runoff.arrays import frozen
from runoff.kernels.crf_objectives import LS, ML
from runoff.kernels.crf_order_objectives import ENUMERATED, EXACT, MOST_ENUMERATED, ranking_objective
from runoff.kernels.crf_orders import OrdersAim, orders_pass
from runoff.kernels.crf_steps import CRFLists, CRFState, Moves

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


@pytest.mark.parametrize(("n", "size", "discount"), [(3, 1.0, "log"), (5, 2.0, "letor"), (7, 0.5, "log")])
def test_sampled_ls_is_unbiased_before_its_logarithm(n: int, size: float, discount: str) -> None:
    # Orders drawn from q and weighed by 1 / q have the right mean, however few: that of the sum over orders, exp(LS),
    # and of its derivatives, exp(LS) times those of LS. Only the logarithm, and the ratio, are biased.
    assert n <= MOST_ENUMERATED
    rng = np.random.default_rng(n)
    scores, gains = size * rng.normal(size=n), np.array([2.0, 0, 1, 0, 1, 0, 2][:n])
    value, slopes = ranking(LS, 1.0, scores, gains, way=ENUMERATED, discount=discount)
    expected = math.exp(value) * np.append(1.0, slopes)
    for samples in (1, 10):
        found, totals = [], []
        for seed in range(3000):
            total, pulls = ranking(LS, 1.0, scores, gains, samples=samples, seed=seed, discount=discount)
            totals.append(total)
            found.append(math.exp(total) * np.append(1.0, pulls))
        error = np.std(found, axis=0) / math.sqrt(len(found))
        assert (error < 0.1 * math.exp(value)).all()  # or else the next line says nothing
        assert (np.abs(np.mean(found, axis=0) - expected) < 5 * error + 1e-12).all()
        assert np.mean(totals) < value  # Jensen


@pytest.mark.parametrize("n", [4, 5, 6, 7])
@pytest.mark.parametrize("spread", [1.0, 10.0, 30.0])
def test_sampled_ls_is_near_also_where_the_model_is_sure(n: int, spread: float) -> None:
    gains = np.array([2.0, 0, 1, 0, 1, 0, 2][:n])
    for at in range(5):  # models that are right, wrong, and in between
        scores = np.random.default_rng(at).normal(size=n)
        scores *= spread / np.ptp(scores)
        value, slopes = ranking(LS, 1.0, scores, gains, way=ENUMERATED)
        found = [ranking(LS, 1.0, scores, gains, samples=200, seed=seed) for seed in range(100)]
        # Drawn from the model itself, 200 samples gave up to 0.43 too little at a spread of 30, and a few of them in
        # effect.
        assert np.mean([each[0] for each in found]) == pytest.approx(value, abs=0.05)
        assert np.mean([each[1] for each in found], axis=0) == pytest.approx(slopes, abs=0.05)


def test_effective_samples_are_counted() -> None:
    gains = np.array([2.0, 0, 1, 0, 1, 0, 2])
    ideal, slopes, found = ideal_for(7), np.zeros(7), []
    for size in (0.0, 1.0, 30.0, 300.0):
        space = space_for(7)
        scores = size * np.linspace(0, 1, 7)
        ranking_objective(LS, 1.0, EXACT, scores, gains, ideal, space, 200, seeds(), slopes)
        found.append(float(space.effective[0]))
    # Equal scores leave exp(loss) alone to sum up, which differs by a factor of e at most.
    assert 180 < found[0] <= 200
    assert found[0] > found[1] > found[2] > found[3] > 1


@pytest.mark.parametrize("n", [4, 7])
def test_sampled_ls_errs_less_the_more_is_drawn(n: int) -> None:
    rng = np.random.default_rng(n)
    scores, gains = rng.normal(size=n), np.array([2.0, 0, 1, 0, 1, 0, 2][:n])
    value, _ = ranking(LS, 1.0, scores, gains, way=ENUMERATED)
    spread = [
        math.sqrt(
            np.mean([(ranking(LS, 1.0, scores, gains, samples=many, seed=each)[0] - value) ** 2 for each in range(300)])
        )
        for many in (100, 1600)
    ]
    assert 2.5 < spread[0] / spread[1] < 6  # one over the square root: four times less


# ---------------------------------------------------------------- which documents stand for a long list


def visits(grades: list[float], documents: int, times: int, seed: int = 1) -> list[tuple[int, ...]]:
    """Documents that were drawn at each of some visits: every one has a weight of its own, which a visit moves."""
    n = len(grades)
    lists = CRFLists(
        frozen(np.array([0, n])),
        frozen(np.arange(n + 1)),
        frozen(np.arange(n, dtype=np.int32)),
        None,
        frozen(np.zeros(n)),
        frozen(np.array(grades, float)),
    )
    aim = OrdersAim(ML, 1.0, EXACT, documents, 1, ideal_for(documents))
    nothing, weights = np.zeros(0), np.random.default_rng(seed).uniform(1, 2, n + 1)
    state = CRFState(
        weights=weights,
        factor=np.array([1.0, 0.0]),
        first=nothing,
        second=nothing,
        blank=np.zeros((2, 0)),
        sums=nothing,
        seen=nothing,
        counters=np.zeros(1, np.int64),
        loss=np.zeros(2),
        random=seeds(seed),
    )
    space, found = space_for(documents), []
    for _ in range(times):
        before = weights.copy()
        orders_pass(np.array([0]), lists, aim, Moves(1e-6, 1e-3, False), state, space)
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
