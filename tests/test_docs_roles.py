"""docs/roles.md: what it tells people to type works, and what it says of formats and names is so."""

from pathlib import Path

import pytest

import runoff.tasks.roles
from helpers.pages import Page, names, said_by
from runoff.tasks.roles import Argument, Proposition, RoleSentence, read_roles, write_roles
from runoff.tasks.roles.demo.village import Village
from runoff.tasks.roles.features.labelling_families import FAMILIES
from runoff.tasks.roles.role_files import FORMATS

ROLES = Page("roles.md")


def said(*roles: tuple[int, int, str]) -> RoleSentence:
    return RoleSentence(("The", "man", "said", "so"), (Proposition.of(2, "say", [(2, 3, "V"), *roles]),))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the page names."""
    monkeypatch.chdir(tmp_path)
    gold = [(0, 2, "A0"), (3, 4, "A1")]
    for name, roles in (("gold", gold), ("predicted", [(0, 1, "A0"), (3, 4, "A2")]), ("new", gold[:1])):
        write_roles([said(*roles)] * 5, f"{name}.conll")
    write_roles(Village(0).sentences(60), "train.conll")
    write_roles(Village(1).sentences(20), "test.conll")
    return tmp_path


def test_the_page_of_roles_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = [said_by(*command) for command in ROLES.commands()]
    assert len(told) == 16
    assert "Percentage of perfect props" in told[0]
    assert "by randomisation over sentences" in told[1]
    assert "[A0---] [V-] [A1]" in told[2]
    assert (folder / "both.svg").exists()
    assert len(read_roles(folder / "test.props")) == 20
    assert "siblings on the path to the root" in told[8]
    assert "chosen" in told[12]
    assert len(read_roles(folder / "better.props")) == len(read_roles(folder / "union.props")) == 20
    assert [names(row[0])[0] for row in ROLES.table("## Second round")] == list(FAMILIES)
    assert len(read_roles(folder / "gold.jsonl.gz")) == 5
    ROLES.run_python()
    assert "{'A2': 5}" in capsys.readouterr().out


def test_formats_and_names_are_those_of_the_program(tmp_path: Path) -> None:
    assert [names(row[0])[0] for row in ROLES.table("## Formats")] == list(FORMATS)
    told = {name for row in ROLES.table("## In Python") for name in names(row[0])}
    assert told == set(runoff.tasks.roles.__all__)
    path = tmp_path / "one.jsonl"
    path.write_text(ROLES.blocks("json")[0])
    (sentence,) = read_roles(path)
    assert sentence.propositions[0].roles == (Argument(0, 1, "A0"),)
