"""Commands that learn: train, demo."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from runoff.cli import training_summary as telling
from runoff.cli.options import (
    FILE,
    TASKS,
    Source,
    as_json,
    check_outputs,
    metric_option,
    print_json,
    say,
    say_notes,
    source_options,
)
from runoff.errors import UsageError
from runoff.tables import counted
from runoff.tasks.text.command_options import check_metric, check_texts, learner_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runoff.learners import Learner
    from runoff.metrics import Metric
    from runoff.model import LinearModel
    from runoff.nbest import NBest
    from runoff.report import Evaluation

FEW = 20  # groups of dev data below which a warning is due


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
@click.option("--learner", metavar="NAME", help="See `runoff learners`. Default: loglinear.")
@click.option(
    "--task",
    type=click.Choice(TASKS),
    help="text, in place of a learner: make features of the texts, try recipes, keep the first choice in doubt.",
)
@click.option("--families", metavar="F", help="With --task text: features, see `runoff text families`.")
@click.option("--recipes", metavar="R", help="With --task text: ways to learn that are tried, comma separated.")
@click.option("--bold", is_flag=True, help="With --task text: never keep the first choice in doubt.")
@click.option("--careful", is_flag=True, help="Keep the first choice where a lead did not pay on the dev data.")
@click.option("--seed", default=0, show_default=True, help="Seed of everything random.")
@click.option("--set", "pairs", multiple=True, metavar="KEY=VALUE", help="Parameter of the learner; may be repeated.")
@click.option("--picture", type=FILE, help="Also draw how it learned to this PNG or SVG file.")
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
    learner: str | None,
    task: str | None,
    families: str | None,
    recipes: str | None,
    bold: bool,
    careful: bool,
    seed: int,
    pairs: tuple[str, ...],
    picture: Path | None,
    metric: str | None,
    as_json: bool,
    **source: Any,
) -> None:
    """Learn from DATA which candidates should win, and write the model.

    Lists of plain texts need no features: with --task text they are made.

    \b
    Example:  runoff train train.jsonl --dev dev.jsonl -o model.runoff
              runoff train lists.jsonl --folds 5 -o model.runoff --set right=tied
              runoff train texts.jsonl --task text --metric wer --folds 5 -o model.runoff
    """
    for name, given in (("references", dev_references), ("qrels", dev_qrels)):
        if dev is not None and source[name] is not None and given is None:
            raise UsageError(f"--{name} belongs to the training data; give --dev-{name} for the dev data.")
    if careful and (task is not None or dev is None):
        raise UsageError(
            "--careful needs held-out lists to see which lead pays; give --dev."
            if task is None
            else "--task text is careful by itself; leave --careful out."
        )
    text_options = {"families": families, "recipes": recipes, "careful": False if bold else None}
    of_texts = {name: value for name, value in text_options.items() if value is not None}
    chosen = learner_for(learner, task, of_texts, {"verbose": True, "seed": seed}, pairs)
    kept = _checkpoint(chosen)
    check_outputs([out, picture, kept], [data, dev])
    with _no_model_after_ctrl_c(kept):
        lists = Source(**source).read(data, metric)
        say_notes(lists)
        if task == "text":
            check_texts(lists, data)
            check_metric(lists, data, chosen.metric or metric)
        if chosen.metric is None:
            chosen.set_params(metric=metric or (None if chosen.own_metric else lists.metric))
        held_out = None
        if dev is not None:
            held_out = Source(**{**source, "references": dev_references, "qrels": dev_qrels}).read(dev, metric)
            say_notes(held_out)
        _say_what_decides(data, dev, held_out, metric)
        proof = None
        if folds is not None:
            from runoff.report import cross_validate

            proof = cross_validate(chosen, lists, metric, folds=folds, verbose=True)
            if not as_json:
                click.echo(f"{proof}\n")
        model = chosen.fit(lists, held_out).model
        if careful and held_out is not None:
            model = _with_caution(model, held_out, chosen)
        model.save(out)
    with _model_in_spite_of_ctrl_c(out):
        judged = len(lists if held_out is None else held_out)
        _tell_and_draw(chosen, model, chosen.metric_for(lists), judged, out, picture, proof, as_json=as_json)


def _with_caution(model: LinearModel, held_out: NBest, learner: Learner) -> LinearModel:
    """The model with the threshold that pays on held-out lists."""
    from dataclasses import replace

    from runoff.learners.switching import choose_threshold, with_threshold
    from runoff.metrics import grade_for

    metric = learner.metric_for(held_out)
    # Scores come in the order of the rows in the file; lists without a memory of it have them in their own.
    lists = replace(grade_for(held_out, [metric]), rows=None)
    return with_threshold(model, choose_threshold(lists, model.scores(lists), metric))


def _say_what_decides(data: Path, dev: Path | None, held_out: NBest | None, metric: str | None) -> None:
    """Warn of dev data that cannot decide much, and say which of several metrics does."""
    if dev is not None and dev.exists() and data.exists() and dev.samefile(data):
        say("warning: the dev data is the training data: what is chosen on it suits nothing else.")
    elif held_out is not None and 0 < len(held_out) < FEW:
        say(f"warning: {counted(len(held_out), 'groups')} of dev data decide by chance as much as by merit.")
    if metric is None:
        return
    from runoff.metrics import parse

    several = parse(metric)
    if len(several) > 1:
        say(f"note: of {counted(len(several), 'metrics')} the first decides what is learned: {several[0].label}.")


def _tell_and_draw(
    learner: Learner,
    model: LinearModel,
    metric: Metric,
    judged: int,
    out: Path,
    picture: Path | None,
    proof: Evaluation | None,
    *,
    as_json: bool,
) -> None:
    """Say how the model came about, and draw it where that was asked for."""
    seconds: dict[str, float] = getattr(learner, "seconds", {})
    if model.provenance.get("finished") is False:
        say(telling.interrupted(model.provenance))
    for kind in ("warning", "note"):
        for sentence in model.provenance.get(f"{kind}s", []):
            say(f"{kind}: {sentence}")
    if picture is not None:
        from runoff.report.pictures import draw_recipes, draw_training

        draw_recipes(model.provenance, metric, picture) if "recipes" in model.provenance else draw_training(
            learner, picture
        )
        say(f"wrote {picture}")
    if as_json:
        proven = None if proof is None else proof.to_dict()
        facts = {"output": str(out), "folds": proven, "base_weight": model.base_weight, "active": model.n_active}
        print_json({**facts, **model.provenance, **({"seconds": seconds} if seconds else {})})
        return
    if "recipes" in model.provenance:
        lines = telling.of_texts(model.provenance, seconds, metric, judged)
    else:
        lines = [*telling.facts(model.provenance), *telling.choices(model.provenance, metric)]
        lines += telling.of_threshold(model.provenance, metric, judged)
    for line in lines:
        click.echo(line)
    click.echo(f"wrote {out}: {model!r}")
    say(f"next: runoff eval {out} HELD_OUT_DATA")


def _checkpoint(learner: Learner) -> Path | None:
    """File in which the learner keeps its progress, where it does; a wrong kind of name is its own to refuse."""
    found = learner.get_params().get("checkpoint")
    return Path(found) if found and isinstance(found, str) else None


@contextlib.contextmanager
def _no_model_after_ctrl_c(checkpoint: Path | None) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt as error:
        when = f" {error}" if error.args else ""
        goes_on = (
            "" if checkpoint is None or not checkpoint.exists() else f" The same command goes on from {checkpoint}."
        )
        raise KeyboardInterrupt(f"interrupted{when}: no model was written.{goes_on}") from None


@contextlib.contextmanager
def _model_in_spite_of_ctrl_c(out: Path) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"interrupted after the model was written; {out} is complete.") from None


@click.command()
@click.argument("name", required=False)
@as_json
def learners(name: str | None, as_json: bool) -> None:
    """List the learners, or say everything about the one called NAME: what it does, its parameters and defaults.

    \b
    Example:  runoff learners
              runoff learners boost
    """
    import inspect

    from runoff.learners import LEARNERS, learner

    chosen = dict(LEARNERS) if name is None else {name: learner(name)}
    if as_json:
        print_json({each: dict(kind.parameters()) for each, kind in chosen.items()})
        return
    for each, kind in chosen.items():
        text = inspect.getdoc(kind) or ""
        click.echo(f"{each:<12} {text.splitlines()[0]}" if name is None else f"{text}\n")
        if name is not None:
            click.echo("Defaults: " + ", ".join(f"{key}={value!r}" for key, value in kind.parameters().items()))


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
