"""What every family of features adds to the score of every candidate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.features import align
from runoff.model import TreeModel
from runoff.model.explanation import BASE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from runoff.arrays import Floats
    from runoff.model import LinearModel
    from runoff.nbest import NBest
    from runoff.server.study import Study

_MOST = 24  # families that are told apart; the lightest of more are one
OTHERS = "others"


@dataclass(frozen=True)
class FamilyScores:
    """A column for every family, the first part of a feature's name, and one for the first round's score.

    Examples
    --------
    >>> from runoff.model import LinearModel
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays([[1, 2, 3]], sizes=[1], feature_names=["lm:a", "lm:b", "length"])
    >>> found = FamilyScores.of(LinearModel.of({"lm:a": 1.0, "lm:b": 1.0, "length": -1.0}), data)
    >>> found.names, found.table.tolist(), found.scores({"length": 0.0}).tolist()
    (('lm', 'length'), [[3.0, -3.0]], [3.0])
    """

    names: tuple[str, ...]
    table: npt.NDArray[np.float32]  # candidates x families

    @classmethod
    def of(cls, model: LinearModel, data: NBest) -> FamilyScores | None:
        """Those of a model; None where its scores are votes, or of trees. O(stored values)."""
        if isinstance(model, TreeModel) or model.votes is not None:
            return None
        prepared = model.prepare(data)
        features = prepared.features.check()
        columns = align(features, model.names)
        weights = np.where(columns >= 0, model.weights[columns], 0.0) if model.weights.size else np.zeros(columns.size)
        family_of, names = _families(features.column_names().to_pylist(), weights, features.to_scipy())
        table = np.zeros((data.n_candidates, len(names) + bool(model.base_weight)), np.float32)
        weighed = features.to_scipy().multiply(weights).tocsc()
        for column in np.flatnonzero(weights).tolist():
            rows = slice(weighed.indptr[column], weighed.indptr[column + 1])
            np.add.at(table[:, family_of[column]], weighed.indices[rows], weighed.data[rows])
        if model.base_weight:
            table[:, -1] = model.base_weight * model.base_of(prepared)
            names = [*names, BASE]
        return cls(tuple(names), table)

    def scores(self, factors: Mapping[str, float]) -> Floats:
        """Scores if the weights of families are multiplied; those that are not named stay."""
        found = np.array([factors.get(name, 1.0) for name in self.names])
        return np.asarray(self.table @ found, np.float64)

    def shares(self, study: Study) -> list[dict[str, Any]]:
        """What each family adds to the lead of a choice over the first round's: mean over better and worse choices."""
        from runoff.server.study import OUTCOMES

        lists = {name: study.outcomes[study.chosen.filled] == OUTCOMES.index(name) for name in ("better", "worse")}
        leads = self.table[study.chosen.top] - self.table[study.first.top]
        means = {
            name: leads[where].mean(axis=0) if where.any() else np.zeros(len(self.names))
            for name, where in lists.items()
        }
        order = np.argsort(-np.abs(means["better"]), kind="stable").tolist()
        return [
            {"name": self.names[at], "better": float(means["better"][at]), "worse": float(means["worse"][at])}
            for at in order
        ]


def _families(columns: Sequence[str], weights: Floats, table: Any) -> tuple[list[int], list[str]]:
    """The family of every column, and their names; families that move scores least are one."""
    found = [name.split(":", 1)[0] for name in columns]
    moved = np.asarray(abs(table).sum(axis=0)).ravel() * np.abs(weights)
    weight_of: dict[str, float] = {}
    for name, weight, each in zip(found, moved.tolist(), weights.tolist(), strict=True):
        if each:
            weight_of[name] = weight_of.get(name, 0.0) + weight
    kept = sorted(weight_of, key=lambda name: -weight_of[name])[:_MOST]
    names = [*kept, OTHERS] if len(weight_of) > _MOST else kept
    place = {name: at for at, name in enumerate(kept)}
    return [place.get(name, len(names) - 1) for name in found], names
