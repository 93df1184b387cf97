"""`runoff pick`: choose the winner of every group."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - click looks at the annotations
from typing import TYPE_CHECKING, Any

import click

from runoff.cli.block_warnings import BlockWarnings
from runoff.cli.choices_output import ChoicesFile
from runoff.cli.options import (
    FILE,
    INPUT,
    Source,
    as_json,
    check_outputs,
    cluster_option,
    external_option,
    source_options,
    text_form_option,
)
from runoff.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from runoff.model import Choice, Choices
    from runoff.nbest import NBest


@click.command()
@click.argument("model", type=INPUT)
@click.argument("data", type=INPUT)
@click.option("-o", "--output", "out", type=FILE, help="Output file. A .txt file gets only the chosen texts.")
@click.option("--top", default=1, show_default=True, help="Candidates to keep per group, best first.")
@click.option(
    "--min-confidence",
    type=click.FloatRange(0, 1),
    metavar="P",
    help="Abstain where the choice is the best with less than this probability.",
)
@text_form_option
@source_options
@external_option
@as_json
@cluster_option
def pick(
    model: Path,
    data: Path,
    out: Path | None,
    top: int,
    min_confidence: float | None,
    to: str | None,
    allow_external: bool,
    as_json: bool,
    **source: Any,
) -> None:
    """Choose the winner of every group of DATA, as JSON lines in the order of the groups.

    \b
    Example:  runoff pick model.runoff lists.jsonl -o chosen.jsonl
              runoff pick model.runoff lists.jsonl -o chosen.txt
              runoff pick model.runoff lists.jsonl -o chosen.trn
              runoff pick model.runoff lists.jsonl --min-confidence 0.9 -o sure.jsonl
    """
    from runoff import tasks
    from runoff.model import check_features, load

    if min_confidence is not None and top != 1:
        raise UsageError("--min-confidence is about the choice itself; leave --top out.")
    check_outputs([out], [model, data])
    chooser = load(model, allow_external=allow_external)
    target = ChoicesFile(out, tasks.task_of(chooser), to, top)
    # A choice looks at no reference, and a featurizer would compare with them.
    blocks = (block.replace(references=None) for block in Source(**source).blocks_as_is(data))
    told = BlockWarnings(chooser)

    def chosen(lists: NBest) -> tuple[Choices, Iterable[Choice]]:
        check_features(chooser, lists)
        target.check(lists, data)
        told.look_at(lists)
        choices = chooser.pick(lists, min_confidence=min_confidence or 0.0)
        return choices, choices if top == 1 else (choice for kept in chooser.top(lists, top) for choice in kept)

    target.write_blocks(
        map(chosen, blocks),
        as_json=as_json,
        facts=told.facts,
        abstains=min_confidence is not None,
    )
