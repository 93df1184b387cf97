"""Commands for plain texts that need no model: `runoff text families` and `runoff text pick`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path  # noqa: TC003 - click looks at the annotations
from typing import TYPE_CHECKING, Any

import click

from runoff.cli.choices_output import ChoicesFile
from runoff.cli.options import (
    FILE,
    Source,
    as_json,
    check_outputs,
    print_json,
    say_notes,
    source_options,
    task_for,
    text_form_option,
)
from runoff.errors import UsageError
from runoff.tables import text_table

if TYPE_CHECKING:
    from runoff.model import Choice, Choices
    from runoff.nbest import NBest

_BASELINES = ("vote", "bayes-risk", "shortest", "longest")


@click.group()
def text() -> None:
    """Plain texts: feature families, and choices that need neither training nor references.

    `runoff describe` shows what such choices would gain. `runoff train` trains a reranker that makes its own features.

    \b
    Example:  runoff describe lists.jsonl --metric wer
              runoff train lists.jsonl --metric wer --folds 5 -o model.runoff
              runoff text pick --by bayes-risk new.jsonl -o chosen.txt
    """


@text.command()
@as_json
def families(as_json: bool) -> None:
    """List the feature families: whether each is on by default, what it measures, and what it costs.

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
    click.echo(text_table(["family", "usual", "what it measures", "cost"], rows, left=4))
    click.echo("\nSets: usual (the default), dense (usual without sparse columns), all.")
    click.echo("--families takes a comma-separated list; a minus sign removes a family, as in usual,-lm.")


@text.command()
@click.argument("data", type=FILE)
@click.option("--by", "baseline", type=click.Choice(_BASELINES), required=True, help="Baseline that chooses.")
@click.option("-o", "--output", "out", type=FILE, help="Where to write. A .txt file gets the chosen texts alone.")
@click.option("--top", default=1, show_default=True, help="Candidates to keep per group, best first.")
@click.option("--metric", metavar="M", help="Metric that compares texts. Default: the data's own metric, else chrf.")
@text_form_option
@source_options
@as_json
def pick(
    data: Path,
    baseline: str,
    out: Path | None,
    top: int,
    metric: str | None,
    to: str | None,
    as_json: bool,
    **source: Any,
) -> None:
    """Choose a candidate in every list of DATA without a model or references, with the output of `runoff pick`.

    vote takes the most frequent answer. bayes-risk takes the text with the best expected quality when the candidates of
    the list serve as references. The score is the number of votes, the expected quality or the number of words. Only
    vote gives a probability, the share of the votes.

    \b
    Example:  runoff text pick --by bayes-risk lists.jsonl --metric chrf -o chosen.jsonl
              runoff text pick --by vote answers.jsonl --metric numeric -o chosen.txt
    """
    from runoff import tasks
    from runoff.tasks.text.settings import TextSettings

    check_outputs([out], [data])
    target = ChoicesFile(out, tasks.get("text"), to, top)
    if top < 1:
        raise UsageError(f"--top must be at least 1; found {top}.")
    lists = Source(**source).read_as_is(data)
    task_for(lists, "text", data)
    choices, ranked = _chosen(lists, baseline, metric, top)
    say_notes(lists)
    similarity = TextSettings(similarity=metric).similarity_for(lists, None).signature
    target.write(choices, ranked, as_json=as_json, by=baseline, similarity=similarity)


def _chosen(lists: NBest, baseline: str, metric: str | None, top: int) -> tuple[Choices, list[Choice]]:
    """The winners, and the best `top` candidates of every list, list by list."""
    import numpy as np

    from runoff.arrays import frozen
    from runoff.model import Choices
    from runoff.ranking import by_score
    from runoff.tasks.text.baseline_choices import baseline_scores

    scores = frozen(baseline_scores(lists, similarity=metric, names=(baseline,))[baseline])
    shares = frozen(scores / lists.sizes[lists.group_of] if baseline == "vote" else np.full(scores.size, np.nan))
    order = by_score(lists, scores)
    choices = Choices(lists, order.indices, scores, shares)
    kept = list(choices) if top == 1 else [each for best in choices.top(order, top) for each in best]
    return choices, kept
