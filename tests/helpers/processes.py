"""Python in a process of its own, which finds what this one finds."""

from __future__ import annotations

import os
import subprocess
import sys


def start_python(code: str) -> subprocess.Popen[str]:
    """Run some code; its output is captured."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    )
