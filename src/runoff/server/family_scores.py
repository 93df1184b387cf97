"""What every family of features adds to the score of every candidate."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.errors import UsageError, brief
from runoff.features import align
from runoff.model import TreeModel
from runoff.model.explanation import BASE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from runoff.arrays import Floats, Ints
    from runoff.model import LinearModel
    from runoff.nbest import Features, NBest

_MOST = 24  # families that are told apart; the lightest of more are one
OTHERS = "others"
_ROWS_PER_BLOCK = 1 << 16


@dataclass(frozen=True, eq=False)
class FamilyScores:
    """A column for every family, the first part of a feature's name, and one for the first round's score.

    Weights can be changed by factors, of a family or of a single feature of it; both count where both are named.

    Examples
    --------
    >>> from runoff.model import LinearModel
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays([[1, 2, 3]], sizes=[1], feature_names=["lm:a", "lm:b", "length"])
    >>> found = FamilyScores.of(LinearModel.of({"lm:a": 1.0, "lm:b": 1.0, "length": -1.0}), data)
    >>> found.names, found.table.tolist()
    (('lm', 'length'), [[3.0, -3.0]])
    >>> found.change({"length": 0.0, "lm:b": 2.0}).tolist()
    [5.0]
    """

    names: tuple[str, ...]
    table: npt.NDArray[np.float32]  # candidates x families
    features: Features  # as the model sees them
    weights: Floats  # of the features' columns
    shown_as: Mapping[str, str]  # the name in `names` for every family that has a weight

    @classmethod
    def of(cls, model: LinearModel, data: NBest) -> FamilyScores | None:
        """Those of a model; None where its scores are votes, or of trees. O(stored values)."""
        if isinstance(model, TreeModel) or model.votes is not None:
            return None
        prepared = model.prepare(data)
        features = prepared.features.check()
        columns = align(features, model.names)
        weights = np.where(columns >= 0, model.weights[columns], 0.0) if model.weights.size else np.zeros(columns.size)
        family_of = [family(name) for name in features.column_names().to_pylist()]
        shown_as = _shown_as(family_of, weights, features)
        names = list(dict.fromkeys(shown_as.values()))
        place = {name: names.index(shown) for name, shown in shown_as.items()}
        places = np.array([place.get(name, 0) for name in family_of], np.int64)
        table = np.zeros((data.n_candidates, len(names) + bool(model.base_weight)), np.float32)
        if names:
            _add_up(features, weights, places, table[:, : len(names)])
        if model.base_weight:
            table[:, -1] = model.base_weight * model.base_of(prepared)
            names.append(BASE)
            shown_as[BASE] = BASE
        return cls(tuple(names), table, features, weights, shown_as)

    def change(self, factors: Mapping[str, float]) -> Floats:
        """What scores gain if weights are multiplied; those that are not named stay."""
        by_family = np.array([factors.get(name, 1.0) for name in self.names])
        gained = np.asarray(self.table @ (by_family - 1).astype(np.float32), np.float64)
        for name, factor in factors.items():
            if name in self.names:
                continue
            gained += (factor - 1) * self._factor_of_family(name, factors) * self._of_feature(name)
        return gained

    def factor_of(self, name: str, factors: Mapping[str, float]) -> float:
        """What the weight of a feature is multiplied by."""
        own = 1.0 if name in self.names else factors.get(name, 1.0)
        return own * self._factor_of_family(name, factors)

    def _factor_of_family(self, name: str, factors: Mapping[str, float]) -> float:
        return factors.get(self.shown_as.get(family(name), ""), 1.0)

    def _of_feature(self, name: str) -> Floats:
        """What one feature adds to every score. O(stored values)."""
        found = np.flatnonzero(np.array(self.features.column_names().to_pylist(), object) == name)
        if not found.size:
            raise UsageError(f"this model weighs no family or feature {brief(name)}.")
        features, column = self.features, int(found[0])
        start = int(features.indptr[0])
        here = start + np.flatnonzero(features.indices[start : int(features.indptr[-1])] == column)
        out = np.zeros(len(self.table))
        out[np.searchsorted(features.indptr, here, side="right") - 1] = _values(features, here) * self.weights[column]
        return out


def family(name: str) -> str:
    """The family of a feature: its name up to the first colon."""
    return name.split(":", 1)[0]


def family_shares(families: FamilyScores, leads: Ints, firsts: Ints, better: Any, worse: Any) -> list[dict[str, Any]]:
    """What each family adds to the lead of choices over the first round's, mean over the better and the worse ones.

    `leads` and `firsts` are rows of the choices and of the first round's.
    """
    added = families.table[leads] - families.table[firsts]
    means = {
        name: added[where].mean(axis=0) if where.any() else np.zeros(len(families.names))
        for name, where in (("better", better), ("worse", worse))
    }
    order = np.argsort(-np.abs(means["better"]), kind="stable").tolist()
    return [
        {"name": families.names[at], "better": float(means["better"][at]), "worse": float(means["worse"][at])}
        for at in order
    ]


def _shown_as(family_of: Sequence[str], weights: Floats, features: Features) -> dict[str, str]:
    """A name for every family that has a weight; those that move scores least share one."""
    moved: Counter[str] = Counter()
    sizes = np.zeros(len(family_of))
    first, last = int(features.indptr[0]), int(features.indptr[-1])
    for start in range(first, last, _ROWS_PER_BLOCK * 16):
        part = slice(start, min(last, start + _ROWS_PER_BLOCK * 16))
        sizes += np.bincount(features.indices[part], np.abs(_values(features, part)), minlength=sizes.size)
    for name, weight, size in zip(family_of, weights.tolist(), sizes.tolist(), strict=True):
        if weight:
            moved[name] += abs(weight) * size
    ordered = [name for name, _ in moved.most_common()]
    kept = ordered if len(ordered) <= _MOST else ordered[:_MOST]
    return {name: name if name in kept else OTHERS for name in ordered}


def _add_up(features: Features, weights: Floats, places: Ints, table: npt.NDArray[np.float32]) -> None:
    """Add what every stored value gives to the score to its family's column, a block of rows after the other."""
    rows, width = table.shape
    for start in range(0, rows, _ROWS_PER_BLOCK):
        stop = min(rows, start + _ROWS_PER_BLOCK)
        edges = features.indptr[start : stop + 1]
        columns = features.indices[edges[0] : edges[-1]]
        values = _values(features, slice(edges[0], edges[-1]))
        cells = np.repeat(np.arange(stop - start) * width, np.diff(edges)) + places[columns]
        added = np.bincount(cells, values * weights[columns], (stop - start) * width)
        table[start:stop] = added.reshape(stop - start, width)


def _values(features: Features, part: slice | Ints) -> Floats:
    """Some of the stored values, which are all 1 where none are kept."""
    if features.values is None:
        return np.ones(features.indices[part].size)
    return np.asarray(features.values[part], np.float64)
