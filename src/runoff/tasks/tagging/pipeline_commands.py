"""`runoff tag jackknife`, `pipeline` and `demo`."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - click looks at the annotations
from typing import Any

import click

from runoff.cli.options import FILE, as_json, check_outputs, print_json, say, seed_option
from runoff.tasks.tagging.command_options import (
    interruptible,
    reading,
    reading_options,
    share_or_file,
    tagger_settings,
    tell,
    training_options,
)
from runoff.tasks.tagging.tagger_commands import k_option

folds_option = click.option(
    "--folds",
    type=click.IntRange(min=2),
    help="Folds of train. Default: 10, or the number of documents if there are fewer.",
)


@click.command(short_help="Write n-best taggings of training sentences.")
@click.argument("sentences_file", metavar="SENTENCES", type=FILE)
@click.option("-o", "--output", "out", type=FILE, required=True, help="Where to write the lists.")
@k_option
@folds_option
@training_options
@reading_options
@as_json
def jackknife(
    sentences_file: Path, out: Path, k: int, folds: int | None, tag: str | None, as_json: bool, **options: Any
) -> None:
    """Tag SENTENCES themselves, each fold with a tagger trained on the other folds: lists for training a reranker.

    Folds are made of whole documents. After an interruption, the same command resumes.

    \b
    Example:  runoff tag jackknife train.conll --recipe chunks --columns word,pos,chunk -o train.jsonl.gz
    """
    from runoff.tasks.tagging.corpus_parts import read_tagged
    from runoff.tasks.tagging.tagger_round import TaggerRound

    first_round, how = TaggerRound(tagger_settings(options)), reading(options)
    notes: list[str] = []
    check_outputs([out], [sentences_file])
    with interruptible(f"{out} was not written; the same command resumes"):
        read = read_tagged(sentences_file, tag, notes, **how)
        tell(notes)
        count = first_round.folds_for(read, folds)
        facts = first_round.jackknife(read, out, k=k, folds=count, threads=None, verbose=True, say=say)
    if as_json:
        print_json({"output": str(out), **facts, "notes": notes})
        return
    say(f"wrote {out}: {facts['lists']:,} lists, {facts['candidates']:,} taggings.")
    say(f"next: runoff train {out} --dev DEV_LISTS -o MODEL.runoff")


@click.command(short_help="Train and evaluate a reranked tagger with one command.")
@click.argument("sentences_file", metavar="SENTENCES", type=FILE)
@click.option("-o", "--output", "folder", type=FILE, required=True, help="Output folder.")
@click.option("--dev", default="0.1", show_default=True, metavar="SHARE|FILE", help="Data for choosing the learner.")
@click.option("--test", default="0.1", show_default=True, metavar="SHARE|FILE", help="Data for the final evaluation.")
@k_option
@folds_option
@click.option(
    "--rerankers",
    default="loglinear,crf",
    show_default=True,
    metavar="NAMES",
    help="Comma-separated: loglinear, crf, orum, boost. The best on dev is chosen.",
)
@click.option("--families", default="all", show_default=True, metavar="NAMES", help="Families of features of taggings.")
@training_options
@reading_options
@seed_option
@as_json
def pipeline(
    sentences_file: Path,
    folder: Path,
    dev: str,
    test: str,
    rerankers: str,
    families: str,
    tag: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Train a tagger and a reranker on SENTENCES, and evaluate them on sentences that neither has seen.

    SENTENCES are split into train, dev and test between documents. Train is tagged fold by fold, each fold with a
    tagger of the others. Learners are trained on these lists; the best one on dev is evaluated on test.

    The folder receives the tagger, the lists, the models, a table and pictures. After an interruption, the same command
    resumes; with other options, it redoes only what depends on them.

    \b
    Example:  runoff tag pipeline train.conll --recipe chunks --columns word,pos,chunk -o chunker
    """
    from runoff import tasks
    from runoff.pipeline import run_pipeline
    from runoff.tasks.tagging.tagger_round import PIPELINE_METRICS, TaggerRound

    chosen, how = tagger_settings(options), reading(options)
    with interruptible(f"the same command resumes from what is in {folder}"):
        found = run_pipeline(
            tasks.get("tagging"),
            sentences_file,
            folder,
            first_round=TaggerRound(chosen, tag=tag, reading=how),
            metrics=PIPELINE_METRICS["tag-accuracy" if chosen.recipe == "pos" else "conlleval"],
            dev=share_or_file(dev),
            test=share_or_file(test),
            recipes=[name.strip() for name in rerankers.split(",") if name.strip()],
            features={"families": families},
            verbose=True,
            say=say,
            **options,
        )
    if as_json:
        print_json({"output": str(folder), "model": str(found.model), **found.numbers})
        return
    click.echo(found)
    say(f"everything is in {folder}: tagger.runoff, model.runoff, table.md, result.png and more.")
    say(f"next: runoff tag nbest {folder}/tagger.runoff SENTENCES -o LISTS.jsonl")
    say(f"      runoff pick {found.model} LISTS.jsonl -o TAGS.txt")


@click.command(short_help="Show all steps on a synthetic newspaper.")
@click.option(
    "-o", "--output", "folder", type=FILE, default="runoff-tag-demo", show_default=True, help="Folder to write to."
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the newspaper.")
@as_json
def demo(folder: Path, seed: int, as_json: bool) -> None:
    """Write a newspaper whose names are ambiguous, run the pipeline on it, and show what the second round finds.

    Takes less than a minute on two cores. After an interruption, the same command resumes.

    \b
    Example:  runoff tag demo
    """
    from runoff.tasks.tagging.demo.run import run

    with interruptible(f"the same command resumes from what is in {folder}"):
        found = run(folder, seed, say=say if as_json else click.echo, verbose=True)
    if as_json:
        print_json(found)
