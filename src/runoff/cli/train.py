"""`runoff train`: train a model on candidate lists."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from runoff.cli import training_summary
from runoff.cli.options import (
    FILE,
    INPUT,
    Source,
    as_json,
    check_outputs,
    cluster_option,
    external_option,
    group_by_option,
    metric_option,
    print_json,
    say,
    say_notes,
    seed_option,
    settings,
    source_options,
    task_for,
    task_option,
)
from runoff.errors import DataError, UsageError
from runoff.tables import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runoff.features.featurizer import Featurizer
    from runoff.learners import Learner
    from runoff.metrics import Metric
    from runoff.model import LinearModel
    from runoff.nbest import NBest
    from runoff.report import Evaluation
    from runoff.tasks import Task

FEW = 20  # groups of dev data below which a warning is printed
_OPTION_OF = {"careful": "--bold", "group_by": "--group-by"}  # parameters whose option has another name


@click.command()
@click.argument("data", type=INPUT)
@click.option("-o", "--output", "out", type=FILE, required=True, help="Output file of the model.")
@click.option("--dev", type=FILE, help="Held-out data for early stopping and parameter selection.")
@click.option("--dev-references", type=FILE, help="File with the references of the dev data.")
@click.option("--dev-qrels", type=FILE, help="TREC: file with the relevance judgements of the dev data.")
@click.option("--folds", type=int, metavar="K", help="First cross-validate on DATA with K folds.")
@click.option("--learner", metavar="NAME", help="See `runoff learners`. Default: the task's own, else blend.")
@task_option
@click.option("--families", metavar="F", help="Feature families, for tasks that have them.")
@click.option("--recipes", metavar="R", help="Training recipes to try, comma separated, for tasks that have them.")
@click.option(
    "--featurizer", type=FILE, metavar="FILE", help="The --keep file of the `runoff features` that wrote DATA."
)
@click.option("--bold", is_flag=True, help="Texts: switch from the first choice even without a reliable gain.")
@click.option("--careful", is_flag=True, help="Keep the first choice where switching does not pay on the dev data.")
@group_by_option
@seed_option
@click.option("--set", "pairs", multiple=True, metavar="KEY=VALUE", help="Parameter of the learner; may be repeated.")
@click.option(
    "--learning-curve",
    is_flag=True,
    help="First train on growing parts of DATA, judged on a fifth of it: would more lists help? Kept in the model.",
)
@click.option("--picture", type=FILE, help="Also draw the training curves to this PNG or SVG file.")
@metric_option
@source_options
@external_option
@as_json
@cluster_option
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
    featurizer: Path | None,
    bold: bool,
    careful: bool,
    group_by: str | None,
    seed: int,
    pairs: tuple[str, ...],
    learning_curve: bool,
    picture: Path | None,
    metric: str | None,
    allow_external: bool,
    as_json: bool,
    **source: Any,
) -> None:
    """Learn from DATA which candidates should win, and write the model.

    The task is recognised from the data. For plain texts and trees, features are extracted; the model keeps the
    featurizer, so it takes raw lists.

    \b
    Example:  runoff train train.jsonl --dev dev.jsonl -o model.runoff
              runoff train lists.jsonl --folds 5 -o model.runoff --learner perceptron
              runoff train texts.jsonl --metric wer --folds 5 -o model.runoff
    """
    for name, given in (("references", dev_references), ("qrels", dev_qrels)):
        if dev is not None and source[name] is not None and given is None:
            raise UsageError(f"--{name} belongs to the training data; give --dev-{name} for the dev data.")
    if allow_external and featurizer is None:
        raise UsageError("--allow-external is for the file of --featurizer, and there is none; leave it out.")
    if careful and dev is None:
        raise UsageError("--careful needs held-out lists to choose a threshold; give --dev.")
    options = {"families": families, "recipes": recipes, "careful": False if bold else None, "group_by": group_by}
    own = {name: value for name, value in options.items() if value is not None}
    parameters = settings(pairs)
    kept = _checkpoint(parameters)
    check_outputs([out, picture, kept], [data, dev, featurizer])
    with _no_model_after_ctrl_c(kept):
        lists = Source(**source).read(data, metric)
        say_notes(lists)
        kind = task_for(lists, task, data)
        chosen = _learner(kind, learner, own, {"seed": seed, "verbose": True, **parameters}, parameters)
        if learner is None:
            say(f"learner: {training_summary.learner_line(chosen)} Use --learner to choose another.")
        if careful and "careful" in chosen.get_params():
            raise UsageError(f"the task {kind.name} is careful by default; leave --careful out.")
        known = None if featurizer is None else _featurizer(featurizer, kind, allow_external)
        _check_metric(lists, data, chosen.metric or metric)
        if chosen.metric is None:
            chosen.set_params(metric=metric)
        held_out = None
        if dev is None and "calibration" not in parameters:
            chosen.set_params(calibration="folds")  # a model from the shell has a confidence
        if dev is not None:
            held_out = Source(**{**source, "references": dev_references, "qrels": dev_qrels}).read(dev, metric)
            say_notes(held_out)
        _report_selection(data, dev, held_out, metric)
        proof = None
        if folds is not None:
            from runoff.report import cross_validate

            proof = cross_validate(chosen, lists, metric, folds=folds, task=kind, verbose=True)
            if not as_json:
                click.echo(f"{proof}\n")
        curve = None
        if learning_curve:
            from runoff.metrics import Resampling
            from runoff.report import learning_curve as learning_curve_

            drawn = Resampling(seed=seed)
            curve = learning_curve_(chosen, lists, dev=held_out, metric=metric, resampling=drawn, verbose=True)
            if not as_json:
                click.echo(f"{curve}\n")
        model = chosen.fit(lists, held_out).model
        if known is not None:
            from runoff.learners.featurized import with_featurizer

            model = with_featurizer(model, known)
        if careful and held_out is not None:
            model = _with_threshold(model, held_out, chosen.metric_for(lists), group_by)
        if curve is not None:
            model = curve.stored_in(model)
        model.save(out)
    with _model_survives_ctrl_c(out):
        judged = len(lists if held_out is None else held_out)
        _report_training(
            chosen, model, chosen.metric_for(lists), judged, out, data.name, picture, proof, as_json=as_json
        )


def _learner(
    task: Task, name: str | None, own: dict[str, Any], parameters: dict[str, Any], given: dict[str, Any]
) -> Learner:
    """The learner of the task, with its parameters; those of `--set` come last."""
    for option in own:
        if option in given:
            raise UsageError(f"{option} is given twice, by --set and by its own option; leave one out.")
    unknown = set(own) - {*task.featurizer_settings}
    if unknown:
        known = task.learner(name).get_params()
        for option in sorted(unknown - known.keys()):
            raise UsageError(
                f"{_OPTION_OF.get(option, f'--{option}')} does not apply: the task is {task.name} ({task.title}), and "
                f"{'its learner' if name is None else name} has no such setting. Use --task to choose another task."
            )
    if name is None:
        usual = task.learner()
        settable = dict.fromkeys([*usual.get_params(), *task.featurizer_settings])
        for key in given:
            if key not in settable:
                raise UsageError(
                    f"{type(getattr(usual, 'learner', usual)).__name__} has no parameter {key!r}; it has: "
                    f"{', '.join(settable)}. It was taken because no learner is named; use --learner to "
                    "name one that has it."
                )
    return task.learner(name, **{**parameters, **own})


def _featurizer(path: Path, task: Task, allow_external: bool) -> Featurizer:
    """The featurizer of a file, for lists that already have its features."""
    from runoff import tasks
    from runoff.model import load

    if task.featurizers:
        raise UsageError(f"the task {task.name} fits its own featurizer in training; leave --featurizer out.")
    found = tasks.featurizer_of(load(path, allow_external=allow_external))
    if found is None:
        raise UsageError(f"{path} contains no featurizer; give the --keep file of `runoff features`.")
    return found


def _check_metric(lists: NBest, path: Path, metric: Any) -> None:
    """Raise an error if no metric is known, or there is nothing to compute it from."""
    if lists.quality is not None or lists.texts is None:
        return
    if lists.references is None:
        raise DataError(
            "there are neither references nor quality, so there is nothing to learn from; "
            "`runoff text pick --by bayes-risk` chooses texts without training.",
            path=path,
        )
    if metric is None and lists.metric is None:
        raise UsageError(f"give the metric to train for: --metric M. For texts there are: {_text_metrics()}.")


def _text_metrics() -> str:
    """Names of the metrics that compare texts."""
    from runoff.metrics import TextMetric
    from runoff.metrics.registry import kinds

    return ", ".join(name for name, kind in kinds().items() if issubclass(kind, TextMetric))


def _with_threshold(model: LinearModel, held_out: NBest, metric: Metric, group_by: str | None) -> LinearModel:
    """The model with the switching threshold that gains most on held-out lists."""
    from dataclasses import replace

    from runoff.learners.calibrate import calibrate
    from runoff.learners.switching import choose_threshold, with_threshold
    from runoff.metrics import grade_for
    from runoff.nbest.blocks import blocks

    # Scores come in the order of the rows in the file; without `rows` that is the order of the candidates.
    lists = replace(grade_for(held_out, [metric]), rows=None)
    together = blocks(lists, group_by).numbers
    careful = with_threshold(model, choose_threshold(lists, model.scores(lists), metric, blocks=together))
    return careful if model.calibration is None else calibrate(careful, lists, metric, fitted_on="dev data")


def _report_selection(data: Path, dev: Path | None, held_out: NBest | None, metric: str | None) -> None:
    """Warn about dev data that cannot decide, and report which of several metrics is used for training."""
    if dev is not None and dev.exists() and data.exists() and dev.samefile(data):
        say("warning: the dev data is the training data, so parameters chosen on it will overfit.")
    elif held_out is not None and 0 < len(held_out) < FEW:
        size = counted(len(held_out), "groups")
        say(f"warning: {size} of dev data are too few: parameters are chosen largely by chance.")
    if metric is None:
        return
    from runoff.metrics import resolve

    several = resolve(metric)
    if len(several) > 1:
        say(f"note: of {counted(len(several), 'metrics')}, the first one is used for training: {several[0].label}.")


def _report_training(
    learner: Learner,
    model: LinearModel,
    metric: Metric,
    judged: int,
    out: Path,
    data: str,
    picture: Path | None,
    proof: Evaluation | None,
    *,
    as_json: bool,
) -> None:
    """Print how the model was trained, and draw it if asked for."""
    seconds: dict[str, float] = getattr(learner, "seconds", {})
    provenance = model.provenance
    if provenance.get("finished") is False:
        say(training_summary.interruption_message(provenance))
    for kind in ("warning", "note"):
        for sentence in provenance.get(f"{kind}s", []):
            say(f"{kind}: {sentence}")
    if picture is not None:
        from runoff.report.training_pictures import draw_recipes, draw_training

        inner = getattr(learner, "learner", learner)
        if "recipes" in provenance:
            draw_recipes(provenance, metric, picture, data)
        else:
            draw_training(inner, picture, data)
        say(f"wrote {picture}")
    if as_json:
        proven = None if proof is None else proof.to_dict()
        fitted_on = None if model.calibration is None else model.calibration.to_dict()
        facts = {
            "output": str(out),
            "folds": proven,
            "calibration": fitted_on,
            "base_weight": model.base_weight,
            "active": model.n_active,
        }
        print_json({**facts, **provenance, **({"seconds": seconds} if seconds else {})})
        return
    if "recipes" in provenance:
        lines = training_summary.recipe_lines(provenance, seconds, metric, judged)
    else:
        lines = [*training_summary.fact_lines(provenance), *training_summary.selection_lines(provenance, metric)]
        lines += training_summary.threshold_lines(provenance, metric, judged)
    if model.calibration is not None:
        fitted = model.calibration
        lines.append(f"confidence: fitted on {counted(fitted.lists, 'lists')}, {fitted.fitted_on}")
    for line in lines:
        click.echo(line)
    click.echo(f"wrote {out}: {model!r}")
    say(f"next: runoff eval {out} HELD_OUT_DATA")


def _checkpoint(given: dict[str, Any]) -> Path | None:
    """The learner's checkpoint file, if it has one; the learner itself checks the setting."""
    found = given.get("checkpoint")
    return Path(found) if found and isinstance(found, str) else None


@contextlib.contextmanager
def _no_model_after_ctrl_c(checkpoint: Path | None) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt as error:
        when = f" {error}" if error.args else ""
        resume = (
            "" if checkpoint is None or not checkpoint.exists() else f" The same command resumes from {checkpoint}."
        )
        raise KeyboardInterrupt(f"interrupted{when}: no model was written.{resume}") from None


@contextlib.contextmanager
def _model_survives_ctrl_c(out: Path) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"interrupted after the model was written; {out} is complete.") from None
