"""Sparse rows from Python values: names become columns in the order of their first appearance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.nbest.csr import Features
from runoff.nbest.name_index import NameIndex
from runoff.nbest.record_columns import InvalidValueError, check_text, numbers

if TYPE_CHECKING:
    from runoff.arrays import Columns, Ints, Singles
    from runoff.nbest.json_features import ExtractedFeatures


class FeatureRows:
    """Sparse rows, collected block by block; columns are numbered by the first appearance of their names."""

    def __init__(self) -> None:
        self._names = NameIndex()
        self._lengths: list[Any] = []
        self._indices: list[Columns] = []
        self._values: list[Singles | None] = []  # None: all ones

    def __len__(self) -> int:
        """Number of columns so far."""
        return len(self._names)

    def skip(self, count: int) -> None:
        """Candidates without features."""
        self._keep(np.zeros(count, np.int64), np.empty(0, np.int32), None)

    def add(self, column: list[Any]) -> None:
        """One entry per candidate: a mapping from names to numbers (None or NaN: missing), a list of names, or None."""
        kinds = set(map(type, column))
        if kinds not in ({list}, {dict}):
            column, kinds = [_as_dict(at, entry) for at, entry in enumerate(column)], {dict}
        lengths = np.fromiter(map(len, column), np.int64, len(column))
        values = None
        if kinds == {dict}:
            try:
                values = _singles(list(chain.from_iterable(map(dict.values, column))))
            except InvalidValueError as invalid:
                ends = np.cumsum(lengths)
                at = int(np.searchsorted(ends, invalid.at, side="right"))
                name = list(column[at])[invalid.at - int(ends[at])]
                raise InvalidValueError(at, invalid.wanted, invalid.value, name) from None
        self._keep(lengths, self._numbered(column), values)

    def add_extracted(self, column: list[Any], extracted: ExtractedFeatures) -> None:
        """One entry per candidate: None, or anything else for the next one of the extracted tables."""
        has_table = [entry is not None for entry in column]
        numbers = extracted.numbered(self._names)
        if numbers is None:
            tables = iter(extracted.originals())
            self.add([next(tables) if has else None for has in has_table])
            return
        lengths = extracted.lengths
        if lengths.size < len(column):
            lengths = np.zeros(len(column), np.int64)
            lengths[has_table] = extracted.lengths
        self._keep(lengths, numbers, None if extracted.is_list.all() else extracted.values.copy())

    def _numbered(self, column: list[Any]) -> Columns:
        try:
            return self._names.number(list(chain.from_iterable(column)))
        except TypeError:
            for at, entry in enumerate(column):
                for name in entry:
                    check_text(at, name, "text as the name of a feature")
            raise

    def _keep(self, lengths: Ints, indices: Columns, values: Singles | None) -> None:
        if values is not None:
            kept = values != 0
            if not kept.all():
                rows = np.repeat(np.arange(lengths.size), lengths)
                lengths = np.bincount(rows[kept], minlength=lengths.size)
                indices, values = indices[kept], values[kept]
            if (values == 1).all():
                values = None
        self._lengths.append(lengths)
        self._indices.append(indices)
        self._values.append(values)

    def finish(self) -> Features:
        """All rows, each sorted by column."""
        lengths = np.concatenate(self._lengths) if self._lengths else np.empty(0, np.int64)
        if not len(self._names):
            return Features.none(lengths.size)
        indptr = np.zeros(lengths.size + 1, np.int64)
        np.cumsum(lengths, out=indptr[1:])
        indices = np.concatenate(self._indices)
        values = None
        if any(block is not None for block in self._values):
            values = np.ones(indices.size, np.float32)
            for block, end in zip(self._values, np.cumsum([block.size for block in self._indices]), strict=True):
                if block is not None:
                    values[end - block.size : end] = block
        indptr, indices, values = _canonical(indptr, indices, values, len(self._names))
        return Features.from_csr(indptr, indices, values, len(self._names), self._names.names())


def _canonical(indptr: Ints, indices: Columns, values: Singles | None, n_columns: int) -> tuple[Any, Any, Any]:
    """Sort every row by column; a name that a list has several times becomes its count."""
    from scipy import sparse

    small = indptr.astype(np.int32) if indices.size <= np.iinfo(np.int32).max else indptr
    dummy = np.empty(indices.size, np.uint8) if values is None else values
    rows = sparse.csr_array((dummy, indices, small), shape=(indptr.size - 1, n_columns))
    rows.sort_indices()
    if rows.has_canonical_format:
        return indptr, rows.indices, None if values is None else rows.data
    if values is None:
        rows = sparse.csr_array((np.ones(indices.size, np.float32), rows.indices, small), shape=rows.shape)
    rows.sum_duplicates()
    return rows.indptr, rows.indices, rows.data


def _singles(values: list[Any]) -> Singles:
    doubles = numbers(values, missing=True)
    with np.errstate(over="ignore"):
        singles = doubles.astype(np.float32)
    too_large = np.flatnonzero(np.isinf(singles))
    if too_large.size:
        at = int(too_large[0])
        raise InvalidValueError(at, "a number that single precision can hold (up to 3.4e38)", values[at])
    return singles


def _as_dict(at: int, entry: Any) -> dict[str, Any]:
    if entry is None:
        return {}
    if isinstance(entry, Mapping):
        return dict(entry)
    if isinstance(entry, (list, tuple)):
        for name in entry:
            check_text(at, name, "names of features as text")
        return dict(Counter(entry))
    raise InvalidValueError(at, "an object of names and numbers, or a list of names", entry)
