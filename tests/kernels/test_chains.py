"""Chains of tags: every expected number is that of an enumeration of all taggings."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.slow_chains import all_taggings, random_scores, tag_chances
from runoff.kernels.chain_kbest import kbest
from runoff.kernels.chain_scores import path_score
from runoff.kernels.chain_sums import edge_factors, forward_backward_in_logs, probabilities
from runoff.kernels.chain_viterbi import viterbi


def sums(unary, edges, pairs_of=None):
    factors, most = np.empty_like(edges), np.empty(len(edges))
    edge_factors(edges, factors, most)
    tags = np.zeros(unary.shape)
    pairs = np.zeros((pairs_of or len(unary), unary.shape[1], unary.shape[1]))
    return probabilities(unary, edges, factors, most, tags, pairs), tags, pairs


def best(unary, edges):
    path = np.zeros(len(unary), np.int32)
    return viterbi(unary, edges, np.empty(unary.shape), np.empty(unary.shape, np.int32), path), path


@pytest.mark.parametrize("seed", range(3))
def test_the_k_best_are_those_of_an_enumeration_with_ties_too(seed):
    rng = np.random.default_rng(seed)
    for trial in range(60):
        unary, edges = random_scores(rng, trial)
        _, scores = all_taggings(unary, edges)
        allowed = np.isfinite(scores)
        found_paths, found_scores = np.zeros((7, len(unary)), np.int32), np.zeros(7)
        found = kbest(unary, edges, 7, found_paths, found_scores)
        assert found == min(7, allowed.sum())
        np.testing.assert_allclose(found_scores[:found], np.sort(scores[allowed])[::-1][:found], atol=1e-9)
        assert len({tuple(path) for path in found_paths[:found].tolist()}) == found
        own = [path_score(unary, edges, path) for path in found_paths[:found]]
        np.testing.assert_allclose(own, found_scores[:found], atol=1e-9)
        score, path = best(unary, edges)
        assert (score == -np.inf) == (found == 0)
        if found:
            assert path.tolist() == found_paths[0].tolist()


@pytest.mark.parametrize("seed", range(3))
def test_sums_and_probabilities_are_those_of_an_enumeration(seed):
    rng = np.random.default_rng(seed)
    for trial in range(60):
        unary, edges = random_scores(rng, trial)
        paths, scores = all_taggings(unary, edges)
        total, tags, pairs = sums(unary, edges)
        if not np.isfinite(scores).any():
            assert total == -np.inf
            continue
        expected, expected_tags, expected_pairs = tag_chances(paths, scores, *unary.shape)
        assert total == pytest.approx(expected, rel=1e-10, abs=1e-9)
        np.testing.assert_allclose(tags, expected_tags, atol=1e-9)
        np.testing.assert_allclose(pairs, expected_pairs, atol=1e-9)
        np.testing.assert_allclose(sums(unary, edges, 1)[2][0], expected_pairs.sum(0), atol=1e-9)


def test_scores_that_differ_by_thousands_do_not_underflow():
    unary = np.array([[0.0, 3000.0], [3000.0, 0.0], [0.0, 0.0]])
    edges = np.array([[[0.0, 0.0], [-9000.0, 0.0]]])  # the pair that both tokens want costs more than they give
    paths, scores = all_taggings(unary, edges)
    expected, expected_tags, _ = tag_chances(paths, scores, 3, 2)
    total, tags, _ = sums(unary, edges)
    assert total == pytest.approx(expected)
    np.testing.assert_allclose(tags, expected_tags, atol=1e-12)


@pytest.mark.parametrize("length", [1_000, 100_000])
def test_probabilities_of_long_sequences_sum_to_one(length):
    rng = np.random.default_rng(0)
    unary, edges = rng.normal(size=(length, 4)) * 20, rng.normal(size=(1, 4, 4)) * 5
    total, tags, pairs = sums(unary, edges, 1)
    np.testing.assert_allclose(tags.sum(1), 1.0, atol=1e-9)
    assert pairs.sum() == pytest.approx(length - 1)
    ahead, back = np.empty(unary.shape), np.empty(unary.shape)
    assert total == pytest.approx(forward_backward_in_logs(unary, edges, ahead, back))  # the slower way


def test_the_k_best_of_a_long_sequence_are_all_different_and_fall():
    rng = np.random.default_rng(0)
    unary, edges = rng.normal(size=(1_000, 5)), rng.normal(size=(1, 5, 5))
    paths, scores = np.zeros((200, 1_000), np.int32), np.zeros(200)
    assert kbest(unary, edges, 200, paths, scores) == 200
    assert (np.diff(scores) <= 0).all()
    assert len(np.unique(paths, axis=0)) == 200
    assert scores[0] == pytest.approx(best(unary, edges)[0])


def test_ties_go_to_the_lower_tag_before():
    unary, edges = np.zeros((3, 2)), np.zeros((1, 2, 2))
    paths, scores = np.zeros((8, 3), np.int32), np.zeros(8)
    assert kbest(unary, edges, 8, paths, scores) == 8
    assert paths[0].tolist() == best(unary, edges)[1].tolist() == [0, 0, 0]
