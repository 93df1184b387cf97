"""Orders and margins: every named rule by brute force over ranks, and functions of one's own."""

# ruff: noqa: ARG005 - orders and margins are functions of two ranks, whether they look at both or not

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff import DataError, NBest, Perceptron, UsageError
from runoff.kernels.perceptron import FASTEST, TABLE
from runoff.learners.perceptron_orders import CompiledOrder, OrderRule, compile_order


def ranked(*qualities: list[float]) -> NBest:
    """Groups with these qualities and nothing to learn from."""
    flat = [each for group in qualities for each in group]
    return NBest.from_arrays(np.zeros((len(flat), 1)), flat, sizes=[len(group) for group in qualities])


def pairs_of(data: NBest, compiled: CompiledOrder) -> dict[tuple[int, int], float]:
    """What an order asks for: the margin by the rows of a better and a worse candidate."""
    order, found = compiled.order, {}
    for group in range(len(data)):
        start, stop = data.offsets[group], data.offsets[group + 1]
        for worse in range(start, stop):
            for better in range(start, start + order.prefix[worse]):
                if compiled.way == TABLE:
                    units = order.table[order.ranks[worse], order.ranks[better]]
                    if units == 0:
                        continue
                else:
                    units = order.phi[better] + order.shift - order.phi[worse]
                found[int(order.rows[better]), int(order.rows[worse])] = units / order.scale
    return found


Pairs = Callable[[int, int, int], bool]  # rank of the better, of the worse, number of candidates

# The table of Shen & Joshi's orders as predicates over ranks. Shares of a list of k are rounded down, and at least 1.
NAMED: list[tuple[OrderRule, Pairs]] = [
    (OrderRule("splitting"), lambda p, q, k: p <= 1 < q),
    (OrderRule("splitting", top="tied"), lambda p, q, k: p <= 1 < q),
    (OrderRule("splitting", top=4), lambda p, q, k: p <= 4 < q),
    (OrderRule("splitting", top=0.5), lambda p, q, k: p <= max(k // 2, 1) < q),
    (OrderRule("splitting", top=2, bottom=6), lambda p, q, k: p <= 2 and q >= 6),
    (OrderRule("gap", top=3, bottom=7), lambda p, q, k: p <= 3 and q >= 7),
    (OrderRule("gap"), lambda p, q, k: p <= max(3 * k // 10, 1) and q >= max(7 * k // 10, max(3 * k // 10, 1) + 1)),
    (OrderRule("gap", top=5, bottom=2), lambda p, q, k: p <= 5 < q),  # a bottom above the top leaves no gap
    (OrderRule("ordinal"), lambda p, q, k: p < q),
    (OrderRule("insensitive"), lambda p, q, k: p < q),
    (OrderRule("insensitive", epsilon=3), lambda p, q, k: q - p > 3),
    (OrderRule("insensitive", epsilon=2.5), lambda p, q, k: q - p > 2.5),
    (OrderRule("orum"), lambda p, q, k: p < q),
    (OrderRule("orum", epsilon=0.25), lambda p, q, k: p < q and (q - p) * 4 > p * q),
    (OrderRule("orum", epsilon=1 / 6), lambda p, q, k: p < q and 1 / p - 1 / q > 1 / 6),
    (OrderRule("orum", epsilon=0.02), lambda p, q, k: p < q and (q - p) * 50 > p * q),
    (OrderRule("mt"), lambda p, q, k: 2 * p < q and p + 20 < q),
]
UNEVEN = {"gap", "orum", "mt"}


@pytest.mark.parametrize(
    ("rule", "wanted"), NAMED, ids=lambda each: str(each.name) if isinstance(each, OrderRule) else ""
)
@settings(deadline=None)
@given(st.integers(0, 2**32))
def test_named_orders_are_their_predicates(rule: OrderRule, wanted: Pairs, seed: int) -> None:
    rng = np.random.default_rng(seed)
    groups = [rng.integers(0, rng.integers(1, 2 * k + 2), k).tolist() for k in rng.integers(1, 70, 3)]
    data = ranked(*groups)
    expected, start = {}, 0
    for qualities in groups:
        ranks = [1 + sum(other > each for other in qualities) for each in qualities]
        for j, p in enumerate(ranks):
            for l, q in enumerate(ranks):  # noqa: E741 - as in the paper
                if wanted(p, q, len(ranks)):
                    expected[start + j, start + l] = 1 / p - 1 / q if rule.order in UNEVEN else 1.0
        start += len(ranks)
    compiled = compile_order(data, rule)
    found = pairs_of(data, compiled)
    assert found.keys() == expected.keys()
    for pair, margin in found.items():
        assert margin == pytest.approx(expected[pair], abs=2.0**-39)
    assert compiled.pairs == len(expected)
    group_of = data.group_of
    assert compiled.groups.tolist() == sorted({int(group_of[better]) for better, _ in expected})


def test_best_versus_rest_takes_one_of_those_that_tie_for_best() -> None:
    # Rows 1 and 3 tie; 3 has the higher base score and is the best, and 1 takes no part.
    data = ranked([1, 5, 2, 5]).replace(base=np.array([9.0, 1.0, 9.0, 2.0]))
    assert pairs_of(data, compile_order(data, OrderRule("best-vs-rest"))) == {(3, 0): 1.0, (3, 2): 1.0}
    assert pairs_of(data, compile_order(data, OrderRule("splitting"))).keys() == {(3, 0), (3, 2), (1, 0), (1, 2)}
    # Without base scores it is the earlier one.
    bare = data.replace(base=None)
    assert pairs_of(bare, compile_order(bare, OrderRule("best-vs-rest"))).keys() == {(1, 0), (1, 2)}


@pytest.mark.parametrize(("share", "rank"), [(0.29, 29), (0.57, 57), (0.3, 30), (0.07, 7), (0.999, 99), (0.001, 1)])
def test_shares_of_a_list_are_not_lost_to_rounding(share: float, rank: int) -> None:
    # 0.29 * 100 is 28.999999999999996 in floats.
    data = ranked(list(range(100)))
    assert compile_order(data, OrderRule("splitting", top=share)).pairs == rank * (100 - rank)


def test_margins_can_be_changed_for_every_order() -> None:
    data = ranked([3.0, 2.0, 1.0])
    uneven = pairs_of(data, compile_order(data, OrderRule("ordinal", "uneven")))
    assert uneven == pytest.approx({(0, 1): 1 / 2, (0, 2): 2 / 3, (1, 2): 1 / 6})
    assert pairs_of(data, compile_order(data, OrderRule("orum", "even"))) == {(0, 1): 1.0, (0, 2): 1.0, (1, 2): 1.0}
    own = pairs_of(data, compile_order(data, OrderRule("best-vs-rest", lambda p, q: q)))
    assert own == pytest.approx({(0, 1): 2.0, (0, 2): 3.0})


def test_groups_without_a_candidate_or_with_one_ask_for_nothing() -> None:
    data = ranked([], [1.0], [1.0, 1.0], [2.0, 1.0], [])
    compiled = compile_order(data, OrderRule("orum"))
    assert compiled.groups.tolist() == [3]
    assert compiled.pairs == 1


# ---------------------------------------------------------------- functions of one's own


def lists(seed: int = 0, groups: int = 20, most: int = 40) -> NBest:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, most + 1, groups)
    X = rng.normal(size=(int(sizes.sum()), 4))
    return NBest.from_arrays(X, np.round(X @ [1, 0.5, -1, 0] + rng.normal(size=len(X)), 1), sizes=sizes)


TWINS: dict[str, tuple[OrderRule, OrderRule, bool]] = {
    # Even margins are the same whole numbers, so the models are the same to the bit. The 1/p of an uneven margin is
    # found back from differences, which float arithmetic rounds: those are the same to 2**-40.
    "ordinal": (OrderRule("ordinal"), OrderRule(lambda p, q: True), True),
    "splitting": (OrderRule("splitting", top=4), OrderRule(lambda p, q: p <= 4 < q), True),
    "gap-even": (OrderRule("gap", "even", 3, 7), OrderRule(lambda p, q: p <= 3 and q >= 7), True),
    "insensitive": (OrderRule("insensitive", epsilon=2), OrderRule(lambda p, q: q - p > 2), True),
    "even-function": (OrderRule("ordinal"), OrderRule("ordinal", lambda p, q: 1), True),
    "orum": (OrderRule("orum"), OrderRule(lambda p, q: p < q, lambda p, q: 1 / p - 1 / q), False),
    "orum-margin": (OrderRule("orum"), OrderRule("ordinal", lambda p, q: 1 / p - 1 / q), False),
    "orum-order": (OrderRule("orum"), OrderRule(lambda p, q: True, "uneven"), False),
    "orum-epsilon": (OrderRule("orum", epsilon=0.02), OrderRule(lambda p, q: 1 / p - 1 / q > 0.02, "uneven"), False),
    "gap": (
        OrderRule("gap", top=3, bottom=7),
        OrderRule(lambda p, q: p <= 3 and q >= 7, lambda p, q: 1 / p - 1 / q),
        False,
    ),
    "mt": (OrderRule("mt"), OrderRule(lambda p, q: 2 * p < q and p + 20 < q, lambda p, q: 1 / p - 1 / q), False),
}


@pytest.mark.parametrize("name", TWINS)
def test_functions_are_seen_through(name: str) -> None:
    named, own, same_bits = TWINS[name]
    data = lists()
    slow, fast = compile_order(data, named), compile_order(data, own)
    assert fast.way == slow.way == FASTEST
    expected, found = pairs_of(data, slow), pairs_of(data, fast)
    assert found.keys() == expected.keys()
    assert [found[pair] for pair in expected] == pytest.approx(list(expected.values()), abs=2.0**-38)
    assert (fast.pairs, fast.groups.tolist(), fast.inverted) == (slow.pairs, slow.groups.tolist(), slow.inverted)
    both = [
        Perceptron(each.order, each.margin, 0.7, top=each.top, bottom=each.bottom, epsilon=each.epsilon, epochs=4)
        .fit(data)
        .model
        for each in (named, own)
    ]
    if same_bits:
        assert both[1].weights.tobytes() == both[0].weights.tobytes()
    assert both[1].weights == pytest.approx(both[0].weights, abs=1e-8)
    assert both[1].provenance["mistakes"] == both[0].provenance["mistakes"] > 0


UNSORTED = [
    OrderRule(lambda p, q: q - p < 5),  # the better side is no prefix
    OrderRule(lambda p, q: p == 2),
    OrderRule(lambda p, q: p <= 8 - q),  # the better side shrinks
    OrderRule("ordinal", lambda p, q: p * q),
    OrderRule("ordinal", lambda p, q: 1 / p - 1 / q + (p == 3 and q == 5) * 1e-6),
    OrderRule("ordinal", lambda p, q: float(q - p > 2)),
]


@pytest.mark.parametrize("rule", UNSORTED)
def test_functions_that_cannot_be_sorted_are_looked_up(rule: OrderRule) -> None:
    data = lists(most=12)
    compiled = compile_order(data, rule)
    assert compiled.way == TABLE
    order = rule.order if callable(rule.order) else lambda p, q: True
    margin = rule.margins if callable(rule.margins) else lambda p, q: 1.0
    expected = {}
    for group in range(len(data)):
        start, stop = data.offsets[group], data.offsets[group + 1]
        quality = data.quality[start:stop]
        ranks = [1 + int(np.sum(quality > each)) for each in quality]
        for j, p in enumerate(ranks):
            for l, q in enumerate(ranks):  # noqa: E741
                if p < q and order(p, q) and margin(p, q) > 0:
                    expected[int(start) + j, int(start) + l] = margin(p, q)
    assert pairs_of(data, compiled) == pytest.approx(expected)
    assert "O(k²)" in compiled.search_method


@pytest.mark.parametrize("rule", UNSORTED)
def test_pairs_that_a_function_does_not_ask_for_are_not_counted(rule: OrderRule) -> None:
    data = lists(most=12)
    compiled = compile_order(data, rule)
    assert compiled.pairs == len(pairs_of(data, compiled))


def test_a_group_whose_ties_leave_nothing_to_ask_is_not_visited() -> None:
    # Nobody in the first group has rank 2.
    data = ranked([3, 3, 1], [3, 2, 1])
    assert compile_order(data, OrderRule(lambda p, q: p == 2)).groups.tolist() == [1]


def test_small_and_odd_margins_are_sorted_too() -> None:
    data = lists(most=30)
    for margin in (lambda p, q: q - p, lambda p, q: (q * q - p * p) * 1e-5, lambda p, q: 7.5 + (q - p) / 3):
        compiled = compile_order(data, OrderRule("ordinal", margin))
        assert compiled.way == FASTEST
        ranks = dict(zip(compiled.order.rows.tolist(), compiled.order.ranks.tolist(), strict=True))
        for (better, worse), found in pairs_of(data, compiled).items():
            assert found == pytest.approx(margin(ranks[better], ranks[worse]), rel=1e-9)


def unfinished(better: int, worse: int) -> None:
    """A function that forgets to return."""


@pytest.mark.parametrize(
    ("role", "function", "words"),
    [
        ("order", lambda p, q: "no", "the order must be a function of two ranks.* return true or false"),
        ("order", unfinished, "the order must be a function of two ranks.* return true or false"),
        ("order", lambda p: True, "the order must be a function of two ranks"),
        ("order", lambda p, q: 1 / (p - 1), "the order must be a function of two ranks.*division by zero"),
        ("margin", lambda p, q: "wide", "the margin must be a function of two ranks.* return a number"),
        ("margin", unfinished, "the margin must be"),
        ("margin", lambda p, q: [p, q], "the margin must be a function of two ranks.* return a number"),
        ("margin", lambda p, q: {1: 2.0}[p], "the margin must be a function of two ranks"),
        ("margin", lambda p, q: float("nan"), "the margin must be a number of at least 0; it is nan for ranks 1, 2"),
        ("margin", lambda p, q: float("inf"), "the margin must be a number of at least 0; it is inf for ranks 1, 2"),
        ("margin", lambda p, q: 3 - q, "the margin must be a number of at least 0; it is -1.0 for ranks 1, 4"),
    ],
)
def test_functions_that_are_wrong_are_refused_with_a_sentence(role: str, function: Callable, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Perceptron(**{role: function}, tau=1.0, epochs=1).fit(lists())


def test_a_function_is_not_asked_about_groups_too_large_for_a_table() -> None:
    data = ranked(list(range(8200)))
    with pytest.raises(
        UsageError, match="a group has 8,200 candidates; take a named order, or groups of at most 8,192"
    ):
        compile_order(data, OrderRule("ordinal", lambda p, q: 1))
    assert compile_order(data, OrderRule("ordinal")).pairs == 8200 * 8199 // 2


def test_any_callable_is_a_function() -> None:
    def wider(factor: float, p: int, q: int) -> float:
        return factor * (q - p)

    data = lists()
    expected = Perceptron(margin=lambda p, q: 2 * (q - p), tau=1.0, epochs=2).fit(data).model
    found = Perceptron(margin=functools.partial(wider, 2), tau=1.0, epochs=2).fit(data).model
    assert found.weights.tobytes() == expected.weights.tobytes()


@pytest.mark.parametrize(
    "parameters",
    [
        {"order": "mt"},
        {"order": "splitting", "top": 30},
        {"order": "gap", "top": 2, "bottom": 30},
        {"order": "insensitive", "epsilon": 30},
        {"order": "orum", "epsilon": 2.0},
        {"order": lambda p, q: False},
        {"order": lambda p, q: p == 7 and q == 9},
        {"margin": lambda p, q: 0},
    ],
)
def test_an_order_that_asks_for_nothing_is_refused(parameters: dict[str, object]) -> None:
    with pytest.raises(DataError, match=r"the order .* requires no pair"):
        Perceptron(**parameters, tau=1.0, epochs=1).fit(lists(most=6))
