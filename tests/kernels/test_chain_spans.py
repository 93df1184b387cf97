"""Spans under chains: probabilities by enumeration of taggings, choices by enumeration of sets of spans."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from helpers.slow_chains import all_taggings
from runoff.kernels.chain_spans import best_spans, span_probabilities, tags_of_spans
from runoff.tasks.tagging.span_rules import span_tags, spans_of

RULES = span_tags(["O", "B-X", "I-X", "B-Y", "I-Y"])


def spans_in(path):
    return {tuple(span) for span in spans_of(RULES, np.array(path, np.int32), np.array([0, len(path)])).tolist()}


@pytest.mark.parametrize("seed", range(4))
def test_probabilities_of_spans_are_those_of_an_enumeration(seed):
    rng = np.random.default_rng(seed)
    unary, edges = rng.normal(size=(4, 5)) * 2, rng.normal(size=(1, 5, 5))
    edges[0, 0, 2] = -np.inf
    paths, scores = all_taggings(unary, edges)
    chances = np.exp(scores - scores.max())
    chances /= chances.sum()
    expected = {}
    for path, chance in zip(paths, chances, strict=True):
        for span in spans_in(path):
            expected[span] = expected.get(span, 0.0) + chance
    many, spans, found = span_probabilities(unary, edges, RULES.continues, RULES.type_of, 2, 1e-12, 2)
    told = {tuple(span): chance for span, chance in zip(spans[:many].tolist(), found[:many], strict=True)}
    assert told.keys() == {span for span, chance in expected.items() if chance >= 1e-12}
    for span, chance in told.items():
        assert chance == pytest.approx(expected[span], abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_chosen_spans_are_the_best_set_without_overlap(seed):
    rng = np.random.default_rng(seed)
    spans = np.array([(a, b, 0) for a, b in itertools.combinations(range(6), 2)], np.int32)
    spans = spans[rng.permutation(len(spans))[:9]]
    chances, price = rng.random(9), 0.7

    def is_free(chosen):
        taken = [at for each in chosen for at in range(spans[each, 0], spans[each, 1])]
        return len(taken) == len(set(taken))

    sets = (each for size in range(10) for each in itertools.combinations(range(9), size) if is_free(each))
    expected = max(sum(2 * chances[at] - price for at in each) for each in sets)
    chosen = np.zeros(9, bool)
    right, many = best_spans(5, spans, chances, price, chosen)
    assert is_free(np.flatnonzero(chosen).tolist())
    assert 2 * right - price * many == pytest.approx(expected)
    assert many == chosen.sum()


def test_tags_of_spans_are_the_best_tagging_that_has_them():
    rng = np.random.default_rng(0)
    unary, edges = rng.normal(size=(5, 5)), rng.normal(size=(1, 5, 5))
    paths, scores = all_taggings(unary, edges)
    for wanted in ([(0, 2, 0), (2, 3, 1)], [], [(0, 5, 1)], [(1, 3, 0), (3, 5, 0)]):
        path = np.zeros(5, np.int32)
        spans = np.array(wanted, np.int32).reshape(-1, 3)
        score = tags_of_spans(unary, edges, RULES.continues, RULES.type_of, spans, path)
        fitting = [at for at, each in enumerate(paths) if spans_in(each) == set(wanted)]
        assert score == pytest.approx(scores[fitting].max())
        assert spans_in(path) == set(wanted)
