"""Progress as a person sees it: in a real pseudo-terminal."""

import os
import pty
import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")

SCRIPT = """
import time; from runoff.progress import progress
with progress({title!r}, {whole}) as step:
    for done in range(60):
        time.sleep(0.05)
        step(1000 + 100 * done, f'dev quality 0.{{done:04}}, loss {{10_000 - done:,}}.123456', {total})
"""


def shown(columns: int, title: str = "boosting", total: int | None = None, whole: int = 80_000) -> str:
    """What a terminal of so many columns gets to see."""
    reader, writer = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": str(columns)}
    code = SCRIPT.format(title=title, total=total, whole=whole)
    process = subprocess.Popen([sys.executable, "-c", code], stderr=writer, stdout=subprocess.DEVNULL, env=environment)
    os.close(writer)
    seen = b""
    while True:
        try:
            piece = os.read(reader, 4096)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        seen += piece
    assert process.wait() == 0
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen.decode(errors="replace"))


def test_a_wide_terminal_shows_a_live_line_with_bar_rate_and_state() -> None:
    text = shown(120)
    assert "boosting [=" in text
    assert "per second" in text
    assert "loss 9,9" in text


@pytest.mark.parametrize("title", ["boosting, 8 smoothings", "fold 3 of 5"])
def test_a_terminal_of_80_columns_shows_the_time_left_and_how_it_stands(title: str) -> None:
    lines = [line for line in re.split(r"[\r\n]+", shown(80, title)) if title in line]
    assert all(len(line) <= 80 for line in lines)
    assert any(
        re.search(rf"{title}: [0-9],[0-9]00 of 80,000, [0-9]+:[0-9][0-9] left, dev quality 0.[0-9]{{4}}", line)
        for line in lines
    )


def test_the_total_shrinks_when_work_turns_out_to_be_less() -> None:
    assert "of 7,000" in shown(80, total=7_000)


def test_work_of_unknown_length_shows_what_is_done() -> None:
    text = shown(120, "reading", whole=0)
    assert "so far" in text
    assert " of " not in text
