"""`runoff translate jackknife`, `pipeline` and `demo`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from runoff.cli.options import FILE, as_json, check_outputs, cluster_option, interruptible, print_json, say, seed_option
from runoff.cli.task_commands import (
    demo_command,
    folds_option,
    pipeline_options,
    resumable,
    share_or_path,
    show_outcome,
)
from runoff.errors import UsageError
from runoff.tasks.translation.command_options import decoder_settings, decoding_options, training_options
from runoff.tasks.translation.translator_commands import k_option, pairs_option

if TYPE_CHECKING:
    from runoff.tasks.translation.translator_round import TranslatorRound

FOLDS = 5  # as the first round has them
weights_option = click.option(
    "--weights",
    "tuned",
    type=FILE,
    metavar="MODEL",
    help="A tuned translator, whose weights and search settings all translators get.  "
    "[default: learned from a tenth of the pairs, at most 500]",
)


@click.command(short_help="Write n-best translations of training sentences.")
@click.argument("source_file", metavar="SOURCE", type=FILE)
@click.argument("target_file", metavar="TARGET", type=FILE)
@click.option("-o", "--output", "out", type=FILE, required=True, help="Where to write the lists.")
@k_option
@pairs_option
@folds_option(FOLDS)
@click.option(
    "--sentences",
    "most",
    type=click.IntRange(min=1),
    help="Most sentences that get lists, evenly spread; all train the translators.  [default: all]",
)
@weights_option
@training_options
@decoding_options
@as_json
@cluster_option
def jackknife(
    source_file: Path,
    target_file: Path,
    out: Path,
    k: int,
    folds: int | None,
    most: int | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Translate SOURCE itself, each fold by a translator trained on the others: lists for training a reranker.

    Folds are made of blocks of neighbouring lines. After an interruption, the same command resumes.

    \b
    Example:  runoff translate jackknife train.en train.de --weights tuned.runoff -k 100 -o train.jsonl.gz
              runoff translate jackknife train.en train.de --weights tuned.runoff -k 1000 --sentences 2000 -o long.arrow
    """
    from runoff.tasks.translation.parallel_parts import read_pairs

    check_outputs([out], [source_file, target_file])
    first_round = _first_round(options)
    with interruptible(f"{out} was not written; the same command resumes"):
        read = read_pairs(source_file, target_file)
        count = first_round.folds_for(read, folds)
        facts = first_round.jackknife(read, out, k=k, folds=count, threads=None, verbose=True, say=say, most=most)
    if as_json:
        print_json({"output": str(out), **facts})
        return
    say(f"wrote {out}: {facts['lists']:,} lists, {facts['candidates']:,} translations.")
    say(f"next: runoff train {out} --dev DEV_LISTS -o MODEL.runoff")


@click.command(short_help="Train and evaluate a reranked translator with one command.")
@click.argument("source_file", metavar="SOURCE", type=FILE)
@click.argument("target_file", metavar="TARGET", type=FILE)
@pipeline_options("SOURCE,TARGET", FOLDS)
@k_option
@click.option(
    "--rerankers",
    metavar="NAMES",
    help="Comma-separated recipes, of which the best on dev is chosen: crf, loglinear, orum, splitting, best-vs-rest. "
    "Default: the first three.",
)
@click.option("--families", metavar="NAMES", help="Families of features. Default: usual.")
@click.option("--metric", default="bleu", show_default=True, help="What is learned and reported first.")
@pairs_option
@weights_option
@training_options
@decoding_options
@seed_option
@as_json
@cluster_option
def pipeline(
    source_file: Path,
    target_file: Path,
    folder: Path,
    dev: str,
    test: str,
    rerankers: str | None,
    families: str | None,
    metric: str,
    as_json: bool,
    **options: Any,
) -> None:
    """Train a translator and a reranker on SOURCE and TARGET, and evaluate them on sentences that neither has seen.

    The pairs are split into train, dev and test between blocks of lines. Train is translated fold by fold, each fold by
    a translator of the others. Learners are trained on these lists; the best one on dev is evaluated on test.

    The folder receives the translator, the lists, the models, a table and pictures. After an interruption, the same
    command resumes; with other options, it redoes only what depends on them.

    \b
    Example:  runoff translate pipeline train.en train.de --dev dev.en,dev.de --test test.en,test.de -o en-de
    """
    from runoff import tasks
    from runoff.pipeline import run_pipeline
    from runoff.tasks.translation.translation_scores import metric_of_texts

    metric_of_texts(metric)  # raises for a wrong one before the work starts
    own = {name: options.pop(name) for name in ("k", "folds", "seed")}
    with resumable(folder):
        found = run_pipeline(
            tasks.get("translation"),
            (source_file, target_file),
            folder,
            first_round=_first_round(options),
            metrics=tuple(dict.fromkeys((metric, "bleu", "chrf"))),
            dev=_share_or_pair(dev),
            test=_share_or_pair(test),
            recipes=None if rerankers is None else [name.strip() for name in rerankers.split(",") if name.strip()],
            features={} if families is None else {"families": families},
            verbose=True,
            say=say,
            **own,
        )
    show_outcome(
        found,
        f"everything is in {folder}: translator.runoff, model.runoff, table.md, result.png and more.",
        f"next: runoff translate nbest {folder}/translator.runoff SOURCE -o LISTS.jsonl",
        f"      runoff pick {found.model} LISTS.jsonl -o BETTER.txt",
        as_json=as_json,
    )


def _first_round(options: dict[str, Any]) -> TranslatorRound:
    """A first round of the options that are left, which are those of training and decoding."""
    from runoff.tasks.translation.decoder_settings import DecoderSettings
    from runoff.tasks.translation.translator_round import RoundSettings, TranslatorRound, weights_of
    from runoff.tasks.translation.translator_settings import TranslatorSettings

    tuned, pairs = options.pop("tuned"), options.pop("phrase_pairs")
    weights, usual = (None, DecoderSettings()) if tuned is None else weights_of(tuned)
    search = decoder_settings(options, usual)
    return TranslatorRound(RoundSettings(TranslatorSettings(**options), search, weights, phrase_pairs=pairs))


def _share_or_pair(text: str) -> float | tuple[Path, Path]:
    """A share of the pairs, or two files.

    Examples
    --------
    >>> _share_or_pair("0.1")
    0.1
    >>> _share_or_pair("dev.en")
    Traceback (most recent call last):
    runoff.errors.UsageError: expected a share such as 0.1, or SOURCE,TARGET; found 'dev.en'.
    """
    parts = text.split(",")
    if len(parts) == 2:
        source, target = map(Path, parts)
        for path in (source, target):
            if not path.exists():
                raise UsageError(f"there is no file {path}.")
        return source, target
    try:
        found = share_or_path(text)
    except UsageError:
        found = Path(text)
    if not isinstance(found, float):
        raise UsageError(f"expected a share such as 0.1, or SOURCE,TARGET; found {text!r}.")
    return found


demo = demo_command(
    "runoff.tasks.translation.demo.run:run",
    "runoff-translate-demo",
    short_help="Show all steps on a synthetic phrasebook.",
    data="phrasebook",
    help="""Write parallel text with words of two meanings, run the pipeline on it, and show what a second round finds.

    Takes about a minute on two cores. After an interruption, the same command resumes.

    \b
    Example:  runoff translate demo
    """,
)
