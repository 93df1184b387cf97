"""Products of columns as features: what it says that two of them occur together.

A linear model adds up what each feature says; where two together say something else than the sum, it needs a column
for the pair. For columns `a` and `b` the new one is `a & b`, their product: of features that are there or not, whether
both are. A value that is not stored makes no product, so sparse columns stay sparse; the product with a missing value
is missing. Where such a name is taken by another column, or two pairs would share one, all of them get a mark:
`a &' b`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.arrays import frozen
from runoff.errors import DataError, UsageError, brief
from runoff.features.added_columns import are_taken, has_columns_and_mark, names_apart, texts
from runoff.features.columns import align
from runoff.kernels import products as kernel
from runoff.nbest import Features
from runoff.parallel import even_cuts, in_threads

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from runoff.arrays import Columns, Ints
    from runoff.nbest import NBest

STEP = "products"
_ROWS_PER_PIECE = 1 << 16


def fit_products(
    data: NBest, columns: Sequence[str] | None = None, min_groups: int = 2, *, squares: bool = False
) -> dict[str, Any]:
    """Find the pairs of the named columns, or of all, that occur together in candidates of `min_groups` groups.

    With `squares` a column also occurs with itself, unless all of its values are ones. O(sum over candidates of their
    stored values squared); memory for one more copy of the columns and rows of the stored values, and 8 bytes a pair.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> table = [[1, 1, 0], [0, 1, 1], [1, 1, 1], [0, 0, 1]]
    >>> data = NBest.from_arrays(table, sizes=[2, 2], feature_names=["a", "b", "c"])
    >>> product_names(fit_products(data)).to_pylist()
    ['a & b', 'b & c']
    """
    features, names = data.features.check(missing=True), data.features.column_names()
    start, stop = int(features.indptr[0]), int(features.indptr[-1])
    stored = features.indices[start:stop]
    takes_part = np.bincount(stored, minlength=features.n_columns) >= max(min_groups, 1)
    if columns is not None:
        takes_part &= _named(names, columns)
    kept = np.flatnonzero(takes_part)
    numbers = np.full(features.n_columns, -1, np.int32)
    numbers[kept] = np.arange(kept.size)
    with_itself = np.zeros(features.n_columns, bool)
    if squares and features.values is not None:
        with_itself[stored[features.values[start:stop] != 1]] = True
    left, right = kernel.frequent_pairs(
        frozen(data.group_of), features.indptr, features.indices, frozen(numbers), frozen(with_itself[kept]), min_groups
    )
    used = np.unique(np.concatenate([left, right]))
    step: dict[str, Any] = {
        "step": STEP,
        "columns": names.take(pa.array(kept[used])).to_pylist(),
        "left": frozen(np.searchsorted(used, left).astype(np.int32)),
        "right": frozen(np.searchsorted(used, right).astype(np.int32)),
        "mark": "",
    }
    while not _are_free(product_names(step), names):
        step["mark"] += "'"
    return step


def apply_products(data: NBest, step: Mapping[str, Any]) -> NBest:
    """Add the products of the step's pairs of which the data has both columns.

    What a candidate becomes depends on it alone. A column that the training data did not have, and that has the name of
    a product, is renamed so as not to be taken for it. O(sum over candidates of their stored values squared + pairs).

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays([[2.0, 3.0], [0.0, 5.0]], sizes=[2], feature_names=["a", "b"])
    >>> made = apply_products(data, fit_products(data, min_groups=1))
    >>> made.features.column_names().to_pylist(), made.features.to_scipy().toarray().tolist()
    (['a', 'b', 'a & b'], [[2.0, 3.0, 6.0], [0.0, 5.0, 0.0]])
    """
    features, left, right = data.features.check(missing=True), step["left"], step["right"]
    numbers = frozen(align(features, texts(step["columns"])).astype(np.int32))
    is_there = np.zeros(len(step["columns"]), bool)
    is_there[numbers[numbers >= 0]] = True
    made = is_there[left] & is_there[right]
    if not made.any():
        return data
    n_columns = features.n_columns + int(made.sum())
    Features.from_csr([0], [], None, n_columns)  # raises if these are too many
    added = product_names(step).filter(pa.array(made))
    names = pa.concat_arrays([names_apart(features.column_names(), added, " (not a product)"), added])
    column_of = np.where(made, features.n_columns - 1 + np.cumsum(made), -1).astype(np.int32)
    starts = np.searchsorted(left, np.arange(len(step["columns"]) + 1))
    table = _rows(features, numbers, (frozen(starts), right, frozen(column_of)), names)
    return data.replace(features=Features.from_csr(*table, n_columns, names))


def product_names(step: Mapping[str, Any]) -> pa.Array:
    """Names of all products of the step, in order.

    Examples
    --------
    >>> product_names({"columns": ["a", "b"], "left": np.array([0]), "right": np.array([1]), "mark": ""}).to_pylist()
    ['a & b']
    """
    columns = texts(step["columns"])
    one, other = columns.take(pa.array(step["left"])), columns.take(pa.array(step["right"]))
    return pc.binary_join_element_wise(one, other, pa.scalar(f" &{step.get('mark', '')} ", pa.large_string()))


def product_sources(step: Mapping[str, Any]) -> dict[str, list[str]]:
    """The two columns of every product; the one column of a square."""
    columns = step["columns"]
    pairs = zip(step["left"].tolist(), step["right"].tolist(), strict=True)
    several = [[columns[at] for at in dict.fromkeys(pair)] for pair in pairs]
    return dict(zip(product_names(step).to_pylist(), several, strict=True))


def is_products(step: Mapping[str, Any]) -> bool:
    """Whether a step that came from a file can be applied: names, and pairs of them in order with names that differ.

    Examples
    --------
    >>> is_products({"step": "products", "columns": ["a"], "left": np.array([1]), "right": np.array([0])})
    False
    """
    if not has_columns_and_mark(step):
        return False
    for name in ("left", "right"):
        found = step.get(name)
        if not isinstance(found, np.ndarray) or found.dtype != np.int32 or found.ndim != 1:
            return False
    left, right, n = step["left"].astype(np.int64), step["right"].astype(np.int64), len(step["columns"])
    if left.size != right.size:
        return False
    if left.size and (left.min() < 0 or right.max() >= n or bool((left > right).any())):
        return False
    in_order = bool((np.diff(left * n + right) > 0).all())
    return in_order and _are_free(product_names(step), texts([]))


def _named(names: pa.Array, columns: Sequence[str]) -> Any:
    """Which columns are among those that were asked for."""
    asked = texts(columns)
    unknown = asked.filter(pc.invert(pc.is_in(asked, value_set=names)))
    if len(unknown):
        raise UsageError(f"there is no feature {brief(unknown[0].as_py())} to make products of.")
    return pc.is_in(names, value_set=asked).to_numpy(zero_copy_only=False)


def _are_free(added: pa.Array, names: pa.Array) -> bool:
    """Whether the names of products differ, from one another and from those of the columns."""
    return pc.count_distinct(added).as_py() == len(added) and not are_taken(names, added)


def _rows(
    features: Features, numbers: Columns, pairs: tuple[Ints, Columns, Columns], names: pa.Array
) -> tuple[Ints, Columns, Any]:
    """CSR arrays of the features and their products."""
    cuts = even_cuts(features.indptr - features.indptr[0], 1 + features.shape[0] // _ROWS_PER_PIECE)
    pieces = list(pairwise(cuts))
    counts = np.zeros(features.shape[0], np.int64)

    def count(piece: tuple[int, int]) -> None:
        start, stop = piece
        kernel.count_products(features.indptr[start : stop + 1], features.indices, numbers, *pairs, counts[start:stop])

    in_threads(count, pieces)
    indptr = np.append(0, np.cumsum(np.diff(features.indptr) + counts))
    indices = np.empty(indptr[-1], np.int32)
    values = None if features.values is None else np.empty(indptr[-1], np.float32)
    ends = indptr[:-1].copy()

    def fill(piece: tuple[int, int]) -> int:
        start, stop = piece
        own = features.indptr[start : stop + 1], features.indices, features.values
        return kernel.fill_products(*own, numbers, *pairs, ends[start:stop], indices, values)

    too_large = max(in_threads(fill, pieces), default=-1)
    if too_large >= 0:
        raise DataError(
            f"the values of {brief(names[too_large].as_py())} are too large to be multiplied; "
            "divide these features by a constant."
        )
    return indptr, indices, values
