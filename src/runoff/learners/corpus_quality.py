"""What candidates are ranked by in training where the score of all lists is no mean of the lists' own scores."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.errors import UsageError
from runoff.metrics import PickMetric, with_statistics
from runoff.metrics.linear_quality import linear_quality
from runoff.ranking import informative

if TYPE_CHECKING:
    from runoff.metrics import Metric
    from runoff.nbest import NBest

CREDITS = "corpus", "list"  # values of the parameter `credit`; the last is taken where nothing can be tried
_DIGITS = 10  # that count: equal statistics must stay ties


def credits_to_try(data: NBest, metric: Metric, credit: str) -> tuple[str, ...]:
    """What a learner tries: for "auto" both where the metric has one penalty for all lists and is what quality is from.

    Quality from elsewhere, such as that by people, is what was asked for.
    """
    if credit != "auto":
        return (credit,)
    if not (isinstance(metric, PickMetric) and metric.penalises_corpus) or data.quality is None:
        return CREDITS[1:]
    is_own = np.allclose(data.quality, metric.quality(data), rtol=1e-6, atol=1e-9)
    return CREDITS if is_own and credited(data, metric, "corpus") is not data else CREDITS[1:]


def credited(data: NBest, metric: Metric, credit: str) -> NBest:
    """The lists with the quality that training ranks candidates by.

    "list": the quality of each candidate as it is, such as sentence BLEU. "corpus": what it adds to the metric's score
    of all lists, to first order around the first choices, see `runoff.metrics.linear_quality`. Learners that rank
    candidates by sentence BLEU choose texts that are too short (Nakov, Guzmán & Vogel 2012): a text that is longer than
    its reference never makes up for one that is shorter, which in the corpus it does. O(candidates).

    Examples
    --------
    >>> from runoff.metrics import get, grade
    >>> from runoff.nbest import NBest
    >>> texts = ["a cat sat on the mat", "the cat sat on the mat and it slept"] * 3
    >>> lists = NBest.from_arrays(texts=texts, sizes=[2] * 3, references=["a cat sat on the mat and slept"] * 3)
    >>> data = grade(lists, "bleu")
    >>> data.quality[:2].round(1).tolist(), credited(data, get("bleu"), "corpus").quality[:2].round(1).tolist()
    ([71.7, 61.0], [-0.0, -0.3])
    """
    if credit == "list":
        return data
    if not isinstance(metric, PickMetric):
        raise UsageError(
            f"{metric.label} judges whole rankings, which are no sum over candidates; set credit='list', or take a "
            "metric of the one candidate that is chosen."
        )
    ready = with_statistics(data, metric)
    quality = linear_quality(ready, metric)
    digits = _DIGITS - math.frexp(float(np.abs(quality).max(initial=0.0)))[1] * math.log10(2)
    changed = ready.replace(quality=frozen(np.round(quality, int(digits))), missed=None)
    # Where the first choices share no n-gram with the references, BLEU stays 0 whatever one list adds.
    return changed if informative(changed).size else data
