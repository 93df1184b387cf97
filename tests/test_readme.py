"""What the README tells people to type works."""

import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from runoff.cli import main
from runoff.demo import run

README = (Path(__file__).parents[1] / "README.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("readme")
    run(folder / "runoff-demo", 0, say=lambda _: None)
    return folder


def test_the_python_example_runs(
    workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(workplace)
    (code,) = blocks("python")
    exec(compile(code, "README.md", "exec"), {})
    assert "of what a perfect choice could win was won" in capsys.readouterr().out


def test_the_commands_run_in_the_order_in_which_they_are_shown(
    workplace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workplace)
    records = (Path("runoff-demo") / "test.jsonl").read_text()
    Path("lists.jsonl").write_text(records)
    Path("new.jsonl").write_text(records)
    commands = [shlex.split(line, comments=True) for line in blocks("sh")[1].splitlines()]
    assert len(commands) == 7
    for command in commands:
        if "--group" in command:  # a group that fell into the test part
            from runoff import read

            command[-1] = read("test.arrow").group_ids[0].as_py()
        done = CliRunner().invoke(main, command[1:], catch_exceptions=False)
        assert done.exit_code == 0, done.output
    assert len(Path("chosen.txt").read_text().splitlines()) == len(records.splitlines())


def test_the_example_record_is_one_that_can_be_read(tmp_path: Path) -> None:
    from runoff import read

    (record,) = blocks("json")
    path = tmp_path / "lists.jsonl"
    path.write_text(json.dumps(json.loads(record)))
    assert read(path, metric="wer").quality.tolist() == [0.0, -2.0]
