"""Choices that need no training: shortest, longest, most votes, minimum Bayes risk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.ranking import by_score
from runoff.tasks.text.distinct_texts import DistinctTexts
from runoff.tasks.text.features.agreement import count_votes
from runoff.tasks.text.settings import TextSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from runoff.arrays import Floats
    from runoff.metrics import Metric
    from runoff.nbest import NBest
    from runoff.ranking import Ranking

_SAME = 9  # decimals that must differ: sums in another order differ in the last bits
BASELINES = ("shortest", "longest", "vote", "bayes-risk")


def baselines(data: NBest, metric: str | Metric | None = None, similarity: str | None = None) -> dict[str, Ranking]:
    """Rank every list by each baseline; ties are broken by the first round.

    `shortest` and `longest` count words. `vote` counts the candidates with the same answer, as normalised by the
    metric. `bayes-risk` is the expected quality with all candidates of the list as references; copies count each time
    (Kumar & Byrne 2004). If the metric does not compare texts, chrF is used. O(k²) comparisons per list.

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
    names: Collection[str] = BASELINES,
) -> dict[str, Floats]:
    """The score of every candidate by each of the named baselines, in the order of the data."""
    lists = DistinctTexts.of(data)
    judge = TextSettings(similarity=similarity).similarity_for(data, metric)

    def lengths() -> Floats:
        return lists.words.lengths[: lists.n_texts].astype(np.float64)

    def risk() -> Floats:
        expected = judge.expected(lists.texts.to_pylist(), lists.offsets, frozen(lists.copies[:, None]))
        return np.round(expected[:, 0], _SAME)

    scores: dict[str, Callable[[], Floats]] = {
        "shortest": lambda: -lengths(),
        "longest": lengths,
        "vote": lambda: count_votes(lists, judge),
        "bayes-risk": risk,
    }
    return {name: scores[name]()[lists.text_of] for name in names}
