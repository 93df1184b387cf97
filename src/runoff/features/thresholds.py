"""Binary features from counts and real values: cut points that are fitted once and kept in the model.

A value above zero becomes `name>=t` for every cut point t up to it, a value below zero becomes `name<=t`, and a
value that is not stored gives nothing, so sparse columns stay sparse. A dense column whose values differ more
between groups than within them (the score of a language model, say, which falls with the length of the input)
is not informative as it is: there the cut points apply to its difference from the mean of the group, `name-mean>=t`.
Where such a name is taken by another column, all of them get a mark: `name'>=t`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from runoff.features.pieces import in_pieces
from runoff.nbest import Features

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from runoff.arrays import Bools, Floats, Ints
    from runoff.nbest import NBest

STEP = "thresholds"
_STORED_AT_ONCE = 1 << 21  # values, each of which takes a hundred bytes on the way
_DENSE = 0.5  # share of the candidates that have a value, from which on a column is measured against its group


def fit_thresholds(data: NBest, most: int = 16) -> dict[str, Any]:
    """Find the cut points of every column that is not binary; a column without any becomes 1 from the value 1 on.

    At most `most` cut points on either side of zero, at quantiles of the values; columns with few values get a
    cut point at each. O(stored values log stored values); binary columns cost one pass over all of them together.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays([[1, 2.0], [1, 4.0], [0, 6.0]], sizes=[3], feature_names=["flag", "count"])
    >>> fit_thresholds(data)["cuts"]
    {'count': [2.0, 4.0, 6.0]}
    """
    features = data.features.check()
    names = features.column_names()
    cuts: dict[str, list[float]] = {}
    relative: list[str] = []
    for column, rows, values in _not_binary(features):
        name = names[column].as_py()
        if rows.size >= _DENSE * data.n_candidates:
            deviations = _from_mean(data, rows, values)
            if np.var(deviations) < 0.5 * np.var(values):
                relative.append(name)
                values = _towards_zero(deviations)
        cuts[name] = [*_quantiles(values[values < 0], most), *_quantiles(values[values > 0], most)]
    step: dict[str, Any] = {"step": STEP, "cuts": cuts, "relative": relative, "mark": ""}
    if cuts:
        own = set(names.to_pylist()) - cuts.keys()
        while not _all_differ(threshold_names(step), own):
            step["mark"] += "'"
    return step


def apply_thresholds(data: NBest, step: Mapping[str, Any]) -> NBest:
    """Replace columns that have cut points by binary ones; any other column becomes 1 where its value is at least 1.

    What a group becomes depends on that group alone. A column that the training data did not have, and that has the
    name of a cut point's column, is renamed so as not to be taken for it. O(stored values log cut points +
    values that come out); nothing to do for data that is binary and has none of the columns with cut points.
    """
    features = data.features.check()
    cuts = {name: sorted(points) for name, points in step["cuts"].items()}
    made = threshold_names({**step, "cuts": cuts})
    taken = {each for several in made.values() for each in several}
    names = features.column_names().to_pylist()
    if features.values is None and not (cuts and (cuts.keys() | taken).intersection(names)):
        return data
    from_mean = frozenset(step["relative"])
    relative = [at for at, name in enumerate(names) if name in from_mean] if from_mean else []
    layout, renamed = _ColumnLayout.of(names, cuts), _new_names(names, made, taken)
    binary = in_pieces(data, lambda piece: _binary(piece, layout, relative, len(renamed)), _STORED_AT_ONCE)
    return data.replace(features=Features.from_csr(binary.indptr, binary.indices, None, len(renamed), renamed))


def _binary(data: NBest, layout: _ColumnLayout, relative: Sequence[int], n_columns: int) -> Features:
    """The columns of a layout, without names."""
    table = data.features.to_scipy().tocsc()
    rows, columns = table.indices.astype(np.int64), np.repeat(np.arange(table.shape[1]), np.diff(table.indptr))
    values = table.data.astype(np.float64)
    by_itself = layout.is_cut.copy()
    by_itself[relative] = False
    fires, cut = ~layout.is_cut[columns] & (values >= 1), by_itself[columns]
    pieces = [(rows[fires], layout.place[columns[fires]]), layout.fired(rows[cut], columns[cut], values[cut])]
    for column in relative:
        mine = slice(table.indptr[column], table.indptr[column + 1])
        distances = _from_mean(data, rows[mine], values[mine])
        pieces.append(layout.fired(np.arange(data.n_candidates), np.full(data.n_candidates, column), distances))
    at = (np.concatenate([each for each, _ in pieces]), np.concatenate([each for _, each in pieces]))
    ones = np.ones(at[0].size, np.float32)
    binary = sparse.coo_array((ones, at), shape=(data.n_candidates, n_columns)).tocsr()
    return Features.from_csr(binary.indptr, binary.indices, None, n_columns)


@dataclass(frozen=True)
class _ColumnLayout:
    """New columns of the data's columns and of their cut points."""

    is_cut: Bools  # columns that have cut points
    place: Ints  # new column of every column, or of its first cut point
    points: Floats  # cut points of all columns, one column after the other, rising in each
    begin: Ints  # where those of a column begin,
    above: Ints  # where those above zero begin,
    end: Ints  # and where they end

    @classmethod
    def of(cls, names: Sequence[str], cuts: Mapping[str, Sequence[float]]) -> _ColumnLayout:
        """Put the cut points of a column where the column was."""
        is_cut = np.array([name in cuts for name in names], bool)
        several = [np.asarray(cuts[name], np.float64) for name in names if name in cuts]
        counts, below = np.zeros(len(names), np.int64), np.zeros(len(names), np.int64)
        counts[is_cut] = [each.size for each in several]
        below[is_cut] = [np.searchsorted(each, 0.0, "right") for each in several]
        width = np.where(is_cut, counts, 1)
        begin = np.cumsum(counts) - counts
        points = np.concatenate([np.empty(0), *several])
        return cls(is_cut, np.cumsum(width) - width, points, begin, begin + below, begin + counts)

    def fired(self, rows: Ints, columns: Ints, values: Floats) -> tuple[Ints, Ints]:
        """Rows and new columns of the cut points that values pass: a range, from zero to the value."""
        low, high = self.begin[columns], self.end[columns]
        while np.any(low < high):  # a search by halves in every column at once
            middle = np.minimum((low + high) // 2, self.points.size - 1)
            found = self.points[middle]
            right = (low < high) & ((found < values) | ((found == values) & (values > 0)))
            low, high = np.where(right, middle + 1, low), np.where(right | (low >= high), high, middle)
        first, last = np.minimum(low, self.above[columns]), np.maximum(low, self.above[columns])
        counts = last - first
        nth = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        shift = self.place[columns] + first - self.begin[columns]
        return np.repeat(rows, counts), np.repeat(shift, counts) + nth


def _new_names(names: Sequence[str], made: Mapping[str, Sequence[str]], taken: Collection[str]) -> list[str]:
    used = {*names, *taken}
    out: list[str] = []
    for name in names:
        if name in made:
            out += made[name]
        else:
            out.append(_unlike(name, used) if name in taken else name)
    return out


def is_thresholds(step: Mapping[str, Any]) -> bool:
    """Whether a step that came from a file can be applied: finite cut points by name, and names.

    Examples
    --------
    >>> is_thresholds({"step": "thresholds", "cuts": {"count": [2.0, "x"]}, "relative": []})
    False
    """
    cuts, relative = step.get("cuts"), step.get("relative")
    return (
        isinstance(cuts, dict)
        and all(isinstance(points, list) and all(map(_is_finite, points)) for points in cuts.values())
        and isinstance(relative, list)
        and all(isinstance(name, str) for name in relative)
        and isinstance(step.get("mark", ""), str)
    )


def threshold_names(step: Mapping[str, Any]) -> dict[str, list[str]]:
    """Names of the columns that the cut points of each column make.

    Examples
    --------
    >>> threshold_names({"step": "thresholds", "cuts": {"count": [2.0, 4.0]}, "relative": []})
    {'count': ['count>=2.0', 'count>=4.0']}
    """
    mark, relative = step.get("mark", ""), frozenset(step["relative"])
    made: dict[str, list[str]] = {}
    for name, points in step["cuts"].items():
        shown = f"{name}{mark}-mean{mark}" if name in relative else f"{name}{mark}"
        made[name] = [f"{shown}{'>=' if point > 0 else '<='}{np.float32(point)!s}" for point in points]
    return made


def _unlike(name: str, used: Collection[str]) -> str:
    """A name for a column of new data that must not be taken for one of the used names."""
    while name in used:
        name += " (not of a cut point)"
    return name


def _all_differ(made: Mapping[str, Sequence[str]], own: Collection[str]) -> bool:
    """Whether no two cut points make the same name, and none makes one that a column has."""
    names = [each for several in made.values() for each in several]
    return len({*names, *own}) == len(names) + len(own)


def _is_finite(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _not_binary(features: Features) -> Iterator[tuple[int, Ints, Floats]]:
    """Number, rows and values of every column that has another value than one."""
    if features.values is None:
        return
    table = features.to_scipy()
    other = np.zeros(features.n_columns, bool)
    other[table.indices[table.data != 1]] = True
    chosen = np.flatnonzero(other)
    few = table[:, chosen].tocsc()
    for at, column in enumerate(chosen.tolist()):
        cut = slice(few.indptr[at], few.indptr[at + 1])
        yield column, few.indices[cut].astype(np.int64), few.data[cut].astype(np.float64)


def _from_mean(data: NBest, rows: Ints, values: Floats) -> Floats:
    """Distance of every candidate's value from the mean of its group."""
    column = np.zeros(data.n_candidates)
    column[rows] = values
    group = data.group_of
    mean = np.bincount(group, column, minlength=len(data)) / np.maximum(data.sizes, 1)
    out: Floats = column - mean[group]
    return out


def _towards_zero(values: Floats) -> Floats:
    """Values cut to 16 significant bits: a cut point at one of them is passed by all that differ only by rounding."""
    bits = values.astype(np.float32).view(np.uint32) & np.uint32(0xFFFFFF80)
    return bits.view(np.float32).astype(np.float64)


def _quantiles(values: Floats, most: int) -> list[float]:
    """Distinct cut points in single precision, in rising order."""
    distinct = np.unique(values.astype(np.float32))
    if distinct.size > most:
        shares = (np.arange(most) + 0.5) / most
        distinct = np.unique(np.quantile(values.astype(np.float32), shares, method="nearest"))
    return [float(point) for point in distinct]
