"""Passes of the perceptron: every way finds the pairs that a double loop finds, and the same amounts to the bit."""

# ruff: noqa: ARG005 - orders and margins are functions of two ranks, whether they look at both or not

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba.core.runtime import _nrt_python

from runoff import NBest
from runoff.arrays import frozen
from runoff.kernels import inversions
from runoff.kernels.perceptron import (
    ALL_PAIRS,
    FASTEST,
    INVERSIONS,
    LOGGED,
    MISTAKES,
    TABLE,
    TIME,
    UPDATES,
    Log,
    PerceptronLists,
    PerceptronState,
    group_pass,
    pair_pass,
    settle,
)
from runoff.learners.perceptron_orders import OrderRule, compile_order

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

COLUMNS = 5
RULES = [
    OrderRule(order, margin, **more)
    for order, more in [
        ("best-vs-rest", {}),
        ("splitting", {}),
        ("splitting", {"top": 3}),
        ("gap", {}),
        ("gap", {"top": 2, "bottom": 5}),
        ("ordinal", {}),
        ("insensitive", {"epsilon": 2}),
        ("orum", {}),
        ("orum", {"epsilon": 0.1}),
        ("mt", {}),
    ]
    for margin in ("even", "uneven")
]


class Case(NamedTuple):
    """One group: qualities, scores, and features that are small whole numbers, so that their sums are exact."""

    data: NBest
    scores: np.ndarray
    X: np.ndarray


def case(quality: np.ndarray, scores: np.ndarray, seed: int = 0) -> Case:
    X = np.random.default_rng(seed).integers(-2, 3, (quality.size, COLUMNS)).astype(np.float32)
    data = NBest.from_arrays(X, quality, sizes=[quality.size])
    return Case(data, np.asarray(scores, np.float64), X)


class Found(NamedTuple):
    """What one visit did."""

    mistakes: int
    u: np.ndarray
    weights: np.ndarray


def visit(each: Case, rule: OrderRule, tau: float, way: int | None = None) -> Found:
    """One visit by weights that leave the scores to the first round's, whose weight is 1."""
    asked = compile_order(each.data, rule)
    features, rows = each.data.features, each.scores.size
    state = PerceptronState(
        np.zeros(COLUMNS), np.zeros(COLUMNS), np.array([1.0, 0.0]), np.zeros(0), np.zeros(4, np.int64)
    )
    log = Log(np.empty(rows, np.int64), np.empty(rows), np.empty(rows, np.int64))
    lists = PerceptronLists(each.data.offsets, features.indptr, features.indices, features.values, frozen(each.scores))
    way = asked.way if way is None else way
    space = inversions.room(rows) if way in (FASTEST, INVERSIONS) else None
    made = group_pass(frozen(np.array([0])), lists, asked.order, tau, 0.0, way, state, log, space)
    assert made == 1
    assert state.counters[TIME] == 1
    assert state.counters[UPDATES] == (state.counters[MISTAKES] > 0)
    u, logged = np.zeros(rows), int(state.counters[LOGGED])
    u[log.row[:logged]] = log.amount[:logged]
    return Found(int(state.counters[MISTAKES]), u, state.weights)


def ranks_of(quality: np.ndarray) -> list[int]:
    """1 is best, ties share the lowest."""
    return [1 + int(np.sum(quality > each)) for each in quality]


def asks(rule: OrderRule, k: int) -> Callable[[int, int], bool]:
    """The table of orders, as predicates over ranks."""

    def limit(value: float, size: int) -> int:
        return value if isinstance(value, int) else max(int(value * size), 1)

    top = {"gap": 0.3}.get(str(rule.order), 1) if rule.top is None else rule.top
    bottom = 0.7 if rule.bottom is None else rule.bottom
    first = limit(top, k)
    return {
        "best-vs-rest": lambda p, q: p == 1 < q,
        "splitting": lambda p, q: p <= first < q,
        "gap": lambda p, q: p <= first < q and q >= limit(bottom, k),
        "ordinal": lambda p, q: p < q,
        "insensitive": lambda p, q: q - p > rule.epsilon,
        "orum": lambda p, q: p < q and 1 / p - 1 / q > rule.epsilon,
        "mt": lambda p, q: 2 * p < q and p + 20 < q,
    }[str(rule.order)]


class Expected(NamedTuple):
    """Sums over the violated pairs, and how many more pairs are too close to a tie to be told by floats."""

    mistakes: int
    u: np.ndarray
    unsure: int


def oracle(each: Case, rule: OrderRule, tau: float) -> Expected:
    """By the definition, one pair after the other: violated where not `F_j - F_l > tau * g`."""
    quality, scores = each.data.quality, each.scores.tolist()
    ranks, wanted = ranks_of(quality), asks(rule, quality.size)
    whole = all(score == int(score) and abs(score) < 2**50 for score in scores if np.isfinite(score))
    exact = tau == 0 or (rule.margin == "even" and whole and tau == int(tau))
    the_best = ranks.index(1)
    mistakes, unsure, u = 0, 0, [0.0] * len(scores)
    for j, p in enumerate(ranks):
        if rule.order == "best-vs-rest" and j != the_best:
            continue
        for l, q in enumerate(ranks):  # noqa: E741 - as in the paper
            if not wanted(p, q):
                continue
            g = 1.0 if rule.margin == "even" else 1 / p - 1 / q
            lead = scores[j] - scores[l]
            near = 0.0 if exact else 1e-11 * tau + 1e-15 * (abs(scores[j]) + abs(scores[l]))
            if not exact and abs(lead - tau * g) <= near:
                unsure += 1
            elif not lead > tau * g:
                mistakes += 1
                u[j] += g
                u[l] -= g
    return Expected(mistakes, np.array(u), unsure)


def check(each: Case, rule: OrderRule, tau: float) -> Expected:
    """All ways agree to the bit, and with the oracle up to the rounding of margins to 2**-40."""
    ways = [visit(each, rule, tau, way) for way in (ALL_PAIRS, INVERSIONS, FASTEST)]
    for other in ways[1:]:
        assert other.mistakes == ways[0].mistakes
        assert other.u.tobytes() == ways[0].u.tobytes()
        assert other.weights.tobytes() == ways[0].weights.tobytes()
    expected, found = oracle(each, rule, tau), ways[0]
    assert expected.mistakes <= found.mistakes <= expected.mistakes + expected.unsure
    if not expected.unsure:
        rounding = each.scores.size * 2.0**-39
        assert found.u == pytest.approx(expected.u, abs=rounding)
        assert found.weights == pytest.approx(expected.u @ each.X, abs=rounding * 2 * each.scores.size)
    return expected


@st.composite
def groups(draw: st.DrawFn) -> Case:
    """Groups with ties in quality and score, copies of candidates, and scores of every size."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    k = draw(st.integers(1, 60))
    quality = rng.integers(0, draw(st.sampled_from([2, 5, 1000])), k).astype(float)
    kind = draw(st.sampled_from(["whole", "normal", "equal", "huge", "tiny", "mixed", "outlier"]))
    scores = {
        "whole": lambda: rng.integers(-3, 4, k).astype(float),
        "normal": lambda: rng.normal(size=k),
        "equal": lambda: np.full(k, 0.25),
        "huge": lambda: rng.normal(size=k) * 1e300,
        "tiny": lambda: rng.normal(size=k) * 1e-300,
        "mixed": lambda: rng.normal(size=k) * 10.0 ** rng.integers(-300, 300, k),
        "outlier": lambda: np.append(rng.normal(size=k - 1), -1e200),
    }[kind]()
    copied = rng.integers(0, k, k) if draw(st.booleans()) else np.arange(k)
    return case(quality[copied], scores[copied])


@settings(deadline=None)
@given(groups(), st.sampled_from(RULES), st.sampled_from([0.0, 1.0, 2.0, 0.37, 1e-8, 1e6]))
def test_all_ways_are_the_double_loop(each: Case, rule: OrderRule, tau: float) -> None:
    check(each, rule, tau)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.order}-{rule.margin}-{rule.top}-{rule.epsilon}")
def test_large_groups_with_ties(rule: OrderRule) -> None:
    rng = np.random.default_rng(3)
    each = case(rng.integers(0, 150, 400).astype(float), rng.integers(-9, 10, 400).astype(float))
    assert check(each, rule, 0.0).mistakes > 0
    assert check(each, rule, 1.0).mistakes > 0


@pytest.mark.parametrize("kind", ["normal", "ties", "outliers"])
@pytest.mark.parametrize("k", [31, 32, 33, 1023, 1024, 1025, 1500])
def test_trees_of_one_two_and_three_levels(k: int, kind: str) -> None:
    rng = np.random.default_rng(k)
    scores = np.round(rng.normal(size=k), 1) if kind == "ties" else rng.normal(size=k)
    if kind == "outliers":
        scores[rng.integers(0, k, 3)] = [1e300, -1e299, 1e-290]
    each = case(rng.normal(size=k).round(1 if kind == "ties" else 9), scores)
    for rule in (OrderRule("ordinal", "even"), OrderRule("orum", "uneven"), OrderRule("mt", "uneven")):
        ways = [visit(each, rule, 0.4, way) for way in (ALL_PAIRS, INVERSIONS, FASTEST)]
        assert {way.mistakes for way in ways} == {ways[0].mistakes}
        assert len({way.u.tobytes() for way in ways}) == len({way.weights.tobytes() for way in ways}) == 1
        # Pairs counted by whole-array comparison, as a second opinion on the loops.
        ranks = np.array(ranks_of(each.data.quality))
        p, q = ranks[:, None], ranks[None, :]
        wanted = (2 * p < q) & (p + 20 < q) if rule.order == "mt" else p < q
        g = np.ones((k, k)) if rule.margin == "even" else 1 / p - 1 / q
        lead = each.scores[:, None] - each.scores[None, :]
        near = np.abs(lead - 0.4 * g) < 1e-11
        sure, unsure = int(np.sum(wanted & ~near & ~(lead > 0.4 * g))), int(np.sum(wanted & near))
        assert sure <= ways[0].mistakes <= sure + unsure
        if not unsure:
            u = np.where(wanted & ~(lead > 0.4 * g), g, 0.0)
            assert ways[0].u == pytest.approx(u.sum(axis=1) - u.sum(axis=0), abs=k * 2.0**-39)


@pytest.mark.parametrize("way", [ALL_PAIRS, INVERSIONS, FASTEST])
def test_equal_scores_and_equal_leads_violate(way: int) -> None:
    # Perceptrons learn from ties: at the start all scores are zero, and F_j - F_l > tau * g is asked for.
    each = case(np.array([3.0, 2.0, 1.0]), np.array([2.0, 1.0, 1.0]))
    assert visit(each, OrderRule("ordinal"), 0.0, way).mistakes == 1
    found = visit(each, OrderRule("ordinal"), 1.0, way)
    assert found.mistakes == 3
    assert found.u.tolist() == [2.0, 0.0, -2.0]
    assert visit(each, OrderRule("ordinal"), 0.5, way).mistakes == 1


# The last one can be sorted, as its margin is that of (0 - p) - 2 - (0 - q) wherever it is above zero.
ARBITRARY: list[tuple[Callable[[int, int], bool], Callable[[int, int], float]]] = [
    (lambda p, q: (p + q) % 3 != 0, lambda p, q: (q - p) ** 1.5),
    (lambda p, q: p == 2, lambda p, q: p * q / 7),
    (lambda p, q: q - p < 4, lambda p, q: 1.0 if p % 2 else 0.25),
    (lambda p, q: p < q, lambda p, q: max(q - p - 2, 0)),
]


@settings(deadline=None)
@given(groups(), st.sampled_from(ARBITRARY), st.sampled_from([0.0, 1.0, 0.37]))
def test_any_functions_give_the_double_loop(each: Case, functions: tuple, tau: float) -> None:
    order, margin = functions
    ranks = ranks_of(each.data.quality)
    mistakes, unsure, u = 0, 0, np.zeros(len(ranks))
    for j, p in enumerate(ranks):
        for l, q in enumerate(ranks):  # noqa: E741
            if p < q and order(p, q) and margin(p, q) > 0:
                g, lead = margin(p, q), each.scores[j] - each.scores[l]
                near = 1e-9 * tau * g + 1e-15 * abs(each.scores[[j, l]]).sum()
                if tau and abs(lead - tau * g) <= near:
                    unsure += 1
                elif not lead > tau * g:
                    mistakes += 1
                    u[[j, l]] += g, -g
    found = visit(each, OrderRule(order, margin), tau)
    assert mistakes <= found.mistakes <= mistakes + unsure
    if not unsure:
        # Margins are rounded to 2**-40 of the largest.
        largest = max((margin(p, q) for p in range(1, 61) for q in range(p + 1, 61) if order(p, q)), default=0.0)
        assert found.u == pytest.approx(u, abs=largest * len(ranks) * 2.0**-39)


def sorts() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    normal = rng.normal(size=300)
    return {
        "normal": normal,
        "equal": np.full(300, -2.5),
        "outlier": np.append(normal, 1e300),
        "signs": np.concatenate([normal, -normal * 1e-200, normal * 1e200, [0.0, -0.0, 5e-324, -5e-324]]),
        "all-digits": normal * 10.0 ** rng.integers(-307, 307, 300),
        "hardly-apart": 1.0 + np.arange(300)[::-1] * 2.0**-52,
        "denormal": rng.integers(-40, 40, 300) * 5e-324,
        "widest": np.append(normal, [1.7e308, -1.7e308]),
        "one": normal[:1],
    }


@pytest.mark.parametrize("name", sorts())
def test_sorting_is_that_of_numpy(name: str) -> None:
    z = sorts()[name]
    room = inversions.room(z.size)
    inversions._sort(z, room)
    assert sorted(room.order.tolist()) == list(range(z.size))
    assert z[room.order].tolist() == np.sort(z).tolist()


def test_outliers_are_too_much_for_insertion() -> None:
    # So the test above has gone through the digits of the floats themselves.
    z = sorts()["outlier"]
    assert not inversions._insert(z, np.arange(z.size), 4 * z.size)
    assert inversions._insert(z, np.argsort(z), 4 * z.size)


def many(groups: int) -> tuple[NBest, PerceptronLists]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20 * groups, COLUMNS))
    data = NBest.from_arrays(X, rng.integers(0, 9, 20 * groups).astype(float), sizes=[20] * groups)
    features = data.features
    return data, PerceptronLists(
        data.offsets, features.indptr, features.indices, features.values, frozen(np.zeros(20 * groups))
    )


@pytest.fixture
def counted_allocations() -> Iterator[None]:
    _nrt_python.memsys_enable_stats()
    yield
    _nrt_python.memsys_disable_stats()


@pytest.mark.usefixtures("counted_allocations")
@pytest.mark.parametrize("way", [ALL_PAIRS, INVERSIONS, TABLE])
def test_nothing_is_allocated_for_a_group(way: int) -> None:
    def allocations(groups: int) -> int:
        data, lists = many(groups)
        rule = OrderRule("ordinal", lambda p, q: p * q) if way == TABLE else OrderRule("orum")
        order = compile_order(data, rule).order
        rows = 20 * groups
        state = PerceptronState(
            np.zeros(COLUMNS), np.zeros(COLUMNS), np.zeros(2), np.zeros(rows), np.zeros(4, np.int64)
        )
        log = Log(np.empty(rows, np.int64), np.empty(rows), np.empty(rows, np.int64))
        visits = frozen(np.arange(groups))
        space = inversions.room(20) if way == INVERSIONS else None
        before = _nrt_python.memsys_get_stats_alloc()
        group_pass(visits, lists, order, 0.1, 1.0, way, state, log, space)
        assert state.counters[UPDATES] > groups / 2
        return _nrt_python.memsys_get_stats_alloc() - before

    few, more = allocations(3), allocations(300)
    assert 0 < few < 100
    assert more == few


def test_a_full_log_ends_a_pass_where_it_can_go_on() -> None:
    data, lists = many(30)
    order, rows = compile_order(data, OrderRule("ordinal")).order, 600
    for one_pass, enough in ((group_pass, 50), (pair_pass, 800)):
        whole = PerceptronState(np.zeros(COLUMNS), np.zeros(COLUMNS), np.zeros(2), np.zeros(0), np.zeros(4, np.int64))
        parts = PerceptronState(*(array.copy() for array in whole))
        no_log = Log(np.empty(0, np.int64), np.empty(0), np.empty(0, np.int64))
        small = Log(np.empty(enough, np.int64), np.empty(enough), np.empty(enough, np.int64))
        visits = np.arange(30)
        assert one_pass(frozen(visits), lists, order, 1.0, 0.0, FASTEST, whole, no_log) == 30
        amounts, stops = np.zeros(rows), []
        while visits.size:
            made = one_pass(frozen(visits), lists, order, 1.0, 0.0, FASTEST, parts, small)
            logged = int(parts.counters[LOGGED])
            np.add.at(amounts, small.row[:logged], small.amount[:logged])
            parts.counters[LOGGED] = 0
            stops.append(made)
            visits = visits[made:]
        assert len(stops) > 1
        assert min(stops) > 0
        assert parts.weights.tobytes() == whole.weights.tobytes()
        assert parts.sums.tobytes() == whole.sums.tobytes()
        assert parts.counters[[TIME, UPDATES, MISTAKES]].tolist() == whole.counters[[TIME, UPDATES, MISTAKES]].tolist()
        X = np.zeros((rows, COLUMNS))
        X[np.repeat(np.arange(rows), np.diff(lists.indptr)), lists.indices] = lists.values
        assert amounts @ X == pytest.approx(whole.weights, abs=1e-9)


@pytest.mark.parametrize("one_pass", [group_pass, pair_pass])
def test_sums_that_wait_are_those_that_do_not(one_pass: Callable[..., int]) -> None:
    data, lists = many(30)
    order = compile_order(data, OrderRule("orum")).order
    no_log = Log(np.empty(0, np.int64), np.empty(0), np.empty(0, np.int64))
    found = []
    for rows in (0, 600):
        # So many columns that a group has none of them many times over.
        state = PerceptronState(
            np.zeros(50), np.zeros(50), np.zeros(2), np.zeros(0), np.zeros(4, np.int64), np.zeros(rows)
        )
        for _ in range(3):
            one_pass(frozen(np.arange(30)), lists, order, 1.0, 0.0, FASTEST, state, no_log)
        assert state.later.any() == (rows > 0)
        settle(lists, state)
        assert not state.later.any()
        found.append(state)
    assert found[1].weights.tobytes() == found[0].weights.tobytes()
    assert found[1].sums == pytest.approx(found[0].sums, rel=1e-12)
    assert found[0].sums[:COLUMNS].all()


@pytest.mark.parametrize("one_pass", [group_pass, pair_pass])
@pytest.mark.parametrize("bad", [np.inf, np.nan])
def test_scores_that_are_no_numbers_end_a_pass(one_pass: Callable[..., int], bad: float) -> None:
    data, lists = many(2)
    order = compile_order(data, OrderRule("ordinal")).order
    state = PerceptronState(np.full(COLUMNS, bad), np.zeros(0), np.zeros(2), np.zeros(0), np.zeros(4, np.int64))
    no_log = Log(np.empty(0, np.int64), np.empty(0), np.empty(0, np.int64))
    assert one_pass(frozen(np.arange(2)), lists, order, 1.0, 0.0, FASTEST, state, no_log) == -1
    assert state.counters[UPDATES] == 0
