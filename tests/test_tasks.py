"""Recognising tasks, and what is true of all of them."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

import runoff
from helpers.registries import own_registries
from runoff import LinearModel, NBest, UsageError, tasks
from runoff.registry import TASKS

ROOT = Path(__file__).parents[1]
TASK_ROOMS = sorted(path.parent.name for path in (ROOT / "src" / "runoff" / "tasks").glob("*/__init__.py"))
TREES = ["(S (N a) (V b))", "(S (V a) (N b))"]


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (NBest.from_arrays([[1.0], [2.0]], sizes=[2]), "rows"),
        (NBest.from_arrays([[1.0], [2.0]], sizes=[2], texts=["a", "b"]), "rows"),
        (NBest.from_arrays(texts=["a", "b"], sizes=[2]), "text"),
        (NBest.from_arrays(texts=TREES, sizes=[2]), "parsing"),
        (NBest.from_arrays(quality=[1.0, 2.0], sizes=[2]), "rows"),
    ],
    ids=["rows", "rows with texts", "texts", "trees", "nothing"],
)
def test_data_is_recognised(data: NBest, name: str) -> None:
    assert tasks.recognise(data).name == name
    assert tasks.task_of(LinearModel.of({"x": 1.0}), data).name == name
    assert tasks.task_of(LinearModel.of({"x": 1.0})).name == "rows"


def test_the_highest_priority_has_the_data_then_the_latest() -> None:
    data = NBest.from_arrays(texts=["a", "b"], sizes=[2])

    def task(name_: str, level: int) -> tasks.Task:
        class Mine(tasks.Task):
            name, priority = name_, level

        return Mine()

    with own_registries():
        tasks.register(task("first", 1))
        assert tasks.recognise(data).name == "first"
        tasks.register(task("second", 1))
        assert tasks.recognise(data).name == "second"
        tasks.register(task("third", 0))
        assert tasks.recognise(data).name == "second"
        assert tasks.recognise(NBest.from_arrays([[1.0]], sizes=[1])).name == "second"
    assert tasks.recognise(data).name == "text"


def test_every_room_registers_its_task_and_has_a_light_module() -> None:
    assert {task.name for task in TASKS.values()} == {"rows", "answer-sentences", *TASK_ROOMS}
    with pytest.raises(
        UsageError,
        match=r"there is no task 'parse'; did you mean parsing\? There are: answer-sentences, answers",
    ):
        tasks.get("parse")
    with pytest.raises(AttributeError, match="no attribute 'nowhere'"):
        tasks.nowhere  # noqa: B018 - the attribute is the test


def test_import_rules_name_every_room() -> None:
    """Someone who adds a room must add it to the rules that keep everything else from knowing it."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers, forbidden, independent, _ = contracts
    for room in TASK_ROOMS:
        module = f"runoff.tasks.{room}"
        assert f"{module}.** -> runoff.**" in layers["ignore_imports"]
        assert module in forbidden["forbidden_modules"]
        assert module in independent["modules"]
    rest = {path.stem for path in (ROOT / "src" / "runoff").iterdir() if not path.name.startswith("__")} - {"py"}
    asked = {module.split(".")[1] for module in forbidden["source_modules"]}
    lowest = {
        "arrays",
        "devices",
        "errors",
        "expected_arrays",
        "files",
        "locks",
        "parallel",
        "parameters",
        "pictures",
        "plugins",
    }
    assert rest - asked - lowest - {"progress", "registry", "tables", "version", "word_diff", "__pycache__"} == set()


BUILT_ON = {
    "answers": ("tagging", "translation"),
    "roles": ("parsing", "tagging"),
    "translation": ("tagging", "text"),
}  # rooms that build on others


def test_no_source_outside_a_room_names_it() -> None:
    names = re.compile(rf"tasks[./]({'|'.join(TASK_ROOMS)})\b")
    source = ROOT / "src" / "runoff"
    found = [
        f"{path.relative_to(source)}: {match[0]}"
        for path in source.rglob("*.py")
        for match in names.finditer(path.read_text())
        if not _may_name(path.relative_to(source).parts, match[1])
    ]
    assert found == []


def _may_name(parts: tuple[str, ...], room: str) -> bool:
    return parts[0] == "tasks" and (parts[1] == room or room in BUILT_ON.get(parts[1], ()))


def test_no_class_name_twice() -> None:
    texts = [path.read_text() for path in (ROOT / "src" / "runoff").rglob("*.py")]
    names = Counter(name for text in texts for name in re.findall(r"^class (\w+)", text, re.MULTILINE))
    assert [name for name, count in names.items() if count > 1] == []


def test_the_version_is_that_of_the_project() -> None:
    assert runoff.__version__ == tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]


def test_public_names_are_there_and_nothing_else() -> None:
    for name in runoff.__all__:
        assert getattr(runoff, name) is not None
    assert set(runoff.__all__) <= set(dir(runoff))
    with pytest.raises(AttributeError, match="module 'runoff' has no attribute 'rerank'"):
        runoff.rerank  # noqa: B018 - the attribute is the test


def test_rows_have_no_featurizer_settings_and_no_first_round() -> None:
    rows = tasks.get("rows")
    assert rows.featurizer() is None
    with pytest.raises(UsageError, match="rows of features need no featurizer; leave out families"):
        rows.featurizer(families="all")
    with pytest.raises(UsageError, match="there is no first round for the task rows"):
        rows.first_round()
    assert rows.learner("perceptron", tau=2.0).get_params()["tau"] == 2.0
    assert rows.learner().name == "blend"


def test_a_task_learner_splits_settings_between_featurizer_and_learner() -> None:
    learner = tasks.get("text").learner("loglinear", families="length", sigma=2.0, seed=3)
    assert learner.featurizer.families == ("length",)
    assert learner.get_params()["sigma"] == 2.0
    assert learner.get_params()["seed"] == 3
