"""Different candidates of several rounds of decoding, with the statistics of a metric counted once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.nbest import NBest

if TYPE_CHECKING:
    from runoff.arrays import Bools
    from runoff.metrics import PickMetric


class CandidatePool:
    """Lists that grow: a candidate is new if its text, or the terms of its score, are.

    The first round's score is left out, since it is the sum of the terms by weights that change.

    Examples
    --------
    >>> from runoff.metrics import get
    >>> lists = NBest.from_arrays([[1.0], [2.0]], texts=["a", "b"], references=[["b"]], sizes=[2], feature_names=["lm"])
    >>> pool = CandidatePool(get("bleu"))
    >>> pool.add(lists), pool.add(lists), pool.data.n_candidates
    (2, 0, 2)
    """

    def __init__(self, metric: PickMetric) -> None:
        self._metric = metric
        self._parts: list[NBest] = []
        self._seen: list[set[tuple[str, bytes]]] = []

    def add(self, lists: NBest) -> int:
        """Take the candidates that are new; returns their number. Lists must be of the same inputs, in their order."""
        self._seen = self._seen or [set() for _ in range(len(lists))]
        texts = lists.texts.to_pylist() if lists.texts is not None else []
        # Single precision: the same terms, added in another order, are the same.
        terms = np.ascontiguousarray(lists.features.to_scipy().toarray(), np.float32)
        kept = np.zeros(lists.n_candidates, bool)
        for row, (group, text) in enumerate(zip(lists.group_of.tolist(), texts, strict=True)):
            key = text, terms[row].tobytes()
            kept[row] = key not in self._seen[group]
            self._seen[group].add(key)
        self._parts.append(self._with_statistics(lists, kept))
        return int(kept.sum())

    @property
    def data(self) -> NBest:
        """All candidates so far, those of earlier rounds first. O(candidates)."""
        parts = self._parts
        order = np.argsort(np.concatenate([part.group_of for part in parts]), kind="stable")
        texts = [text for part in parts for text in (part.texts.to_pylist() if part.texts is not None else [])]
        statistics = np.concatenate([part.stats[self._metric.key] for part in parts])[order]
        return NBest.from_arrays(
            np.concatenate([part.features.to_scipy().toarray() for part in parts])[order],
            self._metric.quality_of(statistics),
            sizes=np.sum([part.sizes for part in parts], axis=0),
            texts=[texts[row] for row in order.tolist()],
            references=parts[0].references,
            feature_names=parts[0].features.column_names(),
            stats={self._metric.key: statistics},
            metric=self._metric.label,
        )

    def _with_statistics(self, lists: NBest, kept: Bools) -> NBest:
        rows = np.flatnonzero(kept)
        sizes = np.bincount(lists.group_of[rows], minlength=len(lists))
        texts = [] if lists.texts is None else lists.texts.take(rows).to_pylist()
        part = NBest.from_arrays(
            lists.features.to_scipy().toarray()[rows],
            sizes=sizes,
            texts=texts,
            references=lists.references,
            feature_names=lists.features.column_names(),
        )
        return part.replace(stats={self._metric.key: self._metric.statistics(part)})
