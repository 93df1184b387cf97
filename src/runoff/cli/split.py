"""`runoff split`: one file into several, group by group."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from runoff.cli.options import (
    INPUT,
    Source,
    as_json,
    check_outputs,
    group_by_option,
    print_json,
    say,
    say_notes,
    source_options,
)
from runoff.cli.shard_output import is_folder, write_folder
from runoff.errors import UsageError

if TYPE_CHECKING:
    from runoff.nbest.blocks import Blocks


@click.command()
@click.argument("source_file", metavar="IN", type=INPUT)
@click.argument("parts", metavar="OUT=SHARE…", nargs=-1, required=True)
@click.option("--seed", default=0, show_default=True, help="Seed of the shuffle.")
@click.option("--metric", metavar="M", help="Also compute quality from references by this metric.")
@group_by_option
@source_options
@as_json
def split(
    source_file: Path,
    parts: tuple[str, ...],
    seed: int,
    metric: str | None,
    group_by: str | None,
    as_json: bool,
    **source: Any,
) -> None:
    """Split IN at random into files with the given shares; a group is never cut.

    Lists that share a reference or an input go to the same file.

    A name that ends in / is a folder of shards; where all are, IN is split block by block, whatever its size.

    \b
    Example:  runoff split lists.jsonl train.arrow=0.7 dev.arrow=0.1 test.arrow=0.2
              runoff split lists.jsonl train.arrow=0.8 test.arrow=0.2 --group-by speaker
    """
    from runoff.formats import writer_for
    from runoff.formats.shard_writer import check_replaceable
    from runoff.io import write
    from runoff.nbest.blocks import blocks

    named = [(name, _share(share, part)) for part in parts for name, _, share in [part.rpartition("=")]]
    wanted = [(Path(name), share) for name, share in named]
    folders = [Path(name) for name, _ in named if name.endswith("/") or is_folder(Path(name))]
    if sum(share for _, share in wanted) > 1 + 1e-9:
        raise UsageError("the shares add up to more than 1.")
    check_outputs([name for name, _ in wanted], [source_file], folders=folders)
    for name, _ in wanted:
        check_replaceable(name) if name in folders else writer_for(name)
    reader = Source(**source)
    if len(folders) == len(wanted):
        sizes, total, kept = _split_blocks(reader, source_file, wanted, seed, metric, group_by)
        _report(sizes, total, kept, seed, as_json=as_json)
        return
    data = reader.read(source_file, metric)
    kept = blocks(data, group_by)
    part_of = kept.parts([share for _, share in wanted], seed)
    sizes = {}
    for at, (name, _) in enumerate(wanted):
        part = data[part_of == at]
        write_folder(iter([part]), name) if name in folders else write(part, name)
        sizes[str(name)] = len(part)
    say_notes(data)
    _report(sizes, len(data), kept, seed, as_json=as_json)


def _split_blocks(
    reader: Source, path: Path, wanted: list[tuple[Path, float]], seed: int, metric: str | None, group_by: str | None
) -> tuple[dict[str, int], int, Blocks]:
    """Split into folders of shards in two passes: which lists belong together, and where each goes."""
    from runoff.formats.shard_writer import writing_shards
    from runoff.nbest.blocks import blocks
    from runoff.nbest.joining import joined, without_candidates

    outlines = [without_candidates(block) for block in reader.blocks(path, metric)]
    kept = blocks(joined(lambda: outlines), group_by)
    part_of = kept.parts([share for _, share in wanted], seed)
    with contextlib.ExitStack() as stack:
        writers = [stack.enter_context(writing_shards(name)) for name, _ in wanted]
        start = 0
        for block in reader.blocks(path, metric):
            mine = part_of[start : start + len(block)]
            for at, writer in enumerate(writers):
                writer.add(block[mine == at])
            start += len(block)
    return {str(name): writer.groups for (name, _), writer in zip(wanted, writers, strict=True)}, part_of.size, kept


def _report(sizes: dict[str, int], total: int, kept: Blocks, seed: int, *, as_json: bool) -> None:
    if kept.note():
        say(f"note: {kept.note('files')}")
    left_out = total - sum(sizes.values())
    if as_json:
        print_json({"seed": seed, "groups": sizes, "left_out": left_out, "blocks": kept.count})
        return
    say("\n".join(f"wrote {name}: {size:,} groups" for name, size in sizes.items()))
    if left_out:
        say(f"note: {left_out:,} groups are in no file, because the shares add up to less than 1.")


def _share(text: str, part: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 < share <= 1:
        raise UsageError(f"expected FILE=SHARE with a share above 0 and up to 1; found {part!r}.")
    return share
