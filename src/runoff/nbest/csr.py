"""Sparse features of all candidates: compressed rows, float32 values or implicit ones."""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.arrays import frozen
from runoff.errors import DataError, brief
from runoff.nbest.read_only import unshared

if TYPE_CHECKING:
    from scipy import sparse

    from runoff.arrays import Columns, Ints, Singles


@dataclass
class Checked:
    """Range of stored values that `Features.check` has seen; slices share it with the whole."""

    start: int = 0
    stop: int = 0
    missing: bool = False  # whether some of these values are missing

    def covers(self, start: int, stop: int) -> bool:
        """Whether everything between start and stop has been checked."""
        return start == stop or self.start <= start <= stop <= self.stop

    def add(self, start: int, stop: int, missing: bool) -> None:
        """Add a range: joined to the known one if they touch, else the longer of the two is kept."""
        if start <= self.stop and stop >= self.start:
            self.start, self.stop = min(start, self.start), max(stop, self.stop)
            self.missing = self.missing or missing
        elif stop - start > self.stop - self.start:
            self.start, self.stop, self.missing = start, stop, missing


@dataclass(frozen=True, eq=False)
class Features:
    """CSR rows, one per candidate. A value that is not stored is zero; a stored NaN is a missing value.

    `indptr` need not start at zero: a slice of the rows shares `indices` and `values` with the whole, so
    cutting folds out of a memory-mapped file copies nothing but the cut points.

    Examples
    --------
    >>> import numpy as np
    >>> Features.of(np.array([[1.0, 0.0], [0.0, 1.0]])).shape
    (2, 2)
    """

    indptr: Ints
    indices: Columns
    values: Singles | None  # None: every stored value is one
    n_columns: int
    names: pa.Array | None = None  # None: columns have numbers only
    checked: Checked = field(default_factory=Checked, init=False, repr=False)

    @classmethod
    def of(cls, X: Any, names: Any = None) -> Features:
        """Build from a dense 2-D array, any scipy sparse matrix, or `Features`.

        Zeros are not stored, and a column that a row has twice is stored once, as the sum. NaN is a missing value. A
        matrix that can be written to is copied, a read-only one in this form is shared.
        """
        if isinstance(X, Features):
            return X if names is None else dataclasses.replace(X, names=_names(names, X.n_columns))
        from scipy import sparse  # not before it is needed: it loads slowly

        if not sparse.issparse(X):
            if names is None and hasattr(X, "columns"):  # a data frame knows what its columns are called
                names = [str(name) for name in X.columns]
            X = np.asarray(X)
            if X.ndim != 2:
                raise DataError(f"features must be a table of candidates by columns; found {X.ndim} dimension(s).")
            if X.dtype.kind not in "fiub":
                raise DataError(f"features must be numbers; found {X.dtype}.")
        with np.errstate(over="ignore"):  # what is too large is refused below
            matrix = sparse.csr_array(X, dtype=np.float32)
        indptr, indices, data = matrix.indptr, matrix.indices, matrix.data
        if not matrix.has_canonical_format or not data.all():
            matrix = matrix.copy()  # changing it in place would change the caller's matrix
            matrix.sum_duplicates()
            matrix.eliminate_zeros()
            indptr, indices, data = matrix.indptr, matrix.indices, matrix.data
        elif isinstance(X, (sparse.csr_array, sparse.csr_matrix)):
            indptr, indices, data = unshared(indptr, X.indptr), unshared(indices, X.indices), unshared(data, X.data)
        bad = np.flatnonzero(np.isinf(data))
        if bad.size:
            row = int(np.searchsorted(indptr, bad[0], side="right")) - 1
            raise DataError(
                f"feature values must be finite, or NaN where they are missing; candidate {row} has {data[bad[0]]} "
                f"in column {indices[bad[0]]} ({bad.size} such value(s) in all)."
            )
        values = None if data.size and bool(np.all(data == 1)) else data
        return cls.from_csr(indptr, indices, values, matrix.shape[1], names)

    @classmethod
    def from_csr(cls, indptr: Any, indices: Any, values: Any, n_columns: int, names: Any = None) -> Features:
        """Wrap CSR arrays as they are. O(candidates + columns).

        Arrays of the right types (int64, int32, float32) are used without a copy and must not be changed afterwards.
        `of` copies.
        """
        if not 0 <= n_columns < 2**31:
            raise DataError(f"there can be up to 2,147,483,647 feature columns; found {n_columns:,}.")
        indptr = np.ascontiguousarray(indptr, np.int64)
        if indptr.size == 0 or indptr[0] < 0 or indptr[-1] > len(indices) or bool(np.any(indptr[1:] < indptr[:-1])):
            raise DataError(
                "the feature table is damaged: its row offsets are not in order or exceed the stored values."
            )
        if values is not None and len(values) != len(indices):
            raise DataError(
                f"the feature table is damaged: {len(indices)} columns but {len(values)} values are stored."
            )
        return cls(
            frozen(indptr),
            frozen(_columns(indices)),
            None if values is None else frozen(np.ascontiguousarray(values, np.float32)),
            n_columns,
            _names(names, n_columns),
        )

    @classmethod
    def none(cls, rows: int) -> Features:
        """Rows without any feature."""
        return cls.from_csr(np.zeros(rows + 1, np.int64), np.empty(0, np.int32), None, 0)

    @property
    def shape(self) -> tuple[int, int]:
        """Candidates, columns."""
        return self.indptr.size - 1, self.n_columns

    @property
    def n_stored(self) -> int:
        """Number of stored values."""
        return int(self.indptr[-1] - self.indptr[0])

    def column_names(self) -> pa.Array:
        """Names of all columns; unnamed columns are named by their number."""
        return _numbers_as_names(self.n_columns) if self.names is None else self.names

    def rows(self, start: int, stop: int) -> Features:
        """Rows start..stop, sharing the stored values."""
        cut = dataclasses.replace(self, indptr=self.indptr[start : stop + 1])
        object.__setattr__(cut, "checked", self.checked)  # any other change starts unchecked
        return cut

    def take(self, rows: Ints) -> Features:
        """Copy the given rows in the given order."""
        lengths = self.indptr[rows + 1] - self.indptr[rows]
        indptr = np.zeros(rows.size + 1, np.int64)
        np.cumsum(lengths, out=indptr[1:])
        source = np.arange(indptr[-1]) + np.repeat(self.indptr[rows] - indptr[:-1], lengths)
        values = None if self.values is None else frozen(self.values[source])
        return dataclasses.replace(self, indptr=frozen(indptr), indices=frozen(self.indices[source]), values=values)

    def to_scipy(self) -> sparse.csr_array:
        """As a scipy CSR array of float32; shares memory where it can."""
        from scipy import sparse

        start, stop = int(self.indptr[0]), int(self.indptr[-1])
        values = np.ones(stop - start, np.float32) if self.values is None else self.values[start:stop]
        return sparse.csr_array((values, self.indices[start:stop], self.indptr - start), shape=self.shape)

    def check(self, *, missing: bool = False) -> Features:
        """Raise unless the arrays are safe for compiled loops; what was checked once is not checked again.

        Missing values are refused too, unless `missing` allows them: loops would turn them into scores that are no
        numbers. A memory-mapped file is not read in full when it is opened, so this runs before the first loop over
        the stored values. O(stored values) the first time.
        """
        start, stop = int(self.indptr[0]), int(self.indptr[-1])
        if not self.checked.covers(start, stop):
            self.checked.add(start, stop, self._check(start, stop))
        if not missing and self.has_missing:
            raise DataError("some feature values are missing; fill them in first, as `runoff.features.prepare` does.")
        return self

    def _check(self, start: int, stop: int) -> bool:
        """Raise unless the stored values of a range are safe; whether some of them are missing."""
        indices, values = self.indices[start:stop], None if self.values is None else self.values[start:stop]
        if int(indices.min()) < 0 or int(indices.max()) >= self.n_columns:
            raise DataError("the feature table is damaged: it points at columns that do not exist.")
        if values is None:
            return False
        # NaN propagates through minimum and maximum, so no array of flags is needed.
        low, high = values.min(), values.max()
        missing = bool(np.isnan(low))
        if missing:
            low, high = np.fmin.reduce(values), np.fmax.reduce(values)
        if np.isinf(low) or np.isinf(high):
            raise DataError("the feature table is damaged: it has values that are not finite numbers.")
        return missing

    @property
    def has_missing(self) -> bool:
        """Whether some stored value is missing. O(1) where `check` has seen that none is, else O(stored values)."""
        if self.values is None:
            return False
        start, stop = int(self.indptr[0]), int(self.indptr[-1])
        if self.check(missing=True).checked.missing and start < stop:
            return bool(np.isnan(self.values[start:stop].min()))
        return False


def _columns(indices: Any) -> Columns:
    """Column numbers in 32 bits; a number that does not fit is refused, not wrapped around."""
    array = np.asarray(indices)
    if array.dtype != np.int32 and array.size:
        if array.dtype.kind not in "iu":
            raise DataError(f"the feature table is damaged: columns must be whole numbers; found {array.dtype}.")
        if int(array.min()) < 0 or int(array.max()) >= 2**31:
            raise DataError("the feature table is damaged: it points at columns that do not exist.")
    return np.ascontiguousarray(array, np.int32)


@functools.lru_cache(maxsize=4)
def _numbers_as_names(n_columns: int) -> pa.Array:
    return pa.array(np.arange(n_columns).astype(str), pa.large_string())


def _names(names: Any, n_columns: int) -> pa.Array | None:
    if names is None:
        return None
    if isinstance(names, pa.ChunkedArray):
        names = names.combine_chunks()
    try:
        array = names if isinstance(names, pa.Array) else pa.array(list(names), pa.large_string())
        array = array.cast(pa.large_string())
    except (pa.ArrowException, TypeError) as error:
        raise DataError(f"names of features must be texts: {error}.") from error
    if len(array) != n_columns:
        raise DataError(f"there are {n_columns} feature columns but {len(array)} feature names.")
    if array.null_count:
        at = array.is_null().index(pa.scalar(True)).as_py()
        raise DataError(f"every feature column needs a name; column {at} has none.")
    if len(pc.unique(array)) < n_columns:
        codes = array.dictionary_encode().indices.to_numpy()
        repeated = np.setdiff1d(np.arange(n_columns), np.unique(codes, return_index=True)[1])
        name = array[int(repeated[0])].as_py()
        raise DataError(f"names of features must differ; more than one column is called {brief(name)}.")
    return array
