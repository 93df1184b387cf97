"""`runoff parse pipeline` and `runoff parse demo`: all steps with one command."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - click looks at the annotations
from typing import Any

import click

from runoff.cli.options import as_json, cluster_option, say, seed_option
from runoff.cli.task_commands import demo_command, pipeline_options, resumable, share_or_path, show_outcome
from runoff.tasks.parsing.first_round_commands import (
    grammar_options,
    grammar_settings,
    k_option,
    threads_option,
    treebank_argument,
)


@click.command(short_help="Train and evaluate a reranked parser with one command.")
@treebank_argument
@pipeline_options("TREES")
@k_option
@click.option(
    "--recipes",
    default="orum,loglinear",
    show_default=True,
    metavar="NAMES",
    help="Comma-separated: orum, loglinear, crf, boost. The best on dev is chosen.",
)
@grammar_options
@click.option(
    "--families",
    default="all",
    show_default=True,
    metavar="NAMES",
    help="Families of features, as in `runoff features`.",
)
@click.option(
    "--min-lists",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="A feature must occur in at least this many lists.",
)
@threads_option
@seed_option
@as_json
@cluster_option
def pipeline(
    treebank: tuple[Path, ...],
    folder: Path,
    dev: str,
    test: str,
    recipes: str,
    no_words: bool,
    pairs: tuple[str, ...],
    families: str,
    min_lists: int,
    as_json: bool,
    **options: Any,
) -> None:
    """Train a parser and a reranker on TREEBANK, and evaluate them.

    TREEBANK is files or folders of trees in brackets, or lists with gold trees. It is split into train, dev and test
    between documents. Train is parsed fold by fold, each fold with a grammar of the others. Learners are trained on
    these lists; the best one on dev is evaluated on test.

    The folder receives the grammar, the lists, the data, the models, a table and pictures. After an interruption, the
    same command resumes; with other options, it redoes only what depends on them.

    \b
    Example:  runoff parse pipeline trees/ -o parser
              runoff parse pipeline train.mrg --dev dev.mrg --test test.mrg -o parser
    """
    from runoff import tasks
    from runoff.pipeline import run_pipeline
    from runoff.tasks.parsing.treebank_round import PIPELINE_METRICS, TreebankRound

    first_round = TreebankRound(grammar_settings(pairs, no_words=no_words))
    with resumable(folder):
        found = run_pipeline(
            tasks.get("parsing"),
            treebank,
            folder,
            first_round=first_round,
            metrics=PIPELINE_METRICS,
            dev=share_or_path(dev),
            test=share_or_path(test),
            recipes=[name.strip() for name in recipes.split(",") if name.strip()],
            features={"families": families, "min_lists": min_lists},
            verbose=True,
            say=say,
            **options,
        )
    show_outcome(
        found,
        f"everything is in {folder}: grammar.runoff, model.runoff, table.md, result.png, decision.png and more.",
        f"next: runoff parse nbest {folder}/grammar.runoff SENTENCES -o LISTS.jsonl",
        f"      runoff pick {found.model} LISTS.jsonl -o TREES.mrg",
        as_json=as_json,
    )


demo = demo_command(
    "runoff.tasks.parsing.demo.run:run",
    "runoff-parse-demo",
    short_help="Show all steps on a synthetic treebank.",
    data="synthetic treebank",
    help="""Generate a treebank with planted regularities, run the pipeline on it, and check that they were found.

    Takes about a minute on two cores. After an interruption, the same command resumes.

    \b
    Example:  runoff parse demo
    """,
)
