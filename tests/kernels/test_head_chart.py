"""Tables of steps and the chart's room: keys, smoothed probabilities by hand, and no more nodes than allowed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff.kernels.derivation_steps import (
    ABOVE,
    FIELDS,
    HEADS,
    LABELS,
    OWN_TAG,
    TAGS,
    WORD,
    WORDS,
    Steps,
    context_keys,
    log_probabilities,
    outcome_keys,
)
from runoff.kernels.head_chart import KIND, LEAF, WHOLE, Gates, ParseTask, fill
from runoff.tasks.parsing.brackets import parse_tree
from runoff.tasks.parsing.grammar import Grammar, Settings, train_grammar
from runoff.tasks.parsing.grammar.backoff import masks
from runoff.tasks.parsing.grammar.pruning import prune
from runoff.tasks.parsing.grammar.step_probabilities import StepProbabilities

# ---------------------------------------------------------------- keys

rows_of_fields = st.lists(st.lists(st.integers(0, 5000), min_size=FIELDS, max_size=FIELDS), min_size=2, max_size=20)


@given(rows=rows_of_fields, mask=st.integers(0, 2**FIELDS - 1), kind=st.integers(0, 3), level=st.integers(0, 3))
@settings(deadline=None)
def test_contexts_are_the_same_where_what_they_look_at_is(
    rows: list[list[int]], mask: int, kind: int, level: int
) -> None:
    keys = context_keys(kind, level, mask, np.array(rows, np.int64)).tolist()
    looked_at = [tuple(value for at, value in enumerate(row) if mask >> at & 1) for row in rows]
    for one in range(len(rows)):
        for two in range(one):
            assert (keys[one] == keys[two]) == (looked_at[one] == looked_at[two])


def test_kinds_and_levels_have_keys_of_their_own() -> None:
    row = np.zeros((1, FIELDS), np.int64)
    keys = [int(context_keys(kind, level, 0b110, row)[0]) for kind in range(4) for level in range(4)]
    assert len(set(keys)) == 16


def test_a_hundred_thousand_keys_are_all_different() -> None:
    # Small numbers that are next to each other are what labels, tags and words are.
    grid = np.stack(np.meshgrid(*[np.arange(10)] * 5, indexing="ij"), -1).reshape(-1, 5)
    rows = np.zeros((len(grid), FIELDS), np.int64)
    rows[:, :5] = grid
    keys = context_keys(LABELS, 0, 0b11111, rows)
    assert np.unique(keys).size == 100_000
    outcomes = np.concatenate([outcome_keys(keys, np.full(keys.size, outcome)) for outcome in range(3)])
    assert np.unique(np.concatenate([keys, outcomes])).size == 400_000


# ------------------------------------------------------------- look up


def one_level_of_each(shares: dict[int, float], left_over: float) -> tuple[Steps, np.ndarray]:
    """Steps of heads with two levels: a fine context with these shares, and a rough one: 0.25 for 1 and 0.75 for 2."""
    levels = np.full((4, 4), -1, np.int64)
    levels[HEADS, :2] = 0b110, 0b010
    row = np.zeros((1, FIELDS), np.int64)
    row[0, 1:3] = 7, 9
    fine, rough = (int(context_keys(HEADS, level, int(levels[HEADS, level]), row)[0]) for level in (0, 1))
    contexts = np.array([fine, rough], np.uint64)
    keys, values = [], []
    for context, all_shares in ((fine, shares), (rough, {1: 0.25, 2: 0.75})):
        for outcome, share in all_shares.items():
            keys.append(int(outcome_keys(np.array([context], np.uint64), np.array([outcome]))[0]))
            values.append(share)
    left = np.array([left_over, 0.0])
    return StepProbabilities(contexts, left, np.array(keys, np.uint64), np.array(values)).steps(levels), row


def test_levels_are_interpolated() -> None:
    # Fine: 0.6 for outcome 1, 0.4 left over; rough: 0.25, 0.75.
    steps, row = one_level_of_each({1: 0.6}, 0.4)
    found = np.exp(log_probabilities(steps, HEADS, np.repeat(row, 3, 0), np.array([1, 2, 3]), np.zeros(3)))
    assert found == pytest.approx([0.6 + 0.4 * 0.25, 0.4 * 0.75, 0.0])


def test_what_stands_below_the_roughest_level_counts_where_that_leaves_something() -> None:
    steps, row = one_level_of_each({1: 0.6}, 0.4)
    found = np.exp(log_probabilities(steps, HEADS, np.repeat(row, 2, 0), np.array([1, 3]), np.array([0.5, 0.5])))
    assert found == pytest.approx([0.7, 0.0])  # the rough context keeps nothing back
    unseen = row.copy()
    unseen[0, 1] = 8
    assert np.exp(log_probabilities(steps, HEADS, unseen, np.array([1]), np.array([0.5]))) == pytest.approx([0.5])


def test_a_fine_context_never_seen_is_passed_over() -> None:
    steps, row = one_level_of_each({1: 0.6}, 0.4)
    row[0, 2] = 10  # only the fine context looks at it
    found = log_probabilities(steps, HEADS, np.repeat(row, 2, 0), np.array([1, 3]), np.zeros(2))
    assert found.tolist() == [math.log(0.25), -math.inf]


@pytest.mark.parametrize("size", [1, 2, 3, 1000, 5000])
def test_every_context_and_outcome_is_found_again(size: int) -> None:
    rng = np.random.default_rng(size)
    levels = np.full((4, 4), -1, np.int64)
    levels[TAGS, 0] = 0b10
    rows = np.zeros((2 * size, FIELDS), np.int64)
    rows[:, 1] = np.arange(2 * size)  # of which the first half was seen
    contexts = context_keys(TAGS, 0, 0b10, rows)
    outcomes = rng.integers(0, 50, 2 * size)
    left_over, shares = 0.9 * rng.random(size), rng.random(size)
    steps = StepProbabilities(contexts[:size], left_over, outcome_keys(contexts, outcomes)[:size], shares).steps(levels)
    below = rng.random(2 * size)
    found = np.exp(log_probabilities(steps, TAGS, rows, outcomes, below))
    assert found[:size] == pytest.approx(shares + left_over * below[:size], rel=1e-12)
    assert found[size:] == pytest.approx(below[size:], rel=1e-12)
    others = np.exp(log_probabilities(steps, TAGS, rows, outcomes + 50, below))
    assert others[:size] == pytest.approx(left_over * below[:size], rel=1e-12)


def test_without_any_context_there_is_what_stands_below() -> None:
    nothing = StepProbabilities(np.empty(0, np.uint64), np.empty(0), np.empty(0, np.uint64), np.empty(0))
    steps = nothing.steps(np.zeros((4, 1), np.int64))
    row = np.zeros((1, FIELDS), np.int64)
    assert np.exp(log_probabilities(steps, WORDS, row, np.array([1]), np.array([0.125]))) == pytest.approx([0.125])


# --------------------------------------------------------------- chart

TREES = [
    "(S (NP (DT the) (NN dog)) (VP (VBD saw) (NP (DT a) (NN cat))) (. .))",
    "(S (NP (NP (DT the) (NN dog)) (PP (IN of) (NP (NN man)))) (VP (VBD saw) (NP (NN man))))",
    "(S (VP (VB saw) (NP (DT the) (NN man)) (PP (IN in) (NP (DT a) (NN cat)))))",
]


def task_of(words: list[str], beam: float = 1e9) -> tuple[Grammar, ParseTask]:
    grammar = train_grammar(map(parse_tree, TREES), Settings(rare=1))
    leaves = grammar.lexicon.leaves(words)
    left = prune(leaves, len(words), *grammar.coarse, 1e-300, grammar.settings.heights)
    assert left is not None
    prior = grammar.tag_priors[:, leaves.tags] + np.log(leaves.known * leaves.within)
    return grammar, ParseTask(len(words), grammar.steps, leaves, Gates(*left, prior), grammar.shape, beam)


WORDS_OF_IT = ["the", "dog", "of", "man", "saw", "the", "cat"]


def test_nodes_are_made_of_nodes_that_come_first() -> None:
    # Nothing comes of itself, so that every derivation is finite; the last node is the sentence.
    _, task = task_of(WORDS_OF_IT)
    is_all, nodes, best, edges, scores = fill(task, 100_000, 600_000)
    assert is_all
    made, one, two = edges.T
    leaf = nodes[:, KIND] == LEAF
    assert leaf.sum() == task.leaves.places.size
    assert set(made.tolist()) == set(np.flatnonzero(~leaf).tolist())
    assert nodes[-1, KIND] == WHOLE
    assert np.isfinite(scores).all()
    assert (scores <= 1e-12).all()
    # The score of a node is that of its best edge.
    total = scores + best[one] + np.where(two >= 0, best[two], 0.0)
    found = np.full(best.size, -np.inf)
    np.maximum.at(found, made, total)
    assert found[~leaf] == pytest.approx(best[~leaf], abs=1e-9)
    assert (best[leaf] == 0.0).all()
    assert _is_acyclic(best.size, edges)


def _is_acyclic(count: int, edges: np.ndarray) -> bool:
    below: dict[int, set[int]] = {}
    for made, one, two in edges.tolist():
        below.setdefault(made, set()).update({one, two} - {-1})
    state = [0] * count
    for start in range(count):
        stack = [(start, iter(below.get(start, ())))] if state[start] == 0 else []
        state[start] = state[start] or 1
        while stack:
            node, rest = stack[-1]
            following = next(rest, None)
            if following is None:
                state[node] = 2
                stack.pop()
            elif state[following] == 1:
                return False
            elif state[following] == 0:
                state[following] = 1
                stack.append((following, iter(below.get(following, ()))))
    return True


def test_without_room_the_chart_says_so() -> None:
    _, task = task_of(WORDS_OF_IT)
    is_all, nodes, best, edges, _ = fill(task, 100_000, 600_000)
    assert is_all
    for max_nodes, max_edges in ((0, 10), (1, 10), (5, 10), (best.size - 1, 600_000), (100_000, len(edges) - 1)):
        is_all, few_nodes, few_best, few_edges, _ = fill(task, max_nodes, max_edges)
        assert not is_all
        assert len(few_nodes) == len(few_best) <= max_nodes
        assert len(few_edges) <= max_edges
    is_all, same, _, same_edges, _ = fill(task, best.size, len(edges))
    assert is_all
    assert np.array_equal(same, nodes)
    assert np.array_equal(same_edges, edges)


def test_a_narrower_beam_leaves_less_and_nothing_else() -> None:
    sizes, tops = [], []
    for beam in (1e9, 20.0, 9.0, 3.0):
        _, task = task_of(WORDS_OF_IT, beam)
        is_all, _, best, edges, _ = fill(task, 100_000, 600_000)
        assert is_all
        sizes.append(len(edges))
        tops.append(float(best[-1]))
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]
    assert all(top <= tops[0] + 1e-9 for top in tops)


@pytest.mark.parametrize("lexical", [True, False])
@pytest.mark.parametrize("vertical", [1, 2])
@pytest.mark.parametrize("horizontal", [0, 1, 2])
def test_every_level_knows_something_that_rougher_ones_do_not(lexical: bool, vertical: int, horizontal: int) -> None:
    found = masks(Settings(lexical=lexical, vertical=vertical, horizontal=horizontal)).tolist()
    assert len(found) == 4
    for kind, row in zip((HEADS, LABELS, TAGS, WORDS), found, strict=True):
        levels = [mask for mask in row if mask >= 0]
        assert levels
        assert row == levels + [-1] * (len(row) - len(levels))
        for at, mask in enumerate(levels):
            assert all(mask & ~rougher for rougher in levels[at + 1 :])
            assert lexical or not mask >> WORD & 1
            assert vertical == 2 or not mask >> ABOVE & 1
            assert kind == WORDS or not mask >> OWN_TAG & 1  # the tag is what comes of the step before
