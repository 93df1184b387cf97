"""What tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# On a build machine the same examples every time: a red build is then a change's own doing. Elsewhere, new ones.
settings.register_profile("same-examples", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("same-examples")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of real data: RUNOFF_DATA, else beside the repository; without it the test is skipped."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("RUNOFF_DATA", beside))
    if not folder.is_dir():
        pytest.skip(f"the real data is not at {folder}; set RUNOFF_DATA to the folder that has it")
    return folder
