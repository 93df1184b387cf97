"""Reading and writing lists of parses in all formats of parsers and of Runoff."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from runoff import formats
from runoff.errors import DataError, UsageError, brief
from runoff.formats.streams import sample, spooled
from runoff.tasks.parsing import bllip_lists, jsonl_lists
from runoff.tasks.parsing.bracket_text import from_first_tree, is_no_tree, tree_texts
from runoff.tasks.parsing.parse_data import to_lists
from runoff.tasks.parsing.parse_list import Origin, ParseList

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from runoff.formats.base import Sample

__all__ = ["FORMATS", "Origin", "ParseList", "read_lists", "write_lists"]

Reader: TypeAlias = "Callable[[str | Path, list[str]], Iterator[ParseList]]"  # path, and a list that receives notes


def read_lists(
    path: str | Path,
    format: str | None = None,  # noqa: A002 - the natural word
    *,
    gold: str | Path | None = None,
    notes: list[str] | None = None,
) -> Iterator[ParseList]:
    """Read lists of parses one by one from a file, plain, gzip or zstd; `-` is standard input.

    Parameters
    ----------
    path
        JSON lines with `id` and `nbest` (parse-jsonl), n-best text of the BLLIP parser (bllip), trees in brackets, one
        per sentence (brackets), or any of Runoff's own formats with texts: the texts are the trees, `base` is the
        score and the first reference is the gold tree.
    format
        Name of the format; None: recognised by content.
    gold
        A file of gold trees, one per list in the same order, for lists without gold trees.
    notes
        Receives, at the end, a note about everything that was left out or changed.

    Notes
    -----
    One list is in memory at a time, and all ids (they must differ); Runoff's own formats are loaded as a whole. Trees
    are not parsed until `ParseList.tree` is called. O(characters).

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "lists.nbest"
    >>> _ = path.write_text("2\\tfirst\\n-31.5\\n(S1 (NP (NN a)))\\n-32\\n(S1 (X (DT a)))\\n\\n0\\tsecond\\n")
    >>> [(parses.id, parses.scores) for parses in read_lists(path)]
    [('first', [-31.5, -32.0]), ('second', [])]
    """
    if format is not None and format not in formats.formats():
        raise UsageError(f"there is no format {format!r} of parses; there are: {', '.join(_names())}.")
    return _lists(path, format, gold, [] if notes is None else notes)


def write_lists(lists: Iterable[ParseList], path: str | Path) -> None:
    """Write lists as JSON lines, compressed if the name ends in .gz or .zst; never leaves a partial file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "lists.jsonl.gz"
    >>> write_lists([ParseList("a", gold="(X (UH oh))", scores=[-1.5], trees=["(INTJ (UH oh))"])], path)
    >>> next(read_lists(path))
    ParseList(id='a', gold='(X (UH oh))', scores=[-1.5], trees=['(INTJ (UH oh))'], tokens=None, fold=None,
    document=None)
    """
    jsonl_lists.write(lists, path)


def _lists(path: str | Path, name: str | None, gold: str | Path | None, notes: list[str]) -> Iterator[ParseList]:
    with spooled(path) as file:
        read = _recognise(file) if name is None else _reader(name)
        lists = _with_different_ids(read(file, notes), file)
        yield from lists if gold is None else _with_gold(lists, file, gold)


def _with_different_ids(lists: Iterator[ParseList], path: Path) -> Iterator[ParseList]:
    seen: dict[str, int | None] = {}
    for parses in lists:
        line = parses.origin.line if parses.origin is not None else None
        if parses.id in seen:
            first = seen[parses.id]
            raise DataError(
                f"another list{f' (line {first})' if first else ''} has the id {brief(parses.id)}; ids must differ.",
                path=path,
                line=line,
            )
        seen[parses.id] = line
        yield parses
    if not seen:
        raise DataError("the file is empty.", path=path)


def _with_gold(lists: Iterator[ParseList], path: Path, gold: str | Path) -> Iterator[ParseList]:
    trees = tree_texts(gold)
    count = 0
    for count, parses in enumerate(lists, 1):
        if parses.gold is not None:
            raise UsageError(f"{parses.where()} has a gold tree of its own; leave out the file {gold}.")
        tree = next(trees, None)
        if tree is None:
            raise DataError(
                f"expected one gold tree for every list of {path}, in the same order; found {count - 1}, "
                f"and list {count} is {brief(parses.id)}.",
                path=gold,
            )
        origin = dataclasses.replace(parses.origin or Origin(path), gold_path=gold, gold_line=tree.line)
        yield dataclasses.replace(parses, gold=tree.text, origin=origin)
    more = sum(1 for _ in trees)
    if more:
        raise DataError(
            f"expected one gold tree for every list of {path}, in the same order; "
            f"found {count + more} trees for {count} lists.",
            path=gold,
        )


def _from_brackets(path: str | Path, notes: list[str]) -> Iterator[ParseList]:
    nothing = 0
    for count, tree in enumerate(tree_texts(path), 1):
        is_nothing = is_no_tree(tree.text)
        nothing += is_nothing
        scores, trees = ([], []) if is_nothing else ([0.0], [tree.text])
        yield ParseList(tree.name or str(count), None, scores, trees, origin=Origin(path, tree.line))
    if nothing:
        notes.append(f"Sentences without a parse, written as (()): {nothing:,}.")


def _from_nbest(path: str | Path, notes: list[str], format: str) -> Iterator[ParseList]:  # noqa: A002
    data = formats.read(path, format)
    notes.extend(data.notes)
    if data.texts is None:
        raise DataError("the candidates have no texts; expected trees in brackets as their texts.", path=path)
    if data.base is None:
        notes.append("The candidates have no scores; all get 0.")
    for each in to_lists(data):
        yield dataclasses.replace(each, origin=Origin(path))


def is_brackets(seen: Sample) -> bool:
    """Trees in brackets, optionally with a name in angle brackets before each."""
    first = from_first_tree(seen.head).lstrip().split(b"\n", 1)[0]
    return first.startswith(b"(") or (first.startswith(b"<") and b"> (" in first)


FORMATS: dict[str, tuple[Callable[[Sample], bool], Reader]] = {
    "parse-jsonl": (jsonl_lists.recognise, jsonl_lists.read),
    "bllip": (bllip_lists.recognise, bllip_lists.read),
    "brackets": (is_brackets, _from_brackets),
}


def _reader(name: str) -> Reader:
    return FORMATS[name][1] if name in FORMATS else partial(_from_nbest, format=name)


def _recognise(path: Path) -> Reader:
    seen = sample(path)
    if not seen.head.strip():
        raise DataError("the file is empty.", path=path)
    for fits, read in FORMATS.values():
        if fits(seen):
            return read
    if any(each.recognise(seen) for each in formats.formats().values()):
        return _reader(formats.recognise(path).name)  # raises if more than one fits
    what = "the file is not text" if b"\0" in seen.head else f"the file starts with {brief(_beginning(seen))}"
    raise DataError(
        f"expected lists of parses, but {what}; known formats are: {', '.join(_names())}.",
        path=path,
    )


def _beginning(seen: Sample) -> str:
    return seen.first_line[:80].decode(errors="replace").strip()


def _names() -> list[str]:
    return list(dict.fromkeys((*FORMATS, *formats.formats())))  # those of parses first
