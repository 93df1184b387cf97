"""The boosting engine against slow readings of the paper: same choices, same bits, round for round."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from helpers.naive_boosting import (
    Naive,
    best_weight,
    exact_exp,
    exact_log,
    figure_3,
    section_4_6,
    smoothed_section_4_6,
)
from runoff.errors import DataError, UsageError
from runoff.kernels.boosting import OFTEN
from runoff.kernels.boosting_sums import BLOCK, FAN
from runoff.learners import pair_index
from runoff.learners.boosting_engine import BoostingEngine, ExactLogEngine, ExpEngine, LogEngine, PairIndex
from runoff.nbest import Features, NBest
from runoff.pairs import make_pairs

ENGINES = ((ExpEngine, exact_exp), (LogEngine, exact_log))
ROUNDS = 60


def random_data(seed: int, columns: int = 9, groups: int = 8, density: float = 0.4) -> NBest:
    """Few qualities (ties), some empty groups, and two columns that are copies of others."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 6, groups)
    table = rng.random((int(sizes.sum()), columns)) < density
    if columns > 3:
        table[:, columns - 1], table[:, 1] = table[:, 0], table[:, columns // 2]
    return NBest.from_arrays(
        Features.of(sparse.csr_array(table.astype(float))),
        quality=rng.integers(0, 4, sizes.sum()),
        base=rng.normal(size=sizes.sum()).round(1),
        sizes=sizes,
    )


def problem_of(
    data: NBest, kind: str = "best", *, weighted: bool = True, min_groups: int = 1, scale: float = 0.5
) -> tuple[PairIndex, np.ndarray, Naive]:
    pairs = make_pairs(data, kind, weighted=weighted, sample=4)
    margins = scale * (data.base[pairs.better] - data.base[pairs.worse])
    return PairIndex.build(data, pairs, min_groups), margins, Naive.of(data, pairs, margins, min_groups)


def state(engine: BoostingEngine) -> list[bytes]:
    """Everything that decides how a run goes on, bit by bit."""
    parts = engine._state, engine._sums, engine._amounts(), engine.features, engine.deltas, engine.losses
    return [part.tobytes() for part in (*parts, engine.additions)]


seeds = st.integers(0, 10**6)
kinds = st.sampled_from(["best", "all", "sample"])
smoothings = st.sampled_from([1e-4, 2.5e-3, 0.1])


@settings(deadline=None)
@given(seeds, kinds, st.booleans(), smoothings, st.integers(1, 3), st.sampled_from([0.0, 0.5, 3.0]))
@pytest.mark.parametrize(("engine_class", "oracle"), ENGINES)
def test_engine_makes_the_naive_choices_bit_for_bit(
    engine_class: type[BoostingEngine],
    oracle,
    seed: int,
    kind: str,
    weighted: bool,
    smoothing: float,
    groups: int,
    scale: float,
) -> None:
    index, margins, naive = problem_of(random_data(seed), kind, weighted=weighted, min_groups=groups, scale=scale)
    engine = engine_class(index, margins, smoothing)
    done = engine.run(ROUNDS)
    expected = oracle(naive, smoothing, ROUNDS) if len(index.pairs) else []
    assert list(zip(engine.features.tolist(), engine.deltas.tolist(), strict=True)) == expected
    assert done == len(expected)
    assert engine.additions.dtype == np.int64
    if engine_class is ExpEngine:
        assert engine.additions.tolist() == [naive.additions(k) for k, _ in expected]


@pytest.mark.parametrize(("engine_class", "oracle"), ENGINES)
def test_rounds_that_add_to_every_sum_many_times(engine_class: type[BoostingEngine], oracle) -> None:
    """What they change is added up first, and each sum is moved once."""
    index, margins, naive = problem_of(random_data(3, groups=300, density=0.5), "all")
    engine = engine_class(index, margins, 1e-3)
    assert index.costs.max() > OFTEN * engine._sums.size
    engine.run(20)
    assert list(zip(engine.features.tolist(), engine.deltas.tolist(), strict=True)) == oracle(naive, 1e-3, 20)
    again = engine_class(index, margins, 1e-3)
    again.replay(engine.features, engine.deltas)  # moves each sum each time, or none
    assert state(again) == state(engine)


@settings(deadline=None)
@given(seeds, kinds, smoothings)
def test_engine_is_figure_3(seed: int, kind: str, smoothing: float) -> None:
    index, margins, naive = problem_of(random_data(seed), kind)
    if not len(index.columns):
        return
    engine = ExpEngine(index, margins, smoothing)
    done = engine.run(10)
    path, leads = figure_3(naive, smoothing, done)
    for turn, (k, delta) in enumerate(path):
        if leads[turn] < 1e-9:
            break  # a tie, which ordinary numbers may break either way
        assert engine.features[turn] == k
        assert engine.deltas[turn] == pytest.approx(delta, rel=1e-9)


@settings(deadline=None)
@given(seeds, kinds, st.booleans())
@pytest.mark.parametrize("engine_class", [ExpEngine, LogEngine, ExactLogEngine])
def test_losses_are_the_definitions_and_fall(
    engine_class: type[BoostingEngine], seed: int, kind: str, weighted: bool
) -> None:
    index, margins, naive = problem_of(random_data(seed), kind, weighted=weighted)
    engine = engine_class(index, margins, 1e-3)
    loss_at = naive.exp_loss if engine_class is ExpEngine else naive.log_loss
    start = engine.loss
    assert start == pytest.approx(loss_at(naive.margins), rel=1e-9)
    done = engine.run(12)
    path = list(zip(engine.features.tolist(), engine.deltas.tolist(), strict=True))
    for turn in range(done):
        assert engine.losses[turn] == pytest.approx(loss_at(naive.margins_at(path[: turn + 1])), rel=1e-9)
    assert done == 0 or engine.loss == engine.losses[-1]
    assert np.all(np.diff([start, *engine.losses]) <= 1e-12 * start)
    engine.run(300)
    assert engine.drift() < 1e-9


@settings(deadline=None)
@given(seeds, kinds, st.integers(0, 40), st.integers(0, 40))
@pytest.mark.parametrize("engine_class", [ExpEngine, LogEngine, ExactLogEngine])
def test_replay_is_the_run_itself(
    engine_class: type[BoostingEngine], seed: int, kind: str, first: int, more: int
) -> None:
    index, margins, _ = problem_of(random_data(seed), kind)
    run, parts, again = (engine_class(index, margins, 1e-4) for _ in range(3))
    run.run(first + more)
    parts.run(first)
    again.replay(parts.features, parts.deltas)
    assert state(again) == state(parts)
    parts.run(more)
    again.run(more)
    assert state(again) == state(parts) == state(run)


@pytest.mark.parametrize(("engine_class", "oracle"), ENGINES)
def test_units_are_made_finer_while_the_loss_falls(engine_class: type[BoostingEngine], oracle) -> None:
    # Separable: one feature tells every better candidate. Each round divides the loss by about ten, so that
    # thirty rounds pass through many sets of units.
    table = np.tile([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]], (6, 1))
    data = NBest.from_arrays(table, quality=[1, 0] * 6, sizes=[2] * 6, base=np.arange(12) / 7)
    index, margins, naive = problem_of(data)
    engine, again = engine_class(index, margins, 1e-2), engine_class(index, margins, 1e-2)
    assert engine.run(30) == 30
    assert engine.loss < 1e-25
    assert engine.drift() < 1e-9
    assert list(zip(engine.features.tolist(), engine.deltas.tolist(), strict=True)) == oracle(naive, 1e-2, 30)
    again.replay(engine.features, engine.deltas)
    assert state(again) == state(engine)


@pytest.mark.parametrize(
    ("engine_class", "oracle"), [ENGINES[0], *(pytest.param(*each, marks=pytest.mark.slow) for each in ENGINES[1:])]
)
def test_many_columns_use_all_levels_of_bounds(engine_class: type[BoostingEngine], oracle) -> None:
    rng = np.random.default_rng(0)
    columns, rows = 3 * BLOCK * FAN * FAN // 2, 600
    table = np.zeros((rows, columns), bool)
    table[np.arange(rows)[:, None], rng.choice(columns, (rows, 800))] = True
    table[np.arange(rows)[:, None], rng.integers(0, 50, (rows, 3))] = True  # some columns that are common
    features = Features.of(sparse.csr_array(table))
    data = NBest.from_arrays(features, quality=rng.integers(0, 5, rows), base=rng.normal(size=rows), sizes=[6] * 100)
    index, margins, naive = problem_of(data)
    assert index.columns.size > BLOCK * FAN * FAN
    engine = engine_class(index, margins, 1e-3)
    engine.run(ROUNDS)
    assert list(zip(engine.features.tolist(), engine.deltas.tolist(), strict=True)) == oracle(naive, 1e-3, ROUNDS)
    blocks, middles, tops = engine._bounds
    plus, minus = engine._sums[::2], engine._sums[1::2]
    gains = (np.sqrt(plus) - np.sqrt(minus)) ** 2
    assert np.all(blocks >= gains.reshape(-1, BLOCK).max(axis=1) * (1 - 1e-6) - 1)
    assert np.all(middles >= np.maximum.reduceat(blocks, np.arange(0, blocks.size, FAN)))
    assert np.all(tops >= np.maximum.reduceat(middles, np.arange(0, middles.size, FAN)))


@settings(deadline=None)
@given(seeds, kinds)
def test_log_rounds_keep_the_promise_of_appendix_b(seed: int, kind: str) -> None:
    # For any move δ, LogLoss falls by at least W+ (1 - exp(-δ)) + W- (1 - exp(δ)) (Collins, Schapire & Singer
    # 2002), which is (√W+ - √W-)² at the unsmoothed move.
    index, margins, _ = problem_of(random_data(seed), kind)
    engine = LogEngine(index, margins, 1e-12)
    for _ in range(8):
        before, sums = engine.loss, np.ldexp(engine._sums, -int(engine._bits[0])).reshape(-1, 2)
        if not engine.run(1):
            break
        plus, minus = sums[index.places[engine.features[-1]]]
        delta = engine.deltas[-1]
        assert engine.loss <= before - plus * (1 - math.exp(-delta)) - minus * (1 - math.exp(delta)) + 1e-7 * before
        promised = (math.sqrt(plus) - math.sqrt(minus)) ** 2
        assert promised == pytest.approx(((np.sqrt(sums[:, 0]) - np.sqrt(sums[:, 1])) ** 2).max(), rel=1e-9)
        assert engine.loss <= before - promised + 1e-5 * before  # the smoothing takes its small part


@settings(deadline=None)
@given(seeds)
def test_log_rounds_beside_the_exact_selection(seed: int) -> None:
    data = random_data(seed, columns=5, groups=6)
    index, margins, naive = problem_of(data)
    if not len(index.columns):
        return
    exact = section_4_6(naive, 6)
    engine = LogEngine(index, margins, 1e-9)
    point = naive.margins
    for turn in range(engine.run(6)):
        best = min(best_weight(naive, point, k)[1] for k in range(naive.differences.shape[1]))
        point = point + engine.deltas[turn] * naive.column(engine.features[turn])
        assert engine.losses[turn] >= best - 1e-9  # no round can do better than the exact best
    engine.run(200)
    assert engine.loss <= exact[-1] * 1.01 + 1e-9  # and with more, cheaper rounds it gets as low


@settings(deadline=None)
@given(seeds, st.sampled_from([1e-4, 0.0025, 0.1]))
def test_exact_rounds_are_section_4_6(seed: int, smoothing: float) -> None:
    data = random_data(seed, columns=5, groups=6)
    index, margins, naive = problem_of(data)
    engine = ExactLogEngine(index, margins, smoothing)
    made = engine.run(5)
    np.testing.assert_allclose(engine.losses, smoothed_section_4_6(naive, smoothing, made), rtol=0, atol=1e-10)
    path = list(zip(engine.features.tolist(), engine.deltas.tolist(), strict=True))
    assert engine.loss == pytest.approx(naive.log_loss(naive.margins_at(path)), abs=1e-10)
    engine.run(40)
    start = naive.log_loss(naive.margins)
    assert np.all(np.diff([start, *engine.losses]) <= 1e-13 * start)  # the loss never rises
    bound = LogEngine(index, margins, smoothing)
    bound.run(1)
    assert not made or engine.losses[0] <= bound.losses[0] + 1e-12


@settings(deadline=None)
@given(seeds)
def test_the_order_of_candidates_does_not_matter(seed: int) -> None:
    data = random_data(seed)
    rng = np.random.default_rng(seed)
    base = rng.permutation(data.n_candidates) / 4  # without ties the best candidate is the same in any order
    order = np.concatenate(
        [rng.permutation(np.arange(a, b)) for a, b in zip(data.offsets[:-1], data.offsets[1:], strict=True)]
    ).astype(int)
    plain = data.replace(base=base)
    mixed = data.replace(base=base[order], quality=data.quality[order], features=data.features.take(order))
    paths = []
    for each in (plain, mixed):
        index, margins, _ = problem_of(each)
        engine = ExpEngine(index, margins, 1e-3)
        engine.run(ROUNDS)
        paths.append((engine.features.tolist(), engine.deltas.tolist(), engine.losses.tolist()))
    assert paths[0] == paths[1]


def test_of_equal_columns_the_lowest_is_chosen() -> None:
    rng = np.random.default_rng(3)
    one = rng.random((40, 1)) < 0.5
    table = np.hstack([np.zeros((40, 1)), *[one] * (BLOCK + 3)])  # copies in two blocks, behind an empty column
    data = NBest.from_arrays(table, quality=rng.integers(0, 3, 40), sizes=[4] * 10, base=np.zeros(40))
    index, margins, _ = problem_of(data)
    engine = ExpEngine(index, margins, 1e-3)
    assert engine.run(2) == 2
    assert engine.features.tolist() == [1, 1]


def test_ties_go_to_the_lowest_column_whatever_the_frequency() -> None:
    # Column 1 stands in one pair more than column 0, but on both sides: the same gain by other sums is no tie,
    # so both get pairs of equal weight on one side alone, and column 1 an extra pair that weighs nothing much.
    table = [[1, 1], [0, 0], [0, 1], [0, 0]]
    data = NBest.from_arrays(table, quality=[1, 0, 1, 0], sizes=[2, 2], base=[0, 0, 200.0, 0])
    index, margins, _ = problem_of(data, scale=1.0)
    assert index.columns.tolist() == [1, 0]
    engine = ExpEngine(index, margins, 1e-3)  # exp(-200) is less than half a unit
    engine.run(1)
    assert engine.features.tolist() == [0]


@pytest.mark.parametrize("engine_class", [ExpEngine, LogEngine, ExactLogEngine])
def test_two_threads_give_the_bits_of_one(engine_class: type[BoostingEngine]) -> None:
    index, margins, _ = problem_of(random_data(5, columns=60, groups=60), "all")
    grid = (1e-4, 1e-3, 1e-2, 1e-1)

    def trained(smoothing: float) -> list[bytes]:
        engine = engine_class(index, margins, smoothing)
        engine.run(300)
        return state(engine)

    alone = [trained(each) for each in grid]
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(trained, grid)) == alone


@pytest.mark.parametrize("engine_class", [ExpEngine, LogEngine, ExactLogEngine])
@pytest.mark.parametrize("scale", [1e4, -1e4, 1e300])
def test_any_finite_margin_will_do(engine_class: type[BoostingEngine], scale: float) -> None:
    data = random_data(11)
    index, margins, _ = problem_of(data, scale=scale)
    engine = engine_class(index, margins, 1e-3)
    engine.run(20)
    assert np.isfinite(engine.deltas).all()
    assert not math.isnan(engine.loss)
    assert not np.isnan(engine.losses).any()
    assert abs(scale) > 1e4 or engine.drift() < 1e-9  # weights of features vanish beside margins of 1e300


def test_nothing_to_learn() -> None:
    flat = NBest.from_arrays([[1.0], [1.0]], quality=[1, 0], sizes=[2], base=[0.0, 0.0])
    tied = NBest.from_arrays([[1.0], [0.0]], quality=[1, 1], sizes=[2], base=[0.0, 0.0])
    for data, loss in ((flat, 1.0), (tied, 0.0)):
        index, margins, _ = problem_of(data)
        engine = ExpEngine(index, margins, 1e-3)
        assert (engine.run(10), index.n_items) == (0, 0)
        assert engine.loss == pytest.approx(loss)
        assert engine.drift() < 1e-12
        assert engine.features.size == engine.deltas.size == engine.additions.size == engine.losses.size == 0
        assert LogEngine(index, margins, 1e-3).run(10) == 0


def test_index_of_unsorted_rows_and_of_a_slice() -> None:
    # Rows of columns in any order; the second group alone, whose rows do not start at zero.
    features = Features.from_csr([0, 1, 3, 6, 8], [0, 2, 1, 3, 0, 2, 3, 1], None, 4)
    data = NBest.from_arrays(features, quality=[1, 0, 1, 0], sizes=[2, 2], base=[0.0] * 4)
    index = PairIndex.build(data[1], make_pairs(data[1]), 1)  # {3, 0, 2} against {3, 1}
    assert sorted(zip(index.columns[index.items >> 1].tolist(), (index.items & 1).tolist(), strict=True)) == [
        (0, 0),
        (1, 1),
        (2, 0),
    ]
    assert (index.n_items, index.places.tolist()) == (3, [0, 1, 2, -1])
    whole = PairIndex.build(data, make_pairs(data), 2)  # every column is in two groups
    assert whole.columns.tolist() == [0, 1, 2]  # no pair differs on column 3
    assert whole.costs.tolist() == [6, 6, 6]


def test_rare_features_stand_behind_common_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_index, "COMMON", 4)
    for seed in range(20):
        index, margins, naive = problem_of(random_data(seed), "all")
        rare, spans = index.items >= 8, index.spans
        for pair in range(len(index.pairs)):
            assert not rare[spans[2 * pair] : spans[2 * pair + 1]].any()
            assert rare[spans[2 * pair + 1] : spans[2 * pair + 2]].all()
        engine = ExpEngine(index, margins, 1e-3)
        engine.run(ROUNDS)
        expected = exact_exp(naive, 1e-3, ROUNDS) if len(index.pairs) else []
        assert list(zip(engine.features.tolist(), engine.deltas.tolist(), strict=True)) == expected


def test_a_column_that_stands_twice_in_a_row_is_refused() -> None:
    # A model would count it twice, which is no binary feature.
    features = Features.from_csr([0, 1, 4, 5], [0, 1, 2, 1, 0], None, 3, names=["a", "b", "c"])
    data = NBest.from_arrays(features, quality=[1, 0, 0], sizes=[3], base=[0.0] * 3)
    with pytest.raises(DataError, match="candidate 1 has 'b' more than once"):
        PairIndex.build(data, make_pairs(data), 1)
    merged = Features.of(features.to_scipy(), features.names)
    assert merged.to_scipy().toarray().tolist() == [[1, 0, 0], [0, 2, 1], [1, 0, 0]]


def test_too_many_pairs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_index, "MOST_PAIRS", 2)
    data = NBest.from_arrays([[1.0], [0.0], [0.0]], quality=[2, 1, 0], sizes=[3], base=[0.0] * 3)
    assert len(PairIndex.build(data, make_pairs(data, "best"), 1).pairs) == 2
    with pytest.raises(UsageError, match=r'can hold 2 pairs; found 3\. Take fewer groups, or pairs="sample"'):
        PairIndex.build(data, make_pairs(data, "all"), 1)


def test_what_cannot_work_is_said() -> None:
    real = NBest.from_arrays([[2.0], [0.0]], quality=[1, 0], sizes=[2], base=[0.0, 0.0])
    with pytest.raises(ValueError, match="binary features"):
        PairIndex.build(real, make_pairs(real), 1)
    index, margins, _ = problem_of(random_data(1))
    with pytest.raises(UsageError, match="smoothing must be a positive number; found 0"):
        ExpEngine(index, margins, 0)
    engine = ExpEngine(index, margins, 1e-3)
    engine.run(2)
    with pytest.raises(ValueError, match="new engine"):
        engine.replay(engine.features, engine.deltas)
