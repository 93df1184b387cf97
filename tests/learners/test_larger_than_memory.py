"""Learners whose arrays lie in files learn the same bits: they are not told, and nothing is cut."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from runoff import learners, read
from runoff.features import thresholds
from runoff.features.thresholds import apply_thresholds, fit_thresholds
from runoff.formats.shard_writer import ShardPlan, writing_shards
from runoff.memory import Bounds, bounded
from runoff.memory.allocator import allocator
from runoff.model import TreeModel
from runoff.nbest import NBest

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="bounds of memory need Linux")
LEAST = 1 << 12  # bytes from which on an array lies in a file
TRAINED = {
    "perceptron": {"epochs": 3, "tau": 1.0, "order": "best-vs-rest"},
    "loglinear": {"sigma": 1.0},
    "crf": {"method": "lbfgs", "temperature": 1.0, "l2": 0.1},
    "crf by steps": {"method": "sgd", "epochs": 2, "temperature": 1.0, "loss_weight": 1.0, "rate": 0.1, "l2": 0.1},
    "boost": {"rounds": 40, "smoothing": 0.0025, "min_groups": 1},
    "boost by folds": {"max_rounds": 40, "smoothing": 0.0025, "min_groups": 1},
    "trees": {"rounds": 8},
}


def lists() -> NBest:
    rng = np.random.default_rng(0)
    sizes = rng.integers(2, 8, 300)
    n = int(sizes.sum())
    table = (rng.random((n, 40)) < 0.2) * rng.integers(1, 4, (n, 40)).astype(np.float64)
    table[:, 0] = rng.normal(size=n)  # a dense column, with cut points
    quality = table[:, :5].sum(axis=1) + rng.random(n)
    return NBest.from_arrays(table, quality=quality, base=rng.random(n), sizes=sizes)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sets")


@pytest.mark.parametrize("name", TRAINED)
def test_the_same_bits_from_shards_and_from_files(name: str, folder: Path) -> None:
    def trained(data: NBest) -> list[np.ndarray]:
        model = learners.learner(name.partition(" ")[0])(**TRAINED[name]).fit(data).model
        found = [np.asarray(model.weights), np.array([model.base_weight]), model.scores(data)]
        return found + ([model.trees.leaves, model.trees.cut] if isinstance(model, TreeModel) else [])

    expected = trained(lists())
    for shards, bounds in ((3, Bounds(10**9, folder, LEAST)), (7, Bounds(10**9, folder, LEAST))):
        if not (folder / str(shards)).exists():
            with writing_shards(folder / str(shards), ShardPlan(most_bytes=200_000 // shards)) as writer:
                writer.add(lists())
        with bounded(bounds):
            before = allocator().mapped
            found = trained(read(folder / str(shards)))
            assert allocator().mapped - before > 5 * 10**5  # so much was in files
        for one, other in zip(expected, found, strict=True):
            np.testing.assert_array_equal(one, other)


def test_cut_points_are_the_same_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    data = lists()
    step = fit_thresholds(data)
    assert step["relative"] == []
    step["relative"] = ["0"]
    whole = apply_thresholds(data, step)
    monkeypatch.setattr(thresholds, "_STORED_AT_ONCE", 500)
    pieces = apply_thresholds(data, step)
    np.testing.assert_array_equal(pieces.features.indptr, whole.features.indptr)
    np.testing.assert_array_equal(pieces.features.indices, whole.features.indices)
    assert pieces.features.column_names().equals(whole.features.column_names())
