"""`runoff compare`: whether one model is significantly better than another."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - click looks at the annotations
from typing import Any

import click

from runoff.cli.options import (
    INPUT,
    Source,
    as_json,
    external_option,
    metric_option,
    print_json,
    resampling,
    resampling_options,
    say_notes,
    source_options,
)


@click.command()
@click.argument("model_a", type=INPUT)
@click.argument("model_b", type=INPUT)
@click.argument("data", type=INPUT)
@metric_option
@source_options
@resampling_options
@external_option
@as_json
def compare(
    model_a: Path, model_b: Path, data: Path, metric: str | None, allow_external: bool, as_json: bool, **options: Any
) -> None:
    """Compare the choices of MODEL_A and MODEL_B on DATA.

    \b
    Example:  runoff compare old.runoff new.runoff test.jsonl --metric wer
    """
    from runoff.model import load
    from runoff.report import compare as compare_

    how = resampling(options)
    first, second = (load(each, allow_external=allow_external) for each in (model_a, model_b))
    lists = Source(**options).read(data, metric)
    found = compare_(first, second, lists, metric, resampling=how)
    say_notes(lists)
    print_json(found.to_dict()) if as_json else click.echo(found)
