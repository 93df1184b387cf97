"""Options that commands of taggings share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from runoff.cli.options import FILE, say, settings
from runoff.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.cli.options import Command
    from runoff.tasks.tagging.corpus import Corpus
    from runoff.tasks.tagging.tagger_settings import TaggerSettings

_READING = ("columns", "format", "ragged", "sentences")


def reading_options(command: Command) -> Command:
    """Add the options that say how to read sentences."""
    for option in (
        click.option(
            "--sentences",
            type=click.Choice(["lines", "rules", "words"]),
            help="Raw text: a sentence per line (default), found by rules, or a line of words between blanks.",
        ),
        click.option("--ragged", is_flag=True, help="Columns: lines may have further columns, in any number."),
        click.option(
            "--format",
            "format",
            type=click.Choice(["columns", "conllu", "jsonl", "text"]),
            help="Format of the sentences. Default: recognised by content.",
        ),
        click.option(
            "--columns",
            metavar="NAMES",
            help="Names of the columns, e.g. word,pos,chunk, or with their numbers: word=4,pos=5.",
        ),
    ):
        command = option(command)
    return command


def reading(options: dict[str, Any]) -> dict[str, Any]:
    """The options of `reading_options` that were given; they are removed from `options`."""
    given = {name: options.pop(name) for name in _READING}
    return {name: value for name, value in given.items() if value}


def training_options(command: Command) -> Command:
    """Add the options of training a tagger."""
    for option in (
        click.option(
            "--set", "pairs", multiple=True, metavar="KEY=VALUE", help="Parameter of the learner; may be repeated."
        ),
        click.option("--learner", metavar="NAME", help="perceptron, crf, greedy or trees. Default: the recipe's."),
        click.option("--templates", type=FILE, help="File of templates, in place of the recipe's."),
        click.option(
            "--recipe",
            default="entities",
            show_default=True,
            metavar="NAME",
            help="pos, chunks, clauses or entities: templates and a learner.",
        ),
        click.option("--tag", metavar="COLUMN", help="Column of the tags. Default: the last one."),
    ):
        command = option(command)
    return command


def tagger_settings(options: dict[str, Any]) -> TaggerSettings:
    """The settings of `training_options`, except for the column; they are removed from `options`."""
    from runoff.tasks.tagging.tagger_settings import TaggerSettings

    templates = options.pop("templates")
    return TaggerSettings(
        options.pop("recipe"),
        None if templates is None else str(templates),
        options.pop("learner"),
        settings(options.pop("pairs")),
    )


before_option = click.option(
    "--with",
    "before",
    multiple=True,
    type=FILE,
    metavar="TAGGER",
    help="Tagger whose tags the sentences get first, as a column of its name; may be repeated.",
)


def tagged_before(corpus: Corpus, before: tuple[Path, ...]) -> Corpus:
    """The sentences with the tags of other taggers as further columns."""
    from runoff.tasks.tagging.tagger_file import load_tagger

    for path in before:
        tagger = load_tagger(path)
        if tagger.column in corpus.columns:
            raise UsageError(f"the sentences already have a column {tagger.column!r}; leave out --with {path}.")
        corpus = corpus.with_column(tagger.column, tagger.label(corpus))
    return corpus


def tell(notes: list[str]) -> None:
    """Print notes."""
    for note in notes:
        say(f"note: {note}")
