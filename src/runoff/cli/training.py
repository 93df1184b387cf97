"""Commands that learn: train, demo."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - click looks at the annotations
from typing import Any

import click

from runoff.cli.options import (
    FILE,
    Source,
    as_json,
    metric_option,
    print_json,
    say,
    say_notes,
    settings,
    source_options,
)


@click.command()
@click.argument("data", type=FILE)
@click.option("-o", "--output", "out", type=FILE, required=True, help="Where to write the model.")
@click.option("--dev", type=FILE, help="Held-out data for early stopping and the choice of parameters.")
@click.option("--dev-references", type=FILE, help="Moses: file of references of the dev data.")
@click.option("--dev-qrels", type=FILE, help="TREC: file of relevance judgements of the dev data.")
@click.option(
    "--folds",
    type=int,
    metavar="K",
    help="First prove it on DATA itself: choose in each of K folds by the others.",
)
@click.option("--learner", default="loglinear", show_default=True, metavar="NAME", help="Learner.")
@click.option("--set", "pairs", multiple=True, metavar="KEY=VALUE", help="Parameter of the learner; may be repeated.")
@metric_option
@source_options
@as_json
def train(
    data: Path,
    out: Path,
    dev: Path | None,
    dev_references: Path | None,
    dev_qrels: Path | None,
    folds: int | None,
    learner: str,
    pairs: tuple[str, ...],
    metric: str | None,
    as_json: bool,
    **source: Any,
) -> None:
    """Learn from DATA which candidates should win, and write the model.

    \b
    Example:  runoff train train.jsonl --dev dev.jsonl -o model.runoff
              runoff train lists.jsonl --folds 5 -o model.runoff --set right=tied
    """
    from runoff.learners import learner as learner_named

    chosen = learner_named(learner)()
    chosen.set_params(verbose=True)
    chosen.set_params(**settings(pairs))
    lists = Source(**source).read(data, metric)
    say_notes(lists)
    if chosen.metric is None:
        chosen.set_params(metric=metric or lists.metric)
    held_out = None
    if dev is not None:
        held_out = Source(
            **{
                **source,
                "references": dev_references or source["references"],
                "qrels": dev_qrels or source["qrels"],
            }
        ).read(dev, metric)
    proof = None
    if folds is not None:
        from runoff.report import cross_validate

        proof = cross_validate(chosen, lists, metric, folds=folds, verbose=True)
    model = chosen.fit(lists, dev=held_out).model
    model.save(out)
    if as_json:
        proven = None if proof is None else proof.to_dict()
        print_json(
            {
                "output": str(out),
                "folds": proven,
                "base_weight": model.base_weight,
                "active": model.n_active,
                **model.made,
            }
        )
        return
    if proof is not None:
        click.echo(f"{proof}\n")
    for name in ("sigma", "steps", "loss", "dropped_groups", "dev"):
        if name in model.made:
            click.echo(f"{name.replace('_', ' ')}: {_shown(model.made[name])}")
    click.echo(f"wrote {out}: {model!r}")
    say(f"next: runoff eval {out} HELD_OUT_DATA")


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {_shown(each)}" for key, each in value.items())
    return f"{value:,.4f}" if isinstance(value, float) else str(value)


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
@click.option("--seed", default=0, show_default=True, help="Seed of the made-up sentences.")
@as_json
def demo(folder: Path, seed: int, as_json: bool) -> None:
    """Make readable data, learn, prove, explain one decision and draw the result; no files needed.

    \b
    Example:  runoff demo
    """
    from runoff.demo import run

    found = run(folder, seed, say=say if as_json else click.echo)
    if as_json:
        print_json(found)
