"""Agreement of a text with the rest of its list: minimum Bayes risk under the metric itself, and votes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.kernels.groups import first_best, softmax
from runoff.metrics.answers import answer_numbers

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints
    from runoff.metrics.text_metric import TextMetric
    from runoff.tasks.text.distinct_texts import DistinctTexts

EXPECTED, VOTES = "agree:expected", "agree:votes"
NAMES = (EXPECTED, "agree:expected most", VOTES, "agree:votes most", "agree:copies", "agree:with first")
WEIGHTED = "agree:expected by base"


def agreement_features(lists: DistinctTexts, metric: TextMetric) -> tuple[tuple[str, ...], Floats]:
    """Columns from comparing each distinct text with the others of its list; a row per text.

    `expected` is the text's expected quality if a candidate drawn at random is the reference; `expected by base` draws
    it by the softmax of the first round's scores. `votes` is the share of the list with the same answer, as normalised
    by the metric, and `copies` the share with the identical text. `most` marks the text that leads its list.
    `with first` is the quality if the first choice is the reference. O(k²) comparisons for k distinct texts.

    Examples
    --------
    >>> from runoff.tasks.text.distinct_texts import DistinctTexts
    >>> from runoff.metrics import get
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["a b", "a c", "a c"], sizes=[3])
    >>> names, table = agreement_features(DistinctTexts.of(data), get("wer"))
    >>> dict(zip(names, table[1].round(2).tolist()))["agree:expected"]
    -0.33
    """
    is_first = np.zeros(lists.n_texts)
    is_first[lists.first[lists.first >= 0]] = 1.0
    weights: list[Floats] = [lists.copies, is_first]
    if lists.data.base is not None:
        by_base = softmax(lists.data.offsets, frozen(lists.data.base))
        weights.append(np.bincount(lists.text_of, by_base, lists.n_texts).astype(np.float64))
    expected = metric.expected(lists.texts.to_pylist(), lists.offsets, frozen(np.column_stack(weights)))
    size = np.bincount(lists.list_of, lists.copies, len(lists))[lists.list_of]
    votes = count_votes(lists, metric) / size
    columns = [
        expected[:, 0],
        _leads(expected[:, 0], lists.offsets),
        votes,
        _leads(votes, lists.offsets),
        lists.copies / size,
        *expected[:, 1:].T,
    ]
    return NAMES if lists.data.base is None else (*NAMES, WEIGHTED), np.column_stack(columns)


def count_votes(lists: DistinctTexts, metric: TextMetric) -> Floats:
    """Number of candidates of the list with the same answer as each text, as normalised by the metric.

    Examples
    --------
    >>> from runoff.tasks.text.distinct_texts import DistinctTexts
    >>> from runoff.metrics import get
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["yes", "no", "yes "], sizes=[3])
    >>> count_votes(DistinctTexts.of(data), get("exact")).tolist()
    [2.0, 1.0, 2.0]
    """
    answer = answer_numbers(lists.texts, metric)
    _, inverse = np.unique(lists.list_of * (int(answer.max(initial=0)) + 1) + answer, return_inverse=True)
    return np.bincount(inverse, lists.copies)[inverse].astype(np.float64)


def _leads(values: Floats, offsets: Ints) -> Floats:
    """1 for the highest value of every list (the first of equal ones), else 0."""
    # Sums in another order differ in the last bits, which must not break ties.
    best = first_best(offsets, frozen(np.round(values, 9)), frozen(np.zeros(values.size)))
    out = np.zeros(values.size)
    out[(offsets[:-1] + best)[best >= 0]] = 1.0
    return out
