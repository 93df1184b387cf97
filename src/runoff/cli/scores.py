"""`runoff scores`: what a model thinks of every candidate."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - click looks at the annotations
from typing import Any

import click

from runoff.cli.options import (
    FILE,
    INPUT,
    Source,
    as_json,
    check_outputs,
    external_option,
    print_json,
    say,
    say_notes,
    source_options,
)


@click.command()
@click.argument("model", type=INPUT)
@click.argument("data", type=INPUT)
@click.option(
    "-o", "--output", "out", type=FILE, help="Output file: .jsonl, .csv, .tsv, .parquet, .run (TREC) or .nbest (Moses)."
)
@click.option("--to", metavar="FORMAT", help="trec or moses, for files of other names.")
@source_options
@external_option
@as_json
def scores(
    model: Path, data: Path, out: Path | None, to: str | None, allow_external: bool, as_json: bool, **source: Any
) -> None:
    """Write MODEL's score of every candidate of DATA, with its probability and rank, in the order of the data.

    JSON lines have one list on a line, tables one candidate in a row. TREC runs and Moses n-best lists get the model's
    score in place of the first round's.

    \b
    Example:  runoff scores model.runoff lists.jsonl -o scores.csv
              runoff scores model.runoff first.run -o reranked.run
              runoff scores model.runoff mert.nbest -o rescored.nbest
    """
    from runoff.cli.scored_output import ScoredCandidates, scores_writer
    from runoff.model import check_features, load
    from runoff.report.data_warnings import data_warnings

    check_outputs([out], [model, data])
    write = scores_writer(out, to)
    chooser = load(model, allow_external=allow_external)
    lists = Source(**source).read_as_is(data)
    # Scores look at no reference, and a featurizer would compare with them.
    blind = lists.replace(references=None)
    check_features(chooser, blind)
    say_notes(lists)
    for sentence in data_warnings(chooser, blind):
        say(sentence if sentence.startswith("Warning") else f"note: {sentence}")
    found = ScoredCandidates(chooser, blind)
    facts = {"output": None if out is None else str(out), "groups": len(lists), "candidates": lists.n_candidates}
    if as_json and out is None:
        print_json({**facts, "lists": list(found.records())})
        return
    write(found)
    if as_json:
        print_json({**facts, "unseen_features": chooser.unseen(blind).columns})
    elif out is not None:
        say(f"wrote {out}: scores of {lists.n_candidates:,} candidates in {len(lists):,} lists.")
