"""Commands that look at data and models: describe, eval, compare, explain."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - click looks at the annotations
from typing import Any

import click

from runoff.cli.options import (
    FILE,
    TASKS,
    Source,
    as_json,
    metric_option,
    print_json,
    say,
    say_notes,
    seed_option,
    source_options,
)
from runoff.tables import counted


def certainty_options(command: Any) -> Any:
    """Add the options of intervals and tests."""
    for option in (
        click.option("--confidence", default=0.95, show_default=True, help="Confidence of the intervals."),
        click.option("--trials", default=10_000, show_default=True, help="Trials of the randomisation test."),
        click.option("--resamples", default=1_000, show_default=True, help="Bootstrap resamples of the groups."),
    ):
        command = option(command)
    return command


@click.command()
@click.argument("data", type=FILE)
@click.option("--task", type=click.Choice(TASKS), help="text: also what choices between texts win without training.")
@metric_option
@source_options
@seed_option
@as_json
def describe(data: Path, task: str | None, metric: str | None, seed: int, as_json: bool, **source: Any) -> None:
    """Say what is in DATA and what a better choice could win.

    \b
    Example:  runoff describe lists.jsonl --metric wer
              runoff describe lists.jsonl --metric wer --task text
    """
    from runoff.report import describe as describe_

    found = describe_(Source(**source).read(data, metric), metric, task=task, seed=seed)
    print_json(found.to_dict()) if as_json else click.echo(found)


@click.command(name="eval")
@click.argument("model", type=FILE)
@click.argument("data", type=FILE)
@metric_option
@source_options
@certainty_options
@click.option("--picture", type=FILE, help="Also draw the result to this PNG or SVG file.")
@seed_option
@as_json
def evaluate(
    model: Path,
    data: Path,
    metric: str | None,
    picture: Path | None,
    resamples: int,
    trials: int,
    confidence: float,
    seed: int,
    as_json: bool,
    **source: Any,
) -> None:
    """Compare MODEL's choice in DATA with the first round's, the best possible and a random one.

    Beside a model for texts also with choices that need no training: by length, by votes, by least Bayes risk.

    \b
    Example:  runoff eval model.runoff test.jsonl --metric wer
    """
    from runoff.model import load
    from runoff.report import evaluate as evaluate_

    chooser = load(model)
    lists = Source(**source).read(data, metric)
    found = evaluate_(chooser, lists, metric, resamples=resamples, trials=trials, confidence=confidence, seed=seed)
    if picture is not None:
        from runoff.report.pictures import draw_evaluation

        left_out = draw_evaluation(found, picture)
        say(f"wrote {picture}" + (f", without the last {counted(left_out, 'metrics')}" if left_out else ""))
    say_notes(lists)
    print_json(found.to_dict()) if as_json else click.echo(found)


@click.command()
@click.argument("model_a", type=FILE)
@click.argument("model_b", type=FILE)
@click.argument("data", type=FILE)
@metric_option
@source_options
@certainty_options
@seed_option
@as_json
def compare(
    model_a: Path,
    model_b: Path,
    data: Path,
    metric: str | None,
    resamples: int,
    trials: int,
    confidence: float,
    seed: int,
    as_json: bool,
    **source: Any,
) -> None:
    """Compare the choices of MODEL_A and MODEL_B in DATA.

    \b
    Example:  runoff compare old.runoff new.runoff test.jsonl --metric wer
    """
    from runoff.model import load
    from runoff.report import compare as compare_

    models = load(model_a), load(model_b)
    lists = Source(**source).read(data, metric)
    found = compare_(*models, lists, metric, resamples=resamples, trials=trials, confidence=confidence, seed=seed)
    say_notes(lists)
    print_json(found.to_dict()) if as_json else click.echo(found)


@click.command()
@click.argument("model", type=FILE)
@click.argument("data", type=FILE)
@click.option("--group", required=True, metavar="ID", help="Id of the group.")
@click.option(
    "--against",
    metavar="CANDIDATE",
    help="Rival: a candidate's id, or its place from 0. Default: first choice.",
)
@click.option("--most", default=15, show_default=True, help="Features to show.")
@source_options
@as_json
def explain(model: Path, data: Path, group: str, against: str | None, most: int, as_json: bool, **source: Any) -> None:
    """Say why MODEL's winner in one group of DATA leads a rival.

    \b
    Example:  runoff explain model.runoff test.jsonl --group utt-17 --against 0
    """
    from runoff.model import load

    found = load(model).explain(Source(**source).read_as_is(data), group, against)
    print_json(found.to_dict()) if as_json else click.echo(f"{found.to_text(most)}\n\n{found.in_words()}")
