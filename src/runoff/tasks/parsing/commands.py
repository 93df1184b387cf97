"""Commands for parses: `runoff parse features` and `runoff parse rerank`.

Of the others, `train`, `nbest` and `jackknife` are in `parse_grammar`, `eval` and `explain` in `parse_judging`, `chain`
and `demo` in `parse_chain`.
"""

from __future__ import annotations

import re
import time
from pathlib import Path  # noqa: TC003 - click looks at the annotations
from typing import TYPE_CHECKING, Any

import click

from runoff.cli.options import FILE, as_json, check_outputs, output, print_json, say, say_notes
from runoff.errors import UsageError
from runoff.tables import counted
from runoff.tasks.parsing import evaluation_commands as parse_judging
from runoff.tasks.parsing import first_round_commands as parse_grammar
from runoff.tasks.parsing import pipeline_commands as parse_chain
from runoff.tasks.parsing.command_options import extraction_options, working

if TYPE_CHECKING:
    from runoff.model import Choice

_TABLES = (".arrow", ".parquet", ".csv", ".tsv", ".json")


@click.group()
def parse() -> None:
    """Rerank the parses of a parser: features of trees, better trees, PARSEVAL, two trees side by side.

    Whoever has a treebank and no parser gets one by `train`, and lists by `nbest` and `jackknife`; `chain` goes the
    whole way by one command, and `demo` shows it.

    LISTS are JSON lines with `id` and `nbest` = [[log-probability, tree], …] (and perhaps `gold`, a tree), n-best
    text of the BLLIP parser, or any data of Runoff's whose texts are trees; plain, gzip or zstd.

    \b
    Lists:    runoff parse jackknife treebank/train -o train.jsonl.gz
              runoff parse train treebank/train -o grammar.runoff
              runoff parse nbest grammar.runoff treebank/dev -o dev.jsonl.gz
    Example:  runoff parse features train.jsonl.gz -o train.arrow
              runoff parse features dev.jsonl.gz -o dev.arrow --like train.arrow
              runoff train train.arrow --dev dev.arrow -o model.runoff
              runoff parse eval --model model.runoff test.jsonl.gz
              runoff parse explain model.runoff test.jsonl.gz --group ID
              runoff parse rerank model.runoff new.nbest -o better.mrg
    """


@parse.command(short_help="Turn lists of parses into data that all other commands take.")
@click.argument("lists", type=FILE)
@click.option("-o", "--output", "out", type=FILE, required=True, help="Where to write the data.")
@click.option(
    "--families",
    metavar="NAMES",
    help="Families of features: all, collins, later, or names with commas between them; -NAME takes one away. "
    "Default: all.",
)
@click.option("--min-lists", type=click.IntRange(min=1), help="Lists that a feature must be in. Default: 5.")
@click.option("--presence", is_flag=True, help="Whether something is in a tree, instead of how often.")
@click.option("--like", type=FILE, metavar="FILE", help="Take the features of this model or data, and no others.")
@extraction_options()
@as_json
def features(
    lists: Path,
    out: Path,
    families: str | None,
    min_lists: int | None,
    presence: bool,
    like: Path | None,
    cache: Path | None,
    as_json: bool,
    **source: Any,
) -> None:
    """Turn LISTS into data that `runoff train`, `eval`, `explain` and all other commands take.

    Use --like for dev and test data: they then have the features of the training data, all of them and no others.
    Counted anew, features that the model weighs and that are rare in these lists would be missing.

    \b
    Example:  runoff parse features train.jsonl.gz -o train.arrow --cache .features
              runoff parse features dev.jsonl.gz -o dev.arrow --like train.arrow
    """
    from runoff.formats import writer_for
    from runoff.io import write
    from runoff.tasks.parsing import extract_file
    from runoff.tasks.parsing.features import chosen
    from runoff.tasks.parsing.reranking import wanted_like

    check_outputs([out], [lists, like, source["gold"]])
    writer_for(out)
    how: dict[str, Any] = {"families": chosen(families or "all"), "presence": presence}
    if min_lists is not None:
        how["min_lists"] = min_lists
    if like is not None:
        if families is not None or min_lists is not None or presence:
            raise UsageError("--like says which features to take; leave out --families, --min-lists and --presence.")
        wanted = wanted_like(like)
        how = {"families": wanted.families, "vocabulary": wanted.vocabulary}
    with working(f"{out} was not written", cache):
        began = time.monotonic()
        data = extract_file(lists, cache=cache, show=True, **source, **how)
        seconds = time.monotonic() - began
        write(data, out)
    say_notes(data)
    if data.quality is None:
        say("note: there are no gold trees: a model can choose in this data, but neither learn from it nor be judged.")
    rate = data.n_candidates / max(seconds, 1e-9)
    if as_json:
        counts = {"lists": len(data), "candidates": data.n_candidates, "features": data.features.n_columns}
        speed = {"seconds": seconds, "candidates_per_second": rate}
        print_json({"output": str(out), **counts, **speed, "notes": list(data.notes)})
        return
    say(
        f"wrote {out}: {counted(len(data), 'lists')}, {counted(data.n_candidates, 'candidates')}, "
        f"{counted(data.features.n_columns, 'features')}; {seconds:,.1f} s, {rate:,.0f} candidates a second."
    )
    if like is None and data.quality is not None:
        say(f"next: runoff parse features DEV_LISTS -o DEV_DATA --like {out}")


@parse.command(short_help="Write the tree that a model chooses from each list.")
@click.argument("model", type=FILE)
@click.argument("lists", type=FILE)
@click.option("-o", "--output", "out", type=FILE, help="Where to write. A name in .jsonl gets scores too.")
@extraction_options(gold=False)
@as_json
def rerank(model: Path, lists: Path, out: Path | None, cache: Path | None, as_json: bool, **source: Any) -> None:
    """Write the tree that MODEL chooses from each of LISTS, one a line in their order.

    A list without candidates gives the line (()), so that line numbers stay those of the lists. A name in .jsonl gets
    one object a line: id, tree, place in the list (from 0), the first round's place, score and probability.

    \b
    Example:  runoff parse rerank model.runoff lists.jsonl.gz -o better.mrg
              runoff parse rerank model.runoff lists.nbest -o better.jsonl
    """
    import orjson

    from runoff.formats.streams import bare_name
    from runoff.model import load
    from runoff.tasks.parsing import data_for
    from runoff.tasks.parsing.written_trees import NO_TREE

    check_outputs([out], [model, lists])
    if out is not None and bare_name(out).endswith(_TABLES):
        raise UsageError(f"{out}: trees are written one a line, or as .jsonl or .ndjson with their scores.")
    chooser = load(model)
    with working("nothing was written" if out is None else f"{out} was not written", cache):
        data = data_for(chooser, lists, judge=False, cache=cache, show=True, **source)
        choices = chooser.pick(data)
    say_notes(data)
    empty = int((data.sizes == 0).sum())
    if empty:
        say(f"note: of {counted(len(data), 'lists')} {empty:,} without candidates; {NO_TREE} stands in their place.")
    unseen = chooser.unseen(data)
    if unseen.values:
        say(f"note: {unseen}")
    if data.n_candidates and data.features.n_stored == 0:
        say("warning: no feature that the model weighs is in these lists.")
    summary = {"lists": len(choices), "changed": choices.changed, "without_candidates": empty}
    if as_json and out is None:
        print_json({**summary, "choices": [_record(choice) for choice in choices]})
        return
    records = out is not None and bare_name(out).endswith((".jsonl", ".ndjson"))
    with output(out) as write:
        for choice in choices:
            write(orjson.dumps(_record(choice)).decode() if records else _line(choice, NO_TREE))
    if as_json:
        print_json({**summary, "output": str(out)})
        return
    say(f"{counted(len(choices), 'lists')}; the choice differs from the first round in {choices.changed:,}.")


def _line(choice: Choice, without: str) -> str:
    # A no-break space belongs to its word: only what separates brackets may change.
    return without if choice.text is None else re.sub(r"\s+", " ", choice.text.strip(), flags=re.ASCII)


def _record(choice: Choice) -> dict[str, Any]:
    return {
        "id": choice.group,
        "tree": choice.text,
        "place": choice.index,
        "first": choice.first,
        "score": choice.score,
        "probability": choice.probability,
    }


for command in (
    parse_grammar.train,
    parse_grammar.nbest,
    parse_grammar.jackknife,
    parse_judging.evaluate,
    parse_judging.explain,
    parse_chain.chain,
    parse_chain.demo,
):
    parse.add_command(command)
