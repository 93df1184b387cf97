"""What the README tells people to type works, and what it says was measured is in the results."""

import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from runoff import read
from runoff.cli import main
from runoff.demo import run

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
QUICK = ["--recipes", "bayes-risk,loglinear", "--set", "folds=2", "--families", "length,agreement"]
NUMBER = re.compile(r"\d[\d,.]*\d|\d")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the commands of the README have been run, on the demo's sentences without their features."""
    folder = tmp_path_factory.mktemp("readme")
    run(folder / "runoff-demo", 0, say=lambda _: None)
    lines = []
    for line in (folder / "runoff-demo" / "dev.jsonl").read_text().splitlines():
        group = json.loads(line)
        texts = [candidate["text"] for candidate in group["candidates"]]
        lines.append(json.dumps({"id": group["id"], "references": group["references"], "candidates": texts}))
    (folder / "lists.jsonl").write_text("\n".join(lines))
    (folder / "new.jsonl").write_text("\n".join(lines[:5]))
    commands = [shlex.split(line, comments=True) for line in blocks("sh")[1].splitlines()]
    used = ["describe", "split", "train", "eval", "explain", "pick", "view", "report"]
    assert [command[1] for command in commands] == used
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr("runoff.cli.view.show", lambda *_: None)  # it would serve until it is stopped
        for command in commands:
            if "--group" in command:  # a group that fell into the test part
                command[-1] = read("test.jsonl").group_ids[0].as_py()
            quick = QUICK if "train" in command else []
            done = CliRunner().invoke(main, [*command[1:], *quick], catch_exceptions=False)
            assert done.exit_code == 0, done.output
    return folder


def test_one_choice_is_written_for_every_list(workplace: Path) -> None:
    assert len((workplace / "chosen.txt").read_text().splitlines()) == 5


def test_the_python_example_runs(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(workplace)
    (code,) = blocks("python")
    exec(compile(code, "README.md", "exec"), {})
    said = capsys.readouterr().out
    assert said.splitlines()[0] in ("the cats at", "the cat sat", "a cat sat")
    assert "of the possible gain was achieved" in said


def test_the_example_record_is_one_that_can_be_read(tmp_path: Path) -> None:
    (record,) = blocks("json")
    path = tmp_path / "lists.jsonl"
    path.write_text(record)
    assert read(path, metric="wer").quality.tolist() == [-2.0, 0.0, -1.0]


def test_it_is_read_in_one_sitting() -> None:
    assert len(README.splitlines()) <= 100


def test_every_result_is_one_that_was_measured() -> None:
    rows = README.partition("## Results")[2].partition("## ")[0].partition("|---|")[2].splitlines()[1:]
    table = [row for row in rows if row.startswith("|")]
    assert 4 <= len(table) <= 8
    measured = (ROOT / "benchmarks" / "RESULTS.md").read_text() + (ROOT / "docs" / "results.md").read_text()
    known = set(NUMBER.findall(measured))
    for row in table:
        assert set(NUMBER.findall(row)) <= known, row


def test_links_lead_somewhere() -> None:
    for link in re.findall(r"\]\(([^)]+)\)", README):
        assert (ROOT / link).exists(), link
