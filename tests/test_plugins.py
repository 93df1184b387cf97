"""Plugins: files, modules, the environment variable and entry points; never what a model or data file names."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from helpers.processes import start_python
from helpers.registries import own_registries
from runoff import ModelError, NBest, UsageError, plugins, tasks
from runoff.cli import main

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PLUGIN = """
import click
from runoff.tasks import CommandGroup, Task, register

class Mine(Task):
    name, title = "{name}", "{name} of my own"
    commands = CommandGroup("{name}", __name__ + ":group", "Commands of my own.")

    def recognises(self, data):
        return False

@click.group()
def group():
    '''Commands of my own.'''

@group.command()
def hello():
    click.echo("hello from {name}")

register(Mine())
"""


@pytest.fixture(autouse=True)
def registries() -> Iterator[None]:
    before = set(sys.modules)
    with own_registries():
        yield
    for name in set(sys.modules) - before:
        if name.startswith(("runoff_plugin_", "plugin_under_test")):
            del sys.modules[name]


def write_plugin(path: Path, name: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(PLUGIN.format(name=name))
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(each) for each in arguments], catch_exceptions=False)


def test_a_file_is_loaded_once(tmp_path: Path) -> None:
    path = write_plugin(tmp_path / "mine.py", "file-task")
    plugins.load_plugin(str(path))
    plugins.load_plugin(str(path))
    assert tasks.get("file-task").title == "file-task of my own"


def test_two_files_of_one_name_are_two_plugins(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        plugins.load_plugin(str(write_plugin(tmp_path / folder / "mine.py", f"task-{folder}")))
    assert {"task-a", "task-b"} <= set(tasks.names())


def test_a_module_is_loaded_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_plugin(tmp_path / "plugin_under_test.py", "module-task")
    monkeypatch.syspath_prepend(tmp_path)
    plugins.load_plugin("plugin_under_test")
    assert "module-task" in tasks.names()


def test_a_name_that_is_taken_is_a_sentence(tmp_path: Path) -> None:
    path = write_plugin(tmp_path / "mine.py", "text")
    done = run("--plugin", path, "tasks")
    assert done.exit_code == 2
    assert done.stderr == "runoff: there is already a task called 'text'; give the new one another name.\n"


def test_the_commands_of_a_plugin_are_listed_and_run(tmp_path: Path) -> None:
    path = write_plugin(tmp_path / "mine.py", "greeting")
    assert "Commands of my own." in run("--plugin", path, "--help").stdout
    assert run("--plugin", path, "greeting", "hello").stdout == "hello from greeting\n"
    assert json.loads(run("--plugin", path, "tasks", "--json").stdout)["greeting"]["commands"] == "runoff greeting"


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("nowhere.py", None, "no such file or directory"),
        ("no_such_module_here", None, "No module named 'no_such_module_here'"),
        ("broken.py", "def (", "invalid syntax"),
        ("needs.py", "import no_such_module_here", "No module named 'no_such_module_here'"),
    ],
)
def test_a_plugin_that_cannot_be_imported_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: str | None, why: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if content is not None:
        (tmp_path / name).write_text(content)
    for arguments in (("tasks",), ("--help",)):
        done = run("--plugin", name, *arguments)
        assert done.exit_code == 2
        assert done.stderr.startswith(f"runoff: the plugin '{name}' cannot be imported: {why}")
        assert "Traceback" not in done.output


@pytest.mark.parametrize("arguments", ["['tasks']", "['--help']"])
def test_the_environment_variable_names_files_and_modules(tmp_path: Path, arguments: str) -> None:
    # In a process of its own: the variable is read once.
    write_plugin(tmp_path / "plugin_under_test.py", "module-task")
    file = write_plugin(tmp_path / "mine.py", "file-task")
    code = (
        f"import os, sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "os.environ['RUNOFF_PLUGINS'] = os.pathsep.join(sys.argv[1:] or {names!r})\n"
        f"from runoff.cli import main; main({arguments})"
    )
    out, err = start_python(code.format(names=["plugin_under_test", str(file)])).communicate(timeout=60)
    assert "module-task" in out, err
    assert "file-task" in out
    process = start_python(code.format(names=["no_such_module_here"]))
    out, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert err == (
        "runoff: the plugin 'no_such_module_here' cannot be imported: No module named 'no_such_module_here'.\n"
    )
    assert out == ""


def test_entry_points_of_installed_packages_are_loaded(tmp_path: Path) -> None:
    write_plugin(tmp_path / "plugin_under_test.py", "installed-task")
    info = tmp_path / "mine-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: mine\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[runoff.tasks]\nmine = plugin_under_test\n")
    code = f"import sys; sys.path.append({str(tmp_path)!r}); from runoff import tasks; print(tasks.names())"
    out, err = start_python(code).communicate(timeout=60)
    assert "installed-task" in out, err


def test_nothing_is_imported_because_a_model_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import dataclasses

    from runoff import LinearModel, load

    marker = tmp_path / "imported"
    (tmp_path / "plugin_under_test.py").write_text(f"open({os.fspath(marker)!r}, 'w').close()\n")
    monkeypatch.syspath_prepend(tmp_path)
    data = NBest.from_arrays(texts=["a", "b"], sizes=[2])
    for step in ("plugin_under_test", "plugin_under_test:anything", "runoff.tasks.nowhere"):
        model = dataclasses.replace(LinearModel.of({"x": 1.0}), preparation=({"step": step},))
        model.save(tmp_path / "m.runoff")
        loaded = load(tmp_path / "m.runoff")
        sentence = f"the model prepares data by '{step}', which this Runoff does not know; upgrade Runoff, or name the"
        with pytest.raises(ModelError, match=sentence):
            loaded.pick(data)
        assert tasks.task_of(loaded).name == "rows"
    assert not marker.exists()


def test_a_model_with_an_unknown_step_is_a_sentence_for_every_command(tmp_path: Path) -> None:
    import dataclasses

    from runoff import LinearModel

    model = dataclasses.replace(LinearModel.of({"x": 1.0}), preparation=({"step": "theirs"},))
    model.save(tmp_path / "m.runoff")
    (tmp_path / "lists.jsonl").write_text(
        '{"id": "1", "candidates": [{"text": "a", "quality": 1}, {"text": "b", "quality": 0}]}\n'
    )
    lists: Any = tmp_path / "lists.jsonl"
    for command, more in (("pick", []), ("eval", []), ("explain", ["--group", "1"]), ("margins", [])):
        done = run(command, tmp_path / "m.runoff", lists, *more)
        assert done.exit_code == 1, command
        assert "the model prepares data by 'theirs', which this Runoff does not know" in done.stderr
        assert "Traceback" not in done.output


def test_a_wrong_plugin_in_the_library_is_an_error_of_ours() -> None:
    with pytest.raises(UsageError, match=r"the plugin 'nowhere\.py' cannot be imported: no such file or directory"):
        plugins.load_plugin("nowhere.py")
