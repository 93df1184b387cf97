"""Reference translations in separate files: line i belongs to sentence id i, counted from 0."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from runoff.errors import DataError, UsageError, brief
from runoff.formats.streams import BYTE_ORDER_MARK, decode, read_all
from runoff.nbest.build import REFERENCES

if TYPE_CHECKING:
    from collections.abc import Sequence

_NUMBER = re.compile(r"[0-9]{1,18}")


def aligned(ids: list[str], files: str | Path | Sequence[str | Path], path: Path) -> tuple[pa.Array, list[str]]:
    """References of every sentence id, one from each file, and notes on unused ones."""
    paths = _paths(files)
    numbers = [_sentence(name, path) for name in ids]
    needed = max(numbers, default=-1) + 1
    notes, columns = [], []
    for file in paths:
        texts = _texts(file)
        if len(texts) < needed:
            raise DataError(
                f"the sentence ids of {path} go up to {needed - 1} and count from 0, so {needed} lines of references "
                f"are needed; found {len(texts)}. Is this the right file?",
                path=file,
            )
        unused = len(texts) - len(numbers)
        if unused:
            notes.append(f"{file.name} has {unused:,} reference(s) of sentences that have no candidates.")
        columns.append([texts[number] for number in numbers])
    return pa.array([list(texts) for texts in zip(*columns, strict=True)], REFERENCES), notes


def _paths(files: str | Path | Sequence[str | Path]) -> list[Path]:
    if isinstance(files, str):
        files = [files] if Path(files).exists() else [name.strip() for name in files.split(",")]
    paths = [files] if isinstance(files, Path) else list(map(Path, files))
    if not paths or not all(map(str, paths)):
        raise UsageError("references needs at least one file; separate several by commas.")
    return paths


def _sentence(name: str, path: Path) -> int:
    if not _NUMBER.fullmatch(name):
        raise DataError(
            f"references are found by line, so sentence ids must be numbers from 0; found {brief(name)}.", path=path
        )
    return int(name)


def _texts(path: Path) -> list[str]:
    content = read_all(path).removeprefix(BYTE_ORDER_MARK)
    raw = content.split(b"\n")
    if not raw[-1]:
        raw.pop()
    return [decode(line, path, number).strip() for number, line in enumerate(raw, 1)]
