"""Choices that need no training: shortest, longest, the most votes, the least Bayes risk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.ranking import by_score
from runoff.tasks.text.features.agreement import votes_of
from runoff.tasks.text.lists import TextLists
from runoff.tasks.text.settings import TextSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from runoff.arrays import Floats
    from runoff.metrics import Metric
    from runoff.nbest import NBest
    from runoff.ranking import Ranking

_SAME = 9  # decimals to which values count as equal: sums in another order differ in the last bits
BASELINES = ("shortest", "longest", "vote", "bayes-risk")


def baselines(data: NBest, metric: str | Metric | None = None, similarity: str | None = None) -> dict[str, Ranking]:
    """Rank every list in the ways that need no training; ties go by the first round.

    `shortest` and `longest` go by words; `vote` by the number of candidates with the same answer in the eyes of the
    metric; `bayes-risk` by expected quality where the others of the list are the references, copies counting as often
    as they come (Kumar & Byrne 2004). Where the metric does not compare texts, chrF does. O(k²) comparisons a list.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["a bat", "a cat", "a cat sat", "a cat"], sizes=[4])
    >>> {name: ranked.indices.tolist() for name, ranked in baselines(data, "wer").items()}
    {'shortest': [0], 'longest': [2], 'vote': [1], 'bayes-risk': [1]}
    """
    return {name: by_score(data, values) for name, values in baseline_scores(data, metric, similarity).items()}


def baseline_scores(
    data: NBest,
    metric: str | Metric | None = None,
    similarity: str | None = None,
    ways: Collection[str] = BASELINES,
) -> dict[str, Floats]:
    """What the candidates are ranked by in these ways, one number for each in the order of the data."""
    lists = TextLists.of(data)
    judge = TextSettings(similarity=similarity).compares_by(data, metric)

    def lengths() -> Floats:
        return lists.words.lengths[: lists.n_texts].astype(np.float64)

    def risk() -> Floats:
        expected = judge.expected(lists.texts.to_pylist(), lists.offsets, frozen(lists.copies[:, None]))
        return np.round(expected[:, 0], _SAME)

    by: dict[str, Callable[[], Floats]] = {
        "shortest": lambda: -lengths(),
        "longest": lengths,
        "vote": lambda: votes_of(lists, judge),
        "bayes-risk": risk,
    }
    return {name: by[name]()[lists.text_of] for name in ways}
