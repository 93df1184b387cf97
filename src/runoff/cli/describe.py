"""`runoff describe`: what is in the data, and what a better choice could gain."""

from __future__ import annotations

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
    """Summarise DATA and what a better choice could gain.

    Where the task has baselines (voting and minimum Bayes risk for texts), also what they would gain without training.

    \b
    Example:  runoff describe lists.jsonl --metric wer
    """
    judged = {name: options.pop(name) for name in RESAMPLING}
    lists = Source(**options).read(data, metric)

    from runoff.report import describe as describe_  # after reading: a mistake is answered before learners load

    how = resampling(judged)
    found = describe_(lists, metric, task=task, resampling=how)
    print_json(found.to_dict()) if as_json else click.echo(found)
