"""Commands that look at parses: `runoff parse eval` and `runoff parse explain`."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - click looks at the annotations
from typing import Any

import click

from runoff.cli.evaluating import certainty_options
from runoff.cli.options import FILE, as_json, check_outputs, print_json, say, say_notes, seed_option
from runoff.errors import UsageError
from runoff.tasks.parsing.command_options import extraction_options, working


@click.command(name="eval", short_help="Judge trees by gold trees, or a model by its choices.")
@click.argument("files", type=FILE, nargs=-1, metavar="GOLD TEST | LISTS")
@click.option("--model", type=FILE, help="Judge the choice of this model in one file of LISTS.")
@click.option("--each", is_flag=True, help="Of GOLD and TEST: also a line for every sentence.")
@extraction_options()
@certainty_options
@seed_option
@as_json
def evaluate(
    files: tuple[Path, ...], model: Path | None, each: bool, gold: Path | None, as_json: bool, **options: Any
) -> None:
    """Compare the trees of TEST with those of GOLD, or a model's choice in LISTS with the first round's.

    Numbers are those of the program EVALB with COLLINS.prm, and of a variant that leaves out no sentence for how its
    punctuation is tagged; for all sentences and for those of up to 40 words. LISTS need gold trees.

    \b
    Example:  runoff parse eval gold.mrg parsed.mrg
              runoff parse eval --model model.runoff test.jsonl.gz
    """
    if model is None:
        _two_files(files, gold, each=each, as_json=as_json)
    else:
        _choices(files, model, gold, each=each, as_json=as_json, **options)


def _two_files(files: tuple[Path, ...], gold: Path | None, *, each: bool, as_json: bool) -> None:
    if gold is not None:
        raise UsageError("--gold is for LISTS; two files of trees are given one after the other: GOLD TEST.")
    if len(files) != 2:
        raise UsageError(
            f"expected two files of trees, GOLD and TEST, or --model MODEL and one file of LISTS; found {len(files)} "
            f"file{'' if len(files) == 1 else 's'} and no model."
        )
    from runoff.tasks.parsing import read_lists
    from runoff.tasks.parsing.tree_scores import evaluate_trees

    found = evaluate_trees(read_lists(files[1], "brackets", gold=files[0]))
    if as_json:
        print_json(found.to_dict(each=each))
        return
    if each:
        click.echo(f"{found.each()}\n")
    click.echo(found)


def _choices(
    files: tuple[Path, ...],
    model: Path,
    gold: Path | None,
    *,
    each: bool,
    as_json: bool,
    resamples: int,
    trials: int,
    confidence: float,
    seed: int,
    cache: Path | None,
    **source: Any,
) -> None:
    if each:
        raise UsageError("--each is for two files of trees: GOLD TEST.")
    if len(files) != 1:
        raise UsageError(f"expected one file of LISTS beside --model; found {len(files)}.")
    from runoff.model import load
    from runoff.report.scored import Settings
    from runoff.tasks.parsing import data_for
    from runoff.tasks.parsing.evaluation import evaluate_reranking

    settings = Settings(resamples, confidence, trials, seed)
    chooser = load(model)
    with working("nothing was judged", cache):
        data = data_for(chooser, files[0], gold=gold, cache=cache, show=True, **source)
        found = evaluate_reranking(chooser, data, settings)
    say_notes(data)
    print_json(found.to_dict()) if as_json else click.echo(found)


@click.command(short_help="Say why one tree wins over another, and draw both.")
@click.argument("model", type=FILE)
@click.argument("lists", type=FILE)
@click.option("--group", required=True, metavar="ID", help="Id of the list.")
@click.option("--against", metavar="PLACE", help="Rival: its place in the list, from 0. Default: first choice.")
@click.option("--picture", type=FILE, help="Also draw both trees to this PNG, SVG or PDF file.")
@click.option("--most", default=15, show_default=True, help="Features to show.")
@extraction_options()
@as_json
def explain(
    model: Path,
    lists: Path,
    group: str,
    against: str | None,
    picture: Path | None,
    most: int,
    as_json: bool,
    **source: Any,
) -> None:
    """Say why MODEL's winner in one of LISTS leads a rival, and show both trees with what differs marked.

    Where the gold tree is known, + marks what only one tree has and is right, and - what is wrong.

    \b
    Example:  runoff parse explain model.runoff test.jsonl.gz --group sentence-17 --picture two.svg
    """
    from runoff.model import load
    from runoff.pictures import picture_kind
    from runoff.tasks.parsing import data_for
    from runoff.tasks.parsing import explain as explain_

    check_outputs([picture], [model, lists, source["gold"]])
    if picture is not None:
        picture_kind(picture)
    chooser = load(model)
    found = explain_(chooser, data_for(chooser, lists, only=group, **source), group, against)
    print_json(found.to_dict()) if as_json else click.echo(found.to_text(most))
    if picture is not None:  # after the words: of trees over other words there is no picture
        found.draw(picture)
        say(f"wrote {picture}")
