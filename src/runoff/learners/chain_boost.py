"""AdaBoost over trees for tokens, with the tags before as features: from left to right (Màrquez et al. 2005)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy import sparse

from runoff.errors import DataError
from runoff.learners.adaboost import AdaBoost
from runoff.model.tree_chain import HistoryColumns, TreeChainModel, training_table
from runoff.parameters import Parametrised, flag, parameter, text, whole, within

if TYPE_CHECKING:
    from runoff.features.sequences import Sequences


@dataclass(eq=False, repr=False)
class BoostedChain(Parametrised):
    """One-against-all AdaBoost of every tag, with features and the tags before; see `AdaBoost`.

    Trained after the right tags. Cost of a round of one tag: the stored values, about twice.

    Parameters
    ----------
    rounds, depth, rate, trim
        Trees of every tag, their depth, the factor of their values, and the share of weight that is left out.
    checkpoint, seed, verbose
        As for `AdaBoost`.

    Examples
    --------
    >>> from runoff.features.sequences import Sequences
    >>> data = Sequences.of([[[0], [1]], [[1]]] * 5, n_features=2, tags=[[0, 1], [1]] * 5, n_tags=2)
    >>> BoostedChain(rounds=4, depth=1).fit(data).model.best(data)[:3].tolist()
    [0, 1, 1]
    """

    rounds: int = parameter(200, whole(1))
    depth: int = parameter(4, whole(1, 6))
    rate: float = parameter(1.0, within(0, 1, first=False))
    trim: float = parameter(0.01, within(0, 1, last=False))
    checkpoint: str | None = parameter(None, text)
    seed: int = parameter(0, whole(0))
    verbose: bool = parameter(False, flag)
    model: Any = field(init=False)
    history: list[dict[str, float]] = field(default_factory=list, init=False)
    finished_: bool = field(default=True, init=False)

    def fit(self, data: Sequences, dev: Sequences | Any = None) -> Self:
        """Learn from sequences with tags; with dev sequences, every tag keeps as many trees as are best there."""
        self.check_params()
        if data.tags is None or not data.n_tokens or data.tags.min() < 0:
            raise DataError("there must be sequences with tags to learn from.")
        columns = HistoryColumns.of(data)
        held_out = None
        if dev is not None and not callable(dev) and dev.tags is not None and dev.tags.max(initial=-1) >= 0:
            known = np.flatnonzero(dev.tags >= 0)
            held_out = _matrix(dev, columns)[known], dev.tags[known]
        boost = AdaBoost(**self.get_params(), calibration="none")
        boost.fit(_matrix(data, columns), data.tags, held_out)
        self.model = TreeChainModel(boost.trees_, columns, boost.classes_.astype(np.int32))
        self.finished_ = boost.finished_
        self.history = [{"trees": float(kept)} for kept in boost.rounds_]
        return self


def _matrix(data: Sequences, columns: HistoryColumns) -> Any:
    table = training_table(data, columns)
    ones = np.ones(table.indices.size, np.float32)
    return sparse.csr_matrix((ones, table.indices, table.indptr), (data.n_tokens, columns.width))
