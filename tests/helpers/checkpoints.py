"""Checkpoints taken apart and put together again."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

HEADER = "checkpoint.json"


def entries(file: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def arrays_in(file: Path, run: int = 0) -> dict[str, np.ndarray]:
    """The arrays of a run by name."""
    found = entries(file)
    keys = orjson.loads(found[HEADER])["runs"][run][2]
    return {key: np.load(io.BytesIO(found[f"{run}/{key}"])) for key in keys}


def rewrite(file: Path, header: Mapping[str, Any] | None = None, run: int = 0, **arrays: object) -> None:
    """Change the header or whole arrays of a run; a None removes its entry of the header."""
    content = entries(file)
    merged = {**orjson.loads(content[HEADER]), **(header or {})}
    content[HEADER] = orjson.dumps({name: value for name, value in merged.items() if value is not None})
    for name, values in arrays.items():
        buffer = io.BytesIO()
        np.save(buffer, np.asarray(values))
        content[f"{run}/{name}"] = buffer.getvalue()
    with zipfile.ZipFile(file, "w") as archive:
        for name, each in content.items():
            archive.writestr(name, each)
