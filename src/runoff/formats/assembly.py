"""Lists that a reader has gathered become one `NBest`, in blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runoff.errors import DataError
from runoff.nbest.record_blocks import RecordSource
from runoff.nbest.records import RecordBuilder, collector_paused

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from runoff.nbest import NBest

_BLOCK = 512

Record = dict[str, Any]
"""A list in the form of Runoff JSON lines: `id`, `candidates` and what else there is."""


def assembled(
    records: Iterable[tuple[int, Record]],
    path: str | Path,
    *,
    metric: str | None = None,
    notes: Iterable[str] = (),
    unit: str = "line",
) -> NBest:
    """One `NBest` of records with their numbers in the file; raises if there is none. O(candidates).

    Examples
    --------
    >>> assembled([(1, {"id": "a", "candidates": [{"text": "yes", "base": -1.5}]})], "lists.txt", metric="wer")
    NBest(1 group, 1 candidate, 0 features, base)
    """
    builder = RecordBuilder(RecordSource(path, unit))
    block: list[tuple[int, Record]] = []
    with collector_paused():
        for each in records:
            block.append(each)
            if len(block) == _BLOCK:
                _add(builder, block)
                block = []
        if block:
            _add(builder, block)
    if not len(builder):
        raise DataError("there are no lists in it.", path=path)
    return builder.finish(metric=metric, notes=notes)


def _add(builder: RecordBuilder, block: list[tuple[int, Record]]) -> None:
    builder.add([record for _, record in block], [number for number, _ in block])
