"""Building an `NBest` from one mapping per group: Runoff's JSON lines, their dialects, or plain Python.

Records come in blocks; each block is turned into arrays by whole columns and then forgotten, so that a file
costs little more than its parsing and never lies in memory as Python objects. Only when a column does not
fit is it looked at value by value, to say where the trouble is.
"""

from __future__ import annotations

import contextlib
import gc
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.arrays import frozen
from runoff.errors import DataError, brief
from runoff.nbest.build import REFERENCES
from runoff.nbest.columns import FeatureColumns, Misfit, ids, number_rows, numbers, pluck, text_lists, texts
from runoff.nbest.core import NBest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from runoff.arrays import Floats

_BLOCK = 512  # records of plain Python that are turned into arrays together
_GROUP_KEYS = frozenset({"id", "input", "reference", "references", "candidates", "metric"})
_STATS = "stats."
_NAMED = 10  # unused keys that a note names


def from_records(records: Iterable[Mapping[str, Any]]) -> NBest:
    """See `NBest.from_records`. The records may come from a generator; they are not kept."""
    builder = RecordBuilder(unit="record")
    source, first = iter(records), 1
    while block := list(islice(source, _BLOCK)):
        builder.add(block, range(first, first + len(block)))
        first += len(block)
    return builder.finish()


@contextlib.contextmanager
def collector_paused() -> Iterator[None]:
    """Keep the garbage collector from walking through masses of fresh records, which hold no cycles."""
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


@dataclass(frozen=True)
class _Block:
    """Where the candidates of a block come from, for messages."""

    lines: Sequence[int]
    ids: list[str]
    sizes: list[int]

    def candidate(self, row: int) -> tuple[int, str]:
        """Line and description of a candidate; candidates of a group count from 1."""
        ends = np.cumsum(self.sizes)
        group = int(np.searchsorted(ends, row, side="right"))
        number = row - int(ends[group]) + self.sizes[group] + 1
        return self.lines[group], f"candidate {number} of group {self.ids[group]!r}"


class RecordBuilder:
    """Takes blocks of records, gives one `NBest`.

    Parameters
    ----------
    path
        File to name in messages.
    unit
        What a record is in messages: "line", "element" or "record".
    dialect
        Names of the candidates' scores.

    Examples
    --------
    >>> builder = RecordBuilder()
    >>> builder.add([{"id": "a", "candidates": ["yes", "no"]}], [1])
    >>> builder.finish()
    NBest(1 group, 2 candidates, 0 features)
    """

    def __init__(self, path: str | Path | None = None, *, unit: str = "line", dialect: Dialect | None = None) -> None:
        self.path, self.unit, self.dialect = path, unit, dialect or Dialect()
        self._candidate_keys = frozenset({"id", "text", "features", "stats", self.dialect.base, self.dialect.quality})
        self._lines: list[Sequence[int]] = []
        self._sizes: list[int] = []
        self._groups: dict[str, list[pa.Array]] = {"id": [], "input": [], "references": []}
        self._candidates: dict[str, list[Any]] = {}
        self._features = FeatureColumns()
        self._metrics: dict[str, int] = {}
        self._unused: tuple[Counter[str], Counter[str]] = Counter(), Counter()  # of groups, of candidates
        self._first: tuple[int, str] | None = None  # the first candidate of all

    def __len__(self) -> int:
        return len(self._sizes)

    # ---------------------------------------------------------------- groups

    def add(self, records: Sequence[Any], lines: Sequence[int]) -> None:
        """Take some records and the numbers of their lines."""
        rows = [self._mapping(record, line) for record, line in zip(records, lines, strict=True)]
        columns = pluck(rows, _GROUP_KEYS, self._unused[0])
        nothing: list[Any] = [None] * len(rows)
        given = columns.get("id", nothing)
        names = [str(line) if name is None else name for name, line in zip(given, lines, strict=True)]
        lists = [self._list(*each) for each in zip(columns.get("candidates", nothing), lines, names, strict=True)]
        block = _Block(lines, names, list(map(len, lists)))
        self._lines.append(lines)
        self._sizes += block.sizes
        self._add_to_groups("id", ids, names, block)
        self._add_to_groups("input", _optional_texts, columns.get("input", nothing), block)
        references = columns.get("references", nothing)
        if "reference" in columns:
            references = self._either(references, columns["reference"], block)
        self._add_to_groups("references", text_lists, references, block)
        for metric, line in zip(columns.get("metric", ()), lines, strict=False):
            if metric is not None:
                self._add_metric(metric, line)
        candidates = list(chain.from_iterable(lists))
        if candidates:
            self._add_candidates(candidates, block)

    def _mapping(self, record: Any, line: int) -> dict[str, Any]:
        if type(record) is dict:
            return record
        if isinstance(record, Mapping):
            return dict(record)
        self._fail(f"expected an object with the key 'candidates', found {brief(record)}.", line)

    def _list(self, given: Any, line: int, name: object) -> list[Any]:
        if type(given) is list:
            return given
        if given is None:
            self._fail(f"group {name!r} has no 'candidates'; expected a list (an empty one if there are none).", line)
        if isinstance(given, (str, Mapping)) or not isinstance(given, Iterable):
            self._fail(f"expected a list for 'candidates' of group {name!r}, found {brief(given)}.", line)
        return list(given)

    def _either(self, several: list[Any], single: list[Any], block: _Block) -> list[Any]:
        for at, (many, one) in enumerate(zip(several, single, strict=True)):
            if many is not None and one is not None:
                self._fail(f"group {block.ids[at]!r} has both 'reference' and 'references'; keep one.", block.lines[at])
        return [many if one is None else [one] for many, one in zip(several, single, strict=True)]

    def _add_to_groups(self, key: str, convert: Callable[[list[Any]], pa.Array], column: list[Any], block: _Block) -> None:
        try:
            self._groups[key].append(convert(column))
        except Misfit as misfit:
            where = "" if key == "id" else f" of group {block.ids[misfit.at]!r}"
            self._fail(f"expected {misfit.wanted} for {key!r}{where}, found {misfit.found}.", block.lines[misfit.at])

    def _add_metric(self, metric: Any, line: int) -> None:
        if not isinstance(metric, str):
            self._fail(f"expected the name of a metric for 'metric', found {brief(metric)}.", line)
        self._metrics.setdefault(metric, line)
        if len(self._metrics) > 1:
            (one, first), (other, _) = self._metrics.items()
            self._fail(f"the metric is {other!r} here and {one!r} in {self.unit} {first}; a file has one metric.", line)

    # ---------------------------------------------------------------- candidates

    def _add_candidates(self, candidates: list[Any], block: _Block) -> None:
        kinds = set(map(type, candidates))
        if kinds == {str}:
            columns = {"text": candidates}
        else:
            if kinds != {dict}:
                candidates = [self._candidate(row, candidate, block) for row, candidate in enumerate(candidates)]
            columns = pluck(candidates, self._candidate_keys, self._unused[1])
        if "features" in columns:
            self._convert("features", self._features.add, columns.pop("features"), block)
        else:
            self._features.skip(len(candidates))
        if "stats" in columns:
            columns.update(self._split_stats(columns.pop("stats"), block))
        for key in {**self._candidates, **columns}:
            self._add_field(key, columns.get(key), block)
        if "id" in self._candidates:
            self._check_ids(self._candidates["id"][-1].to_pylist(), block)
        self._first = self._first or block.candidate(0)

    def _candidate(self, row: int, candidate: Any, block: _Block) -> dict[str, Any]:
        if isinstance(candidate, str):
            return {"text": candidate}
        if isinstance(candidate, Mapping):
            return dict(candidate)
        line, place = block.candidate(row)
        self._fail(f"expected text or an object for {place}, found {brief(candidate)}.", line)

    def _split_stats(self, column: list[Any], block: _Block) -> dict[str, list[Any]]:
        for row, entry in enumerate(column):
            if entry is not None and not isinstance(entry, Mapping):
                line, place = block.candidate(row)
                self._fail(f"expected an object of metrics and lists for 'stats' of {place}, found {brief(entry)}.", line)
        rows = [{_STATS + str(metric): numbers for metric, numbers in (entry or {}).items()} for entry in column]
        return pluck(rows, frozenset(chain.from_iterable(rows)), Counter())

    def _add_field(self, key: str, column: list[Any] | None, block: _Block) -> None:
        """Keep a field that all candidates have or none."""
        converted = None if column is None else self._convert(key, _converter(key), column, block)
        if converted is None:
            if key in self._candidates:
                self._fail_missing(key, block.candidate(0))
            return
        if self._first is not None and key not in self._candidates:
            self._fail_missing(key, self._first)
        blocks = self._candidates.setdefault(key, [])
        if key.startswith(_STATS) and blocks and blocks[0].shape != (len(blocks[0]), converted.shape[1]):
            line, place = block.candidate(0)
            self._fail(f"expected {blocks[0].shape[1]} numbers for {key!r} of {place}, found {converted.shape[1]}.", line)
        blocks.append(converted)

    def _convert(self, key: str, convert: Callable[[list[Any]], Any], column: list[Any], block: _Block) -> Any:
        try:
            return convert(column)
        except Misfit as misfit:
            if misfit.value is None and key != "features":
                if column.count(None) == len(column):
                    return None
                self._fail_missing(key, block.candidate(misfit.at))
            line, place = block.candidate(misfit.at)
            what = f"feature {misfit.key!r}" if misfit.key else repr(key)
            self._fail(f"expected {misfit.wanted} for {what} of {place}, found {misfit.found}.", line)

    def _check_ids(self, names: list[str], block: _Block) -> None:
        end = 0
        for at, size in enumerate(block.sizes):
            start, end = end, end + size
            if len(set(names[start:end])) < size:
                name, count = Counter(names[start:end]).most_common(1)[0]
                self._fail(f"{count} candidates of group {block.ids[at]!r} have the id {name!r}.", block.lines[at])

    # ---------------------------------------------------------------- the end

    def finish(self, *, metric: str | None = None, notes: Iterable[str] = ()) -> NBest:
        """All that was added; `metric` is what such data is usually judged by, unless the records say it."""
        offsets = np.zeros(len(self) + 1, np.int64)
        np.cumsum(self._sizes, out=offsets[1:])
        group_ids = _joined(self._groups["id"], pa.large_string())
        self._check_groups(group_ids)
        try:
            features = self._features.finish()
        except DataError as error:
            raise DataError(error.message, path=self.path) from None
        inputs = _joined(self._groups["input"], pa.large_string())
        references = _joined(self._groups["references"], REFERENCES)

        def joined(key: str) -> Floats | None:
            blocks = self._candidates.get(key)
            return None if blocks is None else frozen(np.concatenate(blocks))  # type: ignore[return-value]

        quality = joined(self.dialect.quality)
        if quality is not None and self.dialect.quality_is_loss:
            quality = frozen(0.0 - quality)  # type: ignore[assignment]
        text, names = self._candidates.get("text"), self._candidates.get("id")
        stats = {key.removeprefix(_STATS): joined(key) for key in self._candidates if key.startswith(_STATS)}
        return NBest(
            offsets=frozen(offsets),  # type: ignore[arg-type]
            features=features,
            group_ids=group_ids,
            base=joined(self.dialect.base),
            quality=quality,
            texts=None if text is None else pa.concat_arrays(text),
            candidate_ids=None if names is None else pa.concat_arrays(names),
            inputs=None if inputs.null_count == len(inputs) else inputs,
            references=None if references.null_count == len(references) else references,
            stats=stats,  # type: ignore[arg-type]
            metric=next(iter(self._metrics), metric),
            notes=(*self._notes(group_ids), *notes),
        )

    def _check_groups(self, names: pa.Array) -> None:
        if len(pc.unique(names)) == len(names):
            return
        seen: dict[str, int] = {}
        for name, line in zip(names.to_pylist(), chain.from_iterable(self._lines), strict=True):
            if name in seen:
                self._fail(f"the group id {name!r} was used before, in {self.unit} {seen[name]}; ids must differ.", line)
            seen[name] = line

    def _notes(self, names: pa.Array) -> Iterator[str]:
        empty = self._sizes.count(0)
        if empty:
            some = brief(names[self._sizes.index(0)].as_py())
            yield f"Groups without candidates: {empty:,} (the first is {some})."
        unused = [(self._unused[0], "group"), (self._unused[1], "candidate")]
        if any(counts for counts, _ in unused):
            yield unused_keys(unused)

    def _fail(self, message: str, line: int) -> NoReturn:
        if self.unit == "line":
            raise DataError(message, path=self.path, line=line)
        raise DataError(f"{self.unit} {line}: {message}", path=self.path)

    def _fail_missing(self, key: str, place: tuple[int, str]) -> NoReturn:
        line, candidate = place
        self._fail(f"{candidate} has no {key!r}, but others have; give it to all candidates or to none.", line)


def unused_keys(counts: Iterable[tuple[Counter[str], str]]) -> str:
    """Say which keys were left out, in how many groups, candidates…

    Examples
    --------
    >>> unused_keys([(Counter(fold=2000), "group"), (Counter(rank=1), "candidate")])
    'Keys that Runoff does not use were left out: fold (2,000 groups), rank (1 candidate).'
    """
    parts = [
        f"{key} ({count:,} {unit}{'' if count == 1 else 's'})" for keys, unit in counts for key, count in keys.items()
    ]
    more = f" and {len(parts) - _NAMED:,} more" if len(parts) > _NAMED else ""
    return f"Keys that Runoff does not use were left out: {', '.join(parts[:_NAMED])}{more}."


def _converter(key: str) -> Callable[[list[Any]], Any]:
    if key.startswith(_STATS):
        return number_rows
    return {"id": ids, "text": texts}.get(key, numbers)


def _optional_texts(column: list[Any]) -> pa.Array:
    return texts(column, optional=True)


def _joined(blocks: list[pa.Array], kind: pa.DataType) -> pa.Array:
    return pa.concat_arrays(blocks) if blocks else pa.array([], kind)
