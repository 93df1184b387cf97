"""`runoff split`: one file into several, group by group."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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
from runoff.errors import UsageError


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

    \b
    Example:  runoff split lists.jsonl train.arrow=0.7 dev.arrow=0.1 test.arrow=0.2
              runoff split lists.jsonl train.arrow=0.8 test.arrow=0.2 --group-by speaker
    """
    from runoff.formats import writer_for
    from runoff.io import write
    from runoff.nbest.blocks import blocks

    wanted = [(Path(name), _share(share, part)) for part in parts for name, _, share in [part.rpartition("=")]]
    if sum(share for _, share in wanted) > 1 + 1e-9:
        raise UsageError("the shares add up to more than 1.")
    check_outputs([name for name, _ in wanted], [source_file])
    for name, _ in wanted:
        writer_for(name)
    data = Source(**source).read(source_file, metric)
    kept = blocks(data, group_by)
    part_of = kept.parts([share for _, share in wanted], seed)
    sizes = {}
    for at, (name, _) in enumerate(wanted):
        part = data[part_of == at]
        write(part, name)
        sizes[str(name)] = len(part)
    say_notes(data)
    if kept.note():
        say(f"note: {kept.note('files')}")
    left_out = len(data) - sum(sizes.values())
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
