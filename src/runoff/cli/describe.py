"""`runoff describe`: what is in the data, and what a better choice could gain."""

from __future__ import annotations

import zipfile
from pathlib import Path  # noqa: TC003 - click looks at the annotations
from typing import Any

import click

from runoff.cli.options import (
    INPUT,
    RESAMPLING,
    Source,
    as_json,
    metric_option,
    print_json,
    resampling,
    resampling_options,
    source_options,
    task_option,
)


@click.command()
@click.argument("data", type=INPUT)
@task_option
@metric_option
@source_options
@resampling_options
@as_json
def describe(data: Path, task: str | None, metric: str | None, as_json: bool, **options: Any) -> None:
    """Summarise DATA and what a better choice could gain; or, where DATA is a model, how it was trained.

    Where the task has baselines (voting and minimum Bayes risk for texts), also what they would gain without training.

    \b
    Example:  runoff describe lists.jsonl --metric wer
              runoff describe model.runoff
    """
    if data.is_file() and zipfile.is_zipfile(data):  # a pipe could be read only once
        _describe_model(data, as_json=as_json)
        return
    judged = {name: options.pop(name) for name in RESAMPLING}
    reader = Source(**options)
    if reader.is_set(data):
        from runoff.report import describe_blocks

        blocks, how = reader.blocks(data, metric), resampling(judged)
        found = describe_blocks(blocks, metric, task=task, resampling=how, gather=lambda: reader.read(data, metric))
    else:
        lists = reader.read(data, metric)

        from runoff.report import describe as describe_  # after reading: a mistake is answered before learners load

        how = resampling(judged)
        found = describe_(lists, metric, task=task, resampling=how)
    print_json(found.to_dict()) if as_json else click.echo(found)


def _describe_model(path: Path, *, as_json: bool) -> None:
    """Print how a model was trained, what it weighs most, and its learning curve, if it has one."""
    from runoff.cli.training_summary import fact_lines
    from runoff.model import load
    from runoff.tables import text_table

    model = load(path, allow_external=True)  # nothing is scored, so that nothing external is opened
    if as_json:
        print_json({"model": repr(model), "base_weight": model.base_weight, **model.provenance})
        return
    click.echo(repr(model))
    for line in fact_lines(model.provenance):
        click.echo(line)
    weights = [[name, f"{weight:+.4f}"] for name, weight in model.heaviest(10) if weight]
    if weights:
        click.echo(f"\n{text_table(['largest weights', ''], weights)}")
    told = model.learning_curve or "No learning curve: runoff train --learning-curve finds and keeps one."
    click.echo(f"\n{told}")
