"""The files of a folder of shards: those that its manifest lists, or all Arrow and Parquet files by name.

A manifest, `shards.json`, is written with a set that Runoff writes, so that a file that is missing, incomplete or of
another set is noticed. Without one, the files are what there is: what jobs of other programs left in a folder.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from runoff.errors import DataError, brief
from runoff.formats.streams import read_all

NAME = "shards.json"
ENDINGS = (".arrow", ".parquet")
_KIND, _VERSION = "runoff shards", 1
_LARGEST = 1 << 28  # bytes of a manifest: a million files


@dataclass(frozen=True)
class ShardFile:
    """One file of a set, and what is known of it."""

    name: str
    bytes: int
    groups: int
    candidates: int
    stored: int


def is_shard(name: str) -> bool:
    """Whether a file of this name belongs to a set; names that begin with a dot or _ are those of other programs."""
    return name.lower().endswith(ENDINGS) and not name.startswith((".", "_"))


def listed_files(folder: Path) -> list[ShardFile] | None:
    """The files of the manifest, checked against what there is; None where there is no manifest."""
    path = folder / NAME
    if not path.is_file():
        return None
    found = _parsed(path)
    there = {each.name for each in folder.iterdir() if is_shard(each.name)}
    for shard in found:
        if shard.name not in there:
            raise DataError(
                f"the set is not complete: {NAME} lists {shard.name}, which is not there.", path=folder / shard.name
            )
        size = (folder / shard.name).stat().st_size
        if size != shard.bytes:
            raise DataError(
                f"the file has {size:,} bytes and {NAME} says {shard.bytes:,}: it is damaged, or of another set.",
                path=folder / shard.name,
            )
    others = sorted(there - {each.name for each in found})
    if others:
        raise DataError(
            f"{NAME} does not list this file, so it is of another set; take it away, or remove {NAME} to read all "
            "files of the folder.",
            path=folder / others[0],
        )
    return found


def found_files(folder: Path) -> list[Path]:
    """All files of a folder without a manifest, by name."""
    names = sorted(each.name for each in folder.iterdir() if is_shard(each.name) and each.is_file())
    if not names:
        raise DataError(f"the folder has no shards: files that end in {' or '.join(ENDINGS)}.", path=folder)
    return [folder / name for name in names]


def manifest(shards: list[ShardFile]) -> bytes:
    """What a manifest says."""
    header = {"format": _KIND, "version": _VERSION, "groups": sum(each.groups for each in shards)}
    return orjson.dumps({**header, "shards": [asdict(each) for each in shards]}, option=orjson.OPT_INDENT_2)


def _parsed(path: Path) -> list[ShardFile]:
    damaged = DataError(
        f"{NAME} is damaged, or it is not Runoff's; remove it to read all files of the folder.", path=path
    )
    if path.stat().st_size > _LARGEST:
        raise damaged
    try:
        said = orjson.loads(read_all(path))
    except orjson.JSONDecodeError:
        raise damaged from None
    if not isinstance(said, dict) or said.get("format") != _KIND or not isinstance(said.get("shards"), list):
        raise damaged
    if said.get("version") != _VERSION:
        raise DataError(
            f"the set has version {brief(said.get('version'))} and this Runoff reads {_VERSION}; upgrade Runoff.",
            path=path,
        )
    shards = [_shard(each) for each in said["shards"]]
    names = [each.name for each in shards if each is not None]
    if len(names) < len(shards) or len(set(names)) < len(names):
        raise damaged
    return [each for each in shards if each is not None]


def _shard(said: Any) -> ShardFile | None:
    if not isinstance(said, dict) or said.keys() != ShardFile.__dataclass_fields__.keys():
        return None
    name, numbers = said["name"], [said[key] for key in said if key != "name"]
    fine = isinstance(name, str) and Path(name).name == name and is_shard(name)
    fine = fine and all(isinstance(each, int) and not isinstance(each, bool) and each >= 0 for each in numbers)
    return ShardFile(**said) if fine else None
