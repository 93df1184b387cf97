"""A reranker as one more system of a combination: its probabilities of candidates, held out for training lists."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from runoff.combine.systems import FOUND, ONLY, RANK, SCORE, system_names
from runoff.errors import DataError, UsageError
from runoff.features.columns import concat_columns
from runoff.learners.feature_scaling import spread_within
from runoff.nbest import Features
from runoff.nbest.blocks import blocks
from runoff.progress import progress
from runoff.ranking import by_score

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Floats
    from runoff.learners import Learner
    from runoff.model import LinearModel
    from runoff.nbest import NBest

FIRST = "first"  # name of the first round of lists that were not merged
FOLDS = 3


@dataclass(frozen=True)
class Reranker:
    """A model of whole candidates as a system; its probabilities are softmax of its scores, times their sharpness.

    Examples
    --------
    >>> from runoff.model import LinearModel
    >>> from runoff.nbest import NBest
    >>> reranker = Reranker("crf", LinearModel.of({"x": 1.0}), 2.0)
    >>> reranker.scores(NBest.from_arrays([[1.0], [3.0]], sizes=[2], feature_names=["x"])).tolist()
    [2.0, 6.0]
    """

    name: str
    model: LinearModel
    sharpness: float = 1.0

    def scores(self, data: NBest) -> Floats:
        """Logarithms of its probabilities, up to a constant of every list."""
        return self.sharpness * self.model.scores(data)


def with_rerankers(data: NBest, rerankers: Sequence[Reranker]) -> NBest:
    """The lists with rerankers as systems, the last of them in front, and no columns but those of systems.

    Rerankers see the lists as they came. Costs a scoring by each of them.
    """
    data = replace(data, rows=None)
    found = systems_alone(data)
    for reranker in rerankers:
        found = add_system(found, reranker.name, reranker.scores(data))
    return found


def systems_alone(data: NBest) -> NBest:
    """The lists without features but for the columns of merged systems. O(stored values)."""
    wanted = {f"{name}:{kind}" for name in system_names(data) for kind in (FOUND, SCORE, RANK)}
    known = [] if data.features.names is None else data.features.column_names().to_pylist()
    at = [place for place, name in enumerate(known) if name in wanted]
    rows = data.features.to_scipy()[:, at]
    return data.replace(features=Features.of(rows, [known[place] for place in at]), quality=None, stats={})


def held_out_scores(
    learner: Learner,
    data: NBest,
    *,
    folds: int = FOLDS,
    seed: int = 0,
    group_by: str | None = None,
    like: LinearModel | None = None,
    verbose: bool = False,
) -> Floats:
    """Scores of all candidates by models that have not seen their lists: each fold's by a model of the others.

    A filter must learn from a reranker that is as unsure as it will be of new lists. Lists that belong together stay
    in one fold (see `runoff.nbest.blocks.blocks`, also for `group_by`). Scores of some learners grow with the number of
    lists: those of every fold's model are brought to the scale of `like`, a model of all lists, by what both give to
    their training lists. Costs `folds` trainings.

    Examples
    --------
    >>> from runoff.learners import LogLinear
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays([[1.0], [0.0]] * 6, [1, 0] * 6, sizes=[2] * 6)
    >>> scores = held_out_scores(LogLinear(sigma=1.0), data)
    >>> bool((scores[0::2] > scores[1::2]).all())
    True
    """
    fold_of = blocks(data, group_by).folds_up_to(folds, seed)
    count = int(fold_of.max(initial=0)) + 1
    if count < 2:
        raise DataError("all lists belong together, so that no folds can be made of them.")
    fold_of_row = np.repeat(fold_of, data.sizes)
    scores = np.zeros(data.n_candidates)
    unit = None if like is None else spread_within(data, like.scores(data))
    with progress("folds", count, verbose=verbose) as step:
        for fold in range(count):
            rest = data[fold_of != fold]
            model = learner.clone().fit(rest).model
            own = 1.0 if unit is None else spread_within(rest, model.scores(rest))
            scale = 1.0 if unit is None or not own else unit / own
            scores[fold_of_row == fold] = scale * model.scores(data[fold_of == fold])
            step(fold + 1)
    return scores


def add_system(data: NBest, name: str, scores: Floats) -> NBest:
    """The lists with a further system that scores all candidates, in front of those that proposed them.

    Lists that were not merged get the columns of their first round too, under the name "first". What is no part of a
    candidate, such as the tags of a tree, is taken from the first choice of the first system: this one. O(n log n).

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["a", "b"], sizes=[2], base=[-1.0, -2.0])
    >>> add_system(data, "reranker", np.array([0.0, 1.0])).features.column_names().to_pylist()[:3]
    ['reranker:found', 'reranker:score', 'reranker:rank']
    """
    names = system_names(data)
    if name in names or (names == (ONLY,) and name == FIRST):
        raise UsageError(f"the lists have a system {name!r} already; name this one otherwise.")
    if len(scores) != data.n_candidates:
        raise DataError(f"expected a score for each of {data.n_candidates:,} candidates; found {len(scores):,}.")
    columns = _columns(data, name, np.asarray(scores, np.float64))
    if names == (ONLY,):
        base = np.zeros(data.n_candidates) if data.base is None else data.base
        columns |= _columns(data, FIRST, base)
    own = Features.of(np.column_stack(list(columns.values())), list(columns))
    known = concat_columns(own, data.features) if data.features.n_columns else own
    return data.replace(features=known)


def _columns(data: NBest, name: str, scores: Floats) -> dict[str, Floats]:
    rank = np.empty(scores.size)
    rank[by_score(data, scores).rows] = 1.0 / (np.arange(scores.size) - np.repeat(data.offsets[:-1], data.sizes) + 1)
    return {f"{name}:{FOUND}": np.ones(scores.size), f"{name}:{SCORE}": scores, f"{name}:{RANK}": rank}
