"""`runoff convert`: from one format to another."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - click looks at the annotations
from typing import Any

import click

from runoff.cli.options import FILE, INPUT, Source, as_json, check_outputs, print_json, say, say_notes, source_options


@click.command()
@click.argument("source_file", metavar="IN", type=INPUT)
@click.argument("target", metavar="OUT", type=FILE)
@click.option("--to", "to", metavar="NAME", help="Format to write. Default: by the extension of OUT.")
@click.option("--metric", metavar="M", help="Also compute quality from references by this metric.")
@source_options
@as_json
def convert(source_file: Path, target: Path, to: str | None, metric: str | None, as_json: bool, **source: Any) -> None:
    """Read IN in any known format and write OUT (.jsonl, .arrow, .parquet, .nbest or .run).

    A name of a text file that ends in .gz or .zst has it compressed.

    \b
    Example:  runoff convert fold1/train.txt train.arrow
    """
    from runoff.formats import writer_for
    from runoff.io import write

    check_outputs([target], [source_file])
    writer_for(target, to)
    data = Source(**source).read(source_file, metric)
    write(data, target, to)
    say_notes(data)
    if as_json:
        print_json(
            {
                "output": str(target),
                "groups": len(data),
                "candidates": data.n_candidates,
                "notes": list(data.notes),
            }
        )
    else:
        say(f"wrote {target}: {data!r}")
