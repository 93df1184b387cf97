"""What the formats made of JSON share: reading lines in blocks, and looking at the start of a file."""

from __future__ import annotations

import functools
import json
import re
from typing import TYPE_CHECKING, Any

import orjson

from runoff.errors import DataError, brief
from runoff.formats.streams import BYTE_ORDER_MARK, decode, open_bytes
from runoff.nbest.blocks import Source
from runoff.nbest.records import RecordBuilder, collector_paused

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from runoff.nbest.records import Dialect

_BLOCK_BYTES = 1 << 18  # large enough to work by columns, small enough to stay in the processor's cache
_TOKEN = re.compile(rb'"((?:[^"\\]|\\.)*)(?:"|\Z)|[^\s"]', re.DOTALL)


def build(path: str | Path, dialect: Dialect | None = None) -> RecordBuilder:
    """Take all groups of a file of JSON lines; it has at least one."""
    builder = RecordBuilder(Source(path), dialect)
    with collector_paused():
        for first, lines in line_blocks(path):
            # Nothing here may keep the values of a block: the next one is parsed into the same, still warm memory.
            builder.add(*parse_lines(lines, path, first))
    if not len(builder):
        raise DataError("the file is empty.", path=path)
    return builder


def line_blocks(path: str | Path) -> Iterator[tuple[int, list[bytes]]]:
    """All lines, blank ones too, in blocks; each with the number of its first line."""
    number = 1
    parts: list[bytes] = []
    with open_bytes(path) as stream:
        while block := stream.read(_BLOCK_BYTES):
            end = block.rfind(b"\n") + 1
            if end:
                lines = b"".join([*parts, block[:end]]).split(b"\n")
                lines.pop()  # what follows the last line end
                yield number, lines
                number, parts = number + len(lines), [block[end:]]
            else:
                parts.append(block)
    if any(parts):
        yield number, [b"".join(parts)]


def parse_lines(lines: list[bytes], path: str | Path, first: int) -> tuple[list[Any], Sequence[int]]:
    """Values of the lines that are not blank, and the numbers of these lines."""
    try:
        return list(map(orjson.loads, lines)), range(first, first + len(lines))
    except orjson.JSONDecodeError:
        values, numbers = [], []
        for number, line in _not_blank(lines, first):
            values.append(parse(line, path, number))
            numbers.append(number)
        return values, numbers


def _not_blank(lines: list[bytes], first: int) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(lines, first):
        stripped = line.strip()
        if number == 1:
            stripped = stripped.removeprefix(BYTE_ORDER_MARK)
        if stripped:
            yield number, stripped


def parse(text: bytes, path: str | Path, line: int | None = None) -> Any:
    """One JSON value, or a sentence about what is wrong.

    NaN and Infinity, which some programs write, are let through: whether they do harm, and where, is seen by
    those who use the value.
    """
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        trouble = error
    try:
        return json.loads(decode(text, path, line or 1))
    except RecursionError:
        raise DataError("the JSON is nested too deeply.", path=path, line=line) from None
    except ValueError as error:
        if isinstance(error, DataError):
            raise
    what = "the line" if line else "the file"
    reason = f"{trouble.msg} at character {trouble.pos + 1}"
    if trouble.pos >= len(text.rstrip()):
        reason = f"it ends too early, at character {trouble.pos}"
    start = brief(text[:80].decode(errors="replace"))
    raise DataError(f"{what} is not JSON ({reason}); it starts with {start}.", path=path, line=line)


@functools.lru_cache(maxsize=4)
def outline(head: bytes) -> Mapping[tuple[str, ...], bytes]:
    """Keys that the start of a JSON file has, each with the first byte of its first value.

    Lists do not count as levels, the file may be cut anywhere, and what is in it need not be right: this is for
    recognising. Only the first two levels are given.

    Examples
    --------
    >>> outline(b'[{"id": 1, "candidates": [{"text": "a, b", "ba')
    {('id',): b'1', ('candidates',): b'[', ('candidates', 'text'): b'"'}
    """
    text = head.removeprefix(BYTE_ORDER_MARK).lstrip()
    found: dict[tuple[str, ...], bytes] = {}
    if text[:1] not in (b"{", b"["):
        return found
    path: list[str | None] = []  # the key that is open on every level of objects; None for a list
    pending: bytes | None = None
    after_colon = False
    for token in _TOKEN.finditer(text):
        mark = token[0][:1]
        keys = tuple(key for key in path if key is not None)
        if after_colon and len(keys) <= 2:
            found.setdefault(keys, mark)
        after_colon = False
        if mark == b"{":
            path.append("")
        elif mark == b"[":
            path.append(None)
        elif mark in (b"}", b"]"):
            if not path:
                break
            path.pop()
        elif mark == b":" and path and path[-1] is not None and pending is not None:
            path[-1] = pending.decode(errors="replace")
            after_colon = True
        pending = token[1]
    return found
