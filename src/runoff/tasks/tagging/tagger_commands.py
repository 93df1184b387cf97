"""`runoff tag train`, `label`, `nbest` and `eval`."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import click

from runoff.cli.options import FILE, as_json, check_outputs, interruptible, print_json, say
from runoff.tables import counted
from runoff.tasks.tagging.command_options import (
    before_option,
    reading,
    reading_options,
    tagged_before,
    tagger_settings,
    tell,
    training_options,
)

k_option = click.option(
    "-k", "--k", default=20, show_default=True, type=click.IntRange(min=1), help="Maximum number of taggings per list."
)


@click.command(short_help="Learn a tagger from sentences with tags.")
@click.argument("sentences_file", metavar="SENTENCES", type=FILE)
@click.option("-o", "--output", "out", type=FILE, required=True, help="Where to write the tagger.")
@training_options
@reading_options
@click.option("--dev", type=FILE, help="Sentences for early stopping.")
@before_option
@click.option("--checkpoint", type=FILE, help="File from which an interrupted training resumes.")
@as_json
def train(
    sentences_file: Path,
    out: Path,
    tag: str | None,
    dev: Path | None,
    before: tuple[Path, ...],
    checkpoint: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Learn a tagger from SENTENCES, whose last column (or --tag) has the tags.

    A recipe is templates, which say what the tagger looks at, and a learner. Templates of your own are a small file:
    one per line, such as `word[-1]`, `suffix[0,3]`, `pos[0] pos[1]` or `tag[-1]`.

    \b
    Example:  runoff tag train train.conll --recipe chunks --columns word,pos,chunk -o chunks.runoff
              runoff tag train train.conllu --format conllu --tag upos --recipe pos -o pos.runoff
              runoff tag train names.conll --recipe entities --with pos.runoff --learner crf -o names.runoff
    """
    from runoff.tasks.tagging.corpus_parts import read_tagged

    chosen, how = tagger_settings(options), reading(options)
    notes: list[str] = []
    check_outputs([out, checkpoint], [sentences_file, dev, *before])
    with interruptible(f"{out} was not written"):
        read = read_tagged(sentences_file, tag, notes, **how)
        held_out = None if dev is None else tagged_before(read_tagged(dev, read.tag, notes, **how).corpus, before)
        tell(notes)
        began = time.monotonic()
        kept = None if checkpoint is None else str(checkpoint)
        corpus = tagged_before(read.corpus, before)
        more: list[str] = []
        tagger = chosen.train(corpus, read.tag, held_out, verbose=True, checkpoint=kept, notes=more)
        tell(more)
    if not tagger.provenance["finished"]:
        more.append("the training was interrupted: the tagger is from the steps so far.")
        tell(more[-1:])
    tagger.save(out)
    seconds = time.monotonic() - began
    if as_json:
        print_json(
            {
                "output": str(out),
                **read.describe(),
                "tagger": repr(tagger),
                "seconds": seconds,
                "notes": [*notes, *more],
            }
        )
        return
    say(f"wrote {out}: {tagger!r}, trained on {counted(len(read), 'sentences')} in {seconds:,.1f} s.")
    say(f"next: runoff tag label {out} SENTENCES -o LABELLED.conll")


@click.command(short_help="Tag sentences.")
@click.argument("tagger", type=FILE)
@click.argument("sentences_file", metavar="SENTENCES", type=FILE)
@click.option("-o", "--output", "out", type=FILE, help="Output file. Default: standard output, as columns.")
@click.option("--name", help="Name of the new column. Default: that of the tagger's tags.")
@click.option(
    "--decoding",
    type=click.Choice(["best", "spans", "f1"]),
    help="The best tagging; the phrases with the fewest expected errors, sentence by sentence; or those of highest "
    "expected F1 of all sentences. Default: spans for a random field of phrases, else best.",
)
@before_option
@reading_options
@as_json
def label(
    tagger: Path,
    sentences_file: Path,
    out: Path | None,
    name: str | None,
    decoding: str | None,
    before: tuple[Path, ...],
    as_json: bool,
    **options: Any,
) -> None:
    """Tag SENTENCES with TAGGER, and write them with one more column.

    The name of the output file decides: CoNLL-U (.conllu), JSON lines (.jsonl), else columns.

    \b
    Example:  runoff tag label chunks.runoff new.conll -o labelled.conll
              runoff tag label chunks.runoff text.txt --with pos.runoff -o labelled.jsonl
              echo "The cat sleeps ." | runoff tag label pos.runoff -
    """
    from runoff.errors import UsageError
    from runoff.tasks.tagging.corpus_files import read_corpus, write_corpus
    from runoff.tasks.tagging.tagger_file import load_tagger
    from runoff.tasks.tagging.tagger_round import lister

    how = reading(options)
    notes: list[str] = []
    check_outputs([out], [tagger, sentences_file, *before])
    if as_json and out is None:
        raise UsageError("--json needs standard output for itself; write the sentences to a file with -o.")
    model = load_tagger(tagger)
    corpus = read_corpus(sentences_file, notes=notes, **how)
    tell(notes)
    began = time.monotonic()
    corpus = tagged_before(corpus, before)
    column = model.label(corpus) if decoding is None else lister(model).label(corpus, decoding=decoding)
    labelled = corpus.with_column(_free(name or model.column, corpus.columns), column)
    seconds = time.monotonic() - began
    if out is None:
        with tempfile.TemporaryDirectory() as folder:
            write_corpus(labelled, f"{folder}/labelled")
            click.echo(Path(folder, "labelled").read_text(encoding="utf-8"), nl=False)
    else:
        write_corpus(labelled, out)
    about = f"{counted(len(corpus), 'sentences')}, {counted(corpus.n_tokens, 'tokens')} in {seconds:,.1f} s"
    if as_json:
        print_json({"output": str(out), "sentences": len(corpus), "tokens": corpus.n_tokens, "seconds": seconds})
    elif out is not None:
        say(f"wrote {out}: {about}.")


@click.command(short_help="Write n-best taggings of sentences.")
@click.argument("tagger", type=FILE)
@click.argument("sentences_file", metavar="SENTENCES", type=FILE)
@click.option("-o", "--output", "out", type=FILE, required=True, help="Output file, e.g. lists.jsonl.gz.")
@k_option
@click.option(
    "--tag", metavar="COLUMN", help="Column of gold tags. Default: that of the tagger's tags, if it is there."
)
@before_option
@reading_options
@as_json
def nbest(
    tagger: Path,
    sentences_file: Path,
    out: Path,
    k: int,
    tag: str | None,
    before: tuple[Path, ...],
    as_json: bool,
    **options: Any,
) -> None:
    """Write the k best taggings of SENTENCES as lists that all other commands read.

    \b
    Example:  runoff tag nbest chunks.runoff dev.conll -k 20 -o dev.jsonl.gz
              runoff pick model.runoff dev.jsonl.gz -o better.txt
    """
    from runoff.io import write
    from runoff.tasks.tagging.corpus_files import read_corpus
    from runoff.tasks.tagging.corpus_parts import TaggedSentences, check_tags
    from runoff.tasks.tagging.tagger_file import load_tagger
    from runoff.tasks.tagging.tagger_round import lister, tagging_lists

    how = reading(options)
    notes: list[str] = []
    check_outputs([out], [tagger, sentences_file, *before])
    model = lister(load_tagger(tagger))
    corpus = tagged_before(read_corpus(sentences_file, notes=notes, **how), before)
    tell(notes)
    if tag is not None:
        check_tags(corpus, tag, sentences_file)
    made = tagging_lists(model, TaggedSentences(corpus, tag or model.column), k)
    write(made, out)
    if as_json:
        print_json({"output": str(out), "lists": len(made), "candidates": made.n_candidates, "notes": notes})
        return
    say(f"wrote {out}: {counted(len(made), 'lists')}, {counted(made.n_candidates, 'taggings')}.")
    say(f"next: runoff pick MODEL {out} -o BETTER.txt")


@click.command(name="eval", short_help="Compare tags with gold tags, as conlleval does.")
@click.argument("gold", type=FILE)
@click.argument("predicted", type=FILE, required=False)
@click.option("--tag", metavar="COLUMN", help="Column of the gold tags. Default: the last one of GOLD.")
@click.option("--predicted", "column", metavar="COLUMN", help="Column of the predicted tags. Default: the last one.")
@click.option("--raw", is_flag=True, help="Every tag but O is a phrase of one token, as with conlleval -r.")
@reading_options
@as_json
def evaluate(
    gold: Path, predicted: Path | None, tag: str | None, column: str | None, raw: bool, as_json: bool, **options: Any
) -> None:
    """Compare the tags of PREDICTED with those of GOLD; without PREDICTED, two columns of GOLD, as conlleval reads.

    Precision, recall and F of phrases, overall and by type, and the accuracy of tags, equal to conlleval's to the last
    digit, with confidence intervals.

    \b
    Example:  runoff tag eval gold.conll labelled.conll
              runoff tag eval both.conll --tag chunk --predicted guess --columns word,pos,chunk,guess
    """
    from runoff.errors import UsageError
    from runoff.tasks.tagging.corpus_files import read_corpus
    from runoff.tasks.tagging.tag_scores import evaluate_tags

    how = reading(options)
    notes: list[str] = []
    one = read_corpus(gold, notes=notes, **how)
    names = list(one.columns)
    if predicted is None:
        if len(names) < 3 and not (tag and column):
            raise UsageError(
                "without a file of predicted tags, GOLD needs at least three columns: word, gold, predicted."
            )
        right, guess = tag or names[-2], column or names[-1]
        one = one.with_column("predicted tags", one[guess])
        found = evaluate_tags(one, "predicted tags", column=right, raw=raw)
    else:
        other = read_corpus(predicted, notes=notes, **({} if "columns" in how and column is None else how))
        right, guess = tag or names[-1], column or list(other.columns)[-1]
        aligned = other.with_column(right, other[guess])
        found = evaluate_tags(one, aligned, column=right, raw=raw)
    tell([*notes, *found.notes])
    if as_json:
        print_json(found.to_dict())
        return
    click.echo(found)


def _free(name: str, taken: Any) -> str:
    """A name that no column has."""
    while name in taken:
        name = f"predicted {name}"
    return name
