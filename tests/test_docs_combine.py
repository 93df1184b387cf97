"""What docs/combine.md tells people to type works, and what it says is so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import runoff.combine
from cli.test_combine import write_systems
from helpers.noisy_roles import noisy_lists
from helpers.pages import Page, names, said_by
from runoff import tasks
from runoff.combine.baselines import first_choices
from runoff.combine.evidence import evidence
from runoff.combine.pool import pools
from runoff.combine.system_files import read_systems
from runoff.combine.systems import Systems
from runoff.io import read, write

if TYPE_CHECKING:
    from pathlib import Path

COMBINE = Page("combine.md")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("combine")
    write_systems(made, "dev", 200, 1)
    write_systems(made, "test", 60, 2)
    lists = noisy_lists(60, 3)
    for name, at in (("small", 0), ("large", 2)):
        texts = [lists.texts[3 * row + at].as_py() for row in range(len(lists))]
        write(
            runoff.NBest.from_arrays(
                texts=texts,
                sizes=[1] * len(lists),
                inputs=lists.inputs,
                references=lists.references.to_pylist(),
                metric="srl-eval",
            ),
            made / f"{name}.jsonl",
        )
    return made


def test_the_commands_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    # The sentences of the page are at random here: a predicate that is there takes the place of the one it names.
    groups = read_systems(["a.test.props", "b.test.props"]).data.group_ids.to_pylist()
    said = [said_by(*(groups[0] if word == "3:4" else word for word in command)) for command in COMBINE.commands()]
    assert len(said) == 11
    assert "perfect filter" in said[0]
    assert "combined" in said[2]
    rows = [line.split()[0] for line in said[10].splitlines() if line[:1].isalpha()]
    assert rows[rows.index("perceptron") :][:2] == ["perceptron", "loglinear"]
    assert {"combined", "combined:gain"} <= set(read("winners.jsonl").features.column_names().to_pylist())


def test_the_python_runs(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(folder)
    COMBINE.run_python()
    assert "perfect filter" in capsys.readouterr().out


def test_names_are_there() -> None:
    told = {name for row in COMBINE.table("| name | what |") for name in names(row[0])}
    assert told == set(runoff.combine.__all__)


def test_evidence_is_called_as_it_says() -> None:
    data = noisy_lists(40, 1)
    reader, systems = tasks.get("roles").parts(), Systems.of(data)
    assert set(first_choices(data)) == {"one", "two", "three"}
    seen = {
        name.partition(":")[0]
        for pool in pools(data, reader, systems)
        for row in evidence(pool, reader, systems.names)
        for name, _ in row
    }
    told = {name.partition(":")[0] for row in COMBINE.table("| evidence | what |") for name in names(row[0])}
    assert told - {"…"} <= seen


def test_tasks_with_parts_are_those_of_the_table() -> None:
    told = {row[0].partition("]")[0].removeprefix("[") for row in COMBINE.table("| candidates | parts |")}
    with_parts = {name for name in tasks.names() if tasks.get(name).parts() is not None}
    assert told >= {
        {"parsing": "parses", "tagging": "taggings", "text": "texts"}.get(name, name) for name in with_parts
    }
