"""Options that commands of translations share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from runoff.cli.options import FILE, say

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from runoff.cli.options import Command
    from runoff.tasks.translation.decoder_settings import DecoderSettings
    from runoff.tasks.translation.translator import Translator

symmetrise_option = click.option(
    "--symmetrise",
    type=click.Choice(["grow-diag-final-and", "grow-diag-final", "grow-diag", "intersection", "union"]),
    default="grow-diag-final-and",
    show_default=True,
    help="How alignments of both directions become one.",
)
aligner_option = click.option(
    "--aligner",
    type=click.Choice(["hmm", "model1", "diagonal", "eflomal"]),
    default="hmm",
    show_default=True,
    help="Model of word alignment.",
)
_DECODING = ("stack", "pop_limit", "distortion_limit", "table_limit", "unknown")


def training_options(command: Command) -> Command:
    """Add the options of training a translator; `TranslatorSettings` takes them."""
    for option in (
        click.option(
            "--longest-sentence", default=100, show_default=True, help="Words; longer pairs are left out of training."
        ),
        click.option(
            "--truecase/--as-written",
            "truecase",
            default=True,
            show_default=True,
            help="Spell first words as inside of sentences, or leave them as they are.",
        ),
        click.option("--order", default=5, show_default=True, help="Order of the language model."),
        click.option(
            "--reordering/--no-reordering",
            default=True,
            show_default=True,
            help="Whether to learn how phrases change places.",
        ),
        click.option(
            "--smoothing",
            type=click.Choice(["kneser-ney", "none"]),
            default="kneser-ney",
            show_default=True,
            help="Of the probabilities of phrases.",
        ),
        click.option("--longest-phrase", default=7, show_default=True, help="Words of the longest phrase."),
        symmetrise_option,
        aligner_option,
    ):
        command = option(command)
    return command


def decoding_options(command: Command) -> Command:
    """Add the options of decoding; `decoder_settings` reads them."""
    for option in (
        click.option(
            "--unknown",
            type=click.Choice(["copy", "drop"]),
            help="What becomes of words that no phrase has.  [default: the translator's, at first copy]",
        ),
        click.option("--table-limit", type=click.IntRange(min=1), help="Options of a phrase.  [default: at first 20]"),
        click.option(
            "--distortion-limit",
            type=click.IntRange(min=-1),
            help="Words that a phrase may jump over; -1: any number.  [default: at first 6]",
        ),
        click.option("--pop-limit", type=click.IntRange(min=1), help="Hypotheses made for a stack."),
        click.option(
            "--stack", type=click.IntRange(min=1), help="Hypotheses kept in a stack.  [default: at first 100]"
        ),
    ):
        command = option(command)
    return command


def decoder_settings(options: dict[str, Any], usual: DecoderSettings) -> DecoderSettings:
    """The settings that were given by `decoding_options`, else the usual ones; they are removed from `options`."""
    from dataclasses import replace

    given = {name: options.pop(name) for name in _DECODING}
    return replace(usual, **{name: value for name, value in given.items() if value is not None})


def opened(path: Path, options: dict[str, Any]) -> Translator:
    """A translator with the settings that were given by `decoding_options`."""
    from dataclasses import replace

    from runoff.tasks.translation.translator_file import load_translator

    translator = load_translator(path)
    return replace(translator, settings=decoder_settings(options, translator.settings))


def references_option(help: str) -> Callable[[Command], Command]:  # noqa: A002 - click's word
    """An option for files of reference translations, which may be repeated."""
    return click.option("--references", "reference_files", type=FILE, multiple=True, metavar="FILE", help=help)


def read_references(source: Sequence[str], source_file: Path, files: Sequence[Path]) -> list[list[str]] | None:
    """The references of every sentence, from parallel files; None without files."""
    from runoff.tasks.translation.bitext import check_parallel, read_sentences

    if not files:
        return None
    columns = []
    for path in files:
        columns.append(read_sentences(path))
        check_parallel(source, columns[-1], source_file, path)
    return [list(each) for each in zip(*columns, strict=True)]


def tell(notes: Sequence[str]) -> None:
    """Print notes."""
    for note in notes:
        say(f"note: {note}")
