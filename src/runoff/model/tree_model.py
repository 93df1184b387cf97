"""`TreeModel`: a sum of decision trees beside a linear part."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from runoff.errors import UsageError
from runoff.features import align, fill_missing_values
from runoff.features.trees import Trees
from runoff.kernels.tree_contributions import shapley_values
from runoff.model.explanation import Contribution
from runoff.model.linear import LinearModel, provenance_of_prefix

if TYPE_CHECKING:
    from runoff.arrays import Bools, Floats
    from runoff.nbest import NBest


@dataclass(frozen=True, eq=False, repr=False)
class TreeModel(LinearModel):
    """Score of a candidate: `base_weight * base + weights · features`, and what its leaf in every tree adds.

    Columns of the trees are those of `names`. Missing values go where the trees send them. Everything that a linear
    model does, it does too; contributions are Shapley values of the columns in the lead of the winner over its rival.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from runoff.nbest import NBest
    >>> trees = Trees(np.array([[0]]), np.array([[0.5]]), np.array([[False]]), np.array([[0.0, 2.0]]))
    >>> model = TreeModel(np.zeros(1), pa.array(["x"], pa.large_string()), trees=trees)
    >>> model.scores(NBest.from_arrays([[0.0], [1.0]], sizes=[2], feature_names=["x"])).tolist()
    [0.0, 2.0]
    """

    keeps_missing: ClassVar[bool] = True
    trees: Trees = dataclasses.field(default_factory=Trees.none)

    @property
    def n_active(self) -> int:
        """Number of columns that the trees look at or that have a weight."""
        return int(np.count_nonzero(self._use()))

    @property
    def uses(self) -> Bools:
        """Columns that the trees look at or that have a weight."""
        return self._use() > 0

    def heaviest(self, n: int = 20) -> list[tuple[str, float]]:
        """Names of the n columns that the trees look at most often, and how often; weights come as they are."""
        use = self._use()
        order = np.argsort(-use, kind="stable")[:n]
        return [(self.names[int(at)].as_py(), float(use[at])) for at in order if use[at]]

    def prefix(self, rounds: int) -> TreeModel:
        """The model after that many trees."""
        if not 0 <= rounds <= len(self.trees):
            raise UsageError(f"there are {len(self.trees):,} trees; found {rounds}.")
        provenance = provenance_of_prefix(self.provenance, rounds)
        return dataclasses.replace(self, trees=self.trees.prefix(rounds), provenance=provenance, calibration=None)

    def contributions(self, prepared: NBest, winner: int, rival: int) -> tuple[tuple[Contribution, ...], int]:
        """What every column adds to the lead, largest first, and the number of features that are ignored."""
        linear, ignored = super().contributions(fill_missing_values(prepared), winner, rival)
        columns = align(prepared.features, self.names)
        table = prepared.features.to_scipy()
        rows = np.zeros((2, self.weights.size))
        for at, row in enumerate((winner, rival)):
            stored = slice(table.indptr[row], table.indptr[row + 1])
            known = columns[table.indices[stored]] >= 0
            np.add.at(rows[at], columns[table.indices[stored]][known], table.data[stored][known])
        amounts = np.zeros(self.weights.size)
        trees = self.trees
        shapley_values(trees.column, trees.cut, trees.missing_right, trees.leaves, rows[0], rows[1], amounts)
        found = {each.name: each for each in linear}
        for at in np.flatnonzero(amounts).tolist():
            name, amount = self.names[at].as_py(), float(amounts[at])
            more = found.get(name)
            by_weight = 0.0 if more is None else more.amount
            found[name] = Contribution(name, float(rows[0, at]), float(rows[1, at]), None, amount + by_weight)
        return tuple(sorted(found.values(), key=lambda each: -abs(each.amount))), ignored

    def __repr__(self) -> str:
        learner = f"{self.provenance['learner']}, " if "learner" in self.provenance else ""
        trees = f"{len(self.trees):,} trees of depth {self.trees.depth} over {self.n_active:,} columns"
        return f"TreeModel({learner}{trees}, base {self.base_weight:.4g})"

    def _use(self) -> Floats:
        used = self.trees.column[self.trees.column >= 0]
        use: Floats = np.bincount(used, minlength=self.weights.size) + (self.weights != 0).astype(np.float64)
        return use

    def _scores(self, prepared: NBest) -> Floats:
        out = super()._scores(fill_missing_values(prepared))
        if len(self.trees):
            out += self.trees.scores(prepared.features, align(prepared.features, self.names))[:, 0]
        return out
