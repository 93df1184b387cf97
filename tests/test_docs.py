"""What the pages of docs/ tell people to type works, and what they say of settings, files, columns and names is so."""

import inspect
import json
import re
import shlex
import sys
from dataclasses import dataclass, fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import runoff.tasks.parsing
import runoff.tasks.text
from runoff.cli import main
from runoff.features.first_choice import COLUMN
from runoff.learners.recipes import LearnerRecipe
from runoff.metrics.tokens import tokenised
from runoff.nbest import NBest
from runoff.pipeline.stages import STATE
from runoff.tasks.parsing import Settings
from runoff.tasks.parsing.demo.treebank import documents
from runoff.tasks.parsing.grammar import SPLITS
from runoff.tasks.text import FAMILIES, RECIPES, TextFeaturizer, TextReranker, TextSettings
from runoff.tasks.text.features.ngrams import fit_vocabulary
from runoff.tasks.text.lm import estimate, write_arpa
from runoff.tasks.text.tokenizer import tokenize

DOCS = Path(__file__).parents[1] / "docs"
COUNT = 16  # documents of the treebank, 20 sentences each


@dataclass(frozen=True)
class Page:
    """A page of the documentation, by its blocks and tables."""

    text: str

    def blocks(self, language: str) -> list[str]:
        return re.findall(rf"```{language}\n(.*?)```", self.text, re.DOTALL)

    def commands(self) -> list[list[str]]:
        """What follows `runoff` in every line of the shell, in the order in which they are shown."""
        lines = "".join(self.blocks("sh")).replace("\\\n", "").splitlines()
        return [shlex.split(line, comments=True)[1:] for line in lines]

    def table(self, heading: str) -> list[list[str]]:
        """Cells of the first table below a heading, or below the head of a table, without its header."""
        rows = self.text.partition(heading)[2].partition("|---|")[2].splitlines()[1:]
        until = next(at for at, row in enumerate(rows) if not row.startswith("|"))
        return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[:until]]


FIRST_ROUND = Page((DOCS / "first-round.md").read_text())
TEXTS = Page((DOCS / "text.md").read_text())


def names(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def said_by(*command: str) -> str:
    done = CliRunner().invoke(main, command, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def as_set(value: object) -> str:
    """As one writes it after --set."""
    if isinstance(value, list):
        return ",".join(value)
    if value is None or isinstance(value, (bool, tuple)):
        return json.dumps(value, separators=(",", ":"))
    return str(value)


# -------------------------------------------------------------------- first-round.md


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
    chain, *steps = FIRST_ROUND.commands()
    assert len(steps) == 10
    for command in (*steps, chain):
        quick = ["-k", "5"] if set(command) & {"jackknife", "nbest", "chain"} else []
        said_by(*command, *quick)
    assert len(Path("better.mrg").read_text().splitlines()) == 2
    told = {name for row in FIRST_ROUND.table("## The chain") for name in names(row[0])}
    found = {path.name for path in Path("chain").iterdir()}
    assert found == told
    assert STATE in told


def test_the_python_example_runs(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(workplace)
    (code,) = FIRST_ROUND.blocks("python")
    exec(compile(code, "first-round.md", "exec"), {})
    said = capsys.readouterr().out
    assert "oracle@20" in said
    assert "(TOP (S " in said
    assert "of what a perfect choice could win was won" in said


def test_settings_are_what_they_are_said_to_be() -> None:
    said = {names(row[0])[0]: names(row[1])[0] for row in FIRST_ROUND.table("## Settings")}
    assert said == {name: as_set(value) for name, value in Settings().to_dict().items()}
    splits = FIRST_ROUND.text.partition("| split | |")[2]
    assert all(f"`{name}`" in splits for name in SPLITS)


def test_names_are_there() -> None:
    told = {name for row in FIRST_ROUND.table("## In Python") for name in names(row[0])}
    assert told <= set(runoff.tasks.parsing.__all__)
    assert {"Grammar", "jackknife", "read_treebank"} <= told
    for name in told:
        assert getattr(runoff.tasks.parsing, name).__doc__, name


# -------------------------------------------------------------------- text.md

QUICK = ["--recipes", "bayes-risk,perceptron", "--set", "folds=2"]  # of nine recipes and five folds


class Letters:
    """Stands for a sentence encoder."""

    def __init__(self, *_: Any, **__: Any) -> None: ...

    def encode(self, texts: list[str]) -> Any:
        return np.array([[1.0, *(text.count(letter) for letter in "aeiou")] for text in texts])


@pytest.fixture(scope="module")
def lists(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the page says to make, and with what it says that a person has."""
    folder = tmp_path_factory.mktemp("texts")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        exec(compile(TEXTS.blocks("python")[-1], "text.md", "exec"), {})
    groups = [json.loads(line) for line in (folder / "train.jsonl").read_text().splitlines()]
    references = [text for group in groups for text in group["references"]]
    write_arpa(estimate(tokenised(references, tokenize), order=3), folder / "big.arpa")
    rows = [
        f'{group["id"]},"{group["input"]}","{text}",{100 - 9 * abs(len(text) - 50)},{-at}'
        for group in groups[:60]
        for at, text in enumerate(group["candidates"])
    ]
    (folder / "people.csv").write_text("\n".join([TEXTS.blocks("csv")[0].splitlines()[0], *rows]))
    return folder


@pytest.fixture(scope="module")
def told(lists: Path) -> dict[str, str]:
    """What the commands of the page say, in the order in which they are shown; those that learn try less."""
    found: dict[str, str] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(lists)
        patch.setitem(sys.modules, "sentence_transformers", SimpleNamespace(SentenceTransformer=Letters))
        for command in TEXTS.commands():
            quick = [*QUICK, *(["--folds", "2"] * ("--folds" in command))] if command[0] == "train" else []
            found[" ".join(command)] = said_by(*command, *quick)
    return found


def logical_lines(text: str) -> list[str]:
    """Lines with single blanks, numbers as #, recipes as @; a sentence that goes on in the next line is one line."""
    whole = re.sub(r"(?<=\w[ ,.]|.\w)\n  (?=\w)", " ", text)
    numbered = re.sub(r"(?<![\w-])(< )?[+-]?\d[\d,.]*(?=[\s;)%–]|$)", "#", whole, flags=re.MULTILINE)
    lines = [" ".join(re.sub(r"^Kept: [\w-]+", "Kept: @", line).split()) for line in numbered.splitlines()]
    return [line for line in lines if line.strip("-…")]


def test_commands_of_texts_run_and_say_what_is_shown(told: dict[str, str], lists: Path) -> None:
    assert len(told) == 15
    describe, train, judge, explain = TEXTS.blocks("text")
    said = dict(zip(("describe", "train", "eval", "explain"), told.values(), strict=False))
    assert describe in said["describe"]  # nothing is learned there: the same on every machine
    for shown, name in ((train, "train"), (judge, "eval")):
        lines = logical_lines(said[name])
        for line in logical_lines(shown):
            is_row = line.partition(" ")[0] in RECIPES
            assert is_row or line in lines, f"{name} does not say {line!r}"
    rows = [line.partition(" ")[0] for line in train.splitlines()[2:] if line.partition(" ")[0] in RECIPES]
    # The lists of the page carry no features.
    assert sorted(rows) == sorted(name for name, recipe in RECIPES.items() if recipe.columns != "supplied")
    assert {logical_lines(explain)[0], logical_lines(explain)[-1]} <= set(logical_lines(said["explain"]))
    assert len((lists / "chosen.txt").read_text().splitlines()) == 20
    assert json.loads((lists / "chosen.jsonl").read_text().splitlines()[0])["group"] == "new-0"


def test_the_python_example_of_texts_runs(
    lists: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(lists)
    exec(compile(TEXTS.blocks("python")[0], "text.md", "exec"), {})
    said = capsys.readouterr().out
    assert "chosen leads minimum Bayes risk" in said
    assert "bayes-risk [" in said
    assert Path("texts.runoff").exists()


def test_example_records_can_be_read(tmp_path: Path) -> None:
    for at, block in enumerate(TEXTS.blocks("json")):
        path = tmp_path / f"{at}.jsonl"
        path.write_text(block)
        data = runoff.read(path)
        assert len(data) == 2 - at
        assert data.notes == ()


def test_families_are_those_of_the_program() -> None:
    listed = json.loads(said_by("text", "families", "--json"))["families"]
    shown = [
        {"name": names(name)[0], "what": what, "cost": cost, "usual": usual == "yes"}
        for name, what, cost, usual in TEXTS.table("## Features")
    ]
    assert shown == listed


def columns(family: str, **settings: Any) -> set[str]:
    """Names of the columns that a family makes of lists with everything in them."""
    texts = ["the cat sat", "a cat sat", "the cat"]
    candidates = [{"text": text, "base": -at, "features": {"carried": 1.0}} for at, text in enumerate(texts)]
    data = NBest.from_records([{"input": "die Katze", "references": texts[:1], "candidates": candidates}])
    featurizer = TextFeaturizer(families=family, encoder=Letters(), min_lists=1, **settings)
    return set(featurizer.fit_transform(data, "wer").features.column_names().to_pylist())


@pytest.mark.parametrize("family", FAMILIES)
def test_columns_are_those_that_are_made(family: str) -> None:
    cells = {names(row[0])[0]: row[1] for row in TEXTS.table("Columns, by the names")}
    assert list(cells) == list(FAMILIES)
    shown, made = set(names(cells[family])), columns(family)
    if family == "scores":
        assert (shown, made) == (set(), {"carried"})
    elif family in ("words", "characters"):
        assert shown & made
        assert shown & columns(family, hashed=32)
    else:
        assert shown == made


def test_settings_of_texts_are_what_they_are_said_to_be() -> None:
    said = {names(row[0])[0]: names(row[1])[0] for row in TEXTS.table("## Settings")}
    assert said == {each.name: as_set(each.default) for each in fields(TextSettings)}
    others = TEXTS.text.partition("also knows")[2].partition(", see")[0]
    assert {*said, *names(others)} == set(TextReranker.parameters()) - {"metric", "verbose"}
    assert f"`confidence` {TextReranker.parameters()['confidence']}:" in TEXTS.text
    most = inspect.signature(fit_vocabulary).parameters["max_features"].default
    assert f"at most {most:,} columns" in " ".join(TEXTS.text.split())


def test_recipes_are_those_that_are_tried() -> None:
    rows = {names(name)[0]: names(learner) for name, _, learner in TEXTS.table("## How the model is chosen")}
    assert list(rows) == list(RECIPES)
    for name, recipe in RECIPES.items():
        if isinstance(recipe, LearnerRecipe):
            settings = [f"{key}={value}" for key, value in recipe.settings.items()]
            assert rows[name] == [recipe.learner.__name__, *settings]
        else:
            assert rows[name] == []
    seeing = TEXTS.text.partition(" see `words` and `characters`")[0].splitlines()[-1]
    assert set(names(seeing)) == {name for name, recipe in RECIPES.items() if recipe.columns == "all"}
    assert f"`{COLUMN}`" in TEXTS.text


def test_names_for_texts_are_there() -> None:
    shown = {name for row in TEXTS.table("## In Python") for name in names(row[0])}
    assert shown == set(runoff.tasks.text.__all__)


@pytest.mark.parametrize("page", [FIRST_ROUND, TEXTS])
def test_links_lead_somewhere(page: Page) -> None:
    headings = re.findall(r"^#+ (.*)", page.text, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}
    for link in re.findall(r"\]\(([^)]+)\)", page.text):
        assert link[1:] in anchors if link.startswith("#") else (DOCS / link.partition("#")[0]).exists(), link
