"""`runoff parse pipeline` and `runoff parse demo`: all steps with one command."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from runoff.cli.options import FILE, as_json, print_json, say, seed_option
from runoff.errors import UsageError
from runoff.tasks.parsing.first_round_commands import (
    grammar_options,
    grammar_settings,
    k_option,
    threads_option,
    treebank_argument,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


@click.command(short_help="Train and evaluate a reranked parser with one command.")
@treebank_argument
@click.option("-o", "--output", "folder", type=FILE, required=True, help="Output folder.")
@click.option("--dev", default="0.1", show_default=True, metavar="SHARE|TREES", help="Data for choosing the learner.")
@click.option("--test", default="0.1", show_default=True, metavar="SHARE|TREES", help="Data for the final evaluation.")
@k_option
@click.option(
    "--folds",
    type=click.IntRange(min=2),
    help="Folds of train. Default: 10, or the number of documents if there are fewer.",
)
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
    with _resumable(folder):
        found = run_pipeline(
            tasks.get("parsing"),
            treebank,
            folder,
            first_round=first_round,
            metrics=PIPELINE_METRICS,
            dev=_share_or_files(dev),
            test=_share_or_files(test),
            recipes=[name.strip() for name in recipes.split(",") if name.strip()],
            features={"families": families, "min_lists": min_lists},
            verbose=True,
            say=say,
            **options,
        )
    if as_json:
        print_json({"output": str(folder), "model": str(found.model), **found.numbers})
        return
    click.echo(found)
    say(f"everything is in {folder}: grammar.runoff, model.runoff, table.md, result.png, decision.png and more.")
    say(f"next: runoff parse nbest {folder}/grammar.runoff SENTENCES -o LISTS.jsonl")
    say(f"      runoff pick {found.model} LISTS.jsonl -o TREES.mrg")


def _share_or_files(text: str) -> float | Path:
    try:
        return float(text)
    except ValueError:
        pass
    if text != "-" and not Path(text).exists():
        raise UsageError(f"{text!r} is neither a share such as 0.1 nor an existing file or folder.")
    return Path(text)


@contextlib.contextmanager
def _resumable(folder: Path) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"interrupted: the same command resumes from what is in {folder}.") from None


@click.command(short_help="Show all steps on a synthetic treebank.")
@click.option(
    "-o",
    "--output",
    "folder",
    type=FILE,
    default="runoff-parse-demo",
    show_default=True,
    help="Folder to write to.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the synthetic treebank."
)
@as_json
def demo(folder: Path, seed: int, as_json: bool) -> None:
    """Generate a treebank with planted regularities, run the pipeline on it, and check that they were found.

    Takes about a minute on two cores. After an interruption, the same command resumes.

    \b
    Example:  runoff parse demo
    """
    from runoff.tasks.parsing.demo.run import run

    with _resumable(folder):
        found = run(folder, seed, say=say if as_json else click.echo, verbose=True)
    if as_json:
        print_json(found)
