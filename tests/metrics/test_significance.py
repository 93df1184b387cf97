"""Bootstrap and randomisation against scipy, exhaustive enumeration, theory and simulation."""

from __future__ import annotations

import itertools
import warnings
from typing import TYPE_CHECKING

import numpy as np
import pytest
import scipy.stats
from scipy.stats import binomtest, chisquare

from runoff import metrics
from runoff.errors import UsageError
from runoff.kernels.hashing import mixed
from runoff.kernels.resample import resampled_sums, swapped_sums
from runoff.metrics import Interval, interval, paired_bootstrap, randomisation

if TYPE_CHECKING:
    from runoff.arrays import Floats

score = metrics.get("quality").score  # mean: first column over second


def means(values: Floats) -> Floats:
    return np.column_stack([values, np.ones(len(values))])


def samples(n: int, seed: int) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    a = rng.gamma(2.0, size=n)
    return a, 0.7 * a + rng.gamma(0.8, size=n)


# ---------------------------------------------------------------- the generator


def test_generator_is_splitmix64() -> None:
    # The published test vector of splitmix64 for the seed 1234567 (Vigna's C code, as on Rosetta Code).
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    step = 0x9E3779B97F4A7C15
    found = [int(mixed(np.uint64((1234567 + (i + 1) * step) % 2**64))) for i in range(4)]
    assert found == expected


def test_draws_are_uniform_and_as_many_as_there_are_groups() -> None:
    counts = np.empty((60_000, 3))
    resampled_sums(np.eye(3), np.uint64(7), 0, counts)
    assert (counts.sum(axis=1) == 3).all()
    kinds = [kind for kind in itertools.product(range(4), repeat=3) if sum(kind) == 3]
    seen = [np.count_nonzero((counts == kind).all(axis=1)) for kind in kinds]
    chances = [scipy.stats.multinomial.pmf(kind, 3, [1 / 3] * 3) for kind in kinds]
    assert chisquare(seen, 60_000 * np.array(chances)).pvalue > 1e-3


def test_coins_are_fair_and_independent() -> None:
    heads = np.empty((2_000, 130))
    swapped_sums(np.eye(130), np.uint64(7), 0, heads)
    assert chisquare(np.bincount(heads.sum(axis=1).astype(int) > 65, minlength=2)).pvalue > 1e-6
    assert binomtest(int(heads.sum()), heads.size).pvalue > 1e-3
    together = np.corrcoef(heads.T) - np.eye(130)
    assert np.abs(together).max() < 6 / np.sqrt(2_000)  # six standard errors of a correlation of zero


# ---------------------------------------------------------------- intervals


def test_interval_agrees_with_scipy() -> None:
    a, _ = samples(200, 1)
    ours = interval(means(a), score, resamples=20_000, seed=3)
    theirs = scipy.stats.bootstrap(
        (a,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(4)
    ).confidence_interval
    width = theirs.high - theirs.low
    assert ours.low == pytest.approx(theirs.low, abs=0.03 * width)
    assert ours.high == pytest.approx(theirs.high, abs=0.03 * width)


@pytest.mark.parametrize(("confidence", "z"), [(0.95, 1.959964), (0.8, 1.281552)])
def test_interval_agrees_with_normal_theory(confidence: float, z: float) -> None:
    a, _ = samples(2_000, 2)
    found = interval(means(a), score, resamples=20_000, confidence=confidence)
    spread = a.std() / np.sqrt(a.size)
    assert found.low == pytest.approx(a.mean() - z * spread, abs=0.06 * spread)
    assert found.high == pytest.approx(a.mean() + z * spread, abs=0.06 * spread)


def test_interval_covers_the_truth_as_often_as_it_says() -> None:
    rng = np.random.default_rng(5)
    hits = 0
    for trial in range(400):
        found = interval(means(rng.normal(1.0, 1.0, 80)), score, resamples=300, confidence=0.9, seed=trial)
        hits += found.low <= 1.0 <= found.high
    # Percentile intervals of few groups cover a little less; a share of 0.9 in 400 trials has an error of 0.015.
    assert 0.84 < hits / 400 < 0.94


def test_sums_of_ratios() -> None:
    # A ratio of sums, not a mean of ratios: one long group outweighs many short ones.
    rows = np.array([[0.0, 0.0, 90.0, 100.0], *[[0.0, 0.0, 0.0, 1.0]] * 9])
    found = interval(rows, metrics.get("wer").score, resamples=2_000)
    # Without the long group the rate is 0, which happens in 0.9^10 = 35% of the resamples; with it, it is
    # near 90, which it cannot exceed.
    assert found.low == 0.0
    assert 80 < found.high <= 90


# ---------------------------------------------------------------- differences


def test_paired_interval_agrees_with_scipy() -> None:
    a, b = samples(150, 6)
    ours = paired_bootstrap(means(a), means(b), score, resamples=20_000, seed=1)
    theirs = scipy.stats.bootstrap(
        (a, b),
        lambda a, b, axis: (a - b).mean(axis=axis),
        paired=True,
        n_resamples=20_000,
        method="percentile",
        rng=np.random.default_rng(2),
    ).confidence_interval
    width = theirs.high - theirs.low
    assert ours.delta == pytest.approx(a.mean() - b.mean())
    assert ours.low == pytest.approx(theirs.low, abs=0.03 * width)
    assert ours.high == pytest.approx(theirs.high, abs=0.03 * width)


def test_paired_p_is_twice_the_share_of_failures() -> None:
    # Differences +1, +1, -1: a resample of three fails (sum <= 0) with at least two draws of the -1,
    # so with chance 3 (1/3)^2 (2/3) + (1/3)^3 = 7/27, and p tends to 14/27.
    a, b = means(np.array([1.0, 1.0, 0.0])), means(np.array([0.0, 0.0, 1.0]))
    found = paired_bootstrap(a, b, score, resamples=50_000)
    assert found.p == pytest.approx(14 / 27, abs=0.02)
    assert paired_bootstrap(b, a, score, resamples=50_000).p == found.p


def exact_p(rows_a: Floats, rows_b: Floats, of: metrics.Metric) -> float:
    """Share of all 2^n swaps that are at least as extreme as no swap."""
    real = abs(of.score(rows_a.sum(axis=0)) - of.score(rows_b.sum(axis=0)))
    extreme = 0
    for swap in itertools.product([False, True], repeat=len(rows_a)):
        mask = np.array(swap)[:, None]
        one, other = np.where(mask, rows_b, rows_a), np.where(mask, rows_a, rows_b)
        extreme += abs(of.score(one.sum(axis=0)) - of.score(other.sum(axis=0))) >= real - 1e-9
    return extreme / 2 ** len(rows_a)


@pytest.mark.parametrize("seed", range(4))
def test_randomisation_agrees_with_scipy(seed: int) -> None:
    a, b = samples(9, seed)
    theirs = scipy.stats.permutation_test(
        (a, b), lambda a, b, axis: (a - b).mean(axis=axis), permutation_type="samples", n_resamples=np.inf
    )
    ours = randomisation(means(a), means(b), score, trials=20_000, seed=seed)
    assert ours == pytest.approx(theirs.pvalue, abs=0.015)  # four standard errors of a share of 20,000


@pytest.mark.parametrize("name", ["wer", "bleu"])
def test_randomisation_agrees_with_enumeration(name: str) -> None:
    rng = np.random.default_rng(11)
    metric = metrics.get(name)
    totals = rng.integers(8, 30, (8, 10)).astype(float)
    rows_a, rows_b = totals.copy(), totals.copy()
    for rows, bonus in ((rows_a, 0), (rows_b, 2)):  # matches cannot exceed totals
        rows[:, 2:6] = rng.integers(0, 5, (8, 4)) + bonus
    if name == "wer":
        rows_a, rows_b = rows_a[:, 2:6], rows_b[:, 2:6]
    ours = randomisation(rows_a, rows_b, metric.score, trials=20_000)
    assert ours == pytest.approx(exact_p(rows_a, rows_b, metric), abs=0.015)


def test_equal_choices_have_p_one() -> None:
    a, _ = samples(50, 3)
    assert randomisation(means(a), means(a), score) == 1.0
    assert paired_bootstrap(means(a), means(a), score).p == 1.0


def test_false_alarms_are_as_rare_as_the_level_says() -> None:
    rng = np.random.default_rng(8)
    alarms = 0
    for trial in range(400):
        a, b = rng.normal(size=(2, 30))
        alarms += randomisation(means(a), means(b), score, trials=199, seed=trial) <= 0.1
    assert binomtest(alarms, 400, 0.1).pvalue > 1e-3


# ---------------------------------------------------------------- determinism and edges


def everything(rows_a: Floats, rows_b: Floats, seed: int) -> tuple[object, ...]:
    return (
        interval(rows_a, score, resamples=333, seed=seed),
        paired_bootstrap(rows_a, rows_b, score, resamples=333, seed=seed),
        randomisation(rows_a, rows_b, score, trials=333, seed=seed),
    )


def test_same_seed_same_bits_on_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = (means(values) for values in samples(40, 9))
    found = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("RUNOFF_THREADS", threads)
        found.append(everything(a, b, 42))
    assert found[0] == found[1] == found[2]
    assert everything(a, b, 43)[:2] != found[0][:2]
    assert everything(a, b, -1) == everything(a, b, 2**64 - 1)


def test_trials_do_not_depend_on_how_they_are_cut() -> None:
    rows = means(samples(30, 1)[0])
    whole, parts = np.empty((10, 2)), np.empty((10, 2))
    resampled_sums(rows, np.uint64(3), 0, whole)
    for first, last in ((0, 1), (1, 7), (7, 10)):
        resampled_sums(rows, np.uint64(3), first, parts[first:last])
    assert np.array_equal(whole, parts)


def test_no_groups_and_one_group() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in ("quality", "wer", "bleu", "ndcg@3"):
            metric = metrics.get(name)
            none = np.zeros((0, len(getattr(metric, "columns", "ab"))))
            assert np.isnan([interval(none, metric.score).low, interval(none, metric.score).high]).all()
            difference = paired_bootstrap(none, none, metric.score)
            assert (difference.delta, difference.p) == (0.0, 1.0)
            assert np.isnan([difference.low, difference.high]).all()
            assert randomisation(none, none, metric.score) == 1.0
        one, other = means(np.array([0.25])), means(np.array([0.75]))
        assert interval(one, score) == Interval(0.25, 0.25)
        lead = paired_bootstrap(other, one, score)
        assert (lead.delta, lead.low, lead.high, lead.p) == (0.5, 0.5, 0.5, 1.0)
        assert randomisation(other, one, score) == 1.0


def test_wrong_use() -> None:
    rows = np.ones((3, 2))
    with pytest.raises(UsageError, match="at least 1; found 0"):
        interval(rows, score, resamples=0)
    with pytest.raises(UsageError, match=r"between 0 and 1; found 95"):
        interval(rows, score, confidence=95)
    with pytest.raises(UsageError, match=r"same groups and statistics; found \(3, 2\) and \(2, 2\)"):
        randomisation(rows, rows[:2], score)


# ---------------------------------------------------------------- blocks


def test_a_block_is_drawn_and_swapped_as_a_whole() -> None:
    # The same as one row for every block, which has the sum of its rows.
    a, b = (means(values) for values in samples(60, 3))
    blocks = np.repeat(np.arange(20), 3)[np.random.default_rng(0).permutation(60)]
    whole_a, whole_b = (np.stack([rows[blocks == block].sum(axis=0) for block in range(20)]) for rows in (a, b))
    same = interval(whole_a, score)
    found = interval(a, score, blocks=blocks)
    assert (found.low, found.high) == pytest.approx((same.low, same.high), abs=1e-12)
    assert paired_bootstrap(a, b, score, blocks=blocks).low == pytest.approx(
        paired_bootstrap(whole_a, whole_b, score).low, abs=1e-12
    )
    assert randomisation(a, b, score, trials=500, blocks=blocks) == randomisation(whole_a, whole_b, score, trials=500)


def test_copies_of_lists_tell_nothing_new() -> None:
    # Every list four times: drawn one by one, the interval is half as wide as what 25 lists tell, and p far too small.
    a, b = (means(values) for values in samples(25, 0))
    a4, b4, blocks = np.repeat(a, 4, axis=0), np.repeat(b, 4, axis=0), np.repeat(np.arange(25), 4)
    once, together, alone = (
        paired_bootstrap(a, b, score),
        paired_bootstrap(a4, b4, score, blocks=blocks),
        paired_bootstrap(a4, b4, score),
    )
    assert (together.low, together.high) == pytest.approx((once.low, once.high), abs=1e-12)
    assert alone.high - alone.low == pytest.approx((once.high - once.low) / 2, rel=0.2)
    assert randomisation(a4, b4, score, blocks=blocks) == randomisation(a, b, score)


def test_blocks_of_one_list_change_nothing() -> None:
    a, b = (means(values) for values in samples(30, 1))
    alone = np.random.default_rng(2).permutation(30)
    assert interval(a, score, blocks=alone) == interval(a, score)
    assert paired_bootstrap(a, b, score, blocks=alone) == paired_bootstrap(a, b, score)


def test_every_row_has_a_block() -> None:
    with pytest.raises(UsageError, match=r"3 rows of statistics need as many numbers of blocks; found 2\."):
        interval(np.ones((3, 2)), score, blocks=np.array([0, 1]))
