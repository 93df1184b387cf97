"""`runoff explain`: why one candidate wins."""

from __future__ import annotations

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
    print_json,
    say,
    source_options,
)
from runoff.errors import UsageError


@click.command()
@click.argument("model", type=INPUT)
@click.argument("data", type=INPUT)
@click.option("--group", metavar="ID", help="Id of the group. Default: one in which the choice is clearly better.")
@click.option(
    "--against",
    metavar="CANDIDATE",
    help="A candidate's id or index from 0. Default: the first round's choice.",
)
@click.option("--most", default=15, show_default=True, help="Number of features to show.")
@click.option("--picture", type=FILE, help="Also draw both candidates to this file, for tasks that can (e.g. trees).")
@source_options
@external_option
@as_json
def explain(
    model: Path,
    data: Path,
    group: str | None,
    against: str | None,
    most: int,
    picture: Path | None,
    allow_external: bool,
    as_json: bool,
    **source: Any,
) -> None:
    """Explain why MODEL's winner in one group of DATA beats a rival.

    \b
    Example:  runoff explain model.runoff test.jsonl
              runoff explain model.runoff test.jsonl --group utt-17 --against 0
    """
    from runoff import tasks
    from runoff.model import load
    from runoff.pictures import picture_kind

    check_outputs([picture], [model, data])
    if picture is not None:
        picture_kind(picture)
    chooser, lists = load(model, allow_external=allow_external), Source(**source).read_as_is(data)
    kind = tasks.task_of(chooser, lists)
    if group is None:
        from runoff.pipeline.showcase import group_to_show

        group, why = group_to_show(chooser, lists, kind)
        say(f"group: {group}, {why}; --group ID for another.")
    found = kind.explain(chooser, lists, group, against)
    draw = getattr(found, "draw", None)
    if picture is not None and draw is None:
        raise UsageError(f"the task {kind.name} cannot draw candidates ({kind.title}); leave out --picture.")
    print_json(found.to_dict()) if as_json else click.echo(found.to_text(most))
    if picture is not None and draw is not None:
        draw(picture)
        say(f"wrote {picture}")
