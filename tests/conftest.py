"""What tests share."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

from helpers.compile_once import compile_once

compile_once()
# Jobs that a shell starts in the background ignore Ctrl-C, and so would every process that a test interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# `make test` draws a few examples, the same ones everywhere, so that a red build is a change's own doing; `make
# test-slow` (HYPOTHESIS_PROFILE=thorough) draws many new ones.
settings.register_profile("quick", max_examples=6, derandomize=True)
settings.register_profile("thorough", max_examples=100)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of real data: RUNOFF_DATA, else beside the repository; without it the test is skipped."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("RUNOFF_DATA", beside))
    if not folder.is_dir():
        pytest.skip(f"the real data is not at {folder}; set RUNOFF_DATA to the folder that has it")
    return folder
