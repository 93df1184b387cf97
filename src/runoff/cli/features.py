"""`runoff features`: extract a task's features, as data for any learner."""

from __future__ import annotations

import contextlib
import itertools
import time
from pathlib import Path  # noqa: TC003 - click looks at the annotations
from typing import TYPE_CHECKING, Any

import click

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
    say,
    say_notes,
    seed_option,
    settings,
    source_options,
    task_for,
    task_option,
)
from runoff.cli.shard_output import OUTPUT, check_data_output, write_folder
from runoff.cli.streamed_features import StreamedFeatures
from runoff.errors import UsageError
from runoff.tables import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runoff.features.featurizer import Featurizer
    from runoff.nbest import NBest
    from runoff.tasks import Task


@click.command()
@click.argument("source_file", metavar="IN", type=INPUT)
@click.option(
    "-o",
    "--output",
    "out",
    type=OUTPUT,
    required=True,
    help="Output file: .arrow, .parquet or .jsonl; or a folder of shards, if it ends in /.",
)
@click.option(
    "--fit-on",
    type=click.IntRange(min=1),
    metavar="N",
    help="Fit the featurizer on the first N lists; with a folder as output, the others go through block by block.",
)
@task_option
@click.option("--families", metavar="F", help="Feature families, comma separated; a minus removes one.")
@click.option("--like", type=FILE, metavar="FILE", help="Use the featurizer of this model, data or --keep file.")
@click.option("--keep", type=FILE, metavar="FILE", help="Also save the fitted featurizer, to use on other lists.")
@click.option(
    "--set", "pairs", multiple=True, metavar="KEY=VALUE", help="Other settings of the featurizer, e.g. min_lists=3."
)
@metric_option
@source_options
@seed_option
@external_option
@as_json
@cluster_option
def features(
    source_file: Path,
    out: Path,
    fit_on: int | None,
    task: str | None,
    families: str | None,
    like: Path | None,
    keep: Path | None,
    pairs: tuple[str, ...],
    metric: str | None,
    seed: int,
    allow_external: bool,
    as_json: bool,
    **source: Any,
) -> None:
    """Extract the features of IN and write them as data for any learner.

    The featurizer (which features are frequent, a language model) is fitted on IN, or taken from --like. Use --like for
    dev and test data, so that they have exactly the features of the training data. Where the output is a folder of
    shards, --like and --fit-on take a folder or JSON lines block by block, whatever their size.

    \b
    Example:  runoff features train.jsonl --metric wer -o train.arrow --keep features.runoff
              runoff features test.jsonl --metric wer -o test.arrow --like features.runoff
              runoff train train.arrow --learner boost --featurizer features.runoff -o model.runoff
    """
    from runoff.io import write

    as_folder = check_data_output(out, [source_file, like])
    check_outputs([keep], [out, source_file, like])
    if allow_external and like is None:
        raise UsageError("--allow-external is for the file of --like, and there is none; leave it out.")
    if like is not None and keep is not None:
        raise UsageError("--keep saves a fitted featurizer, and with --like nothing is fitted; leave one out.")
    given = {**settings(pairs), **({} if families is None else {"families": families})}
    reader = Source(**source)
    if as_folder and (like is not None or fit_on is not None):
        blocks = reader.blocks_as_is(source_file, lines=True)
        data = next(blocks)
    else:
        if fit_on is not None:
            raise UsageError("--fit-on is for features that are written as a folder of shards: -o features/.")
        blocks, data = iter(()), reader.read_as_is(source_file)
    say_notes(data)
    kind = task_for(data, task, source_file)
    began = time.monotonic()
    made = StreamedFeatures()
    with _nothing_after_ctrl_c(out):
        if like is None:
            kind.check_settings(given)
            featurizer = kind.featurizer(**_with_seed(kind, given, seed))
            if featurizer is None:
                raise UsageError(f"{source_file} has {kind.title}: nothing to extract; train on it as it is.")
        else:
            if given:
                raise UsageError(f"--like already determines the features; leave out {', '.join(given)}.")
            featurizer = _like(like, kind, allow_external)
        fitted_on = None if like is not None else fit_on or max(len(data), 1)
        lists = itertools.chain([data], blocks)
        found = made.made(lists, featurizer, fitted_on, metric, lambda block: _graded(block, metric))
        if as_folder:
            write_folder(found, out)
        else:
            write(next(found), out)
    seconds = time.monotonic() - began
    if keep is not None:
        _save(featurizer, keep)
        say(f"wrote {keep}")
    elif like is None:
        say("note: to extract the same features from other lists, use --keep FILE here and --like FILE there.")
    fresh = [note for note in made.notes if note not in data.notes]
    notes = [*fresh, *featurizer.notes]
    for note in notes:
        say(f"note: {note}")
    if not made.has_quality:
        say("note: the candidates have no quality, so a model can choose from this data but not learn from it.")
    rate = made.candidates / max(seconds, 1e-9)
    counts = {"groups": made.groups, "candidates": made.candidates, "features": made.columns}
    if as_json:
        speed = {"seconds": seconds, "candidates_per_second": rate}
        used = {"families": list(getattr(featurizer, "families", ()))}
        print_json({"output": str(out), "task": kind.name, **counts, **used, **speed, "notes": [*data.notes, *notes]})
        return
    say(
        f"wrote {out}: {counted(made.groups, 'groups')}, {counted(made.candidates, 'candidates')}, "
        f"{counted(made.columns, 'features')}; {seconds:,.1f} s, {rate:,.0f} candidates per second."
    )


@contextlib.contextmanager
def _nothing_after_ctrl_c(out: Path) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt as error:
        when = f" {error}" if error.args else ""
        raise KeyboardInterrupt(f"interrupted{when}: {out} was not written.") from None


def _with_seed(task: Task, given: dict[str, Any], seed: int) -> dict[str, Any]:
    """Settings with the seed and with progress, if the featurizer has these settings."""
    takes = task.featurizer_settings
    return {**{name: value for name, value in (("seed", seed), ("verbose", True)) if name in takes}, **given}


def _kinds(task: Task) -> list[type[Featurizer]]:
    from runoff.registry import FEATURIZERS

    return [FEATURIZERS[name] for name in task.featurizers]


def _like(path: Path, task: Task, allow_external: bool) -> Featurizer:
    """The featurizer of a model or of a --keep file, or one derived from the feature names of a data file."""
    import zipfile

    from runoff import tasks
    from runoff.formats import read
    from runoff.model import load

    if zipfile.is_zipfile(path):
        found = tasks.featurizer_of(load(path, allow_external=allow_external))
        if found is None:
            raise UsageError(f"{path} contains no featurizer; leave --like out.")
        return found
    kinds = _kinds(task)
    if not kinds:
        raise UsageError(f"the task {task.name} has no featurizer; leave --like out.")
    return kinds[0].like(read(path))


def _graded(data: NBest, metric: str | None) -> NBest:
    """Lists with quality, if all of them have references; otherwise unchanged, so that no list is lost."""
    from runoff.metrics import grade_for, resolve, with_references

    asked = resolve(metric, default=data.metric or "quality")
    return grade_for(data, asked) if with_references(data, asked[0]) is data else data


def _save(featurizer: Featurizer, path: Path) -> None:
    """Save the featurizer, as a model without weights."""
    import dataclasses

    from runoff.model import LinearModel

    dataclasses.replace(LinearModel.of({}), preparation=(featurizer.to_step(),)).save(path)
