"""Runoff JSON lines: one group per line, described in docs/formats.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pyarrow.compute as pc

from runoff.errors import DataError
from runoff.formats.base import Format, Sample
from runoff.formats.json_reader import build, builders, outline
from runoff.formats.streams import SAMPLE_SIZE, create_bytes
from runoff.nbest.candidate_ids import check_ids_differ
from runoff.nbest.group_id_watch import GroupIdWatch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from runoff.nbest import NBest

_BLOCK = 1 << 25  # bytes of lines
_BEFORE_CANDIDATES = {"id": b"", "input": b'"', "reference": b'"', "references": b'["', "missed": b"[", "metric": b'"'}


def read(path: Path) -> NBest:
    """Read a file of groups. Takes about twice the time of parsing it; memory grows only with the arrays."""
    return build(path).finish()


def read_blocks(path: Path) -> Iterator[NBest]:
    """Read a file of groups block by block, in memory that does not grow with the file; every block has own columns."""
    watch, metric = GroupIdWatch(), None
    for builder in builders(path, most_bytes=_BLOCK):
        data = builder.finish(metric=metric)
        metric = data.metric
        watch.add(data.group_ids)
        yield data
    if watch.repeated() is not None:
        read(path)  # which says where
        raise DataError("several groups have the same id; ids must differ.", path=path)


def write(data: NBest, path: Path) -> None:
    """Write one group per line, compressed if the name says so; numbers have the fewest digits that read back the same.

    Column numbers, notes and the input order of interleaved rows are not written: reading the file back numbers the
    features by their first appearance.
    """
    if len(pc.unique(data.group_ids)) < len(data):
        raise DataError("several groups have the same id; JSON lines need ids that differ. Write .arrow instead.")
    write_blocks([data], path)


def write_blocks(blocks: Iterable[NBest], path: Path) -> None:
    """Write the groups of block after block, whose ids must differ."""
    with create_bytes(path) as stream:
        for data in blocks:
            check_ids_differ(data)
            names = data.features.column_names().to_pylist()
            for record in _records(data, names):
                stream.write(orjson.dumps(record, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_APPEND_NEWLINE))


def _records(data: NBest, names: list[str]) -> Iterator[dict[str, Any]]:
    for at, name in enumerate(data.group_ids.to_pylist()):
        record: dict[str, Any] = {"id": name}
        if data.metric is not None:
            record["metric"] = data.metric
        for key, column in (("input", data.inputs), ("references", data.references), *data.attributes.items()):
            if column is not None and column[at].is_valid:
                record[key] = column[at].as_py()
        if data.missed is not None and len(data.missed[at]):
            record["missed"] = data.missed[at].as_py()
        record["candidates"] = _candidates(data, names, int(data.offsets[at]), int(data.offsets[at + 1]))
        yield record


def _candidates(data: NBest, names: list[str], start: int, stop: int) -> list[dict[str, Any]]:
    columns: dict[str, list[Any]] = {}
    for key, texts in (("id", data.candidate_ids), ("text", data.texts)):
        if texts is not None:
            columns[key] = texts[start:stop].to_pylist()
    for key, numbers in (("base", data.base), ("quality", data.quality)):
        if numbers is not None:
            columns[key] = numbers[start:stop].tolist()
    if names:
        columns["features"] = list(_features(data, names, start, stop))
    candidates = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    candidates = candidates or [{} for _ in range(stop - start)]
    for metric, rows in data.stats.items():
        for candidate, row in zip(candidates, rows[start:stop].tolist(), strict=True):
            candidate.setdefault("stats", {})[metric] = row
    return candidates


def _features(data: NBest, names: list[str], start: int, stop: int) -> Iterator[dict[str, Any] | list[str]]:
    features = data.features
    for row in range(start, stop):
        cut = slice(int(features.indptr[row]), int(features.indptr[row + 1]))
        used = [names[column] for column in features.indices[cut].tolist()]
        # Single precision is kept: as doubles the numbers would get seventeen digits.
        yield used if features.values is None else dict(zip(used, list(features.values[cut]), strict=True))


def recognise(sample: Sample) -> bool:
    """Recognise an object with candidates, unless they have a loss instead of a quality."""
    if sample.first_line[:1] != b"{":
        return False
    seen = outline(sample.head)
    if ("candidates",) in seen:
        return ("candidates", "loss") not in seen or ("candidates", "quality") in seen
    # An input or a reference may be longer than the sample.
    is_cut = len(sample.head) >= SAMPLE_SIZE and b"\n" not in sample.head.strip()
    return is_cut and all(
        len(keys) == 1 and keys[0] in _BEFORE_CANDIDATES and (value in _BEFORE_CANDIDATES[keys[0]] or keys[0] == "id")
        for keys, value in seen.items()
    )


FORMAT = Format(
    name="jsonl",
    description="Runoff JSON lines: one object per group with its candidates",
    recognise=recognise,
    read=read,
    read_blocks=read_blocks,
    write=write,
    write_blocks=write_blocks,
    suffixes=(".jsonl", ".ndjson"),
    keys=("candidates", "references", "reference", "input", "id"),
)
