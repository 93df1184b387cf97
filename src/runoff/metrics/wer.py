"""Word error rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.edits import fewest_edits
from runoff.metrics.expected_edits import expected_edits
from runoff.metrics.normalisation import NormalisedMetric
from runoff.metrics.texts_and_references import offsets_of, texts_and_references, whitespace_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Floats, Ints
    from runoff.nbest import NBest


@dataclass(frozen=True, repr=False)
class WER(NormalisedMetric):
    """Edits per 100 reference words; words are split at white space and compared as they are written.

    The options of `NormalisedMetric` change what is compared; by default nothing is. Of several references the one
    with the fewest edits counts (ties: fewest words, then the first). Of several alignments with the fewest edits
    the one with the most substitutions gives the three counts. Without any reference words the rate is 100 times
    the number of edits, as in jiwer. O(n m) per pair.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["the cat sat", "A cat sat up"], sizes=[2], references=["the cat sat"])
    >>> WER().statistics(data).tolist()
    [[0.0, 0.0, 0.0, 3.0], [1.0, 1.0, 0.0, 3.0]]
    """

    name = "wer"
    digits = 2
    counts = "word errors per 100 words"
    higher_is_better = False
    limit = 0.0
    columns = ("substitutions", "insertions", "deletions", "reference words")

    @property
    def signature(self) -> str:
        """How words are normalised, and which reference counts."""
        return f"wer|words:white-space|{self.normalisation}|references:fewest-edits"

    def compute(self, data: NBest) -> Floats:
        """Substitutions, insertions, deletions and words of the reference."""
        texts, references = texts_and_references(data, self.name)
        flat = [*texts, *(reference for group in references for reference in group)]
        form = self.prepared_texts(flat)
        words = whitespace_words([form[text] for text in flat])
        counts: Floats = fewest_edits(
            data.offsets,
            words.offsets[: len(texts) + 1],
            words.ids,
            offsets_of(references),
            words.offsets[len(texts) :],
            words.ids,
        )
        return counts

    def expected(self, texts: Sequence[str], offsets: Ints, weights: Floats) -> Floats:
        """Minus the mean number of edits against the texts of its list; every pair is compared once, compiled."""
        form = self.prepared_texts(texts)
        words = whitespace_words([form[text] for text in texts])
        return expected_edits(words.ids, words.offsets, offsets, weights)

    def quality_of(self, statistics: Floats) -> Floats:
        """Minus the number of edits."""
        return -(statistics[:, 0] + statistics[:, 1] + statistics[:, 2])

    def score(self, sums: Floats) -> Floats:
        """Percent."""
        rate: Floats = 100.0 * sums[..., :3].sum(axis=-1) / np.maximum(sums[..., 3], 1.0)
        return rate
