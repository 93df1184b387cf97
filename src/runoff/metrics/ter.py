"""Translation edit rate as sacrebleu computes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runoff.metrics.text_metric import TextMetric
from runoff.metrics.texts_and_references import texts_and_references

if TYPE_CHECKING:
    import sacrebleu

    from runoff.arrays import Floats
    from runoff.nbest import NBest


@dataclass(frozen=True, repr=False)
class TER(TextMetric):
    """TER (Snover et al. 2006), edits and shifts per 100 reference words, equal to sacrebleu's `corpus_ter`.

    Of several references the one with the fewest edits counts, over the mean length of all. Every distinct text of a
    group is given to sacrebleu once, which is slow: about a millisecond for 20 words with a few errors, and a hundred
    times that where all words are out of order.

    Parameters
    ----------
    normalized, no_punct, asian_support, case_sensitive
        As in sacrebleu: separate punctuation, drop punctuation, also for Chinese and Japanese, match case.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> texts = ["on the mat the cat sat", "the cat sat on mats"]
    >>> data = NBest.from_arrays(texts=texts, sizes=[2], references=["the cat sat on the mat"])
    >>> TER().statistics(data).tolist()
    [[1.0, 6.0], [2.0, 6.0]]
    """

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False

    name = "ter"
    compares_quickly = False  # a millisecond and more for a pair
    digits = 2
    counts = "edits per 100 words"
    higher_is_better = False
    limit = 0.0
    columns = ("edits", "mean reference words")

    @property
    def signature(self) -> str:
        """The parts of sacrebleu's own signature, with its version."""
        from sacrebleu import __version__

        case = "mixed" if self.case_sensitive else "lc"
        said = {"norm": self.normalized, "punct": not self.no_punct, "asian": self.asian_support}
        parts = "|".join(f"{part}:{'yes' if value else 'no'}" for part, value in said.items())
        return f"ter|case:{case}|tok:tercom|{parts}|sacrebleu:{__version__}"

    def canonical(self, text: str) -> str:
        """The words that are compared.

        Examples
        --------
        >>> TER(no_punct=True).canonical("A cat , sat.")
        'a cat sat'
        """
        return super().canonical(self._sacrebleu().tokenizer(text.rstrip()))

    def compute(self, data: NBest) -> Floats:
        """Edits and mean length of the references."""
        texts, references = texts_and_references(data, self.name)
        ter = self._sacrebleu()
        out = np.zeros((data.n_candidates, 2))
        for group, (start, stop) in enumerate(zip(data.offsets[:-1].tolist(), data.offsets[1:].tolist(), strict=True)):
            known: dict[str, tuple[float, float]] = {}
            for row in range(start, stop):
                if texts[row] not in known:
                    found = ter.sentence_score(texts[row], references[group])
                    known[texts[row]] = found.num_edits, found.ref_length
                out[row] = known[texts[row]]
        return out

    def quality_of(self, statistics: Floats) -> Floats:
        """Minus the edits per reference word."""
        return -self._rate(statistics)

    def score(self, sums: Floats) -> Floats:
        """Percent."""
        return 100.0 * self._rate(sums)

    @staticmethod
    def _rate(sums: Floats) -> Floats:
        """Edits per word; 1 where there are edits and no words, as in sacrebleu."""
        edits, words = sums[..., 0], sums[..., 1]
        return np.divide(edits, words, out=np.asarray(edits > 0, np.float64), where=words > 0)

    def _sacrebleu(self) -> sacrebleu.TER:
        import sacrebleu

        return sacrebleu.TER(self.normalized, self.no_punct, self.asian_support, self.case_sensitive)
