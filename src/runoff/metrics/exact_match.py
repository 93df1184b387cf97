"""Share of choices that equal a reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runoff.metrics.base import ratio
from runoff.metrics.expected_quality import weighted_means
from runoff.metrics.normalisation import AnswerMetric, with_content
from runoff.metrics.texts_and_references import texts_and_references

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Floats, Ints
    from runoff.nbest import NBest


@dataclass(frozen=True, repr=False)
class ExactMatch(AnswerMetric):
    """Share (0 to 1) of chosen texts that equal a reference, ignoring white space and what the options drop.

    A run of white space counts as one space, and white space at the ends is ignored. `exact[articles=dropped,
    case=lower,punctuation=ascii]` is the exact match of SQuAD's evaluation script. Where punctuation or articles are
    dropped, a reference that becomes empty counts only if all do, as in that script. The options are those of
    `AnswerMetric`.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["a  b ", "A b!"], sizes=[2], references=[["a b", "b"]])
    >>> ExactMatch().quality(data).tolist(), ExactMatch(case="lower", punctuation="dropped").quality(data).tolist()
    ([1.0, 0.0], [1.0, 1.0])
    """

    name = "exact"
    limit = 1.0
    columns = ("hit", "choices")

    @property
    def signature(self) -> str:
        """White space, case and the rest, in which tools differ."""
        return f"exact|space:normalised|{self.normalisation}"

    def compute(self, data: NBest) -> Floats:
        """Hit and 1. O(total length of the texts)."""
        texts, references = texts_and_references(data, self.name)
        form = self.canonical_texts(text for part in (texts, *references) for text in part)
        right = [[form[reference] for reference in group] for group in references]
        if self.punctuation != "kept" or self.articles != "kept":
            right = [with_content(group) for group in right]
        out = np.ones((data.n_candidates, 2))
        for group, (start, stop) in enumerate(zip(data.offsets[:-1].tolist(), data.offsets[1:].tolist(), strict=True)):
            hits = set(right[group])
            out[start:stop, 0] = [form[text] in hits for text in texts[start:stop]]
        return out

    def expected(self, texts: Sequence[str], offsets: Ints, weights: Floats) -> Floats:
        """Share of the list's weight whose texts equal this one: majority vote. O(total length of the texts)."""
        form = self.canonical_texts(texts)
        number = {text: at for at, text in enumerate(dict.fromkeys(form.values()))}
        kind = np.fromiter((number[form[text]] for text in texts), np.int64, len(texts))
        return share_of_same(kind, offsets, weights)

    def quality_of(self, statistics: Floats) -> Floats:
        """1 for a hit, else 0."""
        return statistics[:, 0]

    def score(self, sums: Floats) -> Floats:
        """Share of hits; 0 without choices."""
        return ratio(sums[..., 0], sums[..., 1])


def share_of_same(kind: Ints, offsets: Ints, weights: Floats) -> Floats:
    """For every text, the share of its list's weight that texts of the same kind have. O(n log n).

    Examples
    --------
    >>> share_of_same(np.array([0, 1, 0]), np.array([0, 3]), np.ones((3, 1))).round(2).ravel().tolist()
    [0.67, 0.33, 0.67]
    """
    sizes = np.diff(offsets)
    place = np.repeat(np.arange(sizes.size), sizes) * (int(kind.max(initial=0)) + 1) + kind
    cell = np.unique(place, return_inverse=True)[1]
    sums = np.zeros((int(cell.max(initial=-1)) + 1, weights.shape[1]))
    np.add.at(sums, cell, weights)
    return weighted_means(sums[cell], offsets, weights)
