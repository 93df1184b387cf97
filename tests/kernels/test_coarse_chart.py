"""Sums over all trees of a rough grammar, against every derivation listed one by one."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff.kernels.coarse_chart import Rules, outsides
from runoff.tasks.parsing.brackets import parse_tree
from runoff.tasks.parsing.grammar import Settings, train_grammar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runoff.tasks.parsing.grammar.coarse_grammar import CoarseGrammar

Item = tuple[str, int, int, int]  # whole, grows or leans; the span; unit or state


class Way(NamedTuple):
    """One derivation of a unit over a span, and everything in it."""

    unit: int
    p: float
    items: tuple[Item, ...]


class Every:
    """All derivations of a sentence by a rough grammar."""

    def __init__(self, rules: Rules, leaves: np.ndarray, heights: int, is_alone_noted: bool = True) -> None:
        self.rules, self.leaves, self.heights = rules, leaves, heights
        self.is_alone_noted = is_alone_noted  # whether a constituent of one child counts as one that grew and leaned
        self.n = len(leaves)
        self._kept: dict[tuple[int, int], list[Way]] = {}

    def whole(self, i: int, j: int) -> list[Way]:
        if (i, j) not in self._kept:
            now = [
                Way(u, float(p), (("whole", i, j, u),)) for u, p in enumerate(self.leaves[i]) if j == i + 1 and p > 0
            ]
            for q, owner in enumerate(self.rules.owners.tolist()):
                now += [Way(owner, p, (*items, ("whole", i, j, owner))) for p, items in self.several(q, i, j)]
            found = [*now]
            for _ in range(self.heights):
                now = [each for way in now for each in self.over(way, i, j)]
                found += now
            self._kept[i, j] = found
        return self._kept[i, j]

    def over(self, way: Way, i: int, j: int) -> list[Way]:
        """Constituents that have this one for their only child."""
        rules = self.rules
        found = []
        for q in np.flatnonzero(rules.head_units == way.unit).tolist():
            owner = int(rules.owners[q])
            p = way.p * rules.heads[q] * rules.stops[0, q] * rules.stops[1, q]
            grown = (("grows", i, j, q), ("leans", i, j, q)) if self.is_alone_noted else ()
            found.append(Way(owner, float(p), (*way.items, *grown, ("whole", i, j, owner))))
        return found

    def several(self, q: int, i: int, j: int) -> Iterator[tuple[float, tuple[Item, ...]]]:
        """A state over two or more children: its head, right modifiers from the head on, then left ones."""
        rules = self.rules
        for a in range(i, j):
            for b in range(a + 1, j + 1):
                if (a, b) == (i, j):
                    continue
                for head in self.whole(a, b):
                    if head.unit != rules.head_units[q]:
                        continue
                    start = (head.p * rules.heads[q], (*head.items, ("grows", a, b, q)))
                    for p, items in self.right(q, a, b, j, *start):
                        now = (p * rules.stops[0, q], (*items, ("leans", a, j, q)))
                        for p2, items2 in self.left(q, i, a, j, *now):
                            yield float(p2 * rules.stops[1, q]), items2

    def kids(self, q: int) -> set[int]:
        rules = self.rules
        c = int(np.searchsorted(rules.blocks, q, side="right")) - 1
        return set(rules.kids[rules.kid_ends[c] : rules.kid_ends[c + 1]].tolist())

    def right(
        self, q: int, a: int, at: int, end: int, p: float, items: tuple[Item, ...]
    ) -> Iterator[tuple[float, tuple[Item, ...]]]:
        if at == end:
            yield p, items
        for to in range(at + 1, end + 1):
            for way in self.whole(at, to):
                chance = self.rules.right[self.rules.symbols[way.unit], q] if way.unit in self.kids(q) else 0.0
                if chance > 0:
                    more = (*items, *way.items, ("grows", a, to, q))
                    yield from self.right(q, a, to, end, p * way.p * chance, more)

    def left(
        self, q: int, begin: int, at: int, j: int, p: float, items: tuple[Item, ...]
    ) -> Iterator[tuple[float, tuple[Item, ...]]]:
        if at == begin:
            yield p, items
        for since in range(begin, at):
            for way in self.whole(since, at):
                chance = self.rules.left[self.rules.symbols[way.unit], q] if way.unit in self.kids(q) else 0.0
                if chance > 0:
                    more = (*items, *way.items, ("leans", since, j, q))
                    yield from self.left(q, begin, since, j, p * way.p * chance, more)

    def posteriors(self, goal: int) -> tuple[float, dict[Item, float]]:
        """The sentence's probability, and how often everything is in a tree, on average."""
        ways = [way for way in self.whole(0, self.n) if way.unit == goal]
        total = sum(way.p for way in ways)
        expected: dict[Item, float] = defaultdict(float)
        for way in ways:
            for item in way.items:
                expected[item] += way.p / total
        return total, expected


def run(
    coarse: CoarseGrammar, leaves: np.ndarray, heights: int, threshold: float
) -> tuple[float, dict[str, np.ndarray], np.ndarray]:
    n = len(leaves)
    spans = np.full((n + 1, n + 1), -1, np.int32)
    starts, ends = np.triu_indices(n + 1, 1)
    spans[starts, ends] = np.arange(starts.size)
    ok = np.ones((starts.size, max(len(coarse.unit_labels), len(coarse.state_labels))), np.uint8)
    total, whole, grows, leans = outsides(
        np.ascontiguousarray(leaves), spans, ok, ok, ok, coarse.goal, coarse.rules, heights, threshold
    )
    return total, {"whole": whole, "grows": grows, "leans": leans}, spans


def insides(every: Every, coarse: CoarseGrammar) -> dict[Item, float]:
    """Sums over all derivations of everything over its span, on its own."""
    found: dict[Item, float] = defaultdict(float)
    rules = every.rules
    for i in range(every.n):
        for j in range(i + 1, every.n + 1):
            for way in every.whole(i, j):
                found["whole", i, j, way.unit] += way.p
            for q in range(len(coarse.state_labels)):
                for a in range(i, j):
                    for b in range(a + 1, j + 1):
                        for head in every.whole(a, b):
                            if head.unit != rules.head_units[q]:
                                continue
                            p = head.p * rules.heads[q]
                            if a == i:
                                found["grows", i, j, q] += sum(each for each, _ in every.right(q, a, b, j, p, ()))
                            grown = sum(each for each, _ in every.right(q, a, b, j, p, ())) * rules.stops[0, q]
                            found["leans", i, j, q] += sum(each for each, _ in every.left(q, i, a, j, grown, ()))
    return found


# No constituent of one child has another of its own label below it: three are the most that can be over a word.
PLAIN = [
    "(S (NP (DT a) (NN b)) (VP (VB c) (NP (NN b))))",
    "(S (NP (NN b)) (VP (VB c)))",
    "(S (VP (VB c) (NP (DT a) (NN b)) (NP (NN b))))",
    "(S (NP (NN b) (NP (NN b))) (VP (VB c)))",
]
# S over NP and NP over S: the bound on their number matters.
ROUND = ["(S (NP (S (VB c)) (NN b)))", "(NP (S (NP (NN b))))", "(S (NP (NN b)) (S (VB c)))", "(S (VB c) (S (NN b)))"]


def coarse_of(texts: list[str], vertical: int) -> CoarseGrammar:
    grammar = train_grammar(map(parse_tree, texts), Settings(vertical=vertical, rare=1, splits=()))
    return grammar.coarse[1]


def random_leaves(coarse: CoarseGrammar, n: int, seed: int) -> np.ndarray:
    """Every tag for every word, with any probability, some with none."""
    rng = np.random.default_rng(seed)
    n_labels = coarse.states.shape[0]
    leaves = rng.uniform(0.05, 1.0, (n, len(coarse.unit_labels))) * (rng.random((n, 1)) + 0.1)
    leaves[:, coarse.unit_labels[:, 0] < n_labels] = 0.0
    return leaves


@pytest.mark.parametrize("vertical", [1, 2])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_sum_over_all_trees_and_posteriors(vertical: int, n: int) -> None:
    coarse = coarse_of(PLAIN, vertical)
    leaves = random_leaves(coarse, n, seed=n)
    heights = 4  # as many as there are labels: no chain is cut off, and posteriors are exact
    every = Every(coarse.rules, leaves, heights)
    expected_total, expected = every.posteriors(coarse.goal)
    total, outside, spans = run(coarse, leaves, heights, 0.0)
    assert total == pytest.approx(expected_total, rel=1e-12)
    inside = insides(every, coarse)
    seen = 0
    for (kind, i, j, at), p in inside.items():
        found = p * np.exp(outside[kind][spans[i, j], at]) if p > 0 else 0.0
        assert found == pytest.approx(expected.get((kind, i, j, at), 0.0), rel=1e-9, abs=1e-15), (kind, i, j, at)
        seen += found > 0
    assert seen == sum(p > 0 for p in expected.values()) > 0


@pytest.mark.parametrize("vertical", [1, 2])
@pytest.mark.parametrize("threshold", [1e-6, 1e-3, 0.05, 0.5])
def test_what_is_left_is_what_is_above_the_threshold(vertical: int, threshold: float) -> None:
    coarse = coarse_of(PLAIN, vertical)
    leaves = random_leaves(coarse, 4, seed=0)
    every = Every(coarse.rules, leaves, 4)
    _, expected = every.posteriors(coarse.goal)
    _, outside, spans = run(coarse, leaves, 4, threshold)
    left = 0
    for kind, table in outside.items():
        for i in range(4):
            for j in range(i + 1, 5):
                for at in range(table.shape[1]):
                    is_left = table[spans[i, j], at] > -np.inf
                    assert is_left == (expected.get((kind, i, j, at), 0.0) > threshold), (kind, i, j, at)
                    left += is_left
    assert left > 0


@given(seed=st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_nothing_above_the_threshold_is_ruled_out_when_chains_are_cut_off(seed: int) -> None:
    rng = random.Random(seed)
    texts = rng.choices([*PLAIN, *ROUND], k=rng.randint(2, 6))
    coarse = coarse_of(texts, rng.choice((1, 2)))
    heights, n = rng.choice(((1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (1, 3)))  # as many as can be listed in a moment
    leaves = random_leaves(coarse, n, seed)
    threshold = rng.choice((1e-9, 1e-4, 0.01, 0.3))
    ways = Every(coarse.rules, leaves, heights)
    total, outside, spans = run(coarse, leaves, heights, threshold)
    if not any(way.unit == coarse.goal for way in ways.whole(0, n)):
        assert total == 0.0
        return
    expected_total, expected = ways.posteriors(coarse.goal)
    assert total == pytest.approx(expected_total, rel=1e-12)
    for (kind, i, j, at), p in expected.items():
        if p > threshold * (1 + 1e-9):
            assert outside[kind][spans[i, j], at] > -np.inf, (kind, i, j, at, p)


def test_tags_of_a_word_share_its_probability() -> None:
    coarse = coarse_of([*PLAIN, *ROUND], 2)
    leaves = random_leaves(coarse, 5, seed=3)
    _, outside, spans = run(coarse, leaves, 3, 0.0)
    for place in range(5):
        shares = leaves[place] * np.exp(outside["whole"][spans[place, place + 1]])
        assert shares.sum() == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("kind", ["whole", "grows"])
def test_what_is_not_allowed_adds_nothing(kind: str) -> None:
    coarse = coarse_of(PLAIN, 2)
    leaves = random_leaves(coarse, 3, seed=1)
    n, heights = 3, 4
    # Constituents of one child are closed without growing: to forbid that they grow forbids nothing of them.
    every = Every(coarse.rules, leaves, heights, is_alone_noted=False)
    ways = [way for way in every.whole(0, n) if way.unit == coarse.goal]
    spans = np.full((n + 1, n + 1), -1, np.int32)
    starts, ends = np.triu_indices(n + 1, 1)
    spans[starts, ends] = np.arange(starts.size)
    sizes = {"whole": len(coarse.unit_labels), "grows": len(coarse.state_labels), "leans": len(coarse.state_labels)}
    items = sorted({item for way in ways for item in way.items if item[0] == kind})
    assert len(items) > 10
    for item in items:
        ok = {name: np.ones((starts.size, size), np.uint8) for name, size in sizes.items()}
        ok[kind][spans[item[1], item[2]], item[3]] = 0
        total, *_ = outsides(
            leaves, spans, ok["whole"], ok["grows"], ok["leans"], coarse.goal, coarse.rules, heights, 0.0
        )
        assert total == pytest.approx(sum(way.p for way in ways if item not in way.items), rel=1e-12), item


# ------------------------------------------------------- the grammar itself


@pytest.mark.parametrize("vertical", [1, 2])
@pytest.mark.parametrize("texts", [PLAIN, ROUND])
def test_probabilities_sum_to_one(vertical: int, texts: list[str]) -> None:
    grammar = train_grammar(map(parse_tree, texts), Settings(vertical=vertical, rare=1))
    for coarse in grammar.coarse:
        rules = coarse.rules
        assert rules.stops[0] + rules.right.sum(0) == pytest.approx(1.0)
        assert rules.stops[1] + rules.left.sum(0) == pytest.approx(1.0)
        of_unit = np.bincount(rules.owners, rules.heads)
        assert (of_unit[of_unit > 0] <= 1.0 + 1e-12).all()
    without_parents = grammar.coarse[0].rules
    of_unit = np.bincount(without_parents.owners, without_parents.heads)
    assert of_unit[of_unit > 0] == pytest.approx(1.0)


def test_probabilities_by_hand() -> None:
    # NP twice, both times with the head NN: once with DT on its left, once alone.
    # Left of NN in NP, by the label alone: DT 1/3, no more 2/3. With the head there are the same counts, of 2 different
    # outcomes: (1 + 2·2·1/3) / (3 + 2·2) = (7/3)/7 = 1/3.
    grammar = train_grammar(
        map(parse_tree, ["(NP (DT a) (NN b))", "(NP (NN b))"]), Settings(vertical=1, rare=1, splits=())
    )
    coarse, symbols = grammar.coarse[0], grammar.symbols
    state = coarse.states[symbols.labels["NP"], 0, symbols.tags["NN"]]
    assert coarse.rules.left[symbols.tags["DT"], state] == pytest.approx(1 / 3)
    assert coarse.rules.stops[1, state] == pytest.approx(2 / 3)
    assert coarse.rules.stops[0, state] == pytest.approx(1.0)
    assert coarse.rules.heads[state] == pytest.approx(1.0)


def test_heads_that_know_their_parent_by_hand() -> None:
    # NP under TOP: NN 2, PRP 1; under S: NN 1. P(NN | NP) = 3/4.
    # P(NN | NP under TOP) = (2 + 2·2·3/4) / (3 + 2·2) = 5/7, and under S (1 + 2·1·3/4) / (1 + 2·1) = 5/6.
    texts = ["(NP (NN b))", "(NP (NN b))", "(NP (PRP c))", "(S (NP (NN b)))"]
    grammar = train_grammar(map(parse_tree, texts), Settings(rare=1, splits=()))
    coarse, symbols = grammar.coarse[1], grammar.symbols
    label, tag = symbols.labels["NP"], symbols.tags["NN"]
    for above, expected in (("TOP", 5 / 7), ("S", 5 / 6)):
        state = coarse.states[label, grammar.class_of[symbols.labels[above]], tag]
        assert coarse.rules.heads[state] == pytest.approx(expected)
