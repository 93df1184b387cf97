"""The commands `runoff answer index` and `runoff answer search`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from runoff.cli.options import FILE, as_json, check_outputs, interruptible, print_json, say
from runoff.errors import UsageError
from runoff.tables import shorten

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.tasks.answers.retrieval import Hit, PassageIndex
    from runoff.tasks.answers.retrieval.bm25 import Variant

_SHOWN = 500  # characters of a passage, on a terminal
_KEYWORD = re.compile(r'"([^"]+)"|(\S+)')


@click.command("index", short_help="Index a folder of text, or bring an index up to date.")
@click.argument("source", type=FILE)
@click.option("-o", "--output", "path", type=FILE, required=True, help="The index, one file.")
@click.option(
    "--sentences",
    type=click.IntRange(min=1),
    help="Sentences of a passage of running text. Default: 1, or as the index has it.",
)
@click.option(
    "--stemmer",
    type=click.Choice(["porter", "none"]),
    help="Whether words are found by their stems. Default: porter, or as the index has it.",
)
@click.option("--fresh", is_flag=True, help="Read all files again, whatever the index has.")
@as_json
def index_command(
    source: Path, path: Path, sentences: int | None, stemmer: str | None, fresh: bool, as_json: bool
) -> None:
    """Index SOURCE, a folder of text files, a text file, or JSON lines of passages (id, text).

    The same command again reads only files that are new or have changed, and drops those that are gone. Texts are
    UTF-8, plain, gzip or zstd; what is left out of a folder (binary, hidden or unreadable files) is counted.

    \b
    Example:  runoff answer index texts -o texts.index
              runoff answer index passages.jsonl.gz -o passages.index
    """
    from runoff.tasks.answers.retrieval.index_building import update_index

    check_outputs([path], [source])
    with interruptible(f"{path} is as it was"):
        done = update_index(source, path, sentences=sentences, stemmer=stemmer, fresh=fresh, verbose=True)
    for note in done.notes:
        say(f"note: {note}")
    if as_json:
        print_json({"index": str(path), **vars(done)})
    else:
        click.echo(f"{path}: {done}")


@click.command("search", short_help="Search an index.")
@click.argument("path", metavar="INDEX", type=FILE)
@click.argument("query")
@click.option("-k", "count", type=click.IntRange(min=1), default=10, show_default=True, help="Passages to show.")
@click.option("--k1", type=float, default=0.9, show_default=True, help="BM25: how much repeated words count.")
@click.option("--b", type=float, default=0.4, show_default=True, help="BM25: how much long passages are discounted.")
@click.option(
    "--variant", type=click.Choice(["lucene", "atire"]), default="lucene", show_default=True, help="The form of BM25."
)
@click.option(
    "--boolean",
    is_flag=True,
    help="All words must be in a passage, near each other; where too few passages have that, the more common words "
    "need not. Words between double quotes are a phrase.",
)
@click.option(
    "--proximity", type=click.IntRange(min=0), help="With --boolean: most words between the words. Default: 50."
)
@as_json
def search_command(
    path: Path,
    query: str,
    count: int,
    k1: float,
    b: float,
    variant: Variant,
    boolean: bool,
    proximity: int | None,
    as_json: bool,
) -> None:
    """Search INDEX, made by `runoff answer index`, for the passages that fit the words of QUERY best.

    \b
    Example:  runoff answer search texts.index "bridge of San Francisco"
              runoff answer search texts.index --boolean '"San Francisco" bridge'
    """
    from runoff.tasks.answers.retrieval import PassageIndex

    if proximity is not None and not boolean:
        raise UsageError("--proximity is for boolean queries; add --boolean.")
    index = PassageIndex.open(path)
    if boolean:
        hits = index.relaxed_search(
            _keywords(index, query), count, least=count, proximity=50 if proximity is None else proximity
        )
    else:
        hits = index.search(query, count, k1=k1, b=b, variant=variant)
    if as_json:
        print_json({"index": str(path), "query": query, "hits": [_record(index, hit) for hit in hits]})
        return
    for rank, hit in enumerate(hits, 1):
        passage = index.passage(hit.passage)
        click.echo(f"{rank}. {hit.score:.3f}  {passage.file}, line {passage.line}\n   {shorten(passage.text, _SHOWN)}")
    if not hits:
        say(f"none of the {len(index):,} passages has any of these words.")


def _keywords(index: PassageIndex, query: str) -> list[tuple[str, float]]:
    """Words and quoted phrases, without stop words; the rarer, the more salient."""
    from runoff.tasks.answers.retrieval.terms import telling

    found = [match[1] or match[2] for match in _KEYWORD.finditer(query)]
    kept = set(telling([text.lower() for text in found]))
    return [(text, sum(map(index.idf, index.terms(text)))) for text in found if text.lower() in kept]


def _record(index: PassageIndex, hit: Hit) -> dict[str, Any]:
    return {"score": hit.score, **index.passage(hit.passage)._asdict()}
