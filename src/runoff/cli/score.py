"""`runoff score`: what a model thinks of every candidate, or columns of scores by neural models."""

from __future__ import annotations

from functools import partial
from pathlib import Path  # noqa: TC003 - click looks at the annotations
from typing import TYPE_CHECKING, Any

import click

from runoff.cli.block_warnings import BlockWarnings
from runoff.cli.neural_columns import add_columns, split_models
from runoff.cli.options import (
    FILE,
    INPUT,
    Source,
    as_json,
    check_outputs,
    cluster_option,
    external_option,
    print_json,
    say,
    source_options,
)
from runoff.errors import UsageError
from runoff.tables import counted

if TYPE_CHECKING:
    from runoff.nbest import NBest

_WITH = (
    "KIND=FOLDER: columns by a neural model, where KIND is cross-encoder, reward, causal-lm or masked-lm. "
    "Any other KEY is an option of the format."
)
_ONE, _BOTH = 1, 2


@click.command()
@click.argument("sources", metavar="[MODEL] DATA", nargs=-1, required=True, type=INPUT)
@click.option(
    "-o",
    "--output",
    "out",
    type=FILE,
    help="Output file: .jsonl, .csv, .tsv, .parquet, .run (TREC) or .nbest (Moses); with columns also .arrow.",
)
@click.option("--to", metavar="FORMAT", help="Format for files of other names, such as trec or moses.")
@click.option("--prompt", metavar="TEXT", help="Read by a causal-lm before every candidate; {input}: that of its list.")
@click.option(
    "--device", metavar="NAME", help="Of neural models: cpu, cuda, cuda:1, mps. Default: a GPU, if there is one."
)
@click.option("--dtype", metavar="NAME", help="Numbers of neural models: float32 (default), or auto: as their weights.")
@click.option(
    "--cache",
    metavar="FOLDER",
    help="Where scores of neural models are kept, or none. Default: with the user's caches.",
)
@partial(source_options, more=_WITH)
@external_option
@as_json
@cluster_option
def score(
    sources: tuple[Path, ...],
    out: Path | None,
    to: str | None,
    allow_external: bool,
    as_json: bool,
    more: tuple[str, ...],
    **options: Any,
) -> None:
    """Write MODEL's score of every candidate of DATA, or add columns of scores by neural models.

    With MODEL: its score, probability and rank. JSON lines have one list on a line, tables one candidate in a row, in
    the order of the data. TREC runs and Moses n-best lists get the model's score in place of the first round's.

    With --with KIND=FOLDER, once or more, and no MODEL: the lists with features, to learn from. Models are folders on
    this machine, as transformers saves them. The same command goes on after an interruption. `runoff scores` is this
    command too.

    \b
    Example:  runoff score model.runoff lists.jsonl -o scores.csv
              runoff score model.runoff first.run -o reranked.run
              runoff score lists.jsonl --with cross-encoder=models/reranker -o scored.jsonl
    """
    pairs, rest = split_models(more)
    asked = {name: options.pop(name) for name in ("prompt", "device", "dtype", "cache")}
    if pairs:
        if len(sources) > _ONE:
            raise UsageError(
                "--with KIND=FOLDER adds columns to one file of lists; leave the model out, or score in two steps."
            )
        if allow_external:
            raise UsageError("--allow-external is for what a MODEL names; leave it out.")
        add_columns(sources[0], out, to, pairs, Source(more=rest, **options), as_json=as_json, **asked)
        return
    given = next((name for name, value in asked.items() if value is not None), None)
    if given is not None:
        raise UsageError(f"--{given} is for neural models (--with cross-encoder=FOLDER); leave it out.")
    if len(sources) != _BOTH:
        raise UsageError(
            "give a model and a file of lists, or one file and --with cross-encoder=FOLDER; "
            f"found {counted(len(sources), 'files')}."
        )
    model, data = sources
    _write_scores(model, data, out, to, Source(more=rest, **options), allow_external=allow_external, as_json=as_json)


def _write_scores(
    model: Path, data: Path, out: Path | None, to: str | None, source: Source, *, allow_external: bool, as_json: bool
) -> None:
    from runoff.cli.scored_output import ScoredCandidates, scores_writer
    from runoff.model import check_features, load

    check_outputs([out], [model, data])
    write, in_blocks = scores_writer(out, to)
    chooser = load(model, allow_external=allow_external)
    told, counts = BlockWarnings(chooser), {"groups": 0, "candidates": 0}

    def scored(lists: NBest) -> ScoredCandidates:
        # Scores look at no reference, and a featurizer would compare with them.
        blind = lists.replace(references=None)
        check_features(chooser, blind)
        told.look_at(blind)
        counts["groups"], counts["candidates"] = (
            counts["groups"] + len(lists),
            counts["candidates"] + lists.n_candidates,
        )
        return ScoredCandidates(chooser, blind)

    found = map(scored, source.blocks_as_is(data) if in_blocks else [source.read_as_is(data)])
    facts = {"output": None if out is None else str(out)}
    if as_json and out is None:
        lists = [record for block in found for record in block.records()]
        print_json({**facts, **counts, "lists": lists})
        return
    write(found)
    unseen = told.facts()
    if as_json:
        print_json({**facts, **counts, **unseen})
    elif out is not None:
        say(f"wrote {out}: scores of {counts['candidates']:,} candidates in {counts['groups']:,} lists.")
