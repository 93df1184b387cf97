"""Algorithms 1 and 2 of Shen & Joshi (2005) against slow twins written from the paper, and their two theorems."""

# ruff: noqa: ARG005 - orders and margins are functions of two ranks, whether they look at both or not

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from helpers.perceptron_data import dense, groups_of
from runoff import NBest, Perceptron

Margin = Callable[[int, int], float]
EVEN: Margin = lambda p, q: 1.0  # noqa: E731 - a table of margins reads best so
UNEVEN: Margin = lambda p, q: 1 / p - 1 / q  # noqa: E731
PLAIN = {"scale": "none", "base": False, "shuffle": False}


def lists(seed: int, *, groups: int = 12, columns: int = 4, most: int = 8, noise: float = 0.5) -> NBest:
    """Groups of up to `most` candidates with ties in quality, and features that tell the quality in part."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, most + 1, groups)
    X = np.round(rng.normal(size=(int(sizes.sum()), columns)), 3)
    quality = np.round(X @ np.linspace(1, -1, columns) + noise * rng.normal(size=len(X)), 1)
    return NBest.from_arrays(X, quality, sizes=sizes)


class Slow(NamedTuple):
    """Where a training ended."""

    weights: np.ndarray
    mean: np.ndarray
    updates: list[int]
    mistakes: list[int]


def algorithm_1(data: NBest, margin: Margin, tau: float, epochs: int, X: np.ndarray | None = None) -> Slow:
    """`if w · (x_j - x_l) <= g τ then w += g (x_j - x_l)`, one pair after the other."""
    X = dense(data) if X is None else X
    w, moments, updates = np.zeros(X.shape[1]), [], []
    for _ in range(epochs):
        updates.append(0)
        for rows, ranks in groups_of(data):
            for j, p in zip(rows, ranks, strict=True):
                for l, q in zip(rows, ranks, strict=True):  # noqa: E741 - as in the paper
                    if p < q:
                        g = margin(p, q)
                        if w @ (X[j] - X[l]) <= g * tau:
                            w = w + g * (X[j] - X[l])
                            updates[-1] += 1
                        moments.append(w)
        if not updates[-1]:
            break
    return Slow(w, np.mean(moments, axis=0), updates, updates)


def algorithm_2(data: NBest, margin: Margin, tau: float, epochs: int, X: np.ndarray | None = None) -> Slow:
    """`u_j += g, u_l -= g` over all violated pairs of a group, and then `w += Σ u_j x_j`."""
    X = dense(data) if X is None else X
    w, moments, updates, mistakes = np.zeros(X.shape[1]), [], [], []
    for _ in range(epochs):
        updates.append(0)
        mistakes.append(0)
        for rows, ranks in groups_of(data):
            u, violated = np.zeros(rows.size), 0
            for j, p in enumerate(ranks):
                for l, q in enumerate(ranks):  # noqa: E741
                    if p < q:
                        g = margin(p, q)
                        if w @ X[rows[j]] - w @ X[rows[l]] <= g * tau:
                            u[j] += g
                            u[l] -= g
                            violated += 1
            if len(set(ranks)) > 1:  # a group that requires no pair is no moment
                w = w + u @ X[rows]
                moments.append(w)
            updates[-1] += violated > 0
            mistakes[-1] += violated
        if not updates[-1]:
            break
    return Slow(w, np.mean(moments, axis=0), updates, mistakes)


def learn(data: NBest, margin: Margin, tau: float, epochs: int, **more: Any) -> Perceptron:
    parameters = {**PLAIN, **more}
    return Perceptron("ordinal", "even" if margin is EVEN else "uneven", tau, epochs=epochs, **parameters).fit(data)


TWINS = {"pair": algorithm_1, "group": algorithm_2}


@pytest.mark.parametrize("margin", [EVEN, UNEVEN], ids=["even", "uneven"])
@pytest.mark.parametrize("update", TWINS)
@settings(deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([0.0, 0.33, 3.7]))
def test_whole_trainings_are_those_of_the_slow_twins(update: str, margin: Margin, seed: int, tau: float) -> None:
    data = lists(seed)
    assume(any(len(set(ranks)) > 1 for _, ranks in groups_of(data)))
    slow = TWINS[update](data, margin, tau, 6)
    last = learn(data, margin, tau, 6, update=update, average=False)
    assert last.model.weights == pytest.approx(slow.weights, abs=1e-9)
    assert [entry["updates"] for entry in last.history] == slow.updates
    assert [entry["mistakes"] for entry in last.history] == slow.mistakes
    assert last.model.provenance["converged"] == (slow.updates[-1] == 0)
    mean = learn(data, margin, tau, 6, update=update, average=True)
    assert mean.model.weights == pytest.approx(slow.mean, abs=1e-9)
    assert [entry["mistakes"] for entry in mean.history] == slow.mistakes


@pytest.mark.parametrize("update", TWINS)
def test_dense_groups_that_add_up_their_change_first_are_no_different(update: str) -> None:
    # More than four stored values for every column in a group.
    data = lists(5, groups=5, columns=3, most=30)
    slow = TWINS[update](data, UNEVEN, 1.3, 4)
    assert learn(data, UNEVEN, 1.3, 4, update=update).model.weights == pytest.approx(slow.mean, abs=1e-9)
    assert learn(data, UNEVEN, 1.3, 4, update=update, average=False).model.weights == pytest.approx(
        slow.weights, abs=1e-9
    )


@pytest.mark.parametrize("update", TWINS)
@pytest.mark.parametrize("slack", [0.5, 3.0])
def test_slack_is_a_column_of_its_own_for_every_candidate(update: str, slack: float) -> None:
    data = lists(7)
    X = np.hstack([dense(data), slack * np.eye(data.n_candidates)])
    slow = TWINS[update](data, UNEVEN, 0.7, 8, X)
    explicit = data.replace(features=NBest.from_arrays(X, data.quality, sizes=data.sizes).features)
    for average, expected in ((False, slow.weights), (True, slow.mean)):
        found = learn(data, UNEVEN, 0.7, 8, update=update, slack=slack, average=average)
        columns = learn(explicit, UNEVEN, 0.7, 8, update=update, average=average)
        assert found.model.weights == pytest.approx(expected[:4], abs=1e-9)
        assert columns.model.weights[:4] == pytest.approx(expected[:4], abs=1e-9)
        assert [entry["mistakes"] for entry in found.history] == slow.mistakes
        assert found.model.weights.size == 4
    without = learn(data, UNEVEN, 0.7, 8, update=update)
    assert without.model.weights != pytest.approx(slow.mean[:4], abs=1e-3)


def test_slack_makes_contradictions_separable() -> None:
    # The same candidates the other way round: without slack no weights can be right about both groups.
    data = NBest.from_arrays([[1.0], [0.0], [1.0], [0.0]], [1, 0, 0, 1], sizes=[2, 2])
    assert not learn(data, EVEN, 1.0, 200, update="pair").model.provenance["converged"]
    assert learn(data, EVEN, 1.0, 200, update="pair", slack=1.0).model.provenance["converged"]


def test_visits_follow_a_shuffle_of_their_own_in_every_epoch() -> None:
    data = lists(3, noise=3.0)
    first = Perceptron("ordinal", tau=1.0, epochs=3, scale="none", base=False, average=False, seed=4)
    rows, weights = groups_of(data), np.zeros(4)
    X = dense(data)
    informative = np.array([at for at, (_, ranks) in enumerate(rows) if len(set(ranks)) > 1])
    for epoch in range(3):
        for at in np.random.default_rng([4, epoch]).permutation(informative):
            here, ranks = rows[at]
            u = np.zeros(here.size)
            for j, p in enumerate(ranks):
                for l, q in enumerate(ranks):  # noqa: E741
                    if p < q and weights @ (X[here[j]] - X[here[l]]) <= 1.0:
                        u[j] += 1
                        u[l] -= 1
            weights = weights + u @ X[here]
    assert first.fit(data).model.weights == pytest.approx(weights, abs=1e-9)


# ---------------------------------------------------------------- theorems


class Separable(NamedTuple):
    """Lists that a vector of length 1 separates by `g * gamma`."""

    data: NBest
    gamma: float
    radius: float


@st.composite
def separable(draw: st.DrawFn, margin: Margin) -> Separable:
    """Candidates spread along a direction by their rank, and at random across it."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    columns, most = draw(st.integers(1, 6)), draw(st.integers(2, 6))
    direction = rng.normal(size=columns)
    direction /= np.linalg.norm(direction)
    sizes = rng.integers(2, most + 1, draw(st.integers(1, 8)))
    quality, X = [], []
    for size in sizes:
        order = rng.permutation(size)
        noise = rng.normal(size=(size, columns)) * rng.choice([0.1, 1.0])
        noise -= np.outer(noise @ direction, direction)
        along = np.array([sum(rng.uniform(0.5, 2) / (rank + 1) for rank in range(at, size)) for at in order])
        quality += [-float(each) for each in order]
        X += list(np.outer(along, direction) + noise)
    data = NBest.from_arrays(np.array(X), quality, sizes=sizes)
    table = dense(data)
    gamma = min(lead / g for lead, g in leads(data, table @ direction, margin))
    assume(gamma > 0.1)
    return Separable(data, gamma, float(np.linalg.norm(table, axis=1).max()))


def leads(data: NBest, scores: np.ndarray, margin: Margin) -> list[tuple[float, float]]:
    """For every pair, by how much the better one leads, and its g."""
    return [
        (scores[j] - scores[l], margin(p, q))
        for rows, ranks in groups_of(data)
        for j, p in zip(rows, ranks, strict=True)
        for l, q in zip(rows, ranks, strict=True)  # noqa: E741
        if p < q
    ]


def check_end(learner: Perceptron, each: Separable, margin: Margin, tau: float, least: float) -> None:
    """It stopped by itself, every pair leads by more than `tau * g`, and by `least * g` when weights have length 1."""
    assert learner.model.provenance["converged"]
    assert learner.history[-1]["updates"] == 0
    weights = learner.model.weights
    # Margins are whole multiples of about 2**-40.
    for lead, g in leads(each.data, dense(each.data) @ weights, margin):
        assert lead > tau * g * (1 - 1e-9) - 1e-9
        assert lead / np.linalg.norm(weights) >= least * g * (1 - 1e-9)


@pytest.mark.parametrize("margin", [EVEN, UNEVEN], ids=["even", "uneven"])
@settings(deadline=None)
@given(data=st.data(), tau=st.sampled_from([0.0, 0.5, 5.0]))
def test_theorem_1(margin: Margin, data: st.DataObject, tau: float) -> None:
    # (6): (2τ + 4R²) / (λγ)² updates at most; (7): margins of at least g * γτ / (2τ + 4R²).
    each = data.draw(separable(margin))
    least_margin = min(g for _, g in leads(each.data, np.zeros(each.data.n_candidates), margin))
    width = 2 * tau + 4 * each.radius**2
    bound = width / (least_margin * each.gamma) ** 2
    assume(bound < 200_000)
    learner = learn(each.data, margin, tau, int(bound) + 2, update="pair", average=False)
    updates = sum(entry["updates"] for entry in learner.history)
    assert 0 < updates <= bound
    assert updates == sum(entry["mistakes"] for entry in learner.history)
    check_end(learner, each, margin, tau, each.gamma * tau / width)


@settings(deadline=None)
@given(separable(EVEN), st.sampled_from([0.0, 0.5, 5.0]))
def test_theorem_2(each: Separable, tau: float) -> None:
    # (a), (9): mistakes and updates of at most (2τ + k²R²) / γ²; (10): margins of at least γτ / (2τ + k²R²).
    # Mistakes are violated pairs. Half the sum of |u|, which the proof takes for their number, is smaller where a
    # candidate is the better one of some and the worse one of others; with Σ|u| <= k²/2 the proof holds for the pairs.
    width = 2 * tau + int(each.data.sizes.max()) ** 2 * each.radius**2
    bound = width / each.gamma**2
    assume(bound < 200_000)
    learner = learn(each.data, EVEN, tau, int(bound) + 2, update="group", average=False)
    mistakes = sum(entry["mistakes"] for entry in learner.history)
    assert 0 < sum(entry["updates"] for entry in learner.history) <= mistakes <= bound
    check_end(learner, each, EVEN, tau, each.gamma * tau / width)


def test_a_wider_tau_gives_a_wider_margin() -> None:
    # After (7): for τ >> R the margins are at least half of the best ones.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2)) * [1.0, 0.05]
    data = NBest.from_arrays(X, np.sign(X[:, 0]) * (np.abs(X[:, 0]) > 0.3), sizes=[4] * 10)
    table = dense(data)

    better, worse = np.meshgrid(np.arange(40), np.arange(40), indexing="ij")
    pairs = (data.group_of[better] == data.group_of[worse]) & (data.quality[better] > data.quality[worse])
    differences = (table[better] - table[worse])[pairs]
    # Best possible: by the angle alone, as there are two columns.
    angles = np.linspace(0, 2 * np.pi, 20_001)
    best = float((differences @ [np.cos(angles), np.sin(angles)]).min(axis=0).max())
    assert best > 0
    radius = float(np.linalg.norm(table, axis=1).max())
    wide = learn(data, EVEN, 100 * radius**2, 100_000, update="pair", average=False)
    assert wide.model.provenance["converged"]
    weights = wide.model.weights
    assert (differences @ weights).min() / np.linalg.norm(weights) >= 0.49 * best
