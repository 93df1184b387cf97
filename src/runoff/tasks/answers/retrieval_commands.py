"""The commands `runoff answer index` and `runoff answer search`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from runoff.cli.options import FILE

if TYPE_CHECKING:
    from pathlib import Path


@click.command("index")
@click.argument("source", type=FILE)
@click.option("-o", "--output", "path", type=FILE, required=True)
def index_command(source: Path, path: Path) -> None:
    """Index a folder."""
    from runoff.tasks.answers.retrieval import PassageIndex

    PassageIndex.build(source, path)


@click.command("search")
@click.argument("path", metavar="INDEX", type=FILE)
@click.argument("query")
def search_command(path: Path, query: str) -> None:
    """Search an index."""
    from runoff.tasks.answers.retrieval import PassageIndex

    PassageIndex.open(path).search(query)
