"""What to say of a file that no format fits: what was found, the nearest format, and the option that reads it."""

from __future__ import annotations

import csv
import re
import shlex
from typing import TYPE_CHECKING

from runoff.errors import DataError, brief
from runoff.formats.column_roles import USUAL_NAMES
from runoff.formats.json_records import first_records
from runoff.formats.record_roles import guess_roles, in_lists, named
from runoff.formats.record_shape import NUMBER, TEXT, TRUTH_VALUE, shape_of
from runoff.formats.written_numbers import is_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from runoff.formats.base import Format, Sample
    from runoff.formats.record_shape import RecordShape

_ZIP = b"PK\x03\x04"
_SHOWN = 20  # keys
_LONGEST = 60  # characters of a name that is told
_DELIMITERS = ("\t", ",", ";")
_ASKED = (*USUAL_NAMES["input"], "query", "message", "context")
_NEVER_TEXTS = (*USUAL_NAMES["group"], *USUAL_NAMES["id"], *_ASKED, "role", "model", "object")
_UNSURE = re.compile(r"[,=+]")  # a key with one of these cannot be named in the option


def not_recognised(sample: Sample, known: Iterable[Format], path: str | Path) -> DataError:
    """The error for a file that fits no format."""
    if sample.head.startswith(_ZIP):
        return DataError(
            "the file is a zip archive, as Runoff's own models are, where lists of candidates are expected; a model is "
            "named before its lists, and other archives must be unpacked.",
            path=path,
        )
    known = list(known)
    records = first_records(sample)
    if records:
        shape = shape_of(records)
        keys = ", ".join(path[:_LONGEST] for path in list(shape.leaves)[:_SHOWN]) or "none"
        more = f" and {len(shape.leaves) - _SHOWN} more" if len(shape.leaves) > _SHOWN else ""
        found = f"its records have the keys {keys}{more}"
        advice = advice_for(shape)
        nearest = _nearest(records_keys(shape), known, "records")
    else:
        line = sample.first_line.decode(errors="replace").strip()
        found = f"its first line is {brief(line, 80)}"
        nearest = _nearest(None, known, "records" if line[:1] in ("{", "[") else "table", line)
        advice = _advice_for_table(line)
    names = ", ".join(each.name for each in known)
    return DataError(
        f"the file does not look like any format that Runoff knows; {found}, and the nearest format is {nearest}. "
        f"{advice}{' Or' if advice else 'If it is one,'} name one of these by --format: {names}.",
        path=path,
    )


def records_keys(shape: RecordShape) -> set[str]:
    """The top-level keys of records."""
    return {key for record in shape.records for key in record}


def _nearest(keys: set[str] | None, known: list[Format], default: str, line: str = "") -> str:
    """The format with most of its keys, or marks of its lines, there; at least two keys."""
    best, most = default, 0
    for each in known:
        if keys is not None:
            count = len(keys & set(each.keys))
            count = count if count > 1 else 0
        else:
            count = sum(mark in line for mark in each.keys if not mark.isidentifier())
        if count > most:
            best, most = each.name, count
    return best


def advice_for(shape: RecordShape, said: Mapping[str, str] | None = None) -> str:
    """The option that reads records like these, by what their keys hold; roles that were said are kept.

    Examples
    --------
    >>> shape = shape_of([{"pid": 1, "attempt": "a long text", "ok": True}, {"pid": 1, "attempt": "more", "ok": False}])
    >>> advice_for(shape)
    'With --columns group=pid,text=attempt,quality=ok it can be read.'
    """
    columns = dict(said or {})
    taken = set(columns.values())

    def free(*kinds: str, in_list: bool) -> list[str]:
        return [path for path in shape.paths(*kinds, in_list=in_list) if path not in taken and not _UNSURE.search(path)]

    lists = free(TEXT, in_list=True)
    if "text" not in columns:
        texts = lists or free(TEXT, in_list=False)
        texts = [path for path in texts if named([path], _NEVER_TEXTS) is None] or texts
        if not texts:
            return "None of its keys holds texts, so it cannot be a list of candidates."
        # The group's id repeats and is short; what a model wrote is long.
        columns["text"] = max(texts, key=lambda path: shape.leaves[path].characters)
        taken.add(columns["text"])
    is_list = in_lists(shape, columns["text"])
    if "group" not in columns:
        groups = free(TEXT, NUMBER, in_list=False)
        repeated = [path for path in groups if shape.repeats(path)]
        choice = next(iter(repeated if not is_list else [path for path in groups if path not in repeated]), None)
        if choice is None and not is_list:
            choice = named(groups, (*USUAL_NAMES["group"], *_ASKED)) or next(iter(groups), None)
        if choice is not None:
            columns["group"] = choice
            taken.add(choice)
    truths = free(TRUTH_VALUE, in_list=is_list)
    if "quality" not in columns and truths:
        columns["quality"] = truths[0]
    guessed = guess_roles(shape, columns)
    if guessed is None:
        return "A record here is one candidate, and no key tells which candidates belong together; add one."
    order = sorted(columns, key=["group", "text", "quality"].index) if said is None else list(columns)
    line = ",".join(f"{role}={columns[role]}" for role in order)
    return f"With --columns {shlex.quote(line)} it can be read."


def _advice_for_table(line: str) -> str:
    """The option for a table with the columns of a header: texts are not known from it, so the places say."""
    columns = max((next(csv.reader([line], delimiter=each), []) for each in _DELIMITERS), key=len)
    if len(columns) < 2 or line[:1] in ("{", "[") or any(map(is_number, columns)):
        return ""
    if any(_UNSURE.search(name) or not 0 < len(name) <= _LONGEST for name in columns[:2]):
        return ""
    chosen = shlex.quote(f"group={columns[0]},text={columns[1]}")
    return f"If that line is a header, it can be read with --columns {chosen}."
