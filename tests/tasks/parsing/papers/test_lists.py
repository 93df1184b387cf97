"""Synthetic lists of parses and of translations; curves and bounds of perceptrons."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from runoff.errors import DataError
from runoff.metrics import first_rows, get, oracle_rows
from runoff.reproduce import get as paper
from runoff.tasks.parsing.brackets import parse_tree
from runoff.tasks.parsing.lists import write_lists
from runoff.tasks.parsing.papers.perceptron_lines import epochs_until_near, theorem
from runoff.tasks.parsing.papers.synthetic_lists import SENTENCES, synthetic_lists
from runoff.tasks.parsing.papers.translation_lists import CANDIDATES, drawn_translations

if TYPE_CHECKING:
    from pathlib import Path


def test_readings_are_trees_over_the_same_words() -> None:
    lists = synthetic_lists(0)
    assert {part: len(each) for part, each in lists.items()} == SENTENCES
    assert len({parses.id for each in lists.values() for parses in each}) == sum(SENTENCES.values())
    ambiguous = 0
    for parses in lists["dev"][:60]:
        words = parse_tree(parses.gold).words()
        assert all(parse_tree(tree).words() == words for tree in parses.trees)
        assert len(set(parses.trees)) == len(parses.trees)
        assert parses.gold in parses.trees
        assert parses.scores == sorted(parses.scores, reverse=True)
        ambiguous += len(parses.trees) > 2
    assert ambiguous > 10


def test_the_same_seed_gives_the_same_lists() -> None:
    assert synthetic_lists(1)["dev"][:5] == synthetic_lists(1)["dev"][:5]
    assert synthetic_lists(1)["dev"][:5] != synthetic_lists(2)["dev"][:5]


def test_translations_can_be_better_than_the_first_round() -> None:
    data = drawn_translations(0)["dev"]
    assert data.n_candidates == CANDIDATES * len(data)
    metric = get("bleu")
    first, best = (
        float(metric.score(rows.sum(axis=0))) for rows in (first_rows(metric, data), oracle_rows(metric, data))
    )
    assert 40 < first < best - 5


def test_bounds_of_the_theorems_hold_and_are_not_empty() -> None:
    worst = theorem(5, trials=8)["worst"]
    assert 0 < worst["updates 1"] <= 1
    assert 0 < worst["mistakes 2"] <= 1
    assert min(worst["margin 1"], worst["margin 2"]) >= 1
    assert np.isfinite(worst["margin 2"])


def test_a_curve_has_converged_where_it_is_near_its_best() -> None:
    assert epochs_until_near([1.0]) == 1
    assert epochs_until_near([80.0, 84.0, 84.95, 85.0, 83.0]) == 3


def test_folders_of_parses_and_translations(tmp_path: Path) -> None:
    both = paper("shen-joshi-2005")
    with pytest.raises(DataError, match="one or both of two folders"):
        both.read(tmp_path)
    (folder := tmp_path / "parses").mkdir()
    for part, lists in synthetic_lists(0).items():
        write_lists(lists[:5], folder / f"small.{part}.jsonl")
    material = both.read(tmp_path)
    assert material.left_out[0].startswith(
        "the table of translations, figures 3 and 4: there is no folder translations"
    )
    assert [table.name for table in both.tables(material)] == ["table-2"]
    names = [each.name for each in both.experiments(material, 0, tmp_path / "work")]
    assert "ordinal uneven" in names
    assert not any(name.startswith("mt") for name in names)
    commands = [each.command for each in both.experiments(material, 0, tmp_path / "work")]
    assert any("runoff train small.train.jsonl --dev small.dev.jsonl --learner perceptron" in each for each in commands)
    assert [table.name for table in both.tables(both.synthetic(0))] == ["table-2", "section-7.2"]
