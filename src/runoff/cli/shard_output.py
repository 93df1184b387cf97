"""Outputs that are folders of shards: a name that ends in a slash, a folder of shards that is there, or --shards."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from runoff.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from runoff.formats.shard_writer import ShardPlan
    from runoff.nbest import NBest

_FOLDERS = "runoff.folders"


class OutputPath(click.Path):
    """An output file, or a folder of shards where the name ends in a slash."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; that it is a folder is remembered."""
        path: Path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if ctx is not None and os.fsdecode(value).endswith("/"):
            ctx.meta.setdefault(_FOLDERS, set()).add(path)
        return path


OUTPUT = OutputPath(path_type=Path)


def is_folder(path: Path | None) -> bool:
    """Whether an output is to be a folder of shards."""
    if path is None:
        return False
    ctx = click.get_current_context(silent=True)
    named = ctx is not None and path in ctx.meta.get(_FOLDERS, ())
    return named or (path.is_dir() and (path / "shards.json").is_file())


def check_data_output(
    path: Path, inputs: list[Path | None], *, folder: bool | None = None, to: str | None = None
) -> bool:
    """Check before any work that data can be written there; whether it is a folder of shards."""
    from runoff.cli.options import check_outputs
    from runoff.formats import writer_for
    from runoff.formats.shard_writer import check_replaceable

    as_folder = is_folder(path) if folder is None else folder
    check_outputs([path], inputs, folders=[path] if as_folder else [])
    if as_folder:
        check_replaceable(path)
    else:
        writer_for(path, to)
    return as_folder


def write_folder(blocks: Iterator[NBest], path: Path, plan: ShardPlan | None = None) -> tuple[int, int]:
    """Write a folder of shards; the numbers of lists and of candidates."""
    from runoff.formats.shard_writer import writing_shards

    with writing_shards(path, plan) as writer:
        for block in blocks:
            writer.add(block)
    return writer.groups, writer.candidates


def plan_of(
    shards: int | None, shard_size: str | None, to: str | None, count: Callable[[], int], target: Path
) -> ShardPlan:
    """Where shards end, from the options; `count` gives the number of lists where it is needed."""
    from runoff.formats.shard_set import even_ends
    from runoff.formats.shard_writer import USUAL_BYTES, ShardPlan
    from runoff.memory import in_bytes

    if shards is not None and shard_size is not None:
        raise UsageError("--shards says how many, and --shard-size how large; leave one out.")
    kind = to or "arrow"
    if kind not in ("arrow", "parquet"):
        raise UsageError(f"the shards of {target} are written as arrow or parquet; found --to {kind}.")
    most = USUAL_BYTES if shard_size is None else in_bytes(shard_size, "--shard-size")
    return ShardPlan(kind, most, None if shards is None else even_ends(count(), shards))
