"""`runoff reproduce`: published experiments, run again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from runoff.cli.options import FILE, as_json, interruptible, print_json, say, seed_option
from runoff.errors import DataError, UsageError


@click.command()
@click.argument("name", required=False)
@click.option("--list", "wants_list", is_flag=True, help="List the papers, what each needs and how long it takes.")
@click.option("--data", type=FILE, metavar="FOLDER", help="Folder with data of the paper's kind; see --list.")
@click.option("--quick", is_flag=True, help="Synthetic data at a small scale instead, in less than two minutes.")
@click.option(
    "-o", "--output", "folder", type=FILE, metavar="FOLDER", help="Folder to write to.  [default: runoff-NAME]"
)
@click.option(
    "--rounds", type=click.IntRange(min=1), help="At most so many rounds of boosting, in less time than the paper's."
)
@seed_option
@as_json
def reproduce(
    name: str | None,
    wants_list: bool,
    data: Path | None,
    quick: bool,
    folder: Path | None,
    rounds: int | None,
    seed: int,
    as_json: bool,
) -> None:
    """Run the experiments of the paper NAME, and compare with what it published.

    Every table and figure is made again, with the paper's numbers beside those found here, and every claim gets a
    verdict. The output folder has page.md, page.html, page.json and the pictures. The same command after an
    interruption goes on where it was.

    \b
    Example:  runoff reproduce --list
              runoff reproduce volkovs-2011 --quick
              runoff reproduce volkovs-2011 --data letor/MQ2008 -o mq2008
              runoff reproduce collins-koo-2005 --data treebank --rounds 1000
    """
    from runoff import reproduce as papers

    if wants_list:
        _list(as_json)
        return
    if name is None:
        raise UsageError(f"name a paper: {', '.join(papers.names())}; or see `runoff reproduce --list`.")
    paper = papers.get(name)
    if quick == (data is not None):
        raise UsageError(f"give either --data FOLDER or --quick. {paper.name} needs {paper.needs}")
    if data is not None and not data.is_dir():
        raise DataError(f"expected a folder; {paper.name} needs {paper.needs}", path=data)
    out = folder or Path(f"runoff-{paper.name}")
    with interruptible(f"what is finished is in {out}; the same command goes on from there"):
        found = papers.reproduce(paper, out, data=data, seed=seed, rounds=rounds, say=say)
    if as_json:
        print_json(found)
        return
    from runoff.reproduce.page import page_text

    click.echo(f"\n{page_text(found)}\n")
    say(f"wrote {out / 'page.html'}, page.md, page.json and {len(found['figures'])} pictures beside them")


def _list(as_json: bool) -> None:
    from runoff import reproduce as papers

    found: dict[str, Any] = {}
    for name in papers.names():
        paper = papers.get(name)
        found[name] = {"citation": paper.citation, "needs": paper.needs, "takes": paper.takes}
    if as_json:
        print_json(found)
        return
    for name, about in found.items():
        click.echo(f"{name}\n  {about['citation']}\n  needs: {about['needs']}\n  takes: {about['takes']}\n")
    click.echo("Each runs on synthetic data with --quick, in less than two minutes on two idle cores.")
