"""One decision that shows what was learned: the first round was wrong, and the model right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.metrics import get
from runoff.model import LinearModel
from runoff.ranking import first_round
from runoff.tasks.parsing.explanation import explain
from runoff.tasks.parsing.metric import EXACT, WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.nbest import NBest
    from runoff.tasks.parsing.explanation import ParseExplanation

SHORT, LONG = 6, 20  # words, punctuation not counted, of a tree that is worth a look and fits on a page


def telling_decision(model: LinearModel, data: NBest, about: Sequence[str] = ()) -> ParseExplanation | None:
    """The list in which the model prefers a right tree, or else a better one, to the first round's the most decidedly.

    None where no choice is better. Sentences that can be read at a glance come before others. With `about` it is the
    list in which these features speak the loudest for such a choice. The data must have PARSEVAL's statistics.

    Examples
    --------
    >>> from runoff.model import LinearModel
    >>> from runoff.tasks.parsing import ParseList, extract
    >>> trees = ["(S (NP (PRP I)) (ADVP (RB run)))", "(S (NP (PRP I)) (VP (VBP run)))"]
    >>> data = extract([ParseList("a", trees[1], [-1.0, -2.0], trees)], families=["rule"], min_lists=1)
    >>> telling_decision(LinearModel.of({"rule:S>NP VP!": 1.0}), data).reasons.winner.index
    1
    >>> telling_decision(LinearModel.of({"rule:S>NP VP!": -1.0}), data)
    """
    metric = get("parseval")
    ranked, first = model.ranking(data), first_round(data)
    chosen = metric.rows(data, ranked)
    gain = np.asarray(metric.score(chosen)) - np.asarray(metric.score(metric.rows(data, first)))
    better = np.flatnonzero(gain > 0)
    if better.size == 0:
        return None
    speaking = _only(model, about) if about else model
    scores, words = speaking.scores(data), chosen[better, WORDS]
    starts = data.offsets[:-1][better]
    lead = scores[starts + ranked.indices[better]] - scores[starts + first.indices[better]]
    readable = (words >= SHORT) & (words <= LONG)
    best = better[np.lexsort((-lead, ~readable, chosen[better, EXACT] == 0))[0]]
    return explain(model, data, data.group_ids[int(best)].as_py())


def _only(model: LinearModel, names: Sequence[str]) -> LinearModel:
    """The model as it would be if it weighed these features alone."""
    weights = dict(zip(model.names.to_pylist(), model.weights.tolist(), strict=True))
    return LinearModel.of({name: weights[name] for name in names if name in weights})
