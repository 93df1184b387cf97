"""`runoff roles annotate` and `predicates`, and the options that give syntax to the sentences of other commands."""

from __future__ import annotations

import time
from pathlib import Path  # noqa: TC003 - click looks at the annotations
from typing import TYPE_CHECKING, Any

import click

from runoff.cli.options import FILE, as_json, check_outputs, interruptible, print_json, say
from runoff.tables import counted
from runoff.tasks.roles.file_commands import tell

if TYPE_CHECKING:
    from runoff.cli.options import Command
    from runoff.tasks.roles.propositions import RoleSentence

_TOOLS = ("trees", "reranker", "pos", "chunks", "clauses", "entities", "predicates")


def syntax_options(command: Command) -> Command:
    """Add the options of `read_annotated`, which the command passes on as they are."""
    for option in (
        click.option("--replace", is_flag=True, help="Also replace what the sentences have; else add what is missing."),
        click.option(
            "--sentences",
            type=click.Choice(["lines", "rules", "words"]),
            help="Read raw text: a sentence per line (default for .txt), found by rules, or words between blanks.",
        ),
        click.option("--predicates", type=FILE, metavar="FINDER", help="Predicates of `runoff roles predicates`."),
        click.option("--entities", type=FILE, metavar="TAGGER", help="Tagger of named entities."),
        click.option("--clauses", type=FILE, metavar="TAGGER", help="Tagger of clauses; `tree`: those of the trees."),
        click.option("--chunks", type=FILE, metavar="TAGGER", help="Tagger of base phrases."),
        click.option(
            "--pos", type=FILE, metavar="TAGGER", help="Tagger of parts of speech. Default: those of the trees."
        ),
        click.option(
            "--missing-trees",
            "missing",
            type=click.Choice(["leave", "flat", "error"]),
            default="leave",
            show_default=True,
            help="Leave sentences without a tree as they are, give them flat ones, or stop.",
        ),
        click.option(
            "--temperature",
            type=click.FloatRange(min=0, min_open=True),
            default=1.0,
            show_default=True,
            help="Scores of several trees are divided by it before they become probabilities.",
        ),
        click.option(
            "--best",
            type=click.IntRange(min=1),
            default=1,
            show_default=True,
            help="How many of the best trees a sentence gets, with probabilities, over which labellers take the mean.",
        ),
        click.option("--reranker", type=FILE, metavar="MODEL", help="Model that chooses among the parses."),
        click.option(
            "--trees",
            "--grammar",
            "trees",
            type=FILE,
            help="Grammar, lists of parses or trees in brackets; the latter two are found by their words.",
        ),
    ):
        command = option(command)
    return command


def read_annotated(path: Path, **options: Any) -> list[RoleSentence]:
    """Sentences of a file of roles, or of raw text, with the syntax that `syntax_options` ask for; prints notes."""
    from runoff.tasks.roles.syntax_tools import SyntaxTools, read_sentences_of

    notes: list[str] = []
    tools = SyntaxTools(**{name: value for name, value in options.items() if name != "sentences"})
    found = read_sentences_of(path, options.get("sentences"), notes)
    found = tools.annotate(found, notes=notes, verbose=True)
    tell(notes)
    return found


def tool_paths(options: dict[str, Any]) -> list[Path]:
    """Files that the options of `syntax_options` name, for `check_outputs`."""
    return [options[name] for name in _TOOLS if options.get(name) is not None]


@click.command(short_help="Add trees, tags and predicates to sentences.")
@click.argument("source", metavar="IN", type=FILE)
@click.option("-o", "--output", "out", type=FILE, required=True, help="Where to write the sentences: .jsonl keeps all.")
@syntax_options
@as_json
def annotate(source: Path, out: Path, as_json: bool, **options: Any) -> None:
    """Read sentences from IN, any file of roles or raw text (.txt), and write them with the syntax of other tools.

    Trees are those of a grammar (`runoff parse train`), or come from a file and are found by their words, whatever the
    ids; parts of speech, base phrases, clauses and named entities are those of taggers (`runoff tag train`). What the
    sentences have is kept, unless --replace is given.

    \b
    Example:  runoff roles annotate gold.conll --trees lists.jsonl.gz --replace -o parsed.jsonl.gz
              runoff roles annotate gold.conll --trees lists.jsonl.gz --best 5 --replace -o several.jsonl.gz
              runoff roles annotate gold.conll --chunks chunks.runoff --clauses tree -o chunked.jsonl
              runoff roles annotate text.txt --grammar grammar.runoff --predicates predicates.runoff -o text.jsonl
    """
    from runoff.tasks.roles.role_files import write_roles

    check_outputs([out], [source, *tool_paths(options)])
    began = time.monotonic()
    with interruptible(f"{out} was not written"):
        sentences = read_annotated(source, **options)
    notes: list[str] = []
    write_roles(sentences, out, notes=notes)
    has = {what: sum(getattr(each, what) is not None for each in sentences) for what in _FIELDS}
    counts = {"sentences": len(sentences), "propositions": sum(len(each.propositions) for each in sentences)}
    seconds = time.monotonic() - began
    if as_json:
        print_json({"output": str(out), **counts, **{_FIELDS[what]: n for what, n in has.items()}, "seconds": seconds})
        return
    tell(notes)
    said = ", ".join(f"{_FIELDS[what]} {n:,}" for what, n in has.items() if n)
    say(
        f"wrote {out}: {counted(counts['sentences'], 'sentences')} and {counted(counts['propositions'], 'predicates')} "
        f"in {seconds:,.1f} s; sentences with {said or 'no syntax'}."
    )


_FIELDS = {"pos": "pos", "tree": "trees", "chunks": "chunks", "clauses": "clauses", "entities": "entities"}


@click.command(short_help="Learn which words are predicates.")
@click.argument("train", metavar="TRAIN", type=FILE)
@click.option("-o", "--output", "out", type=FILE, required=True, help="Where to write the finder.")
@click.option("--dev", type=FILE, help="Sentences with roles on which the predicates found are counted.")
@click.option(
    "--pos", type=FILE, metavar="TAGGER", help="Tagger whose parts of speech take the place of the files' own."
)
@as_json
def predicates(train: Path, out: Path, dev: Path | None, pos: Path | None, as_json: bool) -> None:
    """Learn from TRAIN, sentences with roles, which words are predicates, and their lemmas and usual rolesets.

    Words with the roleset of a light verb (as in take a walk), and be, have and do without arguments, are learned as
    other words. Parts of speech are looked at if all sentences have some.

    \b
    Example:  runoff roles predicates gold.conll --dev dev.conll -o predicates.runoff
              runoff roles annotate text.txt --pos pos.runoff --predicates predicates.runoff -o text.jsonl
    """
    from runoff.tasks.roles.predicate_scores import evaluate_predicates
    from runoff.tasks.roles.predicates import train_finder

    check_outputs([out], [train, dev, pos])
    tools = {"pos": pos, "replace": pos is not None}
    sentences = read_annotated(train, **tools)
    held_out = None if dev is None else read_annotated(dev, **tools)
    began = time.monotonic()
    with interruptible(f"{out} was not written"):
        finder = train_finder(sentences)
    seconds = time.monotonic() - began
    finder.save(out)
    scores = None if held_out is None else evaluate_predicates(held_out, finder.find(held_out))
    if as_json:
        told = {"output": str(out), **finder.provenance, "seconds": seconds}
        print_json(told if scores is None else {**told, "dev": scores.to_dict()})
        return
    if scores is not None:
        click.echo(scores)
    say(f"wrote {out}: {finder!r}, trained on {counted(len(sentences), 'sentences')} in {seconds:,.1f} s.")
    say(f"next: runoff roles annotate TEXT.txt --pos TAGGER --predicates {out} -o TEXT.jsonl")
