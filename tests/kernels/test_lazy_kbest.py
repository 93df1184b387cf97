"""The k best trees of a hypergraph, against a list of every derivation made in plain Python and sorted."""

from __future__ import annotations

from itertools import pairwise, product
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from runoff.kernels.lazy_kbest import SILENT, k_best

ALL = 10**6  # more derivations than any graph here has
MOST = 30_000  # derivations that can be listed in a moment


class Graph(NamedTuple):
    edges: list[tuple[int, int, int, float]]  # made node, one or two parts (-1 for none), score
    shown: list[int]


class Written(NamedTuple):
    score: float
    tokens: tuple[int, ...]


def every_derivation(
    graph: Graph, node: int | None = None, kept: dict[int, list[Written]] | None = None
) -> list[Written]:
    """All derivations of a node (the last one, if none is named), in no order; too many are cut off."""
    node = len(graph.shown) - 1 if node is None else node
    kept = {} if kept is None else kept
    if node in kept:
        return kept[node]
    shown = graph.shown[node]
    if SILENT < shown < -1:
        return kept.setdefault(node, [Written(0.0, (shown,))])
    found = []
    for made, one, two, score in graph.edges:
        if made != node:
            continue
        parts = [every_derivation(graph, part, kept) for part in (one, two) if part >= 0]
        for chosen in product(*parts):
            inside = tuple(token for part in chosen for token in part.tokens)
            tokens = inside if shown == SILENT else (shown, *inside, -1)
            found.append(Written(score + sum(part.score for part in chosen), tokens))
            if len(found) > MOST:
                return kept.setdefault(node, found)
    return kept.setdefault(node, found)


def distinct(derivations: list[Written]) -> dict[tuple[int, ...], float]:
    """The best score of every writing."""
    found: dict[tuple[int, ...], float] = {}
    for score, tokens in derivations:
        found[tokens] = max(score, found.get(tokens, -np.inf))
    return found


def best_scores(graph: Graph) -> list[float]:
    kept: dict[int, list[Written]] = {}
    every_derivation(graph, None, kept)
    return [
        max((each.score for each in every_derivation(graph, v, kept)), default=-np.inf) for v in range(len(graph.shown))
    ]


def run(graph: Graph, k: int, limit: int = ALL, best: list[float] | None = None) -> list[Written]:
    scores, ends, tokens = k_best(
        k,
        limit,
        np.array(best_scores(graph) if best is None else best),
        np.array([edge[:3] for edge in graph.edges], np.int32).reshape(-1, 3),
        np.array([edge[3] for edge in graph.edges], float),
        np.array(graph.shown, np.int32),
    )
    assert ends[0] == 0
    assert len(scores) == len(ends) - 1
    assert ends[-1] == tokens.size
    return [
        Written(score, tuple(tokens[start:end].tolist()))
        for score, (start, end) in zip(scores.tolist(), pairwise(ends.tolist()), strict=True)
    ]


def random_graph(rng: np.random.Generator, n_nodes: int, n_words: int, most_edges: int, is_tied: bool) -> Graph:
    """Every node that is no word has at least one edge; parts have lower numbers, and may be the same node twice."""
    shown = [-2 - v for v in range(n_words)]
    edges = []
    for node in range(n_words, n_nodes):
        shown.append(SILENT if rng.random() < 0.4 else int(rng.integers(0, 3)))
        for _ in range(rng.integers(1, most_edges + 1)):
            two = int(rng.integers(node)) if rng.random() < 0.6 else -1
            score = float(rng.integers(-2, 1)) if is_tied else float(rng.normal())
            edges.append((node, int(rng.integers(node)), two, score))
    rng.shuffle(edges)  # type: ignore[arg-type]
    return Graph([(int(a), int(b), int(c), float(s)) for a, b, c, s in edges], shown)


def small_enough(seed: int, is_tied: bool) -> tuple[Graph, list[Written]]:
    rng = np.random.default_rng(seed)
    while True:
        graph = random_graph(rng, int(rng.integers(2, 13)), int(rng.integers(1, 4)), int(rng.integers(1, 5)), is_tied)
        if len(graph.shown) == 0 or SILENT < graph.shown[-1] < -1:
            continue
        every = every_derivation(graph)
        if len(every) <= MOST:
            return graph, every


@given(seed=st.integers(0, 2**32 - 1), is_tied=st.booleans(), k=st.sampled_from([1, 2, 3, 7, 20, 100, 2000]))
@settings(deadline=None)
def test_the_same_trees_in_the_same_order_as_a_sorted_list_of_all(seed: int, is_tied: bool, k: int) -> None:
    graph, every = small_enough(seed, is_tied)
    expected = distinct(every)
    in_order = sorted(expected.values(), reverse=True)
    found = run(graph, k)
    assert len(found) == min(k, len(expected))
    assert [each.score for each in found] == pytest.approx(in_order[:k], abs=1e-9)
    assert len({each.tokens for each in found}) == len(found)
    for score, tokens in found:
        assert score == pytest.approx(expected[tokens], abs=1e-9)


@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 40), limit=st.integers(1, 60))
@settings(deadline=None)
def test_no_more_derivations_are_looked_at_than_allowed(seed: int, k: int, limit: int) -> None:
    graph, every = small_enough(seed, is_tied=False)
    looked_at = distinct(sorted(every, reverse=True)[:limit])
    expected = sorted(((score, tokens) for tokens, score in looked_at.items()), reverse=True)[:k]
    scores = sorted(score for score, _ in every)
    assume(all(two - one > 1e-9 for one, two in pairwise(scores)))  # else the order is not the only one
    found = run(graph, k, limit)
    assert [each.tokens for each in found] == [tokens for _, tokens in expected]


@given(seed=st.integers(0, 2**32 - 1), is_tied=st.booleans())
@settings(deadline=None)
def test_scores_never_rise(seed: int, is_tied: bool) -> None:
    graph, _ = small_enough(seed, is_tied)
    scores = [each.score for each in run(graph, 500)]
    assert scores == sorted(scores, reverse=True)


# --------------------------------------------------------------- by hand


def test_by_hand_two_edges() -> None:
    # 0, 1 words; 2 is A over one of both; the goal has two A's: 4 trees, scores are sums of the edges.
    graph = Graph([(2, 0, -1, -1.0), (2, 1, -1, -3.0), (3, 2, 2, -0.5)], [-2, -3, 7, SILENT])
    best, *middle, worst = run(graph, 10)
    assert best == (-2.5, (7, -2, -1, 7, -2, -1))
    assert sorted(middle) == [(-4.5, (7, -3, -1, 7, -2, -1)), (-4.5, (7, -2, -1, 7, -3, -1))]
    assert worst == (-6.5, (7, -3, -1, 7, -3, -1))


def test_derivations_written_alike_are_one_tree_with_the_best_score() -> None:
    # Two silent ways to the same word.
    graph = Graph(
        [(1, 0, -1, -2.0), (1, 0, -1, -1.0), (2, 0, -1, -4.0), (3, 1, -1, 0.0), (3, 2, -1, 0.0)],
        [-2, SILENT, SILENT, 5],
    )
    assert run(graph, 5) == [(-1.0, (5, -2, -1))]
    # Of three derivations two are seen before the limit stops the search, and they are alike.
    assert run(graph, 5, limit=2) == [(-1.0, (5, -2, -1))]


def test_the_limit_may_leave_trees_out() -> None:
    graph = Graph(
        [(1, 0, -1, 0.0), (1, 0, -1, -1.0), (2, 0, -1, -2.0), (3, 1, -1, 0.0), (3, 2, -1, 0.0)], [-2, SILENT, 9, SILENT]
    )
    assert run(graph, 2, limit=2) == [(0.0, (-2,))]
    assert run(graph, 2, limit=3) == [(0.0, (-2,)), (-2.0, (9, -2, -1))]


def test_a_goal_that_nothing_makes_has_no_tree() -> None:
    assert run(Graph([], [-2, SILENT]), 3, best=[0.0, -np.inf]) == []


def test_one_derivation_and_more_asked_for() -> None:
    assert run(Graph([(1, 0, -1, -0.25)], [-2, 3]), 100) == [(-0.25, (3, -2, -1))]


def test_many_trees_that_need_all_room_to_be_made_wider() -> None:
    # 12 places with 2 words each: 4,096 trees, whose scores are all sums of different powers of 2, so they are 0, -1, …
    edges, shown = [], []
    for place in range(12):
        base = len(shown)
        shown += [-2 - 2 * place, -3 - 2 * place, SILENT]
        edges += [(base + 2, base, -1, 0.0), (base + 2, base + 1, -1, -float(2**place))]
    chain = 2
    for place in range(1, 12):
        shown.append(place)
        edges.append((len(shown) - 1, chain, 3 * place + 2, 0.0))
        chain = len(shown) - 1
    found = run(Graph(edges, shown), 5000, best=[0.0] * len(shown))
    assert [each.score for each in found] == [-float(n) for n in range(4096)]
    assert len({each.tokens for each in found}) == 4096


def test_a_chain_deeper_than_any_first_room() -> None:
    # 5,000 nodes one above the other, with a choice of two words at the bottom.
    n = 5000
    edges = [(2, 0, -1, 0.0), (2, 1, -1, -1.0)] + [(v, v - 1, -1, 0.0) for v in range(3, n)]
    found = run(Graph(edges, [-2, -3, *[4] * (n - 2)]), 3, best=[0.0] * n)
    assert [each.score for each in found] == [0.0, -1.0]
    assert [len(each.tokens) for each in found] == [2 * (n - 2) + 1] * 2
