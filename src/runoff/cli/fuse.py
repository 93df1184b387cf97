"""`runoff fuse`: the rankings of several systems become one, without training."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - click looks at the annotations
from typing import Any

import click

from runoff.cli.merge import system_names
from runoff.cli.options import (
    FILE,
    INPUT,
    Source,
    as_json,
    check_outputs,
    cluster_option,
    print_json,
    say,
    say_notes,
    source_options,
)
from runoff.errors import UsageError


@click.command()
@click.argument("sources", metavar="FILES…", nargs=-1, required=True, type=INPUT)
@click.option(
    "-o", "--output", "out", type=FILE, required=True, help="Fused lists: a run (.run), or all they hold (.jsonl, …)."
)
@click.option("--to", metavar="NAME", help="Format to write. Default: by the extension of the output.")
@click.option(
    "--method",
    default="rrf",
    show_default=True,
    help="rrf, combsum, combmnz, borda, isr or log-isr.",
)
@click.option(
    "--normalisation", default="min-max", show_default=True, help="Of scores within a list: min-max, z or none."
)
@click.option("--weights", metavar="W,W,…", help="Weight of each file's system, in their order. Default: 1 for all.")
@click.option("--constant", default=60.0, show_default=True, help="Of RRF, which adds up 1 / (constant + place).")
@click.option("--name", "names", multiple=True, help="Name of a system, once for every file. Default: the file's.")
@source_options
@as_json
@cluster_option
def fuse(
    sources: tuple[Path, ...],
    out: Path,
    to: str | None,
    method: str,
    normalisation: Any,
    weights: str | None,
    constant: float,
    names: tuple[str, ...],
    as_json: bool,
    **options: Any,
) -> None:
    """Fuse the rankings that several systems have for the same queries, without training.

    Reads runs and any other lists with scores. Documents are known by their ids, texts by themselves. A weighted sum of
    scores is --method combsum with --weights.

    \b
    Example:  runoff fuse bm25.run dense.run --method rrf -o fused.run
              runoff fuse bm25.run dense.run --method combsum --normalisation z --weights 0.3,0.7 -o fused.run
    """
    from runoff.combine.fusion import Fusion
    from runoff.combine.merge import merge
    from runoff.formats import writer_for
    from runoff.io import write
    from runoff.nbest import Features

    fusion = Fusion(method, normalisation, _numbers(weights), constant)
    systems = system_names(sources, names)
    fusion.check(systems)
    check_outputs([out], list(sources))
    writer_for(out, to)
    source = Source(**options)
    lists = {name: source.read_as_is(path) for name, path in zip(systems, sources, strict=True)}
    scored = {name: data.replace(features=Features.none(data.n_candidates)) for name, data in lists.items()}
    fused = merge(scored, base=fusion)
    write(fused, out, to)
    say_notes(fused)
    if as_json:
        facts = {"output": str(out), "method": method, "groups": len(fused), "candidates": fused.n_candidates}
        print_json({**facts, "systems": systems, "notes": list(fused.notes)})
    else:
        say(f"wrote {out}: {len(fused):,} lists with {fused.n_candidates:,} candidates, by {method}.")


def _numbers(text: str | None) -> tuple[float, ...]:
    if text is None:
        return ()
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise UsageError(f"--weights takes numbers with commas between them; found {text!r}.") from None
