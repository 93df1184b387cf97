"""The table of the paper: every product of scores, for answers and for sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.metrics import get
from runoff.nbest import NBest
from runoff.ranking import by_score
from runoff.tasks.answers.score_products import ROWS, product

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Floats

# T1, T50 and MRR; of candidates with the same score every order is as likely.
METRICS = {"T1": "success@1[ties=expected]", "T50": "success@50[ties=expected]", "MRR": "mrr[ties=expected]"}


def product_rows(data: NBest) -> list[dict[str, Any]]:
    """T1, T50 and MRR of every product, for lists of candidates with the columns of `candidate_features`.

    Of candidates with the same score the order is random, and the mean over all orders counts; questions without
    candidates count as unanswered.
    """
    table = data.features.to_scipy().toarray()
    return [{"name": name, **rates(data, product(name, table))} for name in ROWS]


def rates(data: NBest, scores: Floats) -> dict[str, float]:
    """T1, T50 and MRR of a ranking by scores, over all questions.

    Examples
    --------
    >>> data = NBest.from_arrays(quality=[0, 1, 1, 0], sizes=[2, 2])
    >>> rates(data, np.array([1.0, 2.0, 1.0, 1.0]))
    {'T1': 0.75, 'T50': 1.0, 'MRR': 0.875}
    """
    return {name: float(values.sum() / max(len(data), 1)) for name, values in values_of(data, scores).items()}


def values_of(data: NBest, scores: Floats) -> dict[str, Floats]:
    """The same for every question by itself."""
    bare = NBest.from_arrays(None, data.quality, sizes=data.sizes)
    ranking = by_score(bare, scores)
    return {name: get(metric).rows(bare, ranking)[:, 0] for name, metric in METRICS.items()}


class SentenceView:
    """Sentences that are ranked by their best candidates; those without candidates come last.

    `sentence_of` has the sentence of every candidate, `right` whether each sentence has an answer.

    Examples
    --------
    >>> data = NBest.from_arrays(quality=[0, 1, 0], sizes=[3])
    >>> view = SentenceView(data, [[0, 0, 1]], [[True, False, False]])
    >>> view.rates(np.array([0.5, 0.1, 0.2]))
    {'T1': 1.0, 'T50': 1.0, 'MRR': 1.0}
    """

    def __init__(self, data: NBest, sentence_of: Sequence[Sequence[int]], right: Sequence[Sequence[bool]]) -> None:
        sizes = [len(own) for own in right]
        self.data = NBest.from_arrays(None, [float(each) for own in right for each in own], sizes=sizes)
        starts = np.concatenate([[0], np.cumsum(sizes)])
        pieces = [starts[at] + np.asarray(own, np.int64) for at, own in enumerate(sentence_of)]
        self._of = np.concatenate(pieces) if pieces else np.zeros(0, np.int64)
        if self._of.size != data.n_candidates:
            raise ValueError(f"{data.n_candidates} candidates need as many sentences; found {self._of.size}.")

    def scores(self, scores: Floats) -> Floats:
        """The highest score of the candidates of every sentence."""
        out = np.full(self.data.n_candidates, -np.inf)
        np.maximum.at(out, self._of, scores)
        lowest = scores.min() - 1 if scores.size else 0.0
        return np.where(np.isneginf(out), lowest, out)

    def rates(self, scores: Floats) -> dict[str, float]:
        """T1, T50 and MRR of the sentences, by scores of the candidates."""
        return rates(self.data, self.scores(scores))
