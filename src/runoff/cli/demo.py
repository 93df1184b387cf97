"""`runoff demo`: the whole workflow on synthetic sentences."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - click looks at the annotations

import click

from runoff.cli.options import FILE, as_json, print_json, say
from runoff.cli.view import check_view_packages, show


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
@click.option("--view", "views", is_flag=True, help="Then open the result in the browser, as `runoff view` does.")
@as_json
def demo(folder: Path, seed: int, views: bool, as_json: bool) -> None:
    """Generate readable data, train, evaluate, explain one decision and draw the result. Needs no files.

    \b
    Example:  runoff demo
              runoff demo --view
    """
    from runoff.demo import run

    if views:
        check_view_packages()
    found = run(folder, seed, say=say if as_json else click.echo)
    if as_json:
        print_json(found)
    if views:
        from runoff.io import read
        from runoff.model import load
        from runoff.server.study import Study

        model, data = load(folder / "model.runoff"), read(folder / "test.jsonl")
        show(Study(data, model, name=f"{folder.name}/model.runoff on test.jsonl"), 0, opens=True)
