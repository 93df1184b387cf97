"""`runoff demo`: the whole workflow on synthetic sentences."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - click looks at the annotations

import click

from runoff.cli.options import FILE, as_json, print_json, say


@click.command()
@click.option(
    "-o",
    "--output",
    "folder",
    type=FILE,
    default="runoff-demo",
    show_default=True,
    help="Folder to write to.",
)
@click.option("--seed", default=0, show_default=True, help="Seed of the synthetic sentences.")
@as_json
def demo(folder: Path, seed: int, as_json: bool) -> None:
    """Generate readable data, train, evaluate, explain one decision and draw the result. Needs no files.

    \b
    Example:  runoff demo
    """
    from runoff.demo import run

    found = run(folder, seed, say=say if as_json else click.echo)
    if as_json:
        print_json(found)
