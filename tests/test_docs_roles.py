"""docs/roles.md: what it tells people to type works, and what it says of formats and names is so."""

import shutil
from pathlib import Path

import pytest

import runoff.tasks.roles
from helpers.pages import Page, names, said_by
from runoff.tasks.roles import Argument, Proposition, RoleSentence, read_roles, write_roles
from runoff.tasks.roles.demo.village import Village
from runoff.tasks.roles.features.labelling_families import FAMILIES
from runoff.tasks.roles.labeller_file import load_labeller
from runoff.tasks.roles.role_files import FORMATS

ROLES = Page("roles.md")


# The lists of the village have other ids than the one that the page shows; it is learned in fewer rounds.
INSTEAD = {"d#0:1": "0#0:5", "rounds=2000": "rounds=10"}
TREE = "(TOP (S (NP (DT The) (NN man)) (VP (VBD said) (ADVP (RB so)))))"


def said(*roles: tuple[int, int, str]) -> RoleSentence:
    says = Proposition.of(2, "say", [(2, 3, "V"), *roles], "say.01")
    return RoleSentence(("The", "man", "said", "so"), (says,), pos=("DT", "NN", "VBD", "RB"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the page names."""
    monkeypatch.chdir(tmp_path)
    gold = [(0, 2, "A0"), (3, 4, "A1")]
    for name, roles in (("gold", gold), ("dev", gold), ("predicted", [(0, 1, "A0"), (3, 4, "A2")]), ("new", gold[:1])):
        write_roles([said(*roles)] * 5, f"{name}.conll")
    write_roles(Village(0).sentences(60), "train.conll")
    write_roles(Village(1).sentences(20), "test.conll")
    (tmp_path / "trees.mrg").write_text(f"{TREE}\n" * 5)
    lists = (f'{{"id": "{at}", "nbest": [[-1.5, "{TREE}"]]}}\n' for at in range(5))
    (tmp_path / "lists.jsonl").write_text("".join(lists))
    (tmp_path / "chunks.conll").write_text("The DT B-NP\nman NN I-NP\nsaid VBD B-VP\nso RB B-ADVP\n\n" * 5)
    (tmp_path / "text.txt").write_text("The man said so\n")
    return tmp_path


def test_the_page_of_roles_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = []
    for command in ROLES.commands():
        if command[:2] == ["roles", "mix"]:  # of labellers whose lists the page does not make
            part = command[2].split(".")[1]
            for name in command[2:4]:
                shutil.copy(f"{part}-lists.jsonl", name)
        told.append(said_by(*(INSTEAD.get(word, word) for word in command)))
    everything = " ".join(told)
    assert len(told) == 25
    assert "Percentage of perfect props" in told[0]
    assert "by randomisation over sentences" in told[1]
    assert "[A0---] [V-] [A1]" in told[2]
    assert (folder / "both.svg").exists()
    assert len(read_roles(folder / "test.props")) == 20
    assert "siblings on the path to the root" in everything
    assert load_labeller(folder / "boosted.runoff").provenance["parameters"]["rounds"] == 10
    assert "chosen" in everything
    assert len(read_roles(folder / "better.props")) == len(read_roles(folder / "union.props")) == 20
    assert [names(row[0])[0] for row in ROLES.table("## Second round")] == list(FAMILIES)
    assert len(read_roles(folder / "gold.jsonl.gz")) == 5
    assert "F1 100.00" in everything
    (parsed,) = {str(each.tree) for each in read_roles(folder / "parsed.jsonl.gz")}
    assert parsed == TREE
    assert [each.chunks for each in read_roles(folder / "parsed.jsonl.gz")] == [("B-NP", "I-NP", "B-VP", "B-ADVP")] * 5
    (sentence,) = read_roles(folder / "text.jsonl")
    assert [(each.predicate, each.roleset) for each in sentence.propositions] == [(2, "say.01")]
    ROLES.run_python()
    printed = capsys.readouterr().out
    assert "{'A2': 5}" in printed
    assert f"{TREE} ((0, 4),)" in printed
    assert "roleset='say.01'" in printed


def test_formats_and_names_are_those_of_the_program(tmp_path: Path) -> None:
    assert [names(row[0])[0] for row in ROLES.table("## Formats")] == list(FORMATS)
    told = {name for row in ROLES.table("## In Python") for name in names(row[0])}
    assert told == set(runoff.tasks.roles.__all__)
    path = tmp_path / "one.jsonl"
    path.write_text(ROLES.blocks("json")[0])
    (sentence,) = read_roles(path)
    assert sentence.propositions[0].roles == (Argument(0, 1, "A0"),)
