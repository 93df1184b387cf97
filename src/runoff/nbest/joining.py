"""Many parts as one `NBest`: arrays of the final size are filled part by part, so that no two copies exist at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from runoff.arrays import frozen
from runoff.nbest.arrow_numbers import NUMBERS
from runoff.nbest.checks import PER_GROUP
from runoff.nbest.core import NBest
from runoff.nbest.csr import Features
from runoff.nbest.filled_columns import FilledColumn, measured

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_NUMBERS = ("base", "quality")
_TEXTS = ("texts", "candidate_ids")
_ATTRIBUTE = "attribute:"


def joined(parts: Callable[[], Iterable[NBest]]) -> NBest:
    """All groups of some parts, which have the same columns of features; `parts` is called twice.

    What only some parts have of scores, quality, texts and statistics is left out; inputs, references and attributes
    are empty where a part has none. Takes as much memory as the result and one part. O(stored values).

    Examples
    --------
    >>> data = NBest.from_arrays([[1.0], [2.0], [3.0]], sizes=[1, 2], texts=["a", "b", "c"])
    >>> whole = joined(lambda: [data[0], data[1]])
    >>> whole.offsets.tolist(), whole.texts.to_pylist(), whole.features.values.tolist()
    ([0, 1, 3], ['a', 'b', 'c'], [1.0, 2.0, 3.0])
    """
    sizes = Sizes()
    for part in parts():
        sizes.add(part)
    whole = _Filling(sizes)
    for part in parts():
        whole.add(part)
    return whole.finish()


def joined_features(parts: Sequence[Features]) -> Features:
    """Rows of some parts with the same columns, one after the other. O(stored values).

    Examples
    --------
    >>> one = Features.of(np.array([[1.0, 0.0]]))
    >>> joined_features([one, one]).to_scipy().toarray().tolist()
    [[1.0, 0.0], [1.0, 0.0]]
    """
    rows, stored = sum(part.shape[0] for part in parts), sum(part.n_stored for part in parts)
    has_values = any(part.values is not None for part in parts)
    indptr, indices = np.zeros(rows + 1, np.int64), np.empty(stored, np.int32)
    values = np.empty(stored, np.float32) if has_values else None
    row = at = 0
    for part in parts:
        first, last = int(part.indptr[0]), int(part.indptr[-1])
        np.add(part.indptr[1:], at - first, out=indptr[row + 1 : row + part.shape[0] + 1])
        indices[at : at + last - first] = part.indices[first:last]
        if values is not None:
            values[at : at + last - first] = 1.0 if part.values is None else part.values[first:last]
        row, at = row + part.shape[0], at + last - first
    return Features.from_csr(indptr, indices, values, parts[0].n_columns, parts[0].names)


def without_candidates(data: NBest) -> NBest:
    """The lists with what belongs to each as a whole, and no candidates: enough to tell which belong together.

    Examples
    --------
    >>> without_candidates(NBest.from_arrays(texts=["a", "b"], sizes=[2], references=["a"]))
    NBest(1 group, 0 candidates, 0 features, references)
    """
    return NBest(
        offsets=frozen(np.zeros(len(data) + 1, np.int64)),
        features=Features.none(0),
        group_ids=data.group_ids,
        inputs=data.inputs,
        references=data.references,
        attributes=data.attributes,
        metric=data.metric,
        notes=data.notes,
    )


@dataclass
class Sizes:
    """What some parts have together."""

    groups: int = 0
    candidates: int = 0
    stored: int = 0
    parts: int = 0
    n_columns: int = 0
    names: pa.Array | None = None
    has_values: bool = False
    has_rows: bool = False
    metrics: set[str | None] = field(default_factory=set)
    notes: dict[str, None] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)  # parts that have it
    widths: dict[str, int] = field(default_factory=dict)  # of statistics
    columns: dict[str, tuple[pa.DataType, tuple[int, ...]]] = field(default_factory=dict)

    def add(self, part: NBest) -> None:
        """Count one more part. O(groups)."""
        self.parts += 1
        for name, column in _columns(part).items():
            kind, so_far = self.columns.get(name, (column.type, ()))
            counted = measured(column)
            self.columns[name] = kind, tuple(np.add(so_far or np.zeros(len(counted), np.int64), counted).tolist())
        for name in [*_columns(part), *(name for name in _NUMBERS if getattr(part, name) is not None)]:
            self.seen[name] = self.seen.get(name, 0) + 1
        for name, rows in part.stats.items():
            self.seen[f"stats:{name}"] = self.seen.get(f"stats:{name}", 0) + 1
            self.widths[name] = rows.shape[1]
        self.groups += len(part)
        self.candidates += part.n_candidates
        self.stored += part.features.n_stored
        self.n_columns, self.names = part.features.n_columns, part.features.names
        self.has_values = self.has_values or part.features.values is not None
        self.has_rows = self.has_rows or part.rows is not None
        self.metrics.add(part.metric)
        self.notes.update(dict.fromkeys(part.notes))

    def in_all(self, name: str) -> bool:
        """Whether all parts have it."""
        return self.parts > 0 and self.seen.get(name, 0) == self.parts


class _Filling:
    """An `NBest` of a known size whose arrays are being filled."""

    def __init__(self, sizes: Sizes) -> None:
        self.sizes, self._group, self._row, self._stored = sizes, 0, 0, 0
        self._offsets, self._indptr = np.zeros(sizes.groups + 1, np.int64), np.zeros(sizes.candidates + 1, np.int64)
        self._indices = np.empty(sizes.stored, np.int32)
        self._values = np.empty(sizes.stored, np.float32) if sizes.has_values else None
        self._rows = np.empty(sizes.candidates, np.int64) if sizes.has_rows else None
        self._numbers = {name: np.empty(sizes.candidates) for name in _NUMBERS if sizes.in_all(name)}
        self._stats = {
            name: np.empty((sizes.candidates, width))
            for name, width in sizes.widths.items()
            if sizes.in_all(f"stats:{name}")
        }
        self._columns: dict[str, FilledColumn] = {}
        for name, (kind, counted) in sizes.columns.items():
            if name in _TEXTS and not sizes.in_all(name):
                continue
            entries = sizes.candidates if name in _TEXTS else sizes.groups
            self._columns[name] = FilledColumn(kind, (entries, *counted[1:]))

    def add(self, part: NBest) -> None:
        """Take one more part. O(stored values)."""
        features, groups, rows = part.features, len(part), part.n_candidates
        first, last = int(features.indptr[0]), int(features.indptr[-1])
        cut, stored = slice(self._row, self._row + rows), slice(self._stored, self._stored + last - first)
        np.add(part.offsets[1:], self._row, out=self._offsets[self._group + 1 : self._group + groups + 1])
        np.add(features.indptr[1:], self._stored - first, out=self._indptr[self._row + 1 : self._row + rows + 1])
        self._indices[stored] = features.indices[first:last]
        if self._values is not None:
            self._values[stored] = 1.0 if features.values is None else features.values[first:last]
        if self._rows is not None:
            self._rows[cut] = self._row + (np.arange(rows) if part.rows is None else part.rows)
        for name, numbers in self._numbers.items():
            numbers[cut] = getattr(part, name)
        for name, table in self._stats.items():
            table[cut] = part.stats[name]
        mine = _columns(part)
        for name, column in self._columns.items():
            column.add(mine[name] if name in mine else _gaps(name, groups, self.sizes.columns[name][0]))
        self._group, self._row, self._stored = self._group + groups, cut.stop, stored.stop

    def finish(self) -> NBest:
        """The data."""
        sizes, columns = self.sizes, {name: column.finish() for name, column in self._columns.items()}
        known = sizes.metrics - {None}
        return NBest(
            offsets=frozen(self._offsets),
            features=Features.from_csr(self._indptr, self._indices, self._values, sizes.n_columns, sizes.names),
            **{name: frozen(numbers) for name, numbers in self._numbers.items()},
            **{name: column for name, column in columns.items() if not name.startswith(_ATTRIBUTE)},
            attributes={
                name.removeprefix(_ATTRIBUTE): column for name, column in columns.items() if name.startswith(_ATTRIBUTE)
            },
            stats={name: frozen(table) for name, table in self._stats.items()},
            rows=None if self._rows is None else frozen(self._rows),
            metric=known.pop() if len(known) == 1 else None,
            notes=tuple(sizes.notes),
        )


def _columns(part: NBest) -> dict[str, pa.Array]:
    """Everything of a part that is an Arrow column."""
    named: dict[str, Any] = {name: getattr(part, name) for name in (*PER_GROUP, *_TEXTS)}
    named |= {_ATTRIBUTE + name: column for name, column in part.attributes.items()}
    return {name: column for name, column in named.items() if column is not None}


def _gaps(name: str, groups: int, kind: pa.DataType) -> pa.Array:
    return pa.array([[]] * groups, NUMBERS) if name == "missed" else pa.nulls(groups, kind)
