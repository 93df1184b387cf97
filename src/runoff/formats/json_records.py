"""Records of a JSON file, however it holds them: one per line, in an array, or in one object with a key for each."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import orjson

from runoff.errors import DataError
from runoff.formats.column_roles import USUAL_NAMES, usual
from runoff.formats.json_reader import TOKEN, line_blocks, parse, parse_lines
from runoff.formats.streams import BYTE_ORDER_MARK, lines, read_all
from runoff.nbest.record_blocks import RecordSource

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from runoff.formats.base import Sample

_BLOCK = 1024
_CLOSED_BY = {b"{": b"}", b"[": b"]"}
_WRAPPERS = ("data", "results", "records", "rows", "items", "examples", "instances", "entries")
_MOST_FIRST = 64  # records of a sample that are looked at
CANDIDATES = "candidates"  # the key that a bare list of candidates gets

Block = tuple[list[Any], "Sequence[int]"]  # records, and the number of each in the file


@dataclass(frozen=True)
class JsonRecords:
    """Records in blocks, and what a record is called in messages."""

    source: RecordSource
    blocks: Iterable[Block]


def open_records(path: Path) -> JsonRecords:
    """Records of a file, block by block. JSON lines are streamed; anything else is held in memory.

    In one object with a key for each record, the key becomes the record's `id` unless it has one; records may also
    stand under one key, such as `data`. A bare list in the place of a record holds candidates: it becomes an object
    with the key `candidates`.
    """
    first = list(islice(lines(path), 2))
    if not first:
        raise DataError("the file is empty.", path=path)
    if _is_one_per_line([line for _, line in first]):
        return JsonRecords(RecordSource(path), _of_lines(path))
    whole = parse(read_all(path).removeprefix(BYTE_ORDER_MARK), path)
    if isinstance(whole, list):
        return JsonRecords(RecordSource(path, "element"), _blocks(whole))
    if (inside := _wrapped(whole)) is not None:
        return JsonRecords(RecordSource(path, "element"), _blocks(inside))
    if (entries := _keyed(whole)) is not None:
        return JsonRecords(RecordSource(path, "entry"), _blocks(_of_entries(entries)))
    return JsonRecords(RecordSource(path), _blocks([whole]))


def _is_one_per_line(first: list[bytes]) -> bool:
    """Whether the first two lines are a value each, or look so, where one is damaged."""
    if len(first) < 2:
        return False
    opening = first[0][:1]
    looks_so = first[1][:1] == opening and first[0][-1:] == _CLOSED_BY.get(opening)
    return looks_so or _parsed(first[0]) is not None


def is_keyed(value: Any) -> bool:
    """Whether an object holds records by their ids: all values are objects with keys in common, or all are lists.

    An object whose own keys have usual names is a record itself, and so is one with a single list.

    Examples
    --------
    >>> is_keyed({"q1": {"text": "a"}, "q2": {"text": "b"}}), is_keyed({"q1": ["a", "b"], "q2": ["c"]})
    (True, True)
    >>> is_keyed({"prompt": "p", "samples": ["a", "b"]}), is_keyed({"samples": ["a", "b"]})
    (False, False)
    """
    if not isinstance(value, dict) or not value or any(usual(role, list(value)) for role in USUAL_NAMES):
        return False
    entries = list(value.values())
    if all(type(entry) is dict for entry in entries):
        common = set.intersection(*map(set, entries))
        return bool(common) and (len(entries) > 1 or usual("text", list(common)) is not None)
    return len(entries) > 1 and all(
        type(entry) is list and entry and type(entry[0]) in (str, dict) for entry in entries
    )


def _keyed(value: Any) -> dict[str, Any] | None:
    """The object that holds records by their ids: the value, or the only one in it, beside single facts such as a date.

    Examples
    --------
    >>> _keyed({"date": "today", "eval": {"t/1": [{"solution": "x"}], "t/2": [{"solution": "y"}]}})
    {'t/1': [{'solution': 'x'}], 't/2': [{'solution': 'y'}]}
    """
    if is_keyed(value):
        return dict(value)
    if not isinstance(value, dict) or any(usual(role, list(value)) for role in USUAL_NAMES):
        return None
    nested = [entry for entry in value.values() if isinstance(entry, (dict, list))]
    return dict(nested[0]) if len(nested) == 1 and len(value) > 1 and is_keyed(nested[0]) else None


def _wrapped(value: Any) -> list[Any] | None:
    """The records of an object that holds them under a key such as `data`."""
    if not isinstance(value, dict) or usual("input", list(value)) is not None:
        return None
    found = (value[key] for key in _WRAPPERS if key in value)
    return next((each for each in found if isinstance(each, list) and each and isinstance(each[0], dict)), None)


def _of_entries(entries: dict[str, Any]) -> list[Any]:
    return [
        {"id": key, **(entry if isinstance(entry, dict) else {CANDIDATES: entry})} for key, entry in entries.items()
    ]


def _of_lines(path: Path) -> Iterator[Block]:
    for first, _, block in line_blocks(path):
        values, numbers = parse_lines(block, path, first)
        yield list(map(_as_record, values)), numbers


def _blocks(records: list[Any]) -> Iterator[Block]:
    for start in range(0, len(records), _BLOCK):
        block = records[start : start + _BLOCK]
        yield list(map(_as_record, block)), range(start + 1, start + 1 + len(block))


def _as_record(value: Any) -> Any:
    return {CANDIDATES: value} if type(value) is list else value


def first_records(sample: Sample) -> list[dict[str, Any]]:
    """Records at the start of a file, of which the last may be cut off; none if it is not JSON.

    Examples
    --------
    >>> from runoff.formats.base import Sample
    >>> first_records(Sample("a.json", b'[{"prompt": "p", "samples": ["a", "b"]}, {"prompt": "q", "sam'))
    [{'prompt': 'p', 'samples': ['a', 'b']}, {'prompt': 'q'}]
    """
    text = sample.head.lstrip()
    if text[:1] not in _CLOSED_BY:
        return []
    found = [line.strip() for line in text.split(b"\n") if line.strip()]
    if _is_one_per_line(found[:2]):
        values = [_parsed(line) for line in found[:_MOST_FIRST]]
    else:
        whole = _parsed(text)
        whole = _parsed(closed(text)) if whole is None else whole
        inside = whole if isinstance(whole, list) else _wrapped(whole)
        entries = _keyed(whole)
        values = inside if inside is not None else [whole] if entries is None else _of_entries(entries)
    return [value for value in map(_as_record, values[:_MOST_FIRST]) if isinstance(value, dict)]


def _parsed(text: bytes) -> Any:
    with contextlib.suppress(orjson.JSONDecodeError):
        return orjson.loads(text)
    with contextlib.suppress(ValueError, RecursionError):  # NaN and long numbers, which some programs write
        return json.loads(text)
    return None


def closed(head: bytes) -> bytes:
    """The start of a JSON value, without what was cut off after the last comma, and with all brackets closed.

    Examples
    --------
    >>> closed(b'{"a": [1, {"b": "x, y", "c": "z')
    b'{"a": [1, {"b": "x, y"}]}'
    """
    open_brackets: list[bytes] = []
    end, closers = 0, b""
    for token in TOKEN.finditer(head):
        mark = token[0][:1]
        if mark in b"{[":
            open_brackets.append(_CLOSED_BY[mark])
        elif mark in b"}]" and open_brackets:
            open_brackets.pop()
            end, closers = token.end(), b"".join(reversed(open_brackets))
        elif mark == b",":
            end, closers = token.start(), b"".join(reversed(open_brackets))
    return head[:end] + closers
