"""`runoff roles nbest`, `jackknife`, `mix`, `rerank`, `explain` and `union`."""

from __future__ import annotations

from functools import partial
from pathlib import Path  # noqa: TC003 - click looks at the annotations
from typing import TYPE_CHECKING, Any

import click

from runoff.cli.explain import explain as explain_choice
from runoff.cli.options import FILE, as_json, check_outputs, cluster_option, interruptible, print_json, say
from runoff.errors import UsageError
from runoff.formats.streams import bare_name
from runoff.tables import counted
from runoff.tasks.roles.file_commands import read_sentences, tell, words_option
from runoff.tasks.roles.labeller_commands import sentences_for_training, trained, training_options

if TYPE_CHECKING:
    from runoff.nbest import NBest
    from runoff.tasks.roles.propositions import RoleSentence

_k_option = click.option(
    "-k",
    "--k",
    default=20,
    show_default=True,
    type=click.IntRange(min=1),
    help="Maximum number of labellings per predicate.",
)


@click.command(short_help="Write n-best labellings of predicates.")
@click.argument("labeller", metavar="MODEL", type=FILE)
@click.argument("sentences_file", metavar="SENTENCES", type=FILE)
@click.option("-o", "--output", "out", type=FILE, required=True, help="Output file, e.g. lists.jsonl.gz.")
@_k_option
@as_json
def nbest(labeller: Path, sentences_file: Path, out: Path, k: int, as_json: bool) -> None:
    """Write the k best labellings of every predicate of SENTENCES as lists that all other commands read.

    Arguments that the sentences have become the references. MODEL comes from `runoff roles train`.

    \b
    Example:  runoff roles nbest roles.runoff dev.jsonl -k 20 -o dev-lists.jsonl.gz
    """
    from runoff.tasks.roles.labeller_file import load_labeller
    from runoff.tasks.roles.role_lists import role_lists

    check_outputs([out], [labeller, sentences_file])
    model, sentences = load_labeller(labeller), read_sentences(sentences_file)
    if not any(sentence.propositions for sentence in sentences):
        raise UsageError(f"{sentences_file} has no predicates; `runoff roles annotate --predicates` finds some.")
    _write_lists(role_lists(model, sentences, k), out, as_json=as_json)
    if not as_json:
        say(f"next: runoff roles rerank MODEL2 {out} --sentences {sentences_file} -o OUT.props")


@click.command(short_help="Write n-best labellings of training sentences.")
@click.argument("sentences_file", metavar="SENTENCES", type=FILE)
@click.option("-o", "--output", "out", type=FILE, required=True, help="Where to write the lists.")
@click.option("--folds", default=5, show_default=True, type=click.IntRange(min=2), help="Folds of whole documents.")
@_k_option
@training_options
@cluster_option
@as_json
def jackknife(sentences_file: Path, out: Path, folds: int, k: int, as_json: bool, **options: Any) -> None:
    """Label SENTENCES themselves, each fold by a labeller trained on the others: lists for training a second round.

    Give the options with which the labeller is trained whose lists are reranked in the end.

    \b
    Example:  runoff roles jackknife train.jsonl --kind full --folds 5 -k 20 -o train-lists.jsonl.gz
              runoff train train-lists.jsonl.gz --dev dev-lists.jsonl.gz -o reranker.runoff
    """
    from runoff.tasks.roles.role_lists import jackknifed_lists

    check_outputs([out], [sentences_file, options["frames"]])

    with interruptible(f"{out} was not written"):
        sentences = sentences_for_training(sentences_file, keep_light=options["keep_light"])
        train = partial(_trained, options=options)
        made = jackknifed_lists(sentences, folds, k, train, step=lambda fold: say(f"fold {fold} of {folds}"))
    _write_lists(made, out, as_json=as_json)
    if not as_json:
        say(f"next: runoff train {out} --dev DEV_LISTS -o MODEL2.runoff")


def _trained(part: list[RoleSentence], options: dict[str, Any]) -> Any:
    labeller = trained(part, None, None, [], options)
    if not labeller.provenance["finished"]:  # Ctrl-C left half a labeller
        raise KeyboardInterrupt
    return labeller


@click.command(short_help="Write the labellings that a second round chooses.")
@click.argument("model", metavar="MODEL2", type=FILE)
@click.argument("lists", type=FILE)
@click.option("--sentences", "sentences_file", type=FILE, required=True, help="The sentences that LISTS were made of.")
@click.option("-o", "--output", "out", type=FILE, required=True, help="File of roles, e.g. out.props.")
@as_json
def rerank(model: Path, lists: Path, sentences_file: Path, out: Path, as_json: bool) -> None:
    """Choose a labelling for every predicate of LISTS, and write the sentences with these roles.

    MODEL2 comes from `runoff train`. The format of the output goes by its name, as with `runoff roles convert`.

    \b
    Example:  runoff roles rerank reranker.runoff test-lists.jsonl.gz --sentences test.jsonl -o test.props
    """
    from runoff.formats import read
    from runoff.model import check_features, load
    from runoff.report.data_warnings import data_warnings
    from runoff.tasks.roles.role_files import write_roles
    from runoff.tasks.roles.role_lists import to_sentences

    check_outputs([out], [model, lists, sentences_file])
    chooser = load(model)
    data = read(lists).replace(references=None)  # a choice looks at no reference
    check_features(chooser, data)
    chosen = chooser.ranking(data)
    found = to_sentences(data, read_sentences(sentences_file), chosen)
    warnings, notes = data_warnings(chooser, data), list[str]()
    write_roles(found, out, notes=notes)
    others = int((chosen.top != _first(data)).sum())
    if as_json:
        facts = {"output": str(out), "predicates": len(data), "changed": others}
        print_json({**facts, "notes": [*data.notes, *notes], "warnings": warnings})
        return
    tell([*data.notes, *notes, *warnings])
    say(f"wrote {out}: {counted(len(data), 'predicates')}, {others:,} of them not with the first round's labelling.")


@click.command(short_help="Make one list of the lists of several labellers.")
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option("-o", "--output", "out", type=FILE, required=True, help="Output file, e.g. both.jsonl.gz.")
@click.option(
    "--weight", "weights", multiple=True, metavar="NAME=NUMBER", help="How much a labeller counts; default: 1."
)
@click.option(
    "--name", "names", multiple=True, help="Names of the labellers, in the order of FILES; default: the files'."
)
@click.option(
    "--price",
    type=click.FloatRange(0, 2),
    default=0.75,
    show_default=True,
    help="Price of an argument: about the F1 that is reached, as a share.",
)
@_k_option
@as_json
def mix(
    files: tuple[Path, ...],
    out: Path,
    weights: tuple[str, ...],
    names: tuple[str, ...],
    price: float,
    k: int,
    as_json: bool,
) -> None:
    """Mix the probabilities of several labellers, and write the k best labellings of every predicate by these.

    FILES are lists of `runoff roles nbest` or `jackknife` of the same predicates. A candidate brings what every
    labeller's probabilities say of it, from which a second round learns whom to trust. Training lists must be mixed of
    the same labellers in the same order.

    \b
    Example:  runoff roles mix full.test.jsonl third.test.jsonl --name full --name third -o both.test.jsonl
    """
    from runoff.formats import read
    from runoff.tasks.roles.mixed_lists import mixed_lists

    check_outputs([out], list(files))
    found = list(names) or [bare_name(file.name).partition(".")[0] for file in files]
    if len(found) != len(files) or len(set(found)) < len(found):
        raise UsageError(f"labellers need names that differ, one --name for every file; found {', '.join(found)}.")
    lists = {name: read(file) for name, file in zip(found, files, strict=True)}
    _write_lists(mixed_lists(lists, k, weights=dict(map(_weight, weights)), price=price), out, as_json=as_json)


def _weight(text: str) -> tuple[str, float]:
    name, _, number = text.rpartition("=")
    try:
        return name, float(number)
    except ValueError:
        raise UsageError(f"expected --weight as NAME=NUMBER, found {text!r}.") from None


explain = click.Command(
    "explain",
    callback=explain_choice.callback,
    params=explain_choice.params,
    short_help="Say why a second round chooses a labelling.",
    help="""Explain why MODEL2's labelling of one predicate in the lists DATA beats a rival, with a picture of both.

    The same as `runoff explain`; a group is a predicate, called by its sentence and its position, and MODEL2 comes from
    `runoff train`.

    \b
    Example:  runoff roles explain reranker.runoff test-lists.jsonl.gz --group d#0:1
              runoff roles explain reranker.runoff test-lists.jsonl.gz --group d#0:1 --picture both.svg
    """,
)


@click.command(short_help="Join the roles that several systems found.")
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option("-o", "--output", "out", type=FILE, required=True, help="File of roles, e.g. out.props.")
@click.option(
    "--best-of",
    multiple=True,
    metavar="FILE:LABELS",
    help="Labels on which one of FILES is the best, e.g. a.props:A0,AM-TMP; may be repeated.",
)
@click.option("--dev-gold", type=FILE, help="Other sentences with gold roles, to find out who is best at a label.")
@click.option("--dev", multiple=True, type=FILE, help="Roles of a system on these, one for each of FILES in order.")
@words_option
@as_json
def union(
    files: tuple[Path, ...],
    out: Path,
    best_of: tuple[str, ...],
    dev_gold: Path | None,
    dev: tuple[Path, ...],
    words: Path | None,
    as_json: bool,
) -> None:
    """Join the roles of the same predicates in two or more FILES, greedily (Màrquez et al. 2005).

    First the arguments of every file that have a label on which it is the best, then the others, one file after the
    other; no argument that shares a word with an earlier one or repeats its A0 to A5.

    \b
    Example:  runoff roles union a.props b.props --best-of a.props:A0,A1 --best-of b.props:AM-TMP -o both.props
              runoff roles union a.props b.props --dev-gold dev.props --dev a.dev.props --dev b.dev.props -o both.props
    """
    from runoff.tasks.roles import union as unions
    from runoff.tasks.roles.role_files import write_roles

    check_outputs([out], [*files, *dev, dev_gold, words])
    if best_of and dev_gold is not None:
        raise UsageError("--best-of and --dev-gold both say who is best at a label; give one of them.")
    if len(dev) != (0 if dev_gold is None else len(files)):
        raise UsageError("--dev-gold goes with one --dev for every file, in the same order.")
    best = _named(best_of, files)
    if dev_gold is not None:
        best = unions.best_labels(read_sentences(dev_gold), [read_sentences(each) for each in dev])
    found = unions.union([read_sentences(each, words) for each in files], best)
    notes: list[str] = []
    write_roles(found, out, notes=notes)
    arguments = sum(len(each.roles) for sentence in found for each in sentence.propositions)
    if as_json:
        labels = {str(file): sorted(own) for file, own in zip(files, best, strict=True)}
        print_json({"output": str(out), "arguments": arguments, "best": labels, "notes": notes})
        return
    tell(notes)
    for file, own in zip(files, best, strict=True):
        say(f"best labels of {file}: {', '.join(sorted(own)) or 'none'}.")
    say(f"wrote {out}: {counted(arguments, 'arguments')}.")


def _named(best_of: tuple[str, ...], files: tuple[Path, ...]) -> list[frozenset[str]]:
    """The labels given for every file."""
    found: list[set[str]] = [set() for _ in files]
    for text in best_of:
        name, _, labels = text.rpartition(":")
        places = [at for at, file in enumerate(files) if name in (str(file), file.name)]
        if not places or not labels:
            raise UsageError(
                f"expected --best-of as FILE:LABELS with one of the files, e.g. {files[0]}:A0; found {text!r}."
            )
        found[places[0]].update(label.strip() for label in labels.split(",") if label.strip())
    return [frozenset(each) for each in found]


def _first(data: NBest) -> Any:
    from runoff.ranking import first_round

    return first_round(data).top


def _write_lists(made: NBest, out: Path, *, as_json: bool) -> None:
    from runoff.io import write

    write(made, out)
    if as_json:
        print_json({"output": str(out), "lists": len(made), "candidates": made.n_candidates})
        return
    say(f"wrote {out}: {counted(len(made), 'lists')}, {counted(made.n_candidates, 'labellings')}.")
