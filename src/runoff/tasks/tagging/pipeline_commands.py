"""`runoff tag jackknife`, `pipeline` and `demo`."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - click looks at the annotations
from typing import Any

import click

from runoff.cli.options import FILE, as_json, check_outputs, cluster_option, interruptible, print_json, say, seed_option
from runoff.cli.task_commands import (
    demo_command,
    folds_option,
    pipeline_options,
    resumable,
    share_or_path,
    show_outcome,
)
from runoff.tasks.tagging.command_options import reading, reading_options, tagger_settings, tell, training_options
from runoff.tasks.tagging.tagger_commands import k_option


@click.command(short_help="Write n-best taggings of training sentences.")
@click.argument("sentences_file", metavar="SENTENCES", type=FILE)
@click.option("-o", "--output", "out", type=FILE, required=True, help="Where to write the lists.")
@k_option
@folds_option()
@training_options
@reading_options
@as_json
@cluster_option
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
@pipeline_options("FILE")
@k_option
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
@cluster_option
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
    with resumable(folder):
        found = run_pipeline(
            tasks.get("tagging"),
            sentences_file,
            folder,
            first_round=TaggerRound(chosen, tag=tag, reading=how),
            metrics=PIPELINE_METRICS["tag-accuracy" if chosen.recipe == "pos" else "conlleval"],
            dev=share_or_path(dev),
            test=share_or_path(test),
            recipes=[name.strip() for name in rerankers.split(",") if name.strip()],
            features={"families": families},
            verbose=True,
            say=say,
            **options,
        )
    show_outcome(
        found,
        f"everything is in {folder}: tagger.runoff, model.runoff, table.md, result.png and more.",
        f"next: runoff tag nbest {folder}/tagger.runoff SENTENCES -o LISTS.jsonl",
        f"      runoff pick {found.model} LISTS.jsonl -o TAGS.txt",
        as_json=as_json,
    )


demo = demo_command(
    "runoff.tasks.tagging.demo.run:run",
    "runoff-tag-demo",
    short_help="Show all steps on a synthetic newspaper.",
    data="newspaper",
    help="""Write a newspaper whose names are ambiguous, run the pipeline on it, and show what the second round finds.

    Takes less than a minute on two cores. After an interruption, the same command resumes.

    \b
    Example:  runoff tag demo
    """,
)
