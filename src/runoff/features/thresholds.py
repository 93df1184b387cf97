"""Binary features from counts and real values: cut points learned once and kept in the model.

A value above zero becomes `name>=t` for every cut point t up to it, a value below zero becomes `name<=t`, and a
value that is not stored gives nothing, so sparse columns stay sparse. A dense column whose values differ more
between groups than within them (the score of a language model, say, which falls with the length of the input)
tells little as it is: there the cut points are for its distance from the mean of the group, `name-mean>=t`.
Where such a name is taken by another column, all of them get a mark: `name'>=t`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from runoff.nbest import Features

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from runoff.arrays import Floats, Ints
    from runoff.nbest import NBest

STEP = "thresholds"
_DENSE = 0.5  # share of the candidates that have a value, from which on a column is measured against its group


def learn_thresholds(data: NBest, most: int = 16) -> dict[str, Any]:
    """Find the cut points of every column that is not binary; a column without any fires from 1 on.

    At most `most` cut points on either side of zero, at quantiles of the values; columns with few values get a
    cut point at each. O(stored values log stored values).

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays([[1, 2.0], [1, 4.0], [0, 6.0]], sizes=[3], feature_names=["flag", "count"])
    >>> learn_thresholds(data)["cuts"]
    {'count': [2.0, 4.0, 6.0]}
    """
    features = data.features.check()
    names = features.column_names()
    cuts: dict[str, list[float]] = {}
    relative: list[str] = []
    for column, rows, values in _columns(features) if features.values is not None else ():
        if not values.size or bool((values == 1).all()):
            continue
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
        while not _all_differ(_made_names(step), own):
            step["mark"] += "'"
    return step


def apply_thresholds(data: NBest, step: Mapping[str, Any]) -> NBest:
    """Exchange columns that have cut points for binary ones; any other column fires where its value is at least 1.

    What a group becomes depends on that group alone. A column that the training data did not have, and that is
    called like one that a cut point makes, is renamed so as not to be taken for it. O(stored values x cut points);
    nothing to do for data that is binary and has none of the columns with cut points.
    """
    features = data.features.check()
    cuts, relative, made = step["cuts"], frozenset(step["relative"]), _made_names(step)
    taken = {each for several in made.values() for each in several}
    found = set(features.column_names().to_pylist()) if cuts else set()
    if features.values is None and not found & (cuts.keys() | taken):
        return data
    rows_of, columns_of = [], []
    names: list[str] = []
    for (_, rows, values), name in zip(_columns(features), features.column_names().to_pylist(), strict=True):
        if name not in cuts:
            fires = rows[values >= 1]
            rows_of.append(fires)
            columns_of.append(np.full(fires.size, len(names)))
            names.append(_unlike(name, found | taken) if name in taken else name)
            continue
        if name in relative:
            rows, values = np.arange(data.n_candidates), _from_mean(data, rows, values)
        for point, made_name in zip(cuts[name], made[name], strict=True):
            fires = rows[values >= point] if point > 0 else rows[values <= point]
            rows_of.append(fires)
            columns_of.append(np.full(fires.size, len(names)))
            names.append(made_name)
    at = (np.concatenate([[], *rows_of]).astype(np.int64), np.concatenate([[], *columns_of]).astype(np.int64))
    ones = np.ones(at[0].size, np.float32)
    table = sparse.coo_array((ones, at), shape=(data.n_candidates, len(names))).tocsr()
    return data.replace(features=Features.from_csr(table.indptr, table.indices, None, len(names), names))


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


def _made_names(step: Mapping[str, Any]) -> dict[str, list[str]]:
    """Names of the columns that the cut points of each column make."""
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


def _columns(features: Features) -> Any:
    """Number, rows and values of every column."""
    table = features.to_scipy().tocsc()
    for column in range(features.n_columns):
        cut = slice(table.indptr[column], table.indptr[column + 1])
        yield column, table.indices[cut].astype(np.int64), table.data[cut].astype(np.float64)


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
