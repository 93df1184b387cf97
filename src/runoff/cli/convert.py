"""`runoff convert`: from one format to another."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - click looks at the annotations
from typing import TYPE_CHECKING, Any

import click

from runoff.cli.options import INPUT, Source, as_json, print_json, say, say_notes, source_options
from runoff.cli.shard_output import OUTPUT, check_data_output, is_folder, plan_of, write_folder
from runoff.errors import UsageError
from runoff.tables import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runoff.nbest import NBest


@click.command()
@click.argument("source_file", metavar="IN", type=INPUT)
@click.argument("target", metavar="OUT", type=OUTPUT)
@click.option("--to", "to", metavar="NAME", help="Format to write. Default: by the extension of OUT; of shards: arrow.")
@click.option("--shards", type=click.IntRange(min=1), metavar="N", help="Write a folder of N shards.")
@click.option("--shard-size", metavar="SIZE", help="Write a folder of shards of about this size. Default: 256MB.")
@click.option("--metric", metavar="M", help="Also compute quality from references by this metric.")
@source_options
@as_json
def convert(
    source_file: Path,
    target: Path,
    to: str | None,
    shards: int | None,
    shard_size: str | None,
    metric: str | None,
    as_json: bool,
    **source: Any,
) -> None:
    """Read IN in any known format and write OUT (.jsonl, .arrow, .parquet, .nbest or .run).

    A name of a text file that ends in .gz or .zst has it compressed. An OUT that ends in / is a folder of shards: Arrow
    files, or Parquet with --to parquet. IN may be one. Folders and JSON lines are converted to each other block by
    block, whatever their size.

    \b
    Example:  runoff convert fold1/train.txt train.arrow
              runoff convert large.jsonl large/ --shard-size 512MB
    """
    as_folder = shards is not None or shard_size is not None or is_folder(target)
    check_data_output(target, [source_file], folder=as_folder, to=to)
    reader, seen = Source(**source), _Seen()
    if as_folder:
        plan = plan_of(shards, shard_size, to, lambda: _count(reader, source_file), target)
        write_folder(seen.each(reader.blocks(source_file, metric)), target, plan)
    elif reader.is_set(source_file) and _writes_blocks(target, to):
        from runoff.formats.jsonl import write_blocks

        write_blocks(seen.each(reader.blocks(source_file, metric)), target)
    else:
        from runoff.io import write

        data = reader.read(source_file, metric)
        write(data, target, to)
        say_notes(data)
        _report(target, len(data), data.n_candidates, data.notes, repr(data), as_json=as_json)
        return
    for note in seen.notes:
        say(f"note: {note}")
    what = f"{counted(seen.groups, 'groups')}, {counted(seen.candidates, 'candidates')}"
    _report(target, seen.groups, seen.candidates, tuple(seen.notes), what, as_json=as_json)


class _Seen:
    """Counts what passes by."""

    def __init__(self) -> None:
        self.groups = self.candidates = 0
        self.notes: dict[str, None] = {}

    def each(self, blocks: Iterator[NBest]) -> Iterator[NBest]:
        for block in blocks:
            self.groups, self.candidates = self.groups + len(block), self.candidates + block.n_candidates
            self.notes.update(dict.fromkeys(block.notes))
            yield block


def _count(reader: Source, path: Path) -> int:
    """Number of lists, for which the data is read once more."""
    if str(path) == "-":
        raise UsageError("--shards counts the lists first, and standard input can be read only once; use --shard-size.")
    return sum(map(len, reader.blocks(path)))


def _writes_blocks(target: Path, to: str | None) -> bool:
    from runoff.formats.streams import bare_name

    return to == "jsonl" or (to is None and bare_name(target).endswith((".jsonl", ".ndjson")))


def _report(target: Path, groups: int, candidates: int, notes: tuple[str, ...], what: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"output": str(target), "groups": groups, "candidates": candidates, "notes": list(notes)})
    else:
        say(f"wrote {target}: {what}")
