"""Character error rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from runoff.arrays import frozen
from runoff.kernels.edit_lists import nearest_edits
from runoff.metrics.code_points import code_points
from runoff.metrics.expected_edits import expected_edits
from runoff.metrics.normalisation import NormalisedMetric
from runoff.metrics.options import check_choice
from runoff.metrics.texts_and_references import offsets_of, texts_and_references

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Floats, Ints
    from runoff.nbest import NBest


@dataclass(frozen=True, repr=False)
class CER(NormalisedMetric):
    """Edits per 100 reference characters, ignoring white space at the ends; equal to jiwer's `cer`.

    Characters are Unicode code points: a combining accent counts as one, unless unicode=nfc joins it with its letter.
    Of several references the one with the fewest edits counts (ties: fewest characters, then the first). Without any
    reference characters the rate is 100 times the number of edits, as in jiwer. O(n m / 64) per pair.

    Parameters
    ----------
    space
        kept: white space is compared like every other character; single: a run of it counts as one space; dropped: it
        is ignored, for languages that are written without spaces.
    case, punctuation, unicode
        As in `NormalisedMetric`.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["the cat ", "a cat"], sizes=[2], references=["the cat"])
    >>> CER().statistics(data).tolist()
    [[0.0, 7.0], [3.0, 7.0]]
    """

    space: Literal["kept", "single", "dropped"] = "kept"

    name = "cer"
    digits = 2
    counts = "character errors per 100 characters"
    higher_is_better = False
    limit = 0.0
    columns = ("edits", "reference characters")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self, "space")

    @property
    def signature(self) -> str:
        """How characters are normalised, and which reference counts."""
        return f"cer|characters:code-points|space:{self.space}|{self.normalisation}|references:fewest-edits"

    def canonical(self, text: str) -> str:
        """The characters that are compared.

        Examples
        --------
        >>> CER(space="dropped").canonical(" a  cat")
        'acat'
        """
        text = self.prepared(text)
        return text.strip() if self.space == "kept" else (" " if self.space == "single" else "").join(text.split())

    def compute(self, data: NBest) -> Floats:
        """Edits and characters of the reference."""
        texts, references = texts_and_references(data, self.name)
        codes, offsets = self._characters([*texts, *(reference for group in references for reference in group)])
        counts: Floats = nearest_edits(
            data.offsets,
            offsets[: len(texts) + 1],
            offsets_of(references),
            offsets[len(texts) :],
            codes,
            int(codes.max(initial=-1)) + 1,
        )
        return counts

    def expected(self, texts: Sequence[str], offsets: Ints, weights: Floats) -> Floats:
        """Minus the mean number of edits against the texts of its list; every pair is compared once, compiled."""
        codes, text_offsets = self._characters(texts)
        return expected_edits(codes, text_offsets, offsets, weights)

    def quality_of(self, statistics: Floats) -> Floats:
        """Minus the number of edits."""
        return -statistics[:, 0]

    def score(self, sums: Floats) -> Floats:
        """Percent."""
        rate: Floats = 100.0 * sums[..., 0] / np.maximum(sums[..., 1], 1.0)
        return rate

    def _characters(self, texts: Sequence[str]) -> tuple[Ints, Ints]:
        """Code points of the characters that are compared, and the offsets of the texts."""
        form = self.canonical_texts(texts)
        codes, offsets = code_points([form[text] for text in texts])
        return frozen(codes.astype(np.int64)), offsets
