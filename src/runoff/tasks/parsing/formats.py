"""Formats of n-best parses, registered like any other format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.formats import Format
from runoff.tasks.parsing import bllip_lists, jsonl_lists
from runoff.tasks.parsing.brackets import Forest
from runoff.tasks.parsing.lists import is_brackets, read_lists
from runoff.tasks.parsing.parse_data import to_nbest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from runoff.formats import Sample
    from runoff.nbest import NBest
    from runoff.tasks.parsing.parse_list import ParseList


def _format(name: str, description: str, recognise: Callable[[Sample], bool]) -> Format:
    def read(path: Path, references: str | Path | None = None) -> NBest:
        notes: list[str] = []
        data = to_nbest(_with_closed_trees(read_lists(path, name, gold=references, notes=notes)))
        return data.replace(notes=notes)

    return Format(name, description, recognise, read, options=("references",))


def _with_closed_trees(lists: Iterator[ParseList]) -> Iterator[ParseList]:
    """Raise for unbalanced brackets here, where the line is known; other errors show when the tree is parsed."""
    for parses in lists:
        for at, tree in enumerate(parses.trees):
            if tree.count("(") != tree.count(")"):
                parses.tree(at, Forest())
        yield parses


JSONL = _format("parse-jsonl", "JSON lines with `id` and `nbest` = [[log-probability, tree], …]", jsonl_lists.recognise)
BLLIP = _format("bllip", "n-best text of the BLLIP parser", bllip_lists.recognise)
BRACKETS = _format("brackets", "trees in brackets, one candidate per sentence", is_brackets)
