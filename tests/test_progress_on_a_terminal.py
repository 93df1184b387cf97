"""Progress as a person sees it: in a real pseudo-terminal."""

import os
import pty
import subprocess
import sys

import pytest


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_terminal_shows_a_live_line_with_rate_and_state() -> None:
    script = (
        "import time; from runoff.progress import progress\n"
        "with progress('boosting', 50) as step:\n"
        "    for done in range(50):\n"
        "        time.sleep(0.01); step(done + 1, f'loss {100 - done}')\n"
    )
    reader, writer = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    process = subprocess.Popen(
        [sys.executable, "-c", script], stderr=writer, stdout=subprocess.DEVNULL, env=environment
    )
    os.close(writer)
    shown = b""
    while True:
        try:
            piece = os.read(reader, 4096)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        shown += piece
    assert process.wait() == 0
    text = shown.decode(errors="replace")
    assert "boosting" in text
    assert "a second" in text
    assert "loss" in text
