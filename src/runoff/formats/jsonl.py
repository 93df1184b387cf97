"""Runoff JSON lines: one group per line, described in docs/formats.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from runoff.formats.base import Format, Sample
from runoff.formats.json_text import build, outline
from runoff.formats.streams import create_bytes

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.nbest import NBest

_BEFORE = {("id",): None, ("input",): b'"', ("reference",): b'"', ("references",): b"[", ("metric",): b'"'}


def read(path: Path) -> NBest:
    """Read a file of groups; about the time of parsing it."""
    return build(path).finish()


def recognise(sample: Sample) -> bool:
    """Recognise an object with candidates that have no loss, or the keys that may come before a long list."""
    if sample.first_line[:1] != b"{":
        return False
    seen = outline(sample.head)
    if ("candidates",) in seen:
        return ("candidates", "loss") not in seen or ("candidates", "quality") in seen
    return False


FORMAT = Format(
    name="jsonl",
    description="Runoff JSON lines: one object per group with its candidates",
    recognise=recognise,
    read=read,
    suffixes=(".jsonl", ".ndjson"),
)
