"""Commands of the first round: `runoff parse train`, `runoff parse nbest` and `runoff parse jackknife`."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path  # noqa: TC003 - click looks at the annotations
from typing import TYPE_CHECKING, Any

import click

from runoff.cli.options import FILE, as_json, check_outputs, cluster_option, interruptible, print_json, say, settings
from runoff.errors import UsageError, brief
from runoff.tables import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runoff.cli.options import Command
    from runoff.tasks.parsing.grammar import Settings
    from runoff.tasks.parsing.parse_list import ParseList
    from runoff.tasks.parsing.treebank import Treebank

treebank_argument = click.argument("treebank", type=FILE, nargs=-1, required=True, metavar="TREEBANK…")
k_option = click.option(
    "-k",
    "--k",
    default=50,
    show_default=True,
    type=click.IntRange(min=1),
    help="Maximum number of candidates per list.",
)
threads_option = click.option(
    "--threads", type=click.IntRange(min=1), help="Threads in parallel. Default: one per core."
)


def grammar_options(command: Command) -> Command:
    """Add the options for training a grammar."""
    for option in (
        click.option(
            "--set",
            "pairs",
            multiple=True,
            metavar="KEY=VALUE",
            help="Setting of the grammar, e.g. rare=3 or beam=12; may be repeated.",
        ),
        click.option("--no-words", is_flag=True, help="Use labels and tags only: faster, but less accurate."),
    ):
        command = option(command)
    return command


@click.command(short_help="Learn a grammar from a treebank.")
@treebank_argument
@click.option("-o", "--output", "out", type=FILE, required=True, help="Where to write the grammar.")
@grammar_options
@as_json
def train(treebank: tuple[Path, ...], out: Path, no_words: bool, pairs: tuple[str, ...], as_json: bool) -> None:
    """Learn a grammar from TREEBANK: files of trees in brackets, folders of them, or lists with gold trees.

    Traces and function tags are removed. The grammar proposes trees for new sentences (`runoff parse nbest`). To get
    lists of TREEBANK itself for training a reranker, use `runoff parse jackknife`: this grammar has seen those trees.

    \b
    Example:  runoff parse train treebank/ -o grammar.runoff
              runoff parse nbest grammar.runoff sentences.txt -o lists.jsonl.gz
    """
    from runoff.tasks.parsing.grammar import train_grammar

    check_outputs([out], treebank)
    chosen = grammar_settings(pairs, no_words=no_words)
    with interruptible(f"{out} was not written"):
        trees, notes = _read(treebank)
        began = time.monotonic()
        grammar = train_grammar(trees.trees(), chosen)
        seconds = time.monotonic() - began
        grammar.save(out)
    if as_json:
        facts = {"output": str(out), "treebank": trees.describe(), "grammar": grammar.describe()}
        print_json({**facts, "seconds": seconds, "notes": notes})
        return
    for name, value in grammar.describe().items():
        click.echo(f"{name.replace('_', ' ')}: {_shown(value)}")
    say(f"wrote {out}: trained on {counted(len(trees), 'sentences')} in {seconds:,.1f} s.")
    say(f"next: runoff parse nbest {out} SENTENCES -o LISTS.jsonl.gz")


@click.command(short_help="Write n-best trees of new sentences.")
@click.argument("grammar", type=FILE)
@click.argument("sentences", type=FILE)
@click.option("-o", "--output", "out", type=FILE, help="Output file. Default: standard output.")
@k_option
@click.option("--text", is_flag=True, help="Read SENTENCES as plain text, even if they look like something else.")
@threads_option
@as_json
@cluster_option
def nbest(
    grammar: Path, sentences: Path, out: Path | None, k: int, text: bool, threads: int | None, as_json: bool
) -> None:
    """Parse SENTENCES with GRAMMAR and write n-best lists that all other commands read.

    SENTENCES are plain text, one tokenised sentence per line with blanks between words; or a treebank or lists of
    parses, whose gold trees are kept. - is standard input. For plain text, the id of a list is its line number; a line
    without words gives a list without candidates.

    \b
    Example:  runoff parse nbest grammar.runoff sentences.txt -o lists.jsonl.gz
              runoff parse nbest grammar.runoff test.mrg -k 20 -o test.jsonl
              echo "The cat sleeps ." | runoff parse nbest grammar.runoff -
    """
    from runoff.progress import progress
    from runoff.tasks.parsing.first_round import propose
    from runoff.tasks.parsing.first_round_summary import FirstRoundSummary, ProposalCounts, depths_to
    from runoff.tasks.parsing.grammar import load_grammar
    from runoff.tasks.parsing.lists import write_lists
    from runoff.tasks.parsing.sentence_files import read_sentences

    check_outputs([out], [grammar, sentences])
    if out is not None:
        _check_name(out)
    elif as_json:
        raise UsageError("--json needs standard output for itself; write the lists to a file with -o.")
    parser = load_grammar(grammar)
    notes: list[str] = []
    tally = ProposalCounts(depths_to(k))
    with interruptible("the lists end here" if out is None else f"{out} was not written"):
        asked = read_sentences(sentences, notes, text=text)
        for note in notes:
            say(f"note: {note}")
        began = time.monotonic()
        with (
            progress("parsing", len(asked), verbose=True) as step,
            contextlib.closing(propose(parser, asked, k, threads=threads)) as proposed,
        ):

            def passing() -> Iterator[ParseList]:
                for done, each in enumerate(proposed, 1):
                    tally.add(each)
                    yield each.parses
                    step(done)

            _print_lists(passing()) if out is None else write_lists(passing(), out)
    found = FirstRoundSummary.of(tally, time.monotonic() - began)
    if as_json:
        print_json({"output": str(out), **found.to_dict(), "notes": notes})
        return
    say(found)
    if out is not None:
        say(f"wrote {out}")
        say(f"next: runoff pick MODEL {out} -o BETTER.mrg")


@click.command(short_help="Write n-best trees of a treebank for training a reranker.")
@treebank_argument
@click.option("-o", "--output", "out", type=FILE, required=True, help="Where to write the lists.")
@k_option
@click.option(
    "--folds", default="10", show_default=True, metavar="N", help="Number of folds, or `given`: the folds in the lists."
)
@grammar_options
@threads_option
@as_json
@cluster_option
def jackknife(
    treebank: tuple[Path, ...],
    out: Path,
    k: int,
    folds: str,
    no_words: bool,
    pairs: tuple[str, ...],
    threads: int | None,
    as_json: bool,
) -> None:
    """Parse the sentences of TREEBANK itself, each fold with a grammar trained on the other folds.

    A reranker needs such lists for training: on its own training trees a parser is optimistically biased. Folds are
    made of whole documents. After an interruption, the same command resumes.

    \b
    Example:  runoff parse jackknife treebank/ -o train.jsonl.gz
              runoff train train.jsonl.gz --dev dev.jsonl.gz -o model.runoff
    """
    from runoff.tasks.parsing.jackknifing import jackknife as jackknife_

    check_outputs([out], treebank)
    _check_name(out)
    number = _folds(folds)
    chosen = grammar_settings(pairs, no_words=no_words)
    with _resumable(out):
        trees, notes = _read(treebank)
        found = jackknife_(trees, out, chosen, k=k, folds=number, threads=threads, verbose=True)
    for note in found.notes:
        say(f"note: {note}")
    if as_json:
        print_json({"output": str(out), **found.to_dict(), "notes": [*notes, *found.notes]})
        return
    click.echo(found)
    say(f"wrote {out}")
    say(f"next: runoff train {out} --dev DEV_LISTS -o MODEL.runoff")


def _read(paths: tuple[Path, ...]) -> tuple[Treebank, list[str]]:
    """Read a treebank, and report its size and what was left out."""
    from runoff.tasks.parsing.treebank import read_treebank

    notes: list[str] = []
    found = read_treebank(paths, notes)
    for note in notes:
        say(f"note: {note}")
    about = found.describe()
    say(
        f"read {counted(about['sentences'], 'sentences')} in {counted(about['documents'], 'documents')}: "
        f"{counted(about['words'], 'words')}, {counted(about['labels'], 'labels')}, {counted(about['tags'], 'tags')}; "
        f"up to {counted(about['longest_sentence'], 'words')} per sentence."
    )
    return found, notes


def grammar_settings(pairs: tuple[str, ...], *, no_words: bool) -> Settings:
    """The settings from `grammar_options`."""
    from runoff.tasks.parsing.grammar import Settings

    usual = Settings()
    given = {}
    for name, value in settings(pairs).items():
        if name not in usual.to_dict():
            raise UsageError(f"a grammar has no setting {name!r}; it has: {', '.join(usual.to_dict())}.")
        given[name] = _like(getattr(usual, name), value, name)
    if no_words and "lexical" in given:
        raise UsageError("--no-words and --set lexical=… set the same thing; leave out one of them.")
    return Settings(**(given | {"lexical": False} if no_words else given))


def _like(usual: object, value: Any, name: str) -> Any:
    """The value, converted to the type of the default."""
    if isinstance(usual, tuple):
        names = value if isinstance(value, list) else [each.strip() for each in str(value).split(",") if each.strip()]
        return tuple(map(str, names))
    if isinstance(usual, float) and type(value) is int:
        return float(value)
    if type(value) is not type(usual):
        kinds = {bool: "true or false", int: "a whole number", float: "a number"}
        raise UsageError(f"the setting {name} is {kinds[type(usual)]}; found {brief(value)}.")
    return value


def _folds(text: str) -> int | None:
    if text == "given":
        return None
    if not text.isdecimal():
        raise UsageError(f"--folds is a whole number, or `given` to use the folds in the lists; found {text!r}.")
    return int(text)


def _check_name(out: Path) -> None:
    from runoff.formats.streams import bare_name

    if not bare_name(out).endswith((".jsonl", ".ndjson")):
        raise UsageError(
            f"{out}: lists of parses are JSON lines; use a name that ends in .jsonl, .jsonl.gz or .jsonl.zst."
        )


def _print_lists(lists: Iterator[ParseList]) -> None:
    """Write each list to standard output as soon as it is parsed."""
    from runoff.tasks.parsing.jsonl_lists import line

    for parses in lists:
        click.echo(line(parses), nl=False)


@contextlib.contextmanager
def _resumable(out: Path) -> Iterator[None]:
    """After Ctrl-C, report what was written."""
    from runoff.tasks.parsing.jackknifing import parts_folder

    try:
        yield
    except KeyboardInterrupt:
        folder = parts_folder(out)
        goes_on = f" The same command resumes from what is in {folder}." if any(folder.glob("*.json")) else ""
        raise KeyboardInterrupt(f"interrupted: {out} was not written.{goes_on}") from None


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.4g}"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return f"{value:,}" if isinstance(value, int) else str(value)
