"""Sentences of the role papers: their mistakes, their bounds, and what is said where syntax is missing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from runoff.errors import DataError
from runoff.reproduce import get
from runoff.tasks.roles.demo.village import Village
from runoff.tasks.roles.papers.role_data import RoleData, bound, found_roles
from runoff.tasks.roles.papers.synthetic_roles import synthetic_roles
from runoff.tasks.roles.role_files import write_roles

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.tasks.roles.propositions import RoleSentence


def written(folder: Path, sentences: list[RoleSentence], *more: str) -> None:
    for at, part in enumerate(("train", "dev", "test", *more)):
        write_roles(sentences[10 * at : 10 * at + 10], folder / f"own.{part}.jsonl")


def test_mistakes_are_in_the_syntax_and_not_in_the_roles() -> None:
    right, wrong = Village(3).sentences(40), synthetic_roles(40, 3, harder=2.0)
    assert [each.words for each in right] == [each.words for each in wrong]
    assert [each.propositions for each in right] == [each.propositions for each in wrong]
    assert sum(str(a.tree) != str(b.tree) for a, b in zip(right, wrong, strict=True)) > 10
    assert sum(a.chunks != b.chunks for a, b in zip(right, wrong, strict=True)) > 5


def test_perfect_trees_reach_all_arguments_and_wrong_ones_do_not() -> None:
    right, wrong = Village(3).sentences(60), synthetic_roles(60, 3, harder=2.0)
    reached, total = bound("constituents", right).sum(axis=0)
    assert reached == total > 100
    reached, again = bound("constituents", wrong).sum(axis=0)
    assert reached < again == total


def test_what_the_syntax_is_enough_for(tmp_path: Path) -> None:
    sentences = Village(0).sentences(40)
    written(tmp_path, sentences)
    material = found_roles(tmp_path, 2)
    assert material.data.models == ("M1", "M2", "M3")
    assert "no file with the word brown or other" in material.left_out[0]
    written(tmp_path, [replace(each, chunks=None) for each in sentences], "other")
    material = found_roles(tmp_path, 2)
    assert material.data.models == ("M2", "M3")
    assert material.data.domains() == ["test", "other"]
    assert material.left_out[0].startswith("M1: model 1 needs base phrases and clauses")
    combination = get("marquez-2005-combination")
    names = [each.name for each in combination.experiments(material, 0, tmp_path / "work")]
    assert names == ["M2", "M3", "M2+M3", "baseline", "perfect filter", "contributions"]
    with pytest.raises(DataError, match="not enough for PP"):
        get("marquez-2005-tagging").read(tmp_path)
    written(tmp_path, [replace(each, chunks=None, tree=None) for each in sentences])
    with pytest.raises(DataError, match="enough for no model"):
        found_roles(tmp_path, 2)


def test_the_filter_learns_from_a_third_that_its_systems_did_not_see() -> None:
    data = RoleData(None, "drawn")
    most, rest = data.third()
    assert len(most) + len(rest) == len(data.parts["train"])
    assert 0.2 < len(rest) / len(data.parts["train"]) < 0.45
    assert not {each.document for each in most} & {each.document for each in rest}


def test_solutions_are_kept_for_the_same_data_alone(tmp_path: Path) -> None:
    sentences = Village(0).sentences(40)
    data = RoleData(None, "one", work=tmp_path)
    data.parts = {"train": sentences[:24], "dev": sentences[24:32], "test": sentences[32:]}
    first = data.labelled("M3")
    kept = sorted(path.name for path in tmp_path.iterdir())
    again = RoleData(None, "one", work=tmp_path)
    again.parts = {**data.parts, "train": []}  # nothing can be learned again
    roles = [[each.propositions for each in found["test"]] for found in (first, again.labelled("M3"))]
    assert roles[0] == roles[1]
    assert again.facts("M3")["examples"] > 0
    other = RoleData(None, "two", work=tmp_path)
    other.parts = data.parts
    other.labelled("M3")
    assert set(kept) < {path.name for path in tmp_path.iterdir()}
