"""Commands for lists of plain texts that need no model: `runoff text families`, `features`, `baselines`, `pick`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path  # noqa: TC003 - click looks at the annotations
from typing import TYPE_CHECKING, Any

import click

from runoff.cli.choices_output import check_choices_file, write_choices
from runoff.cli.evaluating import certainty_options
from runoff.cli.options import (
    FILE,
    Source,
    as_json,
    check_outputs,
    metric_option,
    print_json,
    say,
    say_notes,
    seed_option,
    source_options,
)
from runoff.errors import UsageError
from runoff.tables import text_table
from runoff.tasks.text.command_options import check_metric, check_texts, text_settings

if TYPE_CHECKING:
    from runoff.model import Choice, Choices, LinearModel
    from runoff.nbest import NBest
    from runoff.tasks.text.featurizer import TextFeatures

WAYS = ("vote", "bayes-risk", "shortest", "longest")


@click.group()
def text() -> None:
    """Lists of plain texts: features by themselves, and choices that need neither training nor references.

    A reranker that makes its own features comes from `runoff train LISTS --task text`.

    \b
    Example:  runoff text baselines lists.jsonl --metric wer
              runoff train lists.jsonl --task text --metric wer --folds 5 -o model.runoff
              runoff text pick --by bayes-risk new.jsonl -o chosen.txt
              runoff text features lists.jsonl --metric wer -o lists.arrow
    """


@text.command()
@as_json
def families(as_json: bool) -> None:
    """List the families of features: which are made where nothing else is said, what they look at, what they cost.

    \b
    Example:  runoff text families
    """
    from itertools import zip_longest
    from textwrap import wrap

    from runoff.tasks.text.families import FAMILIES, SETS

    if as_json:
        print_json({"families": [asdict(each) for each in FAMILIES.values()], "sets": SETS})
        return
    rows = []
    for each in FAMILIES.values():
        columns = ([each.name], ["yes" if each.usual else "no"], wrap(each.what, 58), wrap(each.cost, 32))
        rows += [list(line) for line in zip_longest(*columns, fillvalue="")]
    click.echo(text_table(["family", "usual", "what it looks at", "cost"], rows, left=4))
    click.echo("\nSets: usual (the default), dense (usual without columns by the thousand), all.")
    click.echo("--families takes names with commas between them; a minus takes one away, as in usual,-lm.")


@text.command()
@click.argument("source_file", metavar="IN", type=FILE)
@click.option("-o", "--output", "out", type=FILE, required=True, help="Where to write: .arrow, .parquet or .jsonl.")
@click.option("--families", "wanted", metavar="F", help="Families of features, see `runoff text families`.")
@click.option("--like", type=FILE, metavar="MODEL", help="Make the features of this model, or of what --keep kept.")
@click.option("--keep", type=FILE, metavar="FILE", help="Also keep what was learned, to make the same for other lists.")
@click.option("--set", "pairs", multiple=True, metavar="KEY=VALUE", help="Any other setting, e.g. lm_order=4.")
@metric_option
@source_options
@seed_option
@as_json
def features(
    source_file: Path,
    out: Path,
    wanted: str | None,
    like: Path | None,
    keep: Path | None,
    pairs: tuple[str, ...],
    metric: str | None,
    seed: int,
    as_json: bool,
    **source: Any,
) -> None:
    """Make features of the texts of IN and write data that every learner takes.

    Vocabularies and the language model are learned from IN, or taken from the model given as --like. The metric says
    how texts are compared; without one it is what the data is judged by, else chrF.

    \b
    Example:  runoff text features train.jsonl --metric wer -o train.arrow --keep features.runoff
              runoff text features test.jsonl --metric wer -o test.arrow --like features.runoff
              runoff train train.arrow --learner boost -o model.runoff
    """
    from runoff.formats import writer_for
    from runoff.io import write

    check_outputs([out, keep], [source_file, like])
    writer_for(out, None)
    if like is not None and keep is not None:
        raise UsageError("--keep keeps what was learned, and with --like nothing is; leave one out.")
    given = {**({} if wanted is None else {"families": wanted}), **text_settings(pairs)}
    if like is not None and given:
        raise UsageError("--like takes families and settings from the model; leave --families and --set out.")
    maker = None if like is None else _maker(like)
    data = Source(**source).read_as_is(source_file)
    check_texts(data, source_file)
    data = _judged(data, metric)
    if maker is None:
        from runoff.tasks.text.featurizer import TextFeatures
        from runoff.tasks.text.settings import settings_of

        maker, made = TextFeatures.learn(data, settings_of({"seed": seed, **given}), metric)
    else:
        made = maker.make(data)
    write(made, out)
    if keep is not None:
        _kept(maker).save(keep)
    elif like is None:
        say("note: these features were learned from these lists; for others of the same kind: --keep, then --like.")
    say_notes(data)
    for note in maker.notes:
        say(f"note: {note}")
    columns = made.features.n_columns
    if as_json:
        facts = {"groups": len(made), "candidates": made.n_candidates, "features": columns}
        notes = [*data.notes, *maker.notes]
        print_json({"output": str(out), **facts, "families": maker.families, "notes": notes})
        return
    say(f"{columns:,} features from {', '.join(maker.families)}.")
    say(f"wrote {out}: {made!r}")


@text.command()
@click.argument("data", type=FILE)
@metric_option
@source_options
@certainty_options
@seed_option
@as_json
def baselines(
    data: Path,
    metric: str | None,
    resamples: int,
    trials: int,
    confidence: float,
    seed: int,
    as_json: bool,
    **source: Any,
) -> None:
    """Judge the choices that need no training: the shortest, the longest, the most votes, the least Bayes risk.

    \b
    Example:  runoff text baselines lists.jsonl --metric bleu
    """
    from runoff.report import untrained

    lists = Source(**source).read(data, metric)
    check_texts(lists, data)
    check_metric(lists, data, metric)
    found = untrained(lists, metric, resamples=resamples, trials=trials, confidence=confidence, seed=seed)
    say_notes(lists)
    print_json(found.to_dict()) if as_json else click.echo(found)


@text.command()
@click.argument("data", type=FILE)
@click.option("--by", "way", type=click.Choice(WAYS), required=True, help="What decides.")
@click.option("-o", "--output", "out", type=FILE, help="Where to write. A name in .txt gets the chosen texts alone.")
@click.option("--top", default=1, show_default=True, help="Candidates to keep of each group, best first.")
@click.option("--metric", metavar="M", help="How texts are compared. Default: the data's own metric, else chrf.")
@source_options
@as_json
def pick(data: Path, way: str, out: Path | None, top: int, metric: str | None, as_json: bool, **source: Any) -> None:
    """Choose in every list of DATA without a model and without references, as JSON lines like those of `runoff pick`.

    vote takes the answer that most candidates give, bayes-risk the text that is best on average if one of the others is
    right. The score is the votes, the expected quality or the words; only votes have a probability, their share.

    \b
    Example:  runoff text pick --by bayes-risk lists.jsonl --metric chrf -o chosen.jsonl
              runoff text pick --by vote answers.jsonl --metric numeric -o chosen.txt
    """
    check_outputs([out], [data])
    check_choices_file(out)
    if top < 1:
        raise UsageError(f"--top must be at least 1; found {top}.")
    lists = Source(**source).read_as_is(data)
    check_texts(lists, data)
    choices, ranked = _chosen(lists, way, metric, top)
    say_notes(lists)
    write_choices(choices, ranked, out, as_json=as_json, by=way, similarity=_similarity(lists, metric))


def _chosen(lists: NBest, way: str, metric: str | None, top: int) -> tuple[Choices, list[Choice]]:
    """The winners, and the best `top` of every list one after the other."""
    import numpy as np

    from runoff.arrays import frozen
    from runoff.model import Choices
    from runoff.ranking import by_score
    from runoff.tasks.text.baseline_choices import baseline_scores

    scores = frozen(baseline_scores(lists, similarity=metric, ways=(way,))[way])
    shares = frozen(scores / lists.sizes[lists.group_of] if way == "vote" else np.full(scores.size, np.nan))
    order = by_score(lists, scores)
    choices = Choices(lists, order.indices, scores, shares)
    kept = list(choices) if top == 1 else [each for best in choices.top(order, top) for each in best]
    return choices, kept


def _judged(data: NBest, metric: str | None) -> NBest:
    """Lists with quality, where all of them have references; without, none is to get lost."""
    from runoff.metrics import grade_for, parse, with_references

    asked = parse(metric or data.metric or "quality")
    return grade_for(data, asked) if with_references(data, asked[0]) is data else data


def _kept(maker: TextFeatures) -> LinearModel:
    """A model without weights that makes the features."""
    import dataclasses

    from runoff.model import LinearModel

    return dataclasses.replace(LinearModel.of({}), preparation=(maker.to_step(),))


def _similarity(lists: NBest, metric: str | None) -> str:
    from runoff.tasks.text.settings import TextSettings

    return TextSettings(similarity=metric).compares_by(lists, None).signature


def _maker(path: Path) -> TextFeatures:
    """What makes the features of a model."""
    from runoff.model import load
    from runoff.tasks.text.featurizer import STEP, TextFeatures

    model = load(path)
    step = next((step for step in model.preparation if step["step"] == STEP), None)
    if step is not None:
        return TextFeatures.from_step(step)
    if model.provenance.get("learner") == "text":
        raise UsageError(f"{path} leaves every first choice alone and makes no features; leave --like out.")
    raise UsageError(f"{path} makes no features of texts; --like takes a model of `runoff train --task text`.")
