"""Stages whose results are files: what is made again, and what never is."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from runoff.errors import DataError, UsageError
from runoff.pipeline.stages import STATE, Stage, digest, run_stages

if TYPE_CHECKING:
    from pathlib import Path


class Workshop:
    """Three stages, the last of which uses both others; takes down which of them were made."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.made = folder, []
        self.options: dict[str, dict[str, Any]] = {"a": {}, "b": {}, "c": {}}
        self.said: list[str] = []
        self.fails_in: str | None = None

    def stage(self, name: str, *after: str) -> Stage:
        def make(before: Any) -> dict[str, Any]:
            self.made.append(name)
            (self.folder / f"{name}.txt").write_text(f"{name} {self.options[name]}")
            if self.fails_in == name:
                raise KeyboardInterrupt
            return {"knows": sorted(before), "at": {1: 2.5}}

        return Stage(name, f"stage {name}", (f"{name}.txt", f"{name}.maybe"), make, self.options[name], after)

    def run(self) -> list[str]:
        self.made = []
        stages = [self.stage("a"), self.stage("b"), self.stage("c", "a", "b")]
        self.facts = run_stages(self.folder, stages, self.said.append)
        return self.made


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


def test_everything_is_made_once(workshop: Workshop) -> None:
    assert workshop.run() == ["a", "b", "c"]
    first = workshop.facts
    assert workshop.run() == []
    assert workshop.facts == first
    assert first["c"] == {"knows": ["a", "b"], "at": {"1": 2.5}}
    assert workshop.said[-1] == "[3 of 3] stage c: c.txt is up to date"


def test_another_option_makes_what_depends_on_it(workshop: Workshop) -> None:
    workshop.run()
    workshop.options["b"] = {"k": 3}
    assert workshop.run() == ["b", "c"]
    assert (workshop.folder / "b.txt").read_text() == "b {'k': 3}"
    workshop.options["c"] = {"k": 4}
    assert workshop.run() == ["c"]
    workshop.options["a"] = {"k": 5}
    assert workshop.run() == ["a", "c"]


def test_going_back_to_earlier_options_does_not_use_their_files(workshop: Workshop) -> None:
    workshop.run()
    workshop.options["a"] = {"k": 1}
    workshop.run()
    workshop.options["a"] = {}
    assert workshop.run() == ["a", "c"]


def test_what_was_interrupted_is_made_again_though_its_file_is_there(workshop: Workshop) -> None:
    workshop.fails_in = "b"
    with pytest.raises(KeyboardInterrupt):
        workshop.run()
    assert (workshop.folder / "b.txt").exists()
    workshop.fails_in = None
    assert workshop.run() == ["b", "c"]


def test_results_of_other_options_are_gone_before_the_work_begins(workshop: Workshop) -> None:
    workshop.run()
    workshop.options["a"] = {"k": 1}
    workshop.fails_in = "a"
    with pytest.raises(KeyboardInterrupt):
        workshop.run()
    assert sorted(path.name for path in workshop.folder.glob("*.txt")) == ["a.txt", "b.txt"]
    removed = "note: removed because the data or options have changed: a.txt and c.txt"
    assert [line for line in workshop.said if "removed" in line] == [removed]


@pytest.mark.parametrize("how", ["gone", "cut", "changed"])
def test_a_file_that_is_not_what_it_was_is_made_again(workshop: Workshop, how: str) -> None:
    workshop.run()
    path = workshop.folder / "a.txt"
    path.unlink()
    if how != "gone":
        path.write_text("" if how == "cut" else "a []")
    assert workshop.run() == ["a"]  # the same as before, so that what follows from it still holds
    assert path.read_text() == "a {}"


def test_files_from_elsewhere_are_never_overwritten(workshop: Workshop) -> None:
    (workshop.folder / "b.txt").write_text("mine")
    with pytest.raises(UsageError, match=r"contains b\.txt, which no pipeline has written; choose another folder"):
        workshop.run()
    assert workshop.made == []
    assert (workshop.folder / "b.txt").read_text() == "mine"


@pytest.mark.parametrize("content", ["", "[]", "{", '{"stages": []}', '{"stages": {"a": {"key": "x"}}}'])
def test_a_state_that_is_something_else_is_a_sentence(workshop: Workshop, content: str) -> None:
    (workshop.folder / STATE).write_text(content)
    with pytest.raises(DataError, match="expected the state of a pipeline, found"):
        workshop.run()


def test_a_state_cannot_name_files_outside_the_folder(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside.txt", tmp_path / "inside"
    folder.mkdir()
    outside.write_text("mine")
    record = {"key": "x", "done": True, "names": [], "files": {}, "facts": {}}
    for name in ("../outside.txt", "..", "a\0", 3):
        stages = {"a": record | {"names": [name]}}
        (folder / STATE).write_text(json.dumps({"version": 1, "stages": stages, "digest": digest(stages)}))
        with pytest.raises(DataError, match="expected the state"):
            Workshop(folder).run()
    assert outside.read_text() == "mine"


@pytest.mark.parametrize(
    "change",
    [
        {"facts": {}},
        {"facts": {"knows": 3}},
        {"files": {}},
        {"files": {"a.txt": None}},
        {"names": ["thesis.txt"]},
        {"key": "x"},
        {"done": False},
        {"seconds": "long"},
    ],
)
def test_a_state_that_was_changed_is_a_sentence_and_removes_nothing(workshop: Workshop, change: dict[str, Any]) -> None:
    workshop.run()
    (workshop.folder / "thesis.txt").write_text("mine")
    state = json.loads((workshop.folder / STATE).read_text())
    state["stages"]["a"] |= change
    (workshop.folder / STATE).write_text(json.dumps(state))
    before = sorted(workshop.folder.iterdir())
    with pytest.raises(DataError, match="expected the state of a pipeline"):
        workshop.run()
    assert sorted(workshop.folder.iterdir()) == before


def test_a_second_pipeline_in_the_same_folder_is_refused(workshop: Workshop) -> None:
    other = Workshop(workshop.folder)

    def meet(_: Any) -> dict[str, Any]:
        with pytest.raises(UsageError, match=rf"the folder .* is in use by process {os.getpid()}; wait until"):
            other.run()
        return {}

    run_stages(workshop.folder, [Stage("a", "meeting another", (), meet)], workshop.said.append)
    assert other.made == []
    assert [each.name for each in workshop.folder.iterdir()] == [STATE]
