"""What docs/install.md says of shells works."""

import os
import subprocess
import sys

import pytest

from helpers.pages import Page

INSTALL = Page("install.md")
COMMAND = "from runoff.cli import main; main(prog_name='runoff')"


def answer(**environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", COMMAND], env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    return done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_gets_a_script(shell: str) -> None:
    (line,) = [row[1] for row in INSTALL.table("## Shell completion") if row[0].startswith(shell)]
    assert f"_RUNOFF_COMPLETE={shell}_source runoff" in line
    assert f"_RUNOFF_COMPLETE={shell}_complete" in answer(_RUNOFF_COMPLETE=f"{shell}_source")


def test_commands_and_options_complete() -> None:
    def completed(words: str, at: int) -> set[str]:
        told = answer(_RUNOFF_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=str(at))
        return {line.partition(",")[2] for line in told.splitlines()}

    assert completed("runoff de", 1) == {"describe", "demo"}
    assert completed("runoff pick --min", 2) == {"--min-confidence"}
