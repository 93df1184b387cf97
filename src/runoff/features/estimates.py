"""Missing values estimated from the other columns: what the rest of the candidate, and its list, say about them.

Where columns go together, as scores of one document for its title and its body do, the others say far more about a
missing value than the mean of its list does. A Gaussian is fitted to the dense columns of the training lists, and its
conditional mean is put in place of a missing value. It has two columns for each: how far the value lies from the mean
of those that its list knows, and that mean; so it holds for values that compare within lists only, as well as for those
that compare across them. Wide sparse columns stay as they are, and are filled with means (`missing_values`).

For trees, which can look at missing values, a column that has some in training keeps them and gets another beside it,
`estimated:NAME`. For learners that cannot, `NAME missing` is added where missing goes with quality in the training
lists, beyond chance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa

from runoff.arrays import frozen
from runoff.features.added_columns import free_mark, has_columns_and_mark, names_apart, texts
from runoff.features.columns import align, concat_columns
from runoff.features.gaussian import Gaussian
from runoff.features.list_levels import apart_and_level, column_units, dense_columns
from runoff.features.missing_values import missing_counts, missing_flags
from runoff.features.telling_gaps import telling_gaps
from runoff.nbest import Features
from runoff.parallel import even_cuts, in_threads

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.arrays import Floats, Ints
    from runoff.nbest import NBest

STEP = "estimates"
MOST_COLUMNS = 256
_STORED = 0.1  # share of the candidates that have a value, from which on a column is dense
_FEW_COLUMNS, _LISTS_PER_COLUMN, _MOST_OPEN = 100, 5, 0.5  # what "auto" asks for
_ROWS, _CANDIDATES = 10_000, 100_000  # that the Gaussian is fitted to, and that these are taken from
_CANDIDATES_PER_PIECE = 1 << 14
_LARGEST = float(np.finfo(np.float32).max)
_ARRAYS = ("unit", "mean", "covariance")
_LISTS = ("beside", "flags")


def fit_estimates(
    data: NBest, how: Literal["auto", "mean", "regress"] = "regress", *, beside: bool = False
) -> tuple[dict[str, Any], ...]:
    """The step that estimates missing values of dense columns from each other; no step where none is to be estimated.

    Dense are columns with a value in at least a tenth of the candidates; of more than 256, those with most values.
    "regress" estimates all of them, also those that miss nothing in training. "auto" asks for missing values in
    training, at most 100 dense columns, five lists for each, and columns that go together: for most of those with
    missing values, the Gaussian leaves half of the variance or less open. "mean" makes no step. With `beside`, columns
    that have missing values here keep them, and get an estimate beside them.

    The Gaussian is fitted to at most 10,000 candidates; with d columns of which m are missing, a step of EM (at most
    50) costs O(d³ + 10,000 (d² + m³)): half a second for LETOR's 46 columns with a fifth missing. The model
    keeps 4 d² numbers.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> X = [[1.0, 2.0], [2.0, 4.0], [3.0, 6.0], [4.0, np.nan]]
    >>> data = NBest.from_arrays(X, quality=[0, 1, 0, 0], sizes=[2, 2], feature_names=["title", "body"])
    >>> (step,) = fit_estimates(data)
    >>> step["columns"], apply_estimates(data, step).features.to_scipy().toarray()[3].round(1).tolist()
    (['title', 'body'], [4.0, 8.0])
    """
    features = data.features
    if how == "mean" or (how == "auto" and not features.has_missing):
        return ()
    sample = _sample(data)
    columns = _dense(features)
    values = _table(sample.features, columns)
    known = ~np.isnan(values).all(axis=0)
    columns, values = columns[known], values[:, known]
    d, gaps = columns.size, missing_counts(features)[columns] > 0
    varies = np.fmax.reduce(values, axis=0, initial=-np.inf) > np.fmin.reduce(values, axis=0, initial=np.inf)
    if varies.sum() < 2:
        return ()
    if how == "auto" and (d > _FEW_COLUMNS or len(sample) < _LISTS_PER_COLUMN * d or not (gaps & varies).any()):
        return ()
    rows = apart_and_level(values, sample.offsets)
    rows = rows[:: -(-len(rows) // _ROWS)]
    unit = column_units(rows)
    found = Gaussian.fit(rows / unit)
    if how == "auto" and np.median(found.left[:d][gaps & varies]) > _MOST_OPEN:
        return ()
    names = features.column_names()

    def named(chosen: Any) -> list[str]:
        kept: list[str] = names.take(pa.array(columns[chosen])).to_pylist()
        return kept

    step: dict[str, Any] = {
        "step": STEP,
        "columns": named(np.ones(d, np.bool_)),
        "beside": named(gaps) if beside else [],
        "flags": [] if beside else named(gaps & telling_gaps(data, columns)),
        "unit": frozen(unit),
        "mean": found.mean,
        "covariance": frozen(found.covariance.ravel()),
    }
    return ({**step, "mark": free_mark(names, lambda mark: list(_made({**step, "mark": mark})))},)


def apply_estimates(data: NBest, step: Mapping[str, Any]) -> NBest:
    """Put estimates in place of missing values, or beside them, and add the columns of the step.

    What a group becomes depends on that group alone. O(d³), O(d²) for every candidate with missing values, and O(m³)
    for every pattern of them; O(stored values) without missing values.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> X = [[1.0, 2.0], [2.0, 4.0], [3.0, 6.0], [4.0, np.nan]]
    >>> data = NBest.from_arrays(X, quality=[0, 1, 0, 0], sizes=[2, 2], feature_names=["title", "body"])
    >>> apply_estimates(data, *fit_estimates(data, beside=True)).features.column_names().to_pylist()
    ['title', 'body', 'estimated:body']
    """
    features, made = data.features.check(missing=True), _made(step)
    own = names_apart(features.column_names(), made, " (as given)")
    if not made and not features.has_missing:
        return data
    filled = _filled(data, step)
    beside = align(features, texts(step["beside"])) >= 0
    main = filled
    if features.values is not None and beside.any():
        main = features.to_scipy()
        main.data = np.where(beside[main.indices], main.data, filled.data)
    blocks = [Features.of(main, own)]
    estimates = estimate_names(step)
    if estimates:
        slots = align(features, texts(estimates))
        blocks.append(_renumbered(filled, slots, texts(estimates.values())))
    flags = flag_names(step)
    if flags:
        blocks.append(missing_flags(features, flags))
    return data.replace(features=concat_columns(*blocks))


def estimate_names(step: Mapping[str, Any]) -> dict[str, str]:
    """Name of the column beside each column that keeps its missing values."""
    return {name: f"estimated{step.get('mark', '')}:{name}" for name in step["beside"]}


def flag_names(step: Mapping[str, Any]) -> dict[str, str]:
    """Name of the column that says where each column has missing values, if there is one."""
    return {name: f"{name} missing{step.get('mark', '')}" for name in step["flags"]}


def estimate_sources(step: Mapping[str, Any]) -> dict[str, list[str]]:
    """An estimated value comes from all columns of the Gaussian."""
    estimates = estimate_names(step)
    in_place = {name: step["columns"] for name in step["columns"] if name not in estimates}
    return in_place | dict.fromkeys(estimates.values(), step["columns"]) | {v: [k] for k, v in flag_names(step).items()}


def note_on_estimates(steps: tuple[dict[str, Any], ...], how: str) -> list[str]:
    """One sentence on the columns that are estimated, or on why none is although it was asked for.

    Examples
    --------
    >>> note_on_estimates((), "regress")
    ['missing=regress changes nothing: fewer than two columns vary and have a value in a tenth of the candidates.']
    """
    if not steps:
        why = "fewer than two columns vary and have a value in a tenth of the candidates"
        return [f"missing=regress changes nothing: {why}."] if how == "regress" else []
    (step,) = steps
    where = "in their place" if not step["beside"] else "beside them, or in their place where training misses none"
    return [
        f"missing values of {len(step['columns']):,} columns are estimated from each other; the estimates are {where}."
    ]


def is_estimates(step: Mapping[str, Any]) -> bool:
    """Whether a step that came from a file can be applied: names, and a Gaussian over them that can be inverted.

    Examples
    --------
    >>> is_estimates({"step": "estimates", "columns": ["lm"], "mean": np.array([1.0])})
    False
    """
    if not has_columns_and_mark(step) or len(step["columns"]) > MOST_COLUMNS:
        return False
    for name in _LISTS:
        found = step.get(name)
        if not has_columns_and_mark({"columns": found}) or not set(found or ()) <= set(step["columns"]):
            return False
    for name, size in zip(_ARRAYS, (width := 2 * len(step["columns"]), width, width * width), strict=True):
        found = step.get(name)
        if not isinstance(found, np.ndarray) or found.dtype != np.float64 or found.shape != (size,):
            return False
    return bool(np.isfinite(step["unit"]).all() and (step["unit"] > 0).all() and _gaussian(step).is_usable)


# ---------------------------------------------------------------- fitting


def _sample(data: NBest) -> NBest:
    """The lists, or so many of them, evenly spaced, that they have not too many candidates."""
    share = -(-data.n_candidates // _CANDIDATES)
    return data if share < 2 else data[np.arange(len(data)) % share == 0]


def _dense(features: Features) -> Ints:
    first, last = features.indptr[[0, -1]]
    stored = np.bincount(features.indices[first:last], minlength=features.n_columns)
    dense = np.flatnonzero((stored > 0) & (stored >= _STORED * (features.indptr.size - 1)))
    most = np.argsort(-stored[dense], kind="stable")[:MOST_COLUMNS]
    return np.sort(dense[most])


# ---------------------------------------------------------------- applying


def _filled(data: NBest, step: Mapping[str, Any]) -> Any:
    """The features as a scipy array, with every estimate in place."""
    features = data.features
    table = features.to_scipy()
    if features.values is None or not features.has_missing:
        return table
    column_of = align(features, texts(step["columns"]))  # of the step, for each of the data
    at = np.flatnonzero(np.isnan(table.data) & (column_of[table.indices] >= 0))
    row = np.searchsorted(table.indptr, at, side="right") - 1
    slot = column_of[table.indices[at]]
    values, gaussian = table.data.copy(), _gaussian(step)
    cuts = even_cuts(data.offsets, 1 + data.n_candidates // _CANDIDATES_PER_PIECE)

    def piece(number: int) -> None:
        offsets = data.offsets[cuts[number] : cuts[number + 1] + 1]
        first, last = np.searchsorted(row, offsets[[0, -1]])
        if first == last:
            return
        rows = dense_columns(table[offsets[0] : offsets[-1]], column_of, len(step["columns"]))
        found = _estimated(rows, offsets - offsets[0], gaussian, step["unit"])
        values[at[first:last]] = np.clip(found[row[first:last] - offsets[0], slot[first:last]], -_LARGEST, _LARGEST)

    in_threads(piece, range(cuts.size - 1))
    table.data = values
    return table


def _estimated(values: Floats, offsets: Ints, gaussian: Gaussian, unit: Floats) -> Floats:
    rows = gaussian.filled(apart_and_level(values, offsets) / unit) * unit
    d = values.shape[1]
    return np.asarray(rows[:, :d] + rows[:, d:])


def _table(features: Features, columns: Ints) -> Floats:
    slots = np.full(features.n_columns, -1)
    slots[columns] = np.arange(columns.size)
    return dense_columns(features.to_scipy(), slots, columns.size)


def _renumbered(table: Any, slots: Ints, names: pa.Array) -> Features:
    """The columns of a table that have a slot, under new names."""
    slot = slots[table.indices]
    before = np.append(0, np.cumsum(slot >= 0))
    return Features.from_csr(before[table.indptr], slot[slot >= 0], table.data[slot >= 0], len(names), names)


def _gaussian(step: Mapping[str, Any]) -> Gaussian:
    width = 2 * len(step["columns"])
    return Gaussian(step["mean"], step["covariance"].reshape(width, width))


def _made(step: Mapping[str, Any]) -> list[str]:
    return [*estimate_names(step).values(), *flag_names(step).values()]
