"""What docs/first-round.md tells people to type works, and what it says of settings, files and names is so."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

import runoff.parsing
from runoff.chain.stages import STATE
from runoff.cli import main
from runoff.demo.treebank import documents
from runoff.parsing import Settings
from runoff.parsing.grammar import SPLITS

TEXT = (Path(__file__).parents[1] / "docs" / "first-round.md").read_text()
COUNT = 16  # documents of the treebank, 20 sentences each


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def table(heading: str) -> list[list[str]]:
    """Cells of the first table below a heading, without its header."""
    rows = TEXT.partition(heading)[2].partition("|---|")[2].splitlines()[1:]
    until = next(at for at, row in enumerate(rows) if not row.startswith("|"))
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[:until]]


def names(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    stories = documents(COUNT, seed=0)
    for at, story in enumerate(stories):
        part = folder / "treebank" / ("dev" if at < 2 else "test" if at < 4 else "train")
        part.mkdir(parents=True, exist_ok=True)
        (part / f"{at:02}.mrg").write_text("\n".join(story.trees))
    (folder / "runoff-parse-demo").mkdir()
    trees = [tree for story in stories for tree in story.trees]
    (folder / "runoff-parse-demo" / "treebank.mrg").write_text("\n".join(trees))
    (folder / "sentences.txt").write_text("The old singer sings .\nThe singer mends the coat with a needle .\n")
    return folder


def test_the_commands_run_in_the_order_in_which_they_are_shown(
    workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workplace)
    chain, steps = blocks("sh")
    commands = [shlex.split(line, comments=True) for line in [*steps.splitlines(), *chain.splitlines()]]
    assert len(commands) == 11
    for command in commands:
        quick = ["-k", "5"] if set(command) & {"jackknife", "nbest", "chain"} else []
        done = CliRunner().invoke(main, [*command[1:], *quick], catch_exceptions=False)
        assert done.exit_code == 0, done.output
    assert len(Path("better.mrg").read_text().splitlines()) == 2
    told = {name for row in table("## The chain") for name in names(row[0])}
    found = {path.name for path in Path("chain").iterdir()}
    assert found == told
    assert STATE in told


def test_the_python_example_runs(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(workplace)
    (code,) = blocks("python")
    exec(compile(code, "first-round.md", "exec"), {})
    said = capsys.readouterr().out
    assert "oracle@20" in said
    assert "(TOP (S " in said
    assert "of what a perfect choice could win was won" in said


def as_set(value: object) -> str:
    """As one writes it after --set."""
    if isinstance(value, list):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def test_settings_are_what_they_are_said_to_be() -> None:
    said = {names(row[0])[0]: names(row[1])[0] for row in table("## Settings")}
    assert said == {name: as_set(value) for name, value in Settings().to_dict().items()}
    splits = TEXT.partition("| split | |")[2]
    assert all(f"`{name}`" in splits for name in SPLITS)


def test_names_are_there() -> None:
    told = {name for row in table("## In Python") for name in names(row[0])}
    assert told <= set(runoff.parsing.__all__)
    assert {"Grammar", "jackknife", "read_treebank"} <= told
    for name in told:
        assert getattr(runoff.parsing, name).__doc__, name
