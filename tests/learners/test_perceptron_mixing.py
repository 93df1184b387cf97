"""Iterative parameter mixing against figure 3 of McDonald, Hall & Mann (2010), written down naively."""

from __future__ import annotations

import numpy as np
import pytest

from runoff.cluster import on
from runoff.errors import UsageError
from runoff.learners import Perceptron
from runoff.nbest import NBest

PLAIN = {"order": "best-vs-rest", "tau": 0.0, "scale": "none", "base": False, "shuffle": False, "calibration": "none"}


def lists(seed: int, groups: int = 30, separable: bool = False) -> NBest:
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(groups * 4, 6)).astype(np.float32).astype(float)  # as they are stored
    quality = features @ rng.normal(size=6) + (0.0 if separable else 2.0 * rng.normal(size=groups * 4))
    return NBest.from_arrays(features, quality=quality, sizes=[4] * groups)


def naive(data: NBest, parts: int, epochs: int) -> tuple[np.ndarray, np.ndarray]:
    """Figure 3 with the updates of Shen & Joshi's algorithm 2: the mixed weights, and the mean of all vectors."""
    table, weights, seen = data.features.to_scipy().toarray().astype(float), np.zeros(6), []
    groups = [at for at in range(len(data)) if len(set(data.quality[data.offsets[at] : data.offsets[at + 1]])) > 1]
    for _ in range(epochs):
        ends = []
        for part in np.array_split(np.array(groups), parts):
            mine = weights.copy()
            for group in part:
                rows = range(data.offsets[group], data.offsets[group + 1])
                best = max(rows, key=lambda row: (data.quality[row], -row))
                scores = table @ mine
                worse = [row for row in rows if data.quality[row] < data.quality[best] and scores[row] >= scores[best]]
                seen.append(mine.copy())
                for row in worse:
                    mine += table[best] - table[row]
            ends.append(mine)
        weights = np.mean(ends, axis=0)
    return weights, np.mean(seen, axis=0)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("parts", [1, 3, 7])
def test_as_in_the_paper(parts: int, seed: int) -> None:
    data = lists(seed)
    mixed, mean = naive(data, parts, epochs=4)
    last = Perceptron(mixing=parts, epochs=4, average=False, **PLAIN).fit(data).model
    averaged = Perceptron(mixing=parts, epochs=4, **PLAIN).fit(data).model
    # The learner's average has the vector after each visit, the naive one the vector before it.
    np.testing.assert_allclose(last.weights, mixed, atol=1e-12)
    moments = 4 * sum(len(set(each.quality)) > 1 for each in data)
    assert np.abs(averaged.weights - mean).max() < 30 / moments


def test_one_part_is_the_perceptron_itself() -> None:
    data = lists(9)
    one = Perceptron(mixing=1, epochs=3, **PLAIN).fit(data).model
    np.testing.assert_allclose(one.weights, Perceptron(epochs=3, **PLAIN).fit(data).model.weights, atol=1e-12)


def test_it_separates_what_can_be_separated_and_says_what_it_is() -> None:
    data = lists(3, separable=True)
    model = Perceptron(mixing=5, epochs=500, **PLAIN | {"shuffle": True}).fit(data).model
    assert model.provenance["converged"]
    assert model.provenance["parameters"]["mixing"] == 5
    assert "iterative parameter mixing over 5 parts of the lists" in " ".join(model.provenance["notes"])


@pytest.mark.parametrize("workers", [1, 3])
def test_the_same_bits_on_any_number_of_workers(workers: int) -> None:
    data = lists(5, groups=200)
    learner = Perceptron(mixing=4, epochs=5, tau=1.0, calibration="none")
    here = learner.clone().fit(data).model
    with on(f"processes:{workers}"):
        there = learner.clone().fit(data).model
    assert there.weights.tobytes() == here.weights.tobytes()
    assert there.base_weight == here.base_weight


def test_a_checkpoint_goes_on(tmp_path: object) -> None:
    data, path = lists(6), f"{tmp_path}/perceptron.checkpoint"
    whole = Perceptron(mixing=3, epochs=6, **PLAIN).fit(data).model
    Perceptron(mixing=3, epochs=2, checkpoint=path, **PLAIN).fit(data)
    resumed = Perceptron(mixing=3, epochs=6, checkpoint=path, **PLAIN).fit(data).model
    assert resumed.weights.tobytes() == whole.weights.tobytes()


@pytest.mark.parametrize("setting", [{"update": "pair"}, {"average": "voted"}, {"slack": 1.0}])
def test_what_does_not_go_with_mixing(setting: dict[str, object]) -> None:
    with pytest.raises(UsageError, match='mixing takes update="group", no slack, and an average'):
        Perceptron(mixing=2, **setting).fit(lists(0))
