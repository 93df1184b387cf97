"""`runoff roles eval`, `show` and `convert`."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - click looks at the annotations
from typing import TYPE_CHECKING

import click

from runoff.cli.options import FILE, as_json, check_outputs, print_json, say
from runoff.errors import UsageError
from runoff.tables import counted

if TYPE_CHECKING:
    from runoff.tasks.roles.propositions import RoleSentence
    from runoff.tasks.roles.role_scores import RoleScores

KINDS = click.Choice(["propbank", "conll2005", "props", "conll2012", "jsonl"])
words_option = click.option(
    "--words", type=FILE, help="File with the words of the sentences, for files of propositions alone."
)


@click.command(name="eval", short_help="Compare roles with gold roles, as srl-eval.pl does.")
@click.argument("predicted", type=FILE)
@click.option("--gold", type=FILE, required=True, help="The same sentences with gold roles.")
@click.option("--compare", "other", type=FILE, help="Other roles of the same sentences; is their F1 better by chance?")
@click.option("--verbs", is_flag=True, help="Count only predicates whose gold part of speech starts with VB.")
@click.option("--confusion", is_flag=True, help="Also print which label became which, as srl-eval.pl does with -C.")
@click.option("--lenient", is_flag=True, help="Predicates may differ; what is missing counts as with srl-eval.pl.")
@words_option
@as_json
def evaluate(
    predicted: Path,
    gold: Path,
    other: Path | None,
    verbs: bool,
    confusion: bool,
    lenient: bool,
    words: Path | None,
    as_json: bool,
) -> None:
    """Compare the roles of PREDICTED with gold roles of the same sentences and predicates.

    Precision, recall and F1 of arguments, overall and by label, and the percentage of perfect propositions, equal to
    those of srl-eval.pl (CoNLL-2005) to the last digit, with confidence intervals over sentences. With --compare, both
    labellings side by side, and a paired randomisation test of their difference in F1.

    \b
    Example:  runoff roles eval --gold gold.conll predicted.conll
              runoff roles eval --gold gold.props predicted.props --confusion
              runoff roles eval --gold gold.conll old.conll --compare new.conll --verbs
    """
    from runoff.tasks.roles.role_scores import RoleComparison, evaluate_roles

    right = read_sentences(gold, words)

    def scores_of(path: Path) -> RoleScores:
        found = evaluate_roles(right, read_sentences(path, words), verbs=verbs, lenient=lenient)
        tell(found.notes, path)
        return found

    found = scores_of(predicted)
    if other is None:
        print_json(found.to_dict()) if as_json else click.echo(found)
        if confusion and not as_json:
            click.echo(f"\n{found.confusion_matrix()}")
        return
    if confusion:
        raise UsageError("--confusion is for one file of roles; leave out --compare.")
    compared = RoleComparison.of(found, scores_of(other))
    if as_json:
        print_json({**compared.to_dict(), "files": [str(predicted), str(other)]})
        return
    click.echo(compared.table((predicted.name, other.name)))


@click.command(short_help="Write roles in another format.")
@click.argument("source", metavar="IN", type=FILE)
@click.argument("out", metavar="OUT", type=FILE)
@click.option("--to", type=KINDS, help="Format of OUT. Default: by its name: .jsonl, .props, else propbank.")
@click.option("--format", "kind", type=KINDS, help="Format of IN. Default: recognised by content.")
@click.option(
    "--columns",
    metavar="NAMES",
    help="CoNLL-2005: names of the columns, e.g. word,pos,chunk,clause,parse,ne,sense,lemma,props.",
)
@words_option
@as_json
def convert(
    source: Path, out: Path, to: str | None, kind: str | None, columns: str | None, words: Path | None, as_json: bool
) -> None:
    """Read sentences with roles from IN and write them to OUT; what OUT cannot show is counted and named.

    \b
    Example:  runoff roles convert train.conll.gz train.jsonl.gz
              runoff roles convert train.conll.gz train.props
              runoff roles convert test.props test.jsonl --words test.words
    """
    from runoff.tasks.roles.role_files import read_roles, write_roles

    check_outputs([out], [source, words])
    notes: list[str] = []
    sentences = read_roles(source, kind, columns=columns, words=words, notes=notes)
    write_roles(sentences, out, to, notes=notes)
    propositions = sum(len(each.propositions) for each in sentences)
    if as_json:
        counts = {"sentences": len(sentences), "propositions": propositions}
        print_json({"output": str(out), **counts, "notes": notes})
        return
    tell(notes)
    say(f"wrote {out}: {counted(len(sentences), 'sentences')}, {counted(propositions, 'propositions')}.")


@click.command(short_help="Show the roles of one sentence.")
@click.argument("source", metavar="FILE", type=FILE)
@click.option("--sentence", required=True, metavar="ID", help="Id of the sentence, or its number from 1.")
@click.option("--compare", "other", type=FILE, help="The same sentences with other roles, to show beside these.")
@click.option("-o", "--output", "out", type=FILE, help="Picture to draw: .svg, .png or .pdf. Default: plain text.")
@words_option
def show(source: Path, sentence: str, other: Path | None, out: Path | None, words: Path | None) -> None:
    """Show a sentence of FILE with a row of bars for every predicate: its arguments, and V for its own words.

    With --compare there are two rows for every predicate, and arguments that only one of the files has are marked.

    \b
    Example:  runoff roles show gold.conll --sentence 3
              runoff roles show gold.conll --sentence 3 --compare predicted.conll -o both.svg
    """
    from runoff.tasks.roles.role_drawing import draw_roles
    from runoff.tasks.roles.role_text import roles_text
    from runoff.tasks.roles.sentence_choice import chosen_sentences

    check_outputs([out], [source, other, words])
    files = [source] if other is None else [source, other]
    names = [each.name for each in files]
    if len(set(names)) < len(names):
        names = list(map(str, files))
    shown = chosen_sentences([read_sentences(each, words) for each in files], sentence, names)
    if out is None:
        click.echo(roles_text(shown, names))
        return
    draw_roles(shown, out, names)
    say(f"wrote {out}")


def read_sentences(path: Path, words: Path | None = None) -> list[RoleSentence]:
    """Sentences of a file; those without words get the words of a second one."""
    from runoff.tasks.roles.role_files import read_roles

    notes: list[str] = []
    found = read_roles(path, notes=notes)
    if words is not None and not any(each.has_words for each in found):
        found = read_roles(path, words=words)
    tell(notes, path)
    return found


def tell(notes: list[str] | tuple[str, ...], path: Path | None = None) -> None:
    """Print notes."""
    for note in notes:
        say(f"note: {note}" if path is None else f"note on {path}: {note}")
