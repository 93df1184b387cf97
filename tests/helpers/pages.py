"""Pages of the documentation, taken apart so that tests can run and check what they say."""

import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from runoff.cli import main

DOCS = Path(__file__).parents[2] / "docs"


@dataclass(frozen=True)
class Page:
    """A page by its blocks and tables."""

    name: str

    @property
    def text(self) -> str:
        return (DOCS / self.name).read_text(encoding="utf-8")

    def blocks(self, language: str) -> list[str]:
        return re.findall(rf"```{language}\n(.*?)```", self.text, re.DOTALL)

    def commands(self) -> list[list[str]]:
        """What follows `runoff` in every line of the shell, in the order in which they are shown."""
        lines = "".join(self.blocks("sh")).replace("\\\n", "").splitlines()
        return [shlex.split(line, comments=True)[1:] for line in lines]

    def table(self, heading: str) -> list[list[str]]:
        """Cells of the first table below a heading, or below the head of a table, without its header."""
        rows = self.text.partition(heading)[2].partition("|---|")[2].splitlines()[1:]
        until = next((at for at, row in enumerate(rows) if not row.startswith("|")), len(rows))
        return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[:until]]

    def run_python(self) -> None:
        """All blocks of Python, one after the other in one namespace."""
        exec(compile("\n".join(self.blocks("python")), self.name, "exec"), {})


def names(cell: str) -> list[str]:
    """What is set in code type."""
    return re.findall(r"`([^`]+)`", cell)


def said_by(*command: str) -> str:
    """Output of a command that must succeed."""
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
