"""`runoff eval`: whether the second round helps."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - click looks at the annotations
from typing import Any

import click

from runoff.cli.block_warnings import NotesOnce
from runoff.cli.options import (
    FILE,
    INPUT,
    Source,
    as_json,
    check_outputs,
    cluster_option,
    external_option,
    metric_option,
    print_json,
    resampling,
    resampling_options,
    say,
    say_notes,
    source_options,
)
from runoff.tables import counted


@click.command(name="eval")
@click.argument("model", type=INPUT)
@click.argument("data", type=INPUT)
@metric_option
@source_options
@resampling_options
@click.option("--picture", type=FILE, help="Also draw the result to this PNG or SVG file.")
@external_option
@as_json
@cluster_option
def evaluate(
    model: Path,
    data: Path,
    metric: str | None,
    picture: Path | None,
    allow_external: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Compare MODEL's choice on DATA with the first round's, the best possible and a random one.

    Where the task has baselines, also with those; where its papers report more numbers, also with these.

    \b
    Example:  runoff eval model.runoff test.jsonl --metric wer
    """
    from runoff.model import check_features, load

    check_outputs([picture], [model, data])
    how, chooser = resampling(options), load(model, allow_external=allow_external)
    reader = Source(**options)
    if reader.is_set(data):
        from runoff.report import evaluate_blocks

        told, blocks = NotesOnce(), reader.blocks(data, metric)
        found = evaluate_blocks(
            chooser, map(told.of, blocks), metric, resampling=how, gather=lambda: reader.read(data, metric)
        )
    else:
        lists = reader.read(data, metric)
        check_features(chooser, lists)

        from runoff.report import evaluate as evaluate_  # after reading: a mistake is answered before learners load

        found = evaluate_(chooser, lists, metric, resampling=how)
    if picture is not None:
        from runoff.report.pictures import draw_evaluation

        left_out = draw_evaluation(found, picture, data.name)
        say(f"wrote {picture}" + (f", without the last {counted(left_out, 'metrics')}" if left_out else ""))
    told.say() if reader.is_set(data) else say_notes(lists)
    print_json(found.to_dict()) if as_json else click.echo(found)
