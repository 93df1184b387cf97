"""Volkovs, Larochelle & Zemel (2011): folds, figure 1 and bounds; the whole run is slow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from runoff.errors import DataError
from runoff.metrics import get
from runoff.reproduce.learner_papers.crf_gradients import ENERGIES, LOSSES, bounds, gradients
from runoff.reproduce.learner_papers.letor_folds import drawn_folds, find_folds
from runoff.reproduce.learner_papers.volkovs_2011 import PAPER

if TYPE_CHECKING:
    from pathlib import Path


def test_figure_1_by_formulas_of_its_own() -> None:
    # Equations 2, 5, 6 and 8 written out for one right answer, the third: minus the derivatives by E.
    target, p = np.eye(5)[2], np.exp(-ENERGIES) / np.exp(-ENERGIES).sum()
    scaled = np.exp(-LOSSES * ENERGIES + LOSSES)
    scaled /= scaled.sum()
    q = np.exp(-LOSSES) / np.exp(-LOSSES).sum()
    expected = {"ml": p - target, "ls": scaled * LOSSES - (scaled @ LOSSES) * target, "el": p * (LOSSES - p @ LOSSES)}
    expected["kl"] = p - q
    found = gradients()["slopes"]
    for name, slopes in expected.items():
        assert found[name] == pytest.approx(slopes / np.linalg.norm(slopes), abs=1e-12)


def test_the_bounds_are_bounds() -> None:
    assert min(bounds(3, draws=200)["least"].values()) >= 0


def test_folds_turn_as_those_of_letor() -> None:
    folds = drawn_folds(0)
    ids = [{part: set(data.group_ids.to_pylist()) for part, data in fold.parts.items()} for fold in folds]
    for own in ids:
        assert not own["train"] & own["vali"]
        assert not own["train"] & own["test"]
        assert not own["vali"] & own["test"]
    tested = set().union(*(own["test"] for own in ids))
    assert len(tested) == sum(len(own["test"]) for own in ids) == 300


def test_collections_are_found_in_folders(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="folders Fold1, Fold2"):
        find_folds(tmp_path)
    lines = "".join(f"{at % 3} qid:{at // 3} 1:0.{at} 2:0.5\n" for at in range(9))
    for fold in ("Fold1", "Fold2"):
        (place := tmp_path / "own" / fold).mkdir(parents=True)
        for part in ("train", "vali", "test"):
            (place / f"{part}.txt").write_text(lines)
    material = PAPER.read(tmp_path)
    assert list(material.data) == ["own"]
    assert material.data["own"][0].parts["vali"].n_candidates == 9
    assert [note.split(":")[0] for note in material.left_out] == ["the columns of MQ2007", "the columns of MQ2008"]
    (place / "vali.txt").unlink()
    with pytest.raises(DataError, match="none that is called dev"):
        PAPER.read(tmp_path)


def test_lines_are_means_of_folds_and_not_of_queries() -> None:
    # LETOR reports the mean of the folds' test results, whatever the sizes of the folds.
    folds = drawn_folds(0)[:2]
    folds[0].parts["test"] = folds[0].parts["test"][:20]
    facts = PAPER._learned(folds, "regression", {"l2": 0.0}, [0], 0, None)
    from runoff.learners import Regression

    expected = []
    for fold in folds:
        model = Regression(l2=0.0, calibration="none").fit(fold.parts["train"], fold.parts["vali"]).model
        metric = get("ndcg-letor@3")
        rows = metric.rows(fold.parts["test"], model.ranking(fold.parts["test"]))
        expected.append(100 * float(metric.score(rows.sum(axis=0))))
    assert facts["cells"]["NDCG@3"][0] == pytest.approx(np.mean(expected))
    low, high = facts["cells"]["NDCG@3"][1:]
    assert low < np.mean(expected) < high
