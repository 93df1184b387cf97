"""A folder of shards: Arrow or Parquet files, each with whole lists, saved by Runoff or by jobs of other programs.

The files are read in the order of their names, or of the manifest that Runoff writes with its own (`shards.json`).
Columns of features may differ from file to file: they are matched by name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.formats.base import Format
from runoff.formats.shard_manifest import NAME, is_shard
from runoff.formats.shard_set import ShardSet

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from runoff.formats.base import Folder, Sample
    from runoff.nbest import NBest


def recognise(sample: Sample) -> bool:  # noqa: ARG001 - no file is a folder
    """No single file."""
    return False


def recognise_folder(folder: Folder) -> bool:
    """Whether the folder has a manifest, or Arrow or Parquet files of its own."""
    return NAME in folder.files or any("/" not in name and is_shard(name) for name in folder.files)


def read(path: Path, columns: str | None = None) -> NBest:
    """Everything at once; `runoff.formats.read_blocks` reads block by block. `columns` are those of tables."""
    return ShardSet(path, columns).whole()


def read_blocks(path: Path, columns: str | None = None) -> Iterator[NBest]:
    """Block by block; where blocks end does not depend on where files end."""
    return ShardSet(path, columns).blocks()


FORMAT = Format(
    name="shards",
    description="A folder of Arrow or Parquet files, each with whole lists",
    recognise=recognise,
    read=read,
    read_blocks=read_blocks,
    options=("columns",),
    is_general=True,
    recognise_folder=recognise_folder,
)
