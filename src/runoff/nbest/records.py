"""Building an `NBest` from one mapping per group: Runoff's JSON lines, their dialects, or plain Python.

Records come in blocks; each block is converted to arrays by whole columns and then dropped, so that reading a file
costs little more than parsing it, and it is never in memory as Python objects. Only if a column is invalid is it
looked at value by value, to say where.
"""

from __future__ import annotations

import contextlib
import gc
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.arrays import frozen
from runoff.errors import brief
from runoff.nbest.candidate_builder import CandidateBuilder
from runoff.nbest.candidate_ids import RepeatedIdError, check_ids_differ
from runoff.nbest.checks import KEYS
from runoff.nbest.core import NBest
from runoff.nbest.joined_groups import joined
from runoff.nbest.record_blocks import RecordBlock, RecordSource
from runoff.nbest.record_columns import InvalidValueError, ids, number_lists, pluck, text_lists, texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from runoff.nbest.json_features import ExtractedFeatures

_BLOCK = 512  # Python records that are converted together
_NAMED = 10  # unused keys that a note names
_MOST_ATTRIBUTES = 100  # further keys are left out: every one is a column of all groups


def from_records(records: Iterable[Mapping[str, Any]]) -> NBest:
    """See `NBest.from_records`. The records may come from a generator; they are not kept."""
    builder = RecordBuilder(RecordSource(unit="record"))
    source, first = iter(records), 1
    while block := list(islice(source, _BLOCK)):
        builder.add(block, range(first, first + len(block)))
        first += len(block)
    return builder.finish()


@contextlib.contextmanager
def collector_paused() -> Iterator[None]:
    """Pause the garbage collector, which would search many new records for cycles that they do not have."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@dataclass(frozen=True)
class Dialect:
    """Names of a candidate's scores, and whether the second is a loss, which is quality with the other sign."""

    base: str = "base"
    quality: str = "quality"
    quality_is_loss: bool = False


class RecordBuilder:
    """Builds one `NBest` from blocks of records.

    Examples
    --------
    >>> builder = RecordBuilder()
    >>> builder.add([{"id": "a", "candidates": ["yes", "no"]}], [1])
    >>> builder.finish()
    NBest(1 group, 2 candidates, 0 features)
    """

    def __init__(
        self, source: RecordSource | None = None, dialect: Dialect | None = None, *, joins: bool = False
    ) -> None:
        self.source, self.dialect = source or RecordSource(), dialect or Dialect()
        self.joins = joins  # records with the same id are parts of one group, instead of a mistake
        self._lines: list[Sequence[int]] = []
        self._sizes: list[int] = []
        self._columns: dict[str, list[pa.Array | None]] = {key: [] for key in _COLUMNS}  # None: no group has it
        self._candidates = CandidateBuilder((self.dialect.base, self.dialect.quality))
        self._metric: tuple[str, int] | None = None  # and the line that said it first
        self._others: Counter[str] = Counter()  # groups with each key that Runoff gives no meaning
        self._attributes: dict[str, dict[int, pa.Array]] = {}  # those that have texts only, by block

    def __len__(self) -> int:
        return len(self._sizes)

    @property
    def has_features(self) -> bool:
        """Whether any candidate had features so far."""
        return len(self._candidates.features) > 0

    def add(self, records: list[Any], lines: Sequence[int], extracted: ExtractedFeatures | None = None) -> None:
        """Take some records and their numbers in the source; features may have been extracted from their text."""
        if set(map(type, records)) != {dict}:
            records = [self._mapping(record, line) for record, line in zip(records, lines, strict=True)]
        others: Counter[str] = Counter()
        columns = pluck(records, KEYS, others)
        self._add_attributes(records, others)
        nothing: list[Any] = [None] * len(records)
        names, lists = columns.get("id", nothing), columns.get("candidates", nothing)
        if set(map(type, names)) != {str}:
            names = [str(line) if name is None else name for name, line in zip(names, lines, strict=True)]
        if set(map(type, lists)) != {list}:
            lists = [self._list(*each) for each in zip(lists, names, lines, strict=True)]
        block = RecordBlock(self.source, lines, names, list(map(len, lists)))
        self._lines.append(lines)
        self._sizes += block.sizes
        columns["id"] = names
        if "reference" in columns:
            columns["references"] = _either(columns.get("references", nothing), columns["reference"], block)
        for key in _COLUMNS:
            self._columns[key].append(_convert(key, columns[key], block) if key in columns else None)
        for at, metric in enumerate(columns.get("metric", ())):
            self._add_metric(metric, at, block)
        candidates = list(chain.from_iterable(lists))
        if candidates:
            self._candidates.add(candidates, block, extracted)

    def _add_attributes(self, records: list[dict[str, Any]], others: Counter[str]) -> None:
        for key in others:
            if key not in self._others and len(self._attributes) < _MOST_ATTRIBUTES:
                self._attributes[key] = {}
            if key in self._attributes:
                column = _attribute(key, [record.get(key) for record in records])
                if column is None:
                    del self._attributes[key]
                else:
                    self._attributes[key][len(self._lines)] = column
        self._others.update(others)

    def _mapping(self, record: Any, line: int) -> dict[str, Any]:
        if isinstance(record, Mapping):
            return dict(record)
        raise self.source.error(f"expected an object with the key 'candidates', found {brief(record)}.", line)

    def _list(self, given: Any, name: object, line: int) -> list[Any]:
        if given is None:
            message = f"group {brief(name)} has no 'candidates'; expected a list (an empty one if there are none)."
            raise self.source.error(message, line)
        if isinstance(given, (str, Mapping)) or not isinstance(given, Iterable):
            message = f"expected a list for 'candidates' of group {brief(name)}, found {brief(given)}."
            raise self.source.error(message, line)
        return list(given)

    def _add_metric(self, metric: Any, at: int, block: RecordBlock) -> None:
        if metric is None:
            return
        if not isinstance(metric, str):
            raise block.group_error(f"expected the name of a metric for 'metric', found {brief(metric)}.", at)
        self._metric = self._metric or (metric, block.lines[at])
        known, line = self._metric
        if metric != known:
            message = f"the metric is {brief(metric)} here and {brief(known)} in {self.source.unit} {line}; name one."
            raise block.group_error(message, at)

    def finish(self, *, metric: str | None = None, notes: Iterable[str] = ()) -> NBest:
        """All that was added; `metric` is used unless the records name one."""
        offsets = np.zeros(len(self) + 1, np.int64)
        np.cumsum(self._sizes, out=offsets[1:])
        group_ids = self._joined("id")
        group_ids = pa.array([], pa.large_string()) if group_ids is None else group_ids
        if not self.joins:
            self._check_ids(group_ids)
        missed = self._joined("missed")
        quality = self._candidates.numbers(self.dialect.quality)
        if quality is not None and self.dialect.quality_is_loss:
            quality = frozen(0.0 - quality)
        data = NBest(
            offsets=frozen(offsets),
            features=self._candidates.features.finish(),
            group_ids=group_ids,
            base=self._candidates.numbers(self.dialect.base),
            quality=quality,
            texts=self._candidates.texts("text"),
            candidate_ids=self._candidates.texts("id"),
            inputs=self._joined("input"),
            references=self._joined("references"),
            missed=missed if missed is not None and len(missed.flatten()) else None,
            attributes=self._joined_attributes(),
            stats=self._candidates.stats(),
            metric=metric if self._metric is None else self._metric[0],
            notes=(*self._notes(group_ids), *notes),
        )
        return self._of_parts(data) if self.joins else data

    def _of_parts(self, data: NBest) -> NBest:
        data = joined(data)
        try:
            check_ids_differ(data)
        except RepeatedIdError as error:
            ends = np.cumsum(self._sizes)
            lines = list(chain.from_iterable(self._lines))
            line, earlier = (lines[int(np.searchsorted(ends, row, side="right"))] for row in (error.row, error.earlier))
            raise self.source.error(error.sentence(f"{self.source.unit} {earlier}"), line) from None
        return data

    def _joined(self, key: str) -> pa.Array | None:
        blocks = self._columns[key]
        if all(block is None for block in blocks):
            return None
        gap: list[float] | None = [] if key == "missed" else None
        kind = next(block.type for block in blocks if block is not None)
        whole = pa.concat_arrays(
            [
                pa.array([gap] * len(lines), kind) if block is None else block
                for block, lines in zip(blocks, self._lines, strict=True)
            ]
        )
        return None if whole.null_count == len(whole) else whole

    def _joined_attributes(self) -> dict[str, pa.Array]:
        gaps = [pa.nulls(len(lines), pa.large_string()) for lines in self._lines]
        return {
            key: pa.concat_arrays([blocks.get(at, gap) for at, gap in enumerate(gaps)])
            for key, blocks in self._attributes.items()
        }

    def _check_ids(self, names: pa.Array) -> None:
        if len(pc.unique(names)) == len(names):
            return
        seen: dict[str, int] = {}
        for name, line in zip(names.to_pylist(), chain.from_iterable(self._lines), strict=True):
            if name in seen:
                before = f"{self.source.unit} {seen[name]}"
                raise self.source.error(
                    f"the group id {brief(name)} was used before, in {before}; ids must differ.", line
                )
            seen[name] = line

    def _notes(self, names: pa.Array) -> Iterator[str]:
        empty = self._sizes.count(0)
        if empty:
            yield f"Groups without candidates: {empty:,} (the first is {brief(names[self._sizes.index(0)].as_py())})."
        unused = Counter({key: count for key, count in self._others.items() if key not in self._attributes})
        if unused or self._candidates.unused:
            yield unused_keys({"group": unused, "candidate": self._candidates.unused})


def unused_keys(counts: Mapping[str, Counter[str]]) -> str:
    """Sentence that says which keys were left out, and of how many groups or candidates.

    Examples
    --------
    >>> unused_keys({"group": Counter(fold=2000), "candidate": Counter(rank=1)})
    'Keys that Runoff does not use were left out: fold (2,000 groups), rank (1 candidate).'
    """
    parts = [
        f"{key} ({count:,} {unit}{'' if count == 1 else 's'})"
        for unit, keys in counts.items()
        for key, count in keys.items()
    ]
    more = f" and {len(parts) - _NAMED:,} more" if len(parts) > _NAMED else ""
    return f"Keys that Runoff does not use were left out: {', '.join(parts[:_NAMED])}{more}."


def _either(several: list[Any], single: list[Any], block: RecordBlock) -> list[Any]:
    for at, (many, one) in enumerate(zip(several, single, strict=True)):
        if many is not None and one is not None:
            raise block.group_error(
                f"group {brief(block.ids[at])} has both 'reference' and 'references'; keep one.", at
            )
    return [many if one is None else [one] for many, one in zip(several, single, strict=True)]


def _attribute(key: Any, values: list[Any]) -> pa.Array | None:
    """Texts and gaps as a column; None for anything else."""
    if not isinstance(key, str) or not key or not set(map(type, values)) <= {str, type(None)}:
        return None
    with contextlib.suppress(UnicodeEncodeError):
        key.encode()
        return pa.array(values, pa.large_string())
    return None


def _optional_texts(column: list[Any]) -> pa.Array:
    return texts(column, optional=True)


_COLUMNS: dict[str, Callable[[list[Any]], pa.Array]] = {
    "id": ids,
    "input": _optional_texts,
    "references": text_lists,
    "missed": number_lists,
}


def _convert(key: str, column: list[Any], block: RecordBlock) -> pa.Array:
    try:
        return _COLUMNS[key](column)
    except InvalidValueError as invalid:
        where = "" if key == "id" else f" of group {brief(block.ids[invalid.at])}"
        message = f"expected {invalid.wanted} for {key!r}{where}, found {invalid.found}."
        raise block.group_error(message, invalid.at) from None
