"""`runoff merge`: lists of several systems become one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from runoff.cli.options import (
    FILE,
    INPUT,
    Source,
    as_json,
    check_outputs,
    print_json,
    say,
    say_notes,
    source_options,
)
from runoff.errors import UsageError

_COMPRESSED = (".gz", ".zst")


@click.command()
@click.argument("sources", metavar="A B …", nargs=-1, required=True, type=INPUT)
@click.option(
    "-o", "--output", "out", type=FILE, required=True, help="Output file: .jsonl (.gz, .zst), .arrow, .parquet."
)
@click.option("--to", metavar="NAME", help="Format to write. Default: by the extension of the output file.")
@click.option("--name", "names", multiple=True, help="Name of a system, once for every file. Default: the file's name.")
@click.option(
    "--by",
    type=click.Choice(["id", "input"]),
    default="id",
    show_default=True,
    help="What lists of the same input have in common.",
)
@click.option(
    "--same",
    type=click.Choice(["text", "id"]),
    help="What equal candidates have in common. Default: text, as the task sees it; id if there are no texts.",
)
@click.option(
    "--missing",
    type=click.Choice(["keep", "drop", "error"]),
    default="keep",
    show_default=True,
    help="What becomes of lists that some files lack.",
)
@click.option(
    "--absent",
    metavar="lowest|nan|NUMBER",
    default="lowest",
    show_default=True,
    help="A system's score for candidates that it lacks: the lowest of its list, a missing value, or a number.",
)
@click.option(
    "--base",
    metavar="first|NAME|METHOD",
    default="first",
    show_default=True,
    help="Base score of the merged lists: of the first system, of another, or a fusion of all, e.g. rrf (see `fuse`).",
)
@click.option(
    "--expected",
    metavar="METRIC",
    help="Also NAME:expected, each candidate's expected quality by this metric if one of NAME's list is right.",
)
@click.option("--task", metavar="T", help="See `runoff tasks`. Default: recognised from the data.")
@source_options
@as_json
def merge(
    sources: tuple[Path, ...],
    out: Path,
    to: str | None,
    names: tuple[str, ...],
    as_json: bool,
    **options: Any,
) -> None:
    """Merge the lists of several systems: lists of the same input become one, and so do equal candidates.

    Every system NAME gives the columns NAME:found, NAME:score and NAME:rank (one over the place in its list).

    \b
    Example:  runoff merge small.jsonl large.jsonl -o both.jsonl
              runoff merge a.train.jsonl b.train.jsonl --name a --name b -o train.jsonl
    """
    from runoff.combine.merge import found_by
    from runoff.combine.merge import merge as merge_lists
    from runoff.formats import writer_for
    from runoff.io import write

    how = {name: options.pop(name) for name in ("by", "same", "missing", "absent", "base", "expected", "task")}
    systems = system_names(sources, names)
    check_outputs([out], list(sources))
    writer_for(out, to)
    source = Source(**options)
    merged = merge_lists({name: source.read_as_is(path) for name, path in zip(systems, sources, strict=True)}, **how)
    write(merged, out, to)
    say_notes(merged)
    counts = found_by(merged, systems)
    if as_json:
        facts = {"output": str(out), "groups": len(merged), "candidates": merged.n_candidates}
        print_json({**facts, "systems": counts, "notes": list(merged.notes)})
        return
    for name, count in counts.items():
        say(f"{name}: {count['candidates']:,} candidates, {count['alone']:,} that no other has.")
    say(f"wrote {out}: {merged!r}")


def system_names(sources: tuple[Path, ...], names: tuple[str, ...]) -> list[str]:
    """Names of the systems, which differ."""
    if names and len(names) != len(sources):
        raise UsageError(f"there are {len(sources)} files and {len(names)} names; give each file a --name, or none.")
    found = list(names) or [_stem(path) for path in sources]
    if len(set(found)) < len(found):
        twice = next(name for name in found if found.count(name) > 1)
        raise UsageError(f"two systems are called {twice!r}; names must differ: give each file a --name.")
    return found


def _stem(path: Path) -> str:
    return Path(path.stem).stem if path.suffix in _COMPRESSED else path.stem
