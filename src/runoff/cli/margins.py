"""`runoff margins`: how confidently a model chooses."""

from __future__ import annotations

from collections import Counter
from pathlib import Path  # noqa: TC003 - click looks at the annotations
from typing import Any

import click

from runoff.cli.options import (
    FILE,
    INPUT,
    Source,
    as_json,
    check_outputs,
    external_option,
    metric_option,
    print_json,
    say,
    say_notes,
    source_options,
)
from runoff.errors import UsageError


@click.command()
@click.argument("model", type=INPUT)
@click.argument("data", type=INPUT, nargs=-1, required=True)
@metric_option
@source_options
@click.option("--picture", type=FILE, help="Also draw the distribution of margins to this PNG or SVG file.")
@external_option
@as_json
def margins(
    model: Path,
    data: tuple[Path, ...],
    metric: str | None,
    picture: Path | None,
    allow_external: bool,
    as_json: bool,
    **source: Any,
) -> None:
    """Show by how much MODEL scores the best candidate above the strongest worse one, in each DATA.

    \b
    Example:  runoff margins model.runoff train.jsonl dev.jsonl test.jsonl --picture margins.png
    """
    from runoff.model import load
    from runoff.report import margins as margins_

    named = _names(data)
    if len(data) > 1 and source["references"] is not None:
        raise UsageError(
            "--references belongs to one DATA and there are several; first merge each with its own references: "
            "`runoff convert LISTS LISTS.jsonl --references FILE`."
        )
    check_outputs([picture], [model, *data])
    chooser = load(model, allow_external=allow_external)
    lists = {name: Source(**source).read(path, metric) for name, path in named.items()}
    found = margins_(chooser, lists, metric)
    if picture is not None:
        from runoff.report.margin_picture import draw_margins

        draw_margins(found, picture)
        say(f"wrote {picture}")
    for each in lists.values():
        say_notes(each)
    print_json(found.to_dict()) if as_json else click.echo(found)


def _names(paths: tuple[Path, ...]) -> dict[str, Path]:
    """Data sets by the names of their files, and by their paths where two files have the same name."""
    if len(set(paths)) < len(paths):
        twice = next(path for path, times in Counter(paths).items() if times > 1)
        raise UsageError(f"{twice} is named twice; name every DATA once.")
    times = Counter(path.name for path in paths)
    return {path.name if times[path.name] == 1 else str(path): path for path in paths}
