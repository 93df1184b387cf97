"""Quality of candidates by what they add to the score of the whole, for metrics that are no mean of their lists.

A corpus score such as BLEU is a function of summed statistics, with one brevity penalty for all. The mean of sentence
scores is another number: what is best by it is too short (Nakov, Guzmán & Vogel 2012, "Optimizing for sentence-level
BLEU+1 yields short translations").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.metrics.graded_data import with_statistics
from runoff.metrics.reference_choices import first_rows

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.metrics.base import PickMetric
    from runoff.nbest import NBest

_STEP = 1e-4  # of a sum, to both sides


def linear_quality(data: NBest, metric: PickMetric, sums: Floats | None = None) -> Floats:
    """Number of lists times what a candidate's statistics add to the score, to first order around `sums`.

    The default `sums` are those of the first choices. Where the score is a mean over lists, this is quality itself, up
    to a constant in each list; for BLEU it is the linear corpus BLEU of Tromble et al. (2008) with its true slopes.
    O(candidates).

    Examples
    --------
    >>> from runoff.metrics import get, grade
    >>> from runoff.nbest import NBest
    >>> short, long = "a cat sat on the mat", "a cat sat on the mat and slept here"
    >>> references = ["a cat sat on the mat and slept too"] * 3
    >>> data = NBest.from_arrays(texts=[short, long] * 3, sizes=[2] * 3, references=references, metric="bleu")
    >>> linear_quality(data, get("bleu")).round(1).tolist()[:2]
    [-0.0, 31.1]
    """
    data = with_statistics(data, metric)
    around = first_rows(metric, data).sum(axis=0) if sums is None else np.asarray(sums, np.float64)
    quality: Floats = len(data) * (metric.statistics(data) @ slopes_at(around, metric))
    return quality


def slopes_at(sums: Floats, metric: PickMetric) -> Floats:
    """Derivative of the signed score by every sum, by central differences. O(statistics) scores."""
    steps = _STEP * np.maximum(np.abs(sums), 1.0)
    moved = np.diag(steps)
    slopes: Floats = (metric.signed(sums + moved) - metric.signed(sums - moved)) / (2 * steps)
    return slopes
