"""What tools write, attacked: one file of each fixture is changed, and everything beside it stays."""

from __future__ import annotations

import shutil
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from helpers.tool_files import FIXTURES, TOOLS, metric, options

if TYPE_CHECKING:
    from collections.abc import Callable

MARKS = (b"///", b".\n", b"tensor(", b"H-0\t", b"|||", b"-inf", b"\t\t", b"<eos>", b"#!MLF!#\n", b"[1]", b"severity")


def changed_file(tool: str) -> Path:
    """The file that is changed: the one that is named, or the largest of a folder."""
    named = FIXTURES / TOOLS[tool][1][0]
    return max((each for each in named.rglob("*") if each.is_file()), key=_size) if named.is_dir() else named


def _size(path: Path) -> tuple[int, str]:
    return path.stat().st_size, str(path)


def seeds(tool: str) -> list[bytes]:
    """The valid file."""
    return [changed_file(tool).read_bytes()]


def tool_reader(tool: str, check: Callable[..., None]) -> Callable[[Path], None]:
    """What a person does with the tool's files, of which one is at a path; `check` gets the place and the options."""
    return partial(_use, tool, check)


def _use(tool: str, check: Callable[..., None], path: Path) -> None:
    format_, source = TOOLS[tool]
    given = options(source)
    files = {key: text for key, text in given.items() if (FIXTURES / text).exists()}
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        for name in {Path(name).parts[0] for name in (source[0], *files.values())}:
            shutil.copytree(FIXTURES / name, Path(folder) / name)
        (Path(folder) / changed_file(tool).relative_to(FIXTURES)).write_bytes(path.read_bytes())
        beside = given | {key: str(Path(folder) / text) for key, text in files.items()}
        check(Path(folder) / source[0], format_, beside, metric=(metric(source) or [None])[-1])
