"""Which texts are the same answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.metrics.text_metric import TextMetric

if TYPE_CHECKING:
    import pyarrow as pa

    from runoff.arrays import Ints
    from runoff.metrics.base import Metric


def answer_numbers(texts: pa.Array, metric: Metric | None) -> Ints:
    """A number for every text; texts that are the same answer to the metric have the same. O(characters).

    To a metric that compares no texts, only identical texts are the same answer.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from runoff.metrics import get
    >>> texts = pa.array(["so 4", "the answer is 4.0", "5"])
    >>> answer_numbers(texts, get("numeric")).tolist(), answer_numbers(texts, None).tolist()
    ([0, 0, 1], [0, 1, 2])
    """
    different = texts.dictionary_encode()
    indices: Ints = different.indices.to_numpy().astype(np.int64)
    if not isinstance(metric, TextMetric):
        return indices
    numbers: dict[str, int] = {}
    number_of = [numbers.setdefault(metric.canonical(text), len(numbers)) for text in different.dictionary.to_pylist()]
    return np.array(number_of, np.int64)[indices]
