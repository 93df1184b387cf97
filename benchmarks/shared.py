"""What the benchmarks share: where the real data is, and how results are printed."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any


def data_folder() -> Path | None:
    """Folder of real data: RUNOFF_DATA, or `../shared/data` beside the project; None where there is none."""
    folder = Path(os.environ.get("RUNOFF_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
    return folder if folder.is_dir() else None


def finish(result: dict[str, Any]) -> None:
    """Print one JSON object as the last line."""
    print(json.dumps(result))


def skip(reason: str) -> None:
    """Say why there is nothing to measure, still with one JSON object as the last line."""
    print(f"skipped: {reason}", file=sys.stderr)
    finish({"skipped": reason})
