"""The tutorials run as they are in an empty folder: every command and every block of Python, in their order."""

import re
import shlex
from pathlib import Path

import pytest

from helpers.pages import DOCS, Page, names, said_by
from runoff.demo import run
from runoff.registry import LEARNERS

TUTORIALS = sorted(path.stem for path in (DOCS / "tutorials").glob("*.md") if path.stem != "index")
# What a reader should have seen by the end.
SEEN = {
    "answers": "Ada Hollow",
    "parses": "of the possible gain was achieved",
    "roles": "perfect",
    "samples": "the best baseline",
    "search": "reciprocal rank fusion",
    "speech": "of the possible gain was achieved",
    "systems": "combined",
    "translations": "of the possible gain was achieved",
}


def test_every_tutorial_is_in_the_index() -> None:
    index = (DOCS / "tutorials" / "index.md").read_text()
    assert set(re.findall(r"\]\((\w+)\.md\)", index)) == set(TUTORIALS) == set(SEEN)


@pytest.mark.slow
@pytest.mark.parametrize("name", TUTORIALS)
def test_the_tutorial_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (DOCS / "tutorials" / f"{name}.md").read_text()
    said, space = "", {}
    for language, block in re.findall(r"```(sh|python)\n(.*?)```", text, re.DOTALL):
        if language == "python":
            exec(compile(block, name, "exec"), space)
            continue
        for line in block.replace("\\\n", "").splitlines():
            said += said_by(*shlex.split(line, comments=True)[1:])
    assert SEEN[name] in said


@pytest.mark.slow
def test_the_page_of_learners_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tmp_path / "runoff-demo", 0, say=lambda _: None)
    monkeypatch.chdir(tmp_path / "runoff-demo")
    page = Page("which-learner.md")
    said = [said_by(*command) for command in page.commands()]
    assert "wer" in said[-1]
    named = {name for row in page.table("| learner | learns |") for name in names(row[0])}
    assert named == set(LEARNERS)
