"""What tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of real data: RUNOFF_DATA, else beside the repository; without it the test is skipped."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("RUNOFF_DATA", beside))
    if not folder.is_dir():
        pytest.skip(f"the real data is not at {folder}; set RUNOFF_DATA to the folder that has it")
    return folder
