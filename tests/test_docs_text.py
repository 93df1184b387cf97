"""docs/text.md: what it tells people to type works, and what it says of settings, columns and recipes is so."""

import inspect
import json
import re
import sys
from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import runoff.tasks.text
from helpers.pages import Page, as_set, names, said_by
from runoff.features.first_choice import COLUMN
from runoff.features.lm import estimate, write_arpa
from runoff.learners.recipes import LearnerRecipe
from runoff.metrics.tokens import tokenised
from runoff.nbest import NBest
from runoff.tasks.text import FAMILIES, RECIPES, TextFeaturizer, TextReranker, TextSettings
from runoff.tasks.text.features.ngrams import fit_vocabulary
from runoff.tasks.text.tokenizer import tokenize

TEXTS = Page("text.md")

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
            tries_recipes = command[0] == "train" and "--learner" not in command
            quick = [*QUICK, *(["--folds", "2"] * ("--folds" in command))] if tries_recipes else []
            found[" ".join(command)] = said_by(*command, *quick)
    return found


def logical_lines(text: str) -> list[str]:
    """Lines with single blanks, numbers as #, recipes as @; a sentence that goes on in the next line is one line."""
    whole = re.sub(r"(?<=\w[ ,.]|.\w)\n  (?=\w)", " ", text)
    numbered = re.sub(r"(?<![\w-])(< )?[+-]?\d[\d,.]*(?=[\s;)%–]|$)", "#", whole, flags=re.MULTILINE)
    lines = [" ".join(re.sub(r"^Kept: [\w-]+", "Kept: @", line).split()) for line in numbered.splitlines()]
    return [line for line in lines if line.strip("-…")]


@pytest.mark.slow
def test_commands_of_texts_run_and_say_what_is_shown(told: dict[str, str], lists: Path) -> None:
    assert len(told) == 19
    describe, train, judge, explain = TEXTS.blocks("text")
    said = dict(zip(("describe", "train", "eval", "explain"), told.values(), strict=False))
    assert describe in said["describe"]  # nothing is learned there: the same on every machine
    for shown, name in ((train, "train"), (judge, "eval")):
        lines = logical_lines(said[name])
        for line in logical_lines(shown):
            is_row = line.partition(" ")[0] in RECIPES
            assert is_row or line in lines, f"{name} does not say {line!r}"
    rows = [line.partition(" ")[0] for line in train.splitlines()[2:] if line.partition(" ")[0] in RECIPES]
    # The lists of the page carry no features, and are too few for some.
    assert sorted(rows) == sorted(
        name
        for name, recipe in RECIPES.items()
        if recipe.columns != "supplied" and not getattr(recipe, "least_lists", 0)
    )
    assert {logical_lines(explain)[0], logical_lines(explain)[-1]} <= set(logical_lines(said["explain"]))
    assert len((lists / "combined.txt").read_text().splitlines()) == 20
    assert len((lists / "chosen.txt").read_text().splitlines()) == 20
    assert json.loads((lists / "chosen.jsonl").read_text().splitlines()[0])["group"] == "new-0"


@pytest.mark.slow
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


@pytest.mark.parametrize("family", [name for name in FAMILIES if name != "neural"])
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
    others = TEXTS.text.partition("`TextReranker` also take")[2].partition(", see")[0]
    assert {*said, *names(others)} == set(TextReranker.parameters()) - {"metric", "verbose", "bags"}
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
