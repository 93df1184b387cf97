"""`runoff parse eval`: compare trees with gold trees."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - click looks at the annotations

import click

from runoff.cli.options import FILE, as_json, print_json


@click.command(name="eval", short_help="Score trees against gold trees, as EVALB does.")
@click.argument("gold", type=FILE)
@click.argument("test", type=FILE)
@click.option("--each", is_flag=True, help="Also print one line per sentence.")
@as_json
def evaluate(gold: Path, test: Path, each: bool, as_json: bool) -> None:
    """Compare the trees of TEST with those of GOLD.

    The numbers are those of EVALB with COLLINS.prm, and of a variant that never skips a sentence because of how its
    punctuation is tagged; for all sentences and for those of up to 40 words. To evaluate a model's choices, use
    `runoff eval`.

    \b
    Example:  runoff parse eval gold.mrg parsed.mrg
    """
    from runoff.tasks.parsing.lists import read_lists
    from runoff.tasks.parsing.tree_scores import evaluate_trees

    found = evaluate_trees(read_lists(test, "brackets", gold=gold))
    if as_json:
        print_json(found.to_dict(each=each))
        return
    if each:
        click.echo(f"{found.each()}\n")
    click.echo(found)
