"""Candidates of records, collected block by block: texts, ids, scores, statistics and features."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Mapping
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from runoff.arrays import frozen
from runoff.errors import DataError, brief
from runoff.nbest.feature_rows import FeatureRows
from runoff.nbest.record_columns import InvalidValueError, ids, number_rows, numbers, pluck, texts

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.arrays import Floats
    from runoff.nbest.json_features import ExtractedFeatures
    from runoff.nbest.record_blocks import RecordBlock

_STATS = "stats."


class CandidateBuilder:
    """Collects candidates; every field except features is given for all candidates or for none."""

    def __init__(self, scores: tuple[str, ...]) -> None:
        self.features = FeatureRows()
        self.unused: Counter[str] = Counter()
        self._known = frozenset({"id", "text", "features", "stats", *scores})
        self._fields: dict[str, list[Any]] = {}
        self._first: RecordBlock | None = None  # the block with the very first candidate

    def add(self, candidates: list[Any], block: RecordBlock, extracted: ExtractedFeatures | None = None) -> None:
        """Take all candidates of a block, at least one; their features may have been extracted from the text."""
        columns = self._columns(candidates, block)
        if "features" in columns:
            add = self.features.add if extracted is None else partial(self.features.add_extracted, extracted=extracted)
            _convert("features", add, columns.pop("features"), block)
        else:
            self.features.skip(len(candidates))
        if "stats" in columns:
            columns.update(_split_stats(columns.pop("stats"), block))
        for key in {**self._fields, **columns}:
            self._add_field(key, columns.get(key), block)
        if "id" in self._fields:
            _check_ids(self._fields["id"][-1].to_pylist(), block)
        self._first = self._first or block

    def _columns(self, candidates: list[Any], block: RecordBlock) -> dict[str, list[Any]]:
        if type(candidates[0]) is dict:
            with contextlib.suppress(TypeError):
                return pluck(candidates, self._known, self.unused)
        elif set(map(type, candidates)) == {str}:
            return {"text": candidates}
        rows = [_as_dict(row, candidate, block) for row, candidate in enumerate(candidates)]
        return pluck(rows, self._known, self.unused)

    def _add_field(self, key: str, column: list[Any] | None, block: RecordBlock) -> None:
        known = self._fields.get(key)
        if column is None or (column[0] is None and column.count(None) == len(column)):
            if known:
                raise _missing(key, block)
            return
        if known is None and self._first is not None:
            raise _missing(key, self._first)
        converted = _convert(key, _converter(key), column, block)
        if known and key.startswith(_STATS) and known[0].shape[1] != converted.shape[1]:
            found = f", found {converted.shape[1]}."
            raise block.candidate_error(f"expected {known[0].shape[1]} numbers for {key!r} of ", 0, found)
        self._fields.setdefault(key, []).append(converted)

    def texts(self, key: str) -> pa.Array | None:
        """All texts of a field."""
        blocks = self._fields.get(key)
        return None if blocks is None else pa.concat_arrays(blocks)

    def numbers(self, key: str) -> Floats | None:
        """All numbers of a field."""
        blocks = self._fields.get(key)
        return None if blocks is None else frozen(np.concatenate(blocks))

    def stats(self) -> dict[str, Floats]:
        """Statistics by metric."""
        named = {key.removeprefix(_STATS): self.numbers(key) for key in self._fields if key.startswith(_STATS)}
        return {metric: rows for metric, rows in named.items() if rows is not None}


def _as_dict(row: int, candidate: Any, block: RecordBlock) -> dict[str, Any]:
    if isinstance(candidate, str):
        return {"text": candidate}
    if isinstance(candidate, Mapping):
        return dict(candidate)
    raise block.candidate_error("expected text or an object for ", row, f", found {brief(candidate)}.")


def _split_stats(column: list[Any], block: RecordBlock) -> dict[str, list[Any]]:
    for row, entry in enumerate(column):
        if entry is not None and not isinstance(entry, Mapping):
            found = f", found {brief(entry)}."
            raise block.candidate_error("expected an object of metrics and lists for 'stats' of ", row, found)
    rows = [{_STATS + str(metric): row for metric, row in (entry or {}).items()} for entry in column]
    return pluck(rows, frozenset(chain.from_iterable(rows)), Counter())


def _converter(key: str) -> Callable[[list[Any]], Any]:
    return number_rows if key.startswith(_STATS) else {"id": ids, "text": texts}.get(key, numbers)


def _convert(key: str, convert: Callable[[list[Any]], Any], column: list[Any], block: RecordBlock) -> Any:
    try:
        return convert(column)
    except InvalidValueError as invalid:
        if invalid.value is None and not invalid.key:
            raise _missing(key, block, invalid.at) from None
        what = f"feature {brief(invalid.key)}" if invalid.key else repr(key)
        found = f", found {invalid.found}."
        raise block.candidate_error(f"expected {invalid.wanted} for {what} of ", invalid.at, found) from None


def _missing(key: str, block: RecordBlock, row: int = 0) -> DataError:
    return block.candidate_error("", row, f" has no {key!r}, but others have; give it to all candidates or to none.")


def _check_ids(names: list[str], block: RecordBlock) -> None:
    end = 0
    for at, size in enumerate(block.sizes):
        start, end = end, end + size
        if len(set(names[start:end])) < size:
            name, count = Counter(names[start:end]).most_common(1)[0]
            group = brief(block.ids[at])
            raise block.group_error(
                f"{count} candidates of group {group} have the id {brief(name)}; ids must differ.", at
            )
