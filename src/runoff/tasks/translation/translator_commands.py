"""`runoff translate train`, `tune`, `decode`, `nbest` and `table`."""

from __future__ import annotations

import time
from pathlib import Path  # noqa: TC003 - click looks at the annotations
from typing import Any

import click

from runoff.cli.options import (
    FILE,
    as_json,
    check_outputs,
    interruptible,
    output,
    print_json,
    say,
    seed_option,
    settings,
)
from runoff.tables import counted
from runoff.tasks.translation.command_options import (
    decoding_options,
    opened,
    read_references,
    references_option,
    tell,
    training_options,
)

k_option = click.option(
    "-k", "--k", default=100, show_default=True, type=click.IntRange(min=1), help="Different translations per list."
)
pairs_option = click.option(
    "--phrase-pairs", is_flag=True, help="Name the phrase pairs of every translation as features."
)


@click.command(short_help="Learn a translator from parallel text.")
@click.argument("source_file", metavar="SOURCE", type=FILE)
@click.argument("target_file", metavar="TARGET", type=FILE)
@click.option("-o", "--output", "out", type=FILE, required=True, help="Where to write the translator.")
@training_options
@click.option(
    "--text",
    type=FILE,
    multiple=True,
    metavar="FILE",
    help="More text in the target language, for the language model; may be repeated.",
)
@click.option("--lm", type=FILE, help="A language model over tokens (ARPA), in place of one of its own.")
@click.option("--alignment", type=FILE, help="Word alignment (0-0 1-2 …, a line per pair), in place of its own.")
@click.option("--phrase-table", type=FILE, help="Moses' phrase table of these tokens, in place of its own.")
@click.option("--reordering-table", type=FILE, help="Moses' reordering table of the same phrases.")
@as_json
def train(
    source_file: Path,
    target_file: Path,
    out: Path,
    text: tuple[Path, ...],
    lm: Path | None,
    alignment: Path | None,
    phrase_table: Path | None,
    reordering_table: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Learn a translator from SOURCE and TARGET, where line i of one is the translation of line i of the other.

    Words are aligned, phrases and their probabilities are taken from the alignment, and a language model is learned
    from TARGET. The weights are rough ones until `runoff translate tune` learns them from other sentences.

    \b
    Example:  runoff translate train train.en train.de -o en-de.runoff
              runoff translate train train.en train.de --text more.de.gz --order 5 -o en-de.runoff
    """
    from runoff.tasks.translation.bitext import read_parallel, read_sentences
    from runoff.tasks.translation.training import train_translator
    from runoff.tasks.translation.translator_settings import TranslatorSettings

    chosen = TranslatorSettings(**options)
    check_outputs([out], [source_file, target_file, *text, lm, alignment, phrase_table, reordering_table])
    with interruptible(f"{out} was not written"):
        source, target = read_parallel(source_file, target_file)
        more = [line for path in text for line in read_sentences(path)]
        began = time.monotonic()
        translator = train_translator(
            source,
            target,
            chosen,
            text=more,
            language_model=lm,
            alignment=alignment,
            phrase_table=phrase_table,
            reordering_table=reordering_table,
            verbose=True,
        )
        translator.save(out)
    seconds = time.monotonic() - began
    tell(translator.provenance["notes"])
    if as_json:
        print_json({"output": str(out), **translator.describe(), "seconds": seconds})
        return
    say(f"wrote {out}: {translator!r}, trained in {seconds:,.1f} s.")
    say(f"next: runoff translate tune {out} DEV_SOURCE DEV_TARGET -o TUNED.runoff")


@click.command(short_help="Learn the weights of a translator.")
@click.argument("translator", metavar="MODEL", type=FILE)
@click.argument("source_file", metavar="SOURCE", type=FILE)
@click.argument("target_files", metavar="TARGET...", type=FILE, nargs=-1, required=True)
@click.option("-o", "--output", "out", type=FILE, required=True, help="Where to write the tuned translator.")
@click.option(
    "--method",
    default="mert",
    show_default=True,
    metavar="NAME",
    help="mert, pro, crf, loglinear, or a perceptron: best-vs-rest, splitting, orum.",
)
@click.option("--set", "pairs", multiple=True, metavar="KEY=VALUE", help="Parameter of the method; may be repeated.")
@click.option("--metric", default="bleu", show_default=True, help="What is tuned, e.g. bleu, chrf or ter.")
@k_option
@click.option("--rounds", default=12, show_default=True, type=click.IntRange(min=1), help="Most rounds.")
@decoding_options
@seed_option
@as_json
def tune(
    translator: Path,
    source_file: Path,
    target_files: tuple[Path, ...],
    out: Path,
    method: str,
    pairs: tuple[str, ...],
    metric: str,
    k: int,
    rounds: int,
    seed: int,
    as_json: bool,
    **options: Any,
) -> None:
    """Learn the weights of MODEL on sentences that it was not trained on, SOURCE, and their translations, TARGET.

    In rounds: translations of SOURCE are listed, weights are learned from all lists so far, until the lists have
    nothing new. There may be several files of references.

    \b
    Example:  runoff translate tune en-de.runoff dev.en dev.de -o tuned.runoff
              runoff translate tune en-de.runoff dev.en dev.de --method crf -o tuned.runoff
    """
    from runoff.tasks.translation.bitext import read_sentences
    from runoff.tasks.translation.tuning import tune as tune_translator

    check_outputs([out], [translator, source_file, *target_files])
    start = opened(translator, options)
    source = read_sentences(source_file)
    references = read_references(source, source_file, target_files) or []
    with interruptible(f"{out} was not written"):
        tuned, found = tune_translator(
            start,
            source,
            references,
            method=method,
            settings=settings(pairs),
            metric=metric,
            k=k,
            rounds=rounds,
            seed=seed,
            verbose=True,
            say=say,
        )
        tuned.save(out)
    if as_json:
        print_json({"output": str(out), **found.to_dict()})
        return
    click.echo(found)
    say(f"wrote {out}, with the weights of round {found.best}.")
    say(f"next: runoff translate decode {out} SOURCE -o TRANSLATIONS.txt")


@click.command(short_help="Translate text.")
@click.argument("translator", metavar="MODEL", type=FILE)
@click.argument("source_file", metavar="SOURCE", type=FILE)
@click.option("-o", "--output", "out", type=FILE, help="Output file. Default: standard output.")
@references_option("Reference translations, to tell BLEU and chrF; may be repeated.")
@decoding_options
@as_json
def decode(
    translator: Path,
    source_file: Path,
    out: Path | None,
    reference_files: tuple[Path, ...],
    as_json: bool,
    **options: Any,
) -> None:
    """Translate SOURCE, a sentence a line, with MODEL; an empty line stays one.

    \b
    Example:  runoff translate decode tuned.runoff new.en -o new.de
              echo "A man sleeps." | runoff translate decode tuned.runoff -
    """
    from runoff.errors import UsageError
    from runoff.tasks.translation.bitext import read_sentences
    from runoff.tasks.translation.translation_scores import scores_of

    if as_json and out is None:
        raise UsageError("--json needs standard output for itself; write the translations to a file with -o.")
    check_outputs([out], [translator, source_file, *reference_files])
    model = opened(translator, options)
    source = read_sentences(source_file)
    references = read_references(source, source_file, reference_files)
    began = time.monotonic()
    with interruptible(f"{out or 'the translation'} was not written"):
        translations = model.translate(source, verbose=True)
    seconds = time.monotonic() - began
    with output(out) as write:
        for line in translations:
            write(line)
    scores = {} if references is None else scores_of(translations, references)
    if as_json:
        print_json({"output": str(out), "sentences": len(source), "seconds": seconds, "scores": scores})
        return
    rate = len(source) / seconds if seconds > 0 else 0.0
    say(f"translated {counted(len(source), 'sentences')} in {seconds:,.1f} s ({rate:,.1f} per second).")
    for name, score in scores.items():
        say(f"{name} {score:.2f}")


@click.command(short_help="Write n-best translations.")
@click.argument("translator", metavar="MODEL", type=FILE)
@click.argument("source_file", metavar="SOURCE", type=FILE)
@click.option("-o", "--output", "out", type=FILE, required=True, help="Lists: .jsonl (.gz), .arrow, or Moses' .nbest.")
@k_option
@references_option("Reference translations; may be repeated.")
@pairs_option
@decoding_options
@as_json
def nbest(
    translator: Path,
    source_file: Path,
    out: Path,
    k: int,
    reference_files: tuple[Path, ...],
    phrase_pairs: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """List the k best different translations of SOURCE, with the terms of their scores, for all other commands.

    \b
    Example:  runoff translate nbest tuned.runoff test.en -k 1000 --references test.de -o test.jsonl.gz
              runoff pick model.runoff test.jsonl.gz -o better.txt
    """
    from runoff.formats import writer_for
    from runoff.tasks.translation.bitext import read_sentences

    check_outputs([out], [translator, source_file, *reference_files])
    writer_for(out)
    model = opened(translator, options)
    source = read_sentences(source_file)
    references = read_references(source, source_file, reference_files)
    with interruptible(f"{out} was not written"):
        lists = model.nbest(source, k, references=references, phrase_pairs=phrase_pairs, verbose=True)
        writer_for(out)(lists, out)
    if as_json:
        print_json({"output": str(out), "lists": len(lists), "candidates": lists.n_candidates})
        return
    say(f"wrote {out}: {counted(len(lists), 'lists')}, {counted(lists.n_candidates, 'translations')}.")
    say(f"next: runoff describe {out} --metric bleu" if references else f"next: runoff pick MODEL {out} -o BETTER.txt")


@click.command(short_help="Write a translator's phrases as Moses does.")
@click.argument("translator", metavar="MODEL", type=FILE)
@click.option("-o", "--output", "out", type=FILE, required=True, help="Phrase table, e.g. phrase-table.gz.")
@click.option("--reordering", type=FILE, help="Where to write the reordering table.")
@as_json
def table(translator: Path, out: Path, reordering: Path | None, as_json: bool) -> None:
    """Write the phrase table of MODEL, and its reordering table, in Moses' text format.

    Tokens have a joiner, ￭, where no blank was. `runoff translate train --phrase-table` takes the tables again, e.g.
    after they were pruned.

    \b
    Example:  runoff translate table en-de.runoff -o phrase-table.gz --reordering reordering-table.gz
    """
    from runoff.tasks.translation.moses_tables import write_phrase_table, write_reordering_table
    from runoff.tasks.translation.translator_file import load_translator

    check_outputs([out, reordering], [translator])
    phrases = load_translator(translator).table
    write_phrase_table(phrases, out)
    if reordering is not None:
        write_reordering_table(phrases, reordering)
    if as_json:
        print_json({"output": str(out), "phrases": len(phrases), "options": phrases.n_options})
        return
    say(f"wrote {out}: {counted(phrases.n_options, 'options')} of {counted(len(phrases), 'phrases')}.")
