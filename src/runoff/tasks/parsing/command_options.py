"""Options that the commands for parses share, and what they say when they are interrupted."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import click

from runoff.cli.options import FILE, Command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


def extraction_options(*, gold: bool = True) -> Callable[[Command], Command]:
    """Options that say how lists are read and features are taken from them; without `gold`, trees are not judged."""
    options = [
        click.option("--processes", type=click.IntRange(min=1), help="Processes side by side. Default: one a core."),
        click.option(
            "--cache",
            type=FILE,
            metavar="DIR",
            envvar="RUNOFF_CACHE",
            show_envvar=True,
            help="Folder that keeps what was extracted, for the next time. Default: none.",
        ),
        click.option("--format", "format", metavar="NAME", help="Format of LISTS. Default: recognised by content."),
    ]
    if gold:
        right = "File of right trees, one per list in the same order."
        options.append(click.option("--gold", type=FILE, metavar="TREES", help=right))

    def add(command: Command) -> Command:
        for option in options:
            command = option(command)
        return command

    return add


@contextlib.contextmanager
def working(outcome: str, cache: Path | None) -> Iterator[None]:
    """Say after Ctrl-C what became of the work."""
    try:
        yield
    except KeyboardInterrupt:
        kept = cache is not None and any(cache.glob("*.npz"))
        goes_on = f" The same command goes on with what is in {cache}." if kept else ""
        raise KeyboardInterrupt(f"interrupted: {outcome}.{goes_on}") from None
