"""Learners of chains: gradients by finite differences, objectives by enumeration, threads, checkpoints."""

from __future__ import annotations

import itertools
import os
import signal
import time

import numpy as np
import pytest

from helpers.slow_chains import all_taggings, little_sequences
from runoff.errors import DataError, UsageError
from runoff.features.sequences import Sequences
from runoff.kernels.chain_labels import sequence_scores
from runoff.learners import BoostedChain, ChainCRF, ChainPerceptron, GreedyChain
from runoff.learners.chain_crf import ChainProblem
from runoff.model.chain_model import Constraints
from runoff.model.chain_shape import tokens_of

LEARNERS = {
    "perceptron": ChainPerceptron(epochs=4),
    "passive-aggressive": ChainPerceptron(epochs=4, margin=1.0, update="passive-aggressive", pairs="all"),
    "runs": ChainPerceptron(epochs=3, runs=3),
    "lbfgs": ChainCRF(max_iter=15),
    "sgd": ChainCRF(solver="sgd", epochs=3),
    "greedy": GreedyChain(epochs=3),
    "logistic": GreedyChain(kind="logistic", epochs=3, beam=2),
}


def problem(data, objective="ml", loss_weight=1.0):
    return ChainProblem(data, objective=objective, loss_weight=loss_weight, sigma=2.0, all_pairs=False)


def learnable(n=30, seed=0):
    """Words 0 to 2 have the tag of that number; the others have the one that follows on the tag before."""
    rng = np.random.default_rng(seed)
    words, tags = [], []
    for _ in range(n):
        line = rng.integers(0, 6, rng.integers(1, 8)).tolist()
        own = []
        for word in line:
            own.append(word if word < 3 else (own[-1] + 1) % 3 if own else 0)
        words.append([[word, 6 + word % 2] for word in line])
        tags.append(own)
    return Sequences.of(words, 8, tags=tags, n_tags=3)


@pytest.mark.parametrize("history", [False, True])
@pytest.mark.parametrize("objective", ["ml", "la", "el"])
@pytest.mark.parametrize("scale", [1.0, 400.0])  # the larger one needs logarithms
def test_gradients_are_finite_differences(history, objective, scale):
    rng = np.random.default_rng(1)
    of = problem(little_sequences(rng, history=history), objective, 1.7)
    vector, step = rng.normal(size=of.shape.size) * scale, 1e-5 * max(1.0, scale / 100)
    gradient = of(vector)[1]
    for at in range(vector.size):
        ahead, back = vector.copy(), vector.copy()
        ahead[at] += step
        back[at] -= step
        slope = (of(ahead)[0] - of(back)[0]) / (2 * step)
        assert gradient[at] == pytest.approx(slope, abs=1e-5 * max(1.0, scale / 100))


@pytest.mark.parametrize("history", [False, True])
@pytest.mark.parametrize("objective", ["ml", "la", "el"])
def test_objectives_are_those_of_candidates_over_all_taggings(history, objective):
    # The reference is the random field over lists of candidates, with every tagging as one.
    from runoff.kernels.crf_objectives import EL, LA, ML
    from runoff.kernels.crf_objectives import objective as of_candidates

    rng = np.random.default_rng(2)
    data = little_sequences(rng, history=history)
    of = problem(data, objective, 1.7)
    vector = rng.normal(size=of.shape.size)
    expected = float(vector @ vector) / 2.0**2
    for sequence in range(len(data)):
        right = data.tags[data.offsets[sequence] : data.offsets[sequence + 1]]
        if right.size:
            unary, edges = sequence_scores(sequence, tokens_of(data), of.shape.weights(vector), None)
            paths, scores = all_taggings(unary, edges)
            losses = np.array([np.sum(np.array(path) != right) for path in paths], float)
            kind = {"ml": ML, "la": LA, "el": EL}[objective]
            expected += of_candidates(kind, 1.7, scores, losses, np.zeros(scores.size))
    assert of(vector)[0] == pytest.approx(expected)


def test_sgd_ends_near_the_minimum_that_lbfgs_finds():
    data = learnable()
    exact = ChainCRF(tolerance=1e-9, max_iter=300).fit(data)
    near = ChainCRF(solver="sgd", epochs=60).fit(data)
    of = ChainProblem(data, objective="ml", loss_weight=1.0, sigma=1.0, all_pairs=False)
    lowest = of(exact.model.vector)[0]
    assert lowest == pytest.approx(exact.history[-1]["loss"])
    assert of(near.model.vector)[0] < 1.02 * lowest
    assert np.abs(of(exact.model.vector)[1]).max() < 1e-2


@pytest.mark.parametrize("solver", [{}, {"solver": "sgd", "epochs": 4}])
def test_small_weights_are_left_out_and_the_others_stay(solver):
    data = little_sequences(np.random.default_rng(2), history=True)
    whole, cut = (ChainCRF(pairs="all", least_weight=least, **solver).fit(data).model for least in (0.0, 0.1))
    for one, other in zip(whole.shape.parts(whole.vector)[:2], cut.shape.parts(cut.vector)[:2], strict=True):
        assert 0 < other.size < one.size
        np.testing.assert_array_equal(other, one[np.abs(one) >= 0.1])
    for one, other in zip(whole.shape.parts(whole.vector)[2:], cut.shape.parts(cut.vector)[2:], strict=True):
        np.testing.assert_array_equal(other, one)  # of pairs of tags, and at the ends
    pairs = []
    for model in (whole, cut):
        rows = np.repeat(np.arange(data.n_features), np.diff(model.shape.rows))
        large = np.abs(model.shape.parts(model.vector)[0]) >= 0.1
        pairs.append(set(zip(rows[large].tolist(), model.shape.row_tags[large].tolist(), strict=True)))
    assert pairs[0] == pairs[1]


def test_a_single_tag_needs_no_step():
    data = Sequences.of([[[0], [1]]], 2, tags=[[0, 0]], n_tags=1)
    learner = ChainCRF().fit(data)
    assert learner.finished_
    assert learner.model.best(data).tolist() == [0, 0]


@pytest.mark.parametrize("name", LEARNERS)
def test_what_follows_from_a_feature_and_the_tag_before_is_learned(name):
    data, other = learnable(200), learnable(50, seed=1)
    model = (
        LEARNERS[name].clone().set_params(**({"max_iter": 60} if name == "lbfgs" else {"epochs": 20})).fit(data).model
    )
    assert np.mean(model.best(other) == other.tags) > 0.97


@pytest.mark.parametrize("name", LEARNERS)
def test_the_result_does_not_depend_on_the_number_of_threads(name, monkeypatch):
    vectors = []
    for threads in ("1", "3"):
        monkeypatch.setenv("RUNOFF_THREADS", threads)
        vectors.append(LEARNERS[name].clone().fit(learnable()).model.vector)
    assert np.array_equal(*vectors)


@pytest.mark.parametrize("name", LEARNERS)
def test_an_interrupted_training_ends_as_if_it_had_not_been(name, tmp_path):
    data, dev = learnable(), learnable(10, seed=1)
    learner = LEARNERS[name].clone()
    steps = "max_iter" if name == "lbfgs" else "epochs"
    most = getattr(learner, steps)
    whole = learner.clone().fit(data, dev).model.vector
    path = str(tmp_path / "a.checkpoint")
    learner.clone().set_params(checkpoint=path, **{steps: most - 1}).fit(data, dev)
    assert np.array_equal(learner.clone().set_params(checkpoint=path).fit(data, dev).model.vector, whole)


def test_a_checkpoint_of_other_data_or_a_damaged_one_is_refused(tmp_path):
    path = str(tmp_path / "a.checkpoint")
    ChainPerceptron(epochs=2, checkpoint=path).fit(learnable())
    with pytest.raises(UsageError, match="other data or other parameters"):
        ChainPerceptron(epochs=2, checkpoint=path).fit(learnable(seed=5))
    with pytest.raises(UsageError, match="other data or other parameters"):
        ChainCRF(checkpoint=path).fit(learnable())


def test_dev_data_keeps_the_best_epoch():
    data, dev = learnable(), learnable(20, seed=1)
    learner = ChainPerceptron(epochs=12, patience=None).fit(data, dev)
    scores = [entry["dev"] for entry in learner.history]
    assert np.mean(learner.model.best(dev) == dev.tags) == pytest.approx(max(scores))
    given = ChainPerceptron(epochs=12).fit(data, lambda model: -np.mean(model.best(dev) == 0))
    assert len(given.history) >= 1


def test_constraints_are_kept_and_change_probabilities_as_an_enumeration_says():
    data = learnable(5)
    model = ChainCRF().fit(data).model
    never = np.ones((3, 3), bool)
    never[0, 1] = False
    frozen = np.full(data.n_tokens, -1, np.int32)
    frozen[2] = 2
    sets, set_of = np.array([[True, True, False]]), np.full(data.n_tokens, -1, np.int32)
    set_of[0] = 0
    limits = Constraints(never, np.array([False, True, True]), np.array([True, True, False]), sets, set_of, frozen)
    limits_but_ends = Constraints(never, None, None, sets, set_of, frozen)
    best = model.best(data, limits_but_ends)
    assert best[2] == 2
    assert best[0] != 2
    found = model.kbest(data, 500, limits_but_ends)
    for paths, scores in zip(found.paths, found.scores, strict=True):
        pairs = {tuple(pair) for path in paths.tolist() for pair in itertools.pairwise(path)}
        assert (0, 1) not in pairs
        if len(paths) < 500:  # all taggings are there
            assert np.exp(scores).sum() == pytest.approx(1.0)
    np.testing.assert_allclose(model.marginals(data, limits_but_ends).sum(1), 1.0)
    starts = data.offsets[:-1]
    assert (model.best(data, Constraints(starts=limits.starts))[starts] != 0).all()
    assert (model.best(data, Constraints(ends=limits.ends))[data.offsets[1:] - 1] != 2).all()


def test_constraints_that_leave_nothing_are_an_error():
    data = learnable(5)
    model = ChainCRF(max_iter=3).fit(data).model
    with pytest.raises(DataError, match="leave no tagging of sequence 1"):
        model.best(data, Constraints(starts=np.zeros(3, bool)))
    with pytest.raises(UsageError, match="shape"):
        model.best(data, Constraints(starts=np.zeros(2, bool)))


def test_the_beam_finds_what_a_wide_one_finds_where_nothing_looks_back():
    data = learnable()
    narrow, wide = (GreedyChain(epochs=3, beam=beam).fit(data).model for beam in (1, 30))
    assert np.array_equal(narrow.vector, wide.vector)

    def total(model):
        # Wide beams find taggings with scores that are not lower, summed over the same weights.
        weights, tags = model.shape.weights(model.vector), model.best(data)
        unary, edges = sequence_scores(0, tokens_of(data), weights._replace(ends=np.zeros(3)), None)
        own = tags[: data.offsets[1]]
        return unary[np.arange(own.size), own].sum() + edges[0][own[:-1], own[1:]].sum()

    assert total(wide) >= total(narrow) - 1e-12


def test_two_tags_back_are_for_greedy_learners():
    data = Sequences.of([[[0], [0], [0]]], 1, history=[[[0], [0], [0]]], modes=[2], tags=[[0, 1, 1]], n_tags=2)
    with pytest.raises(UsageError, match="the last tag only"):
        ChainPerceptron().fit(data)
    assert GreedyChain(epochs=5).fit(data).model.best(data).tolist() == [0, 1, 1]


def test_boosted_trees_learn_a_tag_that_needs_both_a_feature_and_the_tag_before():
    data, other = learnable(200), learnable(50, seed=1)
    model = BoostedChain(rounds=20, depth=4).fit(data, learnable(30, seed=2)).model
    assert np.mean(model.best(other) == other.tags) > 0.97


def test_the_first_rounds_of_boosted_trees_are_those_of_a_shorter_training():
    data, other = learnable(60), learnable(20, seed=1)
    long, short = (BoostedChain(rounds=rounds, depth=2).fit(data).model for rounds in (9, 4))
    first = long.first_rounds(4)
    assert len(first.trees) == len(short.trees) < len(long.trees)
    assert first.log_probabilities(other).tobytes() == short.log_probabilities(other).tobytes()
    assert long.first_rounds(9).log_probabilities(other).tobytes() == long.log_probabilities(other).tobytes()


def test_data_without_tags_is_refused():
    data = learnable(3)
    with pytest.raises(DataError, match="sequences with tags"):
        ChainPerceptron().fit(Sequences.of([], 0, tags=[], n_tags=2))
    with pytest.raises(DataError, match="no tag"):
        ChainPerceptron().fit(data.with_tags(np.full(data.n_tokens, -1), 3))


@pytest.mark.parametrize("name", ["perceptron", "lbfgs", "sgd"])
def test_ctrl_c_ends_the_training_and_keeps_what_was_learned(name):
    data, calls = learnable(), []

    def dev(model):
        calls.append(model)
        if len(calls) == 2:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1.0)  # the main thread looks twice a second
        return float(len(calls))

    steps = {"max_iter": 60, "tolerance": 0.0} if name == "lbfgs" else {"epochs": 60}
    learner = LEARNERS[name].clone().set_params(**steps).fit(data, dev)
    assert not learner.finished_
    assert 2 <= len(learner.history) < 10  # the chunk of steps that had begun is finished
    assert learner.model.best(data).shape == (data.n_tokens,)
