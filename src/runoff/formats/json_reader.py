"""Shared by the JSON formats: reading lines in blocks, and looking at the start of a file."""

from __future__ import annotations

import contextlib
import functools
import json
import math
import re
import sys
from typing import TYPE_CHECKING, Any

import orjson

from runoff.errors import DataError, brief
from runoff.formats.streams import BYTE_ORDER_MARK, decode, open_bytes
from runoff.nbest.record_blocks import RecordSource
from runoff.nbest.records import RecordBuilder, collector_paused

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from runoff.nbest.json_features import ExtractedFeatures, FeatureExtractor
    from runoff.nbest.records import Dialect

_BLOCK_BYTES = 1 << 18  # large enough to work by columns, small enough for the processor's cache
_WORTH_EXTRACTING = 1 << 22  # bytes; a shorter file is parsed before the compiled loop is loaded
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")  # Python's parser takes half a pair for a character
# Possessive, so that a string that ends inside an escape is not searched again and again.
TOKEN = re.compile(rb'"((?:[^"\\]|\\.)*+)(?:"|\\?\Z)|[^\s"]', re.DOTALL)


def build(path: str | Path, dialect: Dialect | None = None) -> RecordBuilder:
    """Read all groups of a file of JSON lines; raises if there is none."""
    return next(builders(path, dialect))


def builders(path: str | Path, dialect: Dialect | None = None, most_bytes: float = math.inf) -> Iterator[RecordBuilder]:
    """Read the groups of a file of JSON lines, about so many bytes of lines at a time; raises if there is none."""
    builder = RecordBuilder(RecordSource(path), dialect)
    extractor: FeatureExtractor | None = None
    done = full = 0
    with collector_paused():
        for first, content, lines in line_blocks(path):
            # Nothing here may keep the values of a block, so that the next one reuses the same, cached memory.
            worth_it = done >= _WORTH_EXTRACTING and (builder.has_features or not done)
            if worth_it and extractor is None:
                from runoff.nbest.json_features import FeatureExtractor

                extractor = FeatureExtractor()
            extracted = extractor.extract(content) if worth_it and extractor is not None else None
            builder.add(*_parse(lines, extracted, path, first))
            done += len(content)
            if done - full >= most_bytes and len(builder):
                yield builder
                builder, full = RecordBuilder(RecordSource(path), dialect), done
    if not len(builder) and not full:
        raise DataError("the file is empty.", path=path)
    if len(builder):
        yield builder


def line_blocks(path: str | Path) -> Iterator[tuple[int, bytes, list[memoryview]]]:
    """Blocks of whole lines, blank ones too: number of the first line, all bytes, the lines."""
    number = 1
    with open_bytes(path) as stream:
        while content := stream.read(_BLOCK_BYTES):
            content += stream.readline()
            if not content.endswith(b"\n"):
                content += b"\n"
            lines = _lines(content)
            yield number, content, lines
            number += len(lines)


def _parse(
    lines: list[memoryview], extracted: ExtractedFeatures | None, path: str | Path, first: int
) -> tuple[list[Any], Sequence[int], ExtractedFeatures | None]:
    if extracted is not None:
        with contextlib.suppress(orjson.JSONDecodeError):
            values = list(map(orjson.loads, _lines(extracted.rest)))
            if extracted.belong_to(values):
                return values, range(first, first + len(lines)), extracted
    return *parse_lines(lines, path, first), None


def parse_lines(lines: list[memoryview], path: str | Path, first: int) -> tuple[list[Any], Sequence[int]]:
    """Values of the lines that are not blank, and the numbers of these lines."""
    try:
        return list(map(orjson.loads, lines)), range(first, first + len(lines))
    except orjson.JSONDecodeError:
        values, numbers = [], []
        for number, line in _not_blank(lines, first):
            values.append(parse(line, path, number))
            numbers.append(number)
        return values, numbers


def _lines(content: bytes) -> list[memoryview]:
    """Lines without their ends, as views: copying them would take a tenth of the time of parsing them."""
    view, lines, start = memoryview(content), [], 0
    while (end := content.find(b"\n", start)) >= 0:
        lines.append(view[start:end])
        start = end + 1
    return lines


def _not_blank(lines: list[memoryview], first: int) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(lines, first):
        stripped = line.tobytes().strip()
        if number == 1:
            stripped = stripped.removeprefix(BYTE_ORDER_MARK)
        if stripped:
            yield number, stripped


def parse(text: bytes, path: str | Path, line: int | None = None) -> Any:
    """Parse one JSON value; raises a `DataError` that says what is wrong.

    NaN and Infinity, which some programs write, are accepted here; the code that uses the value checks it.
    """
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        trouble = error
    try:
        value = json.loads(decode(text, path, line or 1), parse_int=_integer)
        if _SURROGATE.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise DataError("the JSON is nested too deeply.", path=path, line=line) from None
    except UnicodeEncodeError:
        raise DataError(
            "expected whole Unicode characters (no half surrogates); \\ud800 to \\udfff come in pairs.",
            path=path,
            line=line,
        ) from None
    except ValueError as error:
        if isinstance(error, DataError):
            raise
    else:
        return value
    what = "the line" if line else "the file"
    reason = f"{trouble.msg} at character {trouble.pos + 1}"
    if trouble.pos >= len(text.rstrip()):
        reason = f"it ends too early, at character {trouble.pos}"
    start = brief(text[:80].decode(errors="replace"))
    raise DataError(f"{what} is not JSON ({reason}); it starts with {start}.", path=path, line=line)


def _integer(digits: str) -> float:
    """An integer, as a float (which is infinite) where it has more digits than Python is sure to read."""
    return int(digits) if len(digits) <= sys.int_info.str_digits_check_threshold else float(digits)


_LEVELS = 4  # of nesting that are looked at: list, group, list, candidate


@functools.lru_cache(maxsize=4)
def outline(head: bytes) -> Mapping[tuple[str, ...], bytes]:
    """Keys that the start of a JSON file has, each with the first byte of its first value.

    Lists do not count as levels, and the content may be truncated or invalid: this is for recognising formats. What is
    nested deeper than a candidate is left out.

    Examples
    --------
    >>> outline(b'[{"id": 1, "candidates": [{"text": "a, b", "ba')
    {('id',): b'1', ('candidates',): b'[', ('candidates', 'text'): b'"'}
    """
    text = head.removeprefix(BYTE_ORDER_MARK).lstrip()
    found: dict[tuple[str, ...], bytes] = {}
    if text[:1] not in (b"{", b"["):
        return found
    path: list[str | None] = []  # the key that is open on every level; None for a list
    string: bytes | None = None
    after_colon = False
    for token in TOKEN.finditer(text):
        mark = token[0][:1]
        if after_colon and len(path) <= _LEVELS:
            found.setdefault(tuple(key for key in path if key is not None), mark)
        after_colon = mark == b":" and bool(path) and path[-1] is not None
        if after_colon:
            path[-1] = (string or b"").decode(errors="replace")
        elif mark in b"{[":
            path.append("" if mark == b"{" else None)
        elif mark in b"}]" and path:
            path.pop()
        string = token[1]
    return found
