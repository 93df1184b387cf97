"""Lists of parses in the formats that parsers write, read like any other data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.formats import Format
from runoff.tasks.parsing import bllip_lists, jsonl_lists
from runoff.tasks.parsing.lists import is_brackets, read_lists
from runoff.tasks.parsing.parse_data import to_nbest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from runoff.formats import Sample
    from runoff.nbest import NBest


def _format(name: str, description: str, recognise: Callable[[Sample], bool]) -> Format:
    def read(path: Path, references: str | Path | None = None) -> NBest:
        notes: list[str] = []
        lists = read_lists(path, name, gold=references, notes=notes)
        data = to_nbest(lists)
        return data.replace(notes=notes)

    return Format(name, description, recognise, read, options=("references",))


JSONL = _format("parse-jsonl", "JSON lines with `id` and `nbest` = [[log-probability, tree], …]", jsonl_lists.recognise)
BLLIP = _format("bllip", "n-best text of the BLLIP parser", bllip_lists.recognise)
BRACKETS = _format("brackets", "trees in brackets, one candidate for each sentence", is_brackets)
