"""What docs/serve.md tells people to type works against a service as they start it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import orjson
import pytest

from helpers.pages import Page
from runoff.cli.serve import serve
from runoff.tasks.text import TextReranker

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SERVE = Page("serve.md")
ADDRESS = "http://127.0.0.1:8000"


class Service:
    """`runoff serve` in a process of its own, on a port that is free."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "runoff", "serve", *arguments, "--port", "0"],
            cwd=folder,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        self.said: list[str] = []
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line)
            if line.startswith("serving"):
                break
        found = re.search(r"http://[^;]+", "".join(self.said))
        assert found, self.said
        self.url = found[0]

    def end(self, how: signal.Signals) -> tuple[int, str]:
        self.process.send_signal(how)
        said = self.process.communicate(timeout=60)[1]
        return self.process.returncode, said


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import runoff

    made = tmp_path_factory.mktemp("serve")
    lists = [
        {"id": str(at), "references": [right], "candidates": [wrong, right, wrong + " x"]}
        for at, (right, wrong) in enumerate([("the cat sat", "the cats at"), ("a dog ran", "a dock ran")] * 15)
    ]
    data = runoff.grade(runoff.NBest.from_records(lists), "wer")
    TextReranker(metric="wer", families="position,length,repetition", recipes="loglinear").fit(data).model.save(
        made / "wer.runoff"
    )
    return made


@pytest.fixture(scope="module")
def running(folder: Path) -> Iterator[Service]:
    found = Service(folder, "wer.runoff")
    yield found
    found.process.kill()
    found.process.communicate()


def test_the_calls_are_answered(running: Service) -> None:
    calls = [line for block in SERVE.blocks("sh") for line in block.splitlines() if line.startswith("curl")]
    assert len(calls) == 3
    for call in calls:
        done = subprocess.run(
            ["bash", "-c", call.replace(ADDRESS, running.url) + " -s -f"], capture_output=True, text=True, check=False
        )
        if done.returncode == 127:
            pytest.skip("curl is not installed")
        assert done.returncode == 0, done.stderr
        assert orjson.loads(done.stdout)["model"] == "wer"


def test_the_python_runs(running: Service, capsys: pytest.CaptureFixture[str]) -> None:
    code = "\n".join(SERVE.blocks("python")).replace(ADDRESS, running.url)
    exec(compile(code, SERVE.name, "exec"), {})
    assert len(capsys.readouterr().out.splitlines()) == 4


def test_the_options_are_those_of_the_command(folder: Path) -> None:
    known = {option for parameter in serve.params for option in parameter.opts}
    told = set(re.findall(r"(?<!\S)`?(--[a-z][a-z-]+)", SERVE.text))
    assert told <= known
    commands = [command for command in SERVE.commands() if command[:1] == ["serve"]]
    assert len(commands) == 3
    for command in commands:
        serve.make_context("serve", command[1:], resilient_parsing=False)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_it_stops_when_told_to(folder: Path, how: signal.Signals) -> None:
    service = Service(folder, "wer.runoff")
    code, said = service.end(how)
    assert "Traceback" not in said
    assert code in {0, -how, 128 + how, 130}


def test_after_a_crash_it_starts_again(folder: Path) -> None:
    from runoff.server.client import Client

    first = Service(folder, "wer.runoff")
    lists = [["the cats at", "the cat sat"]]
    before = Client(first.url).choose(lists)
    first.end(signal.SIGKILL)
    second = Service(folder, "again=wer.runoff", "--quiet")
    assert Client(second.url).choose(lists, model="again") == before
    second.end(signal.SIGTERM)
