"""PARSEVAL: precision and recall of constituents, from gold trees or from precomputed statistics."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

from runoff.errors import DataError, UsageError
from runoff.metrics.base import PickMetric, ratio
from runoff.metrics.options import check_choice, check_cut

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.nbest import NBest

COLUMNS = (
    "matched",
    "gold",
    "test",
    "crossing",
    "without crossing",
    "up to two crossing",
    "exact",
    "right tags",
    "tagged words",
    "sentences",
)
MATCHED, GOLD, TEST, CROSSING, NO_CROSSING, TWO_CROSSING, EXACT, TAGS, WORDS, SENTENCES = range(len(COLUMNS))
# Labels that COLLINS.prm deletes, and other parsers' names for TOP; nodes without a label are deleted too.
DELETED_LABELS = ("TOP", "S1", "ROOT", "-NONE-", ",", ":", "``", "''", ".")
EQUAL_LABELS = {"PRT": "ADVP"}
_SHARES = {  # part: numerator and denominator
    "recall": (MATCHED, GOLD),
    "precision": (MATCHED, TEST),
    "crossing": (CROSSING, SENTENCES),
    "no-crossing": (NO_CROSSING, SENTENCES),
    "two-crossing": (TWO_CROSSING, SENTENCES),
    "exact": (EXACT, SENTENCES),
    "tags": (TAGS, WORDS),
}
TIES = 1e-9  # of a constituent: no sum over the words of a sentence can turn two trees that differ in F


@dataclass(frozen=True, repr=False)
class Parseval(PickMetric):
    """Labelled constituents (Black et al. 1991), 0 to 100; every sentence counts.

    As EVALB with COLLINS.prm, with one difference: punctuation is what the *gold* tree tags as punctuation, also in the
    candidate, so a parser that retags it loses no sentence. Gold trees are the references.

    Parameters
    ----------
    k
        Count only sentences of at most this many words, with punctuation and without traces (usually 40).
    part
        f, recall or precision of the constituents; crossing (constituents per sentence that cross gold ones, lower
        is better), no-crossing or two-crossing (share of sentences with none, with at most two), exact (share of
        sentences without an error) or tags (share of words). All parts have the same statistics and quality: the
        oracle is always the best by F.
    tags
        What a right tag adds to the quality of a tree, in right constituents. F sees brackets alone, and what learns
        from it trades tags for brackets. By default (1e-9) tags decide only between trees of equal F; 0: not even that.

    Examples
    --------
    >>> import numpy as np
    >>> from runoff.nbest import NBest
    >>> rows = np.array([[3, 4, 6, 1, 0, 1, 0, 5, 5, 1], [4, 4, 4, 0, 1, 1, 1, 5, 5, 1.0]])
    >>> data = NBest.from_arrays(texts=["a", "b"], sizes=[2]).replace(stats={"parseval": rows})
    >>> Parseval().quality(data).round(6).tolist()
    [2.4, 4.0]
    >>> Parseval().score(rows).tolist(), Parseval(part="precision").score(rows).tolist()
    ([60.0, 100.0], [50.0, 100.0])
    """

    k: int | None = None
    part: Literal["f", "recall", "precision", "crossing", "no-crossing", "two-crossing", "exact", "tags"] = "f"
    tags: float = TIES

    name = "parseval"
    digits = 2
    quick = False
    limit = 100.0
    columns = COLUMNS
    dropped: ClassVar[str] = "gold-tags"  # whose tags say which words of a candidate are punctuation
    misfits: ClassVar[str] = "counted"  # sentences whose words differ from those of the gold tree

    def __post_init__(self) -> None:
        super().__post_init__()
        check_cut(self, self.k)
        check_choice(self, "part")
        if not (math.isfinite(self.tags) and self.tags >= 0):
            raise UsageError(f"{self.name}[tags=…] must be a number of at least 0; found {self.tags}.")
        if self.part == "crossing":  # the only part that counts errors
            object.__setattr__(self, "higher_is_better", False)
            object.__setattr__(self, "limit", 0.0)

    @property
    def key(self) -> str:
        """Name and cut-off: all parts share their statistics, whatever tags are worth."""
        return self.name if self.k is None else f"{self.name}@{self.k}"

    @property
    def signature(self) -> str:
        """All options that affect the numbers."""
        equal = " ".join(f"{one}={other}" for other, one in EQUAL_LABELS.items())
        rules = f"deleted:{' '.join(DELETED_LABELS)} and empty|equal:{equal}"
        length = "none" if self.k is None else f"{self.k} words"
        words = f"words-dropped-by:{self.dropped}|misfits:{self.misfits}"
        worth = "" if self.tags == TIES else f"|tags:{self.tags:g}"
        return f"{self.name}|part:{self.part}|labelled|{rules}|{words}|cut-off:{length}{worth}"

    def compute(self, data: NBest) -> Floats:
        """Compare trees with gold trees."""
        return self.compute_all(data)[self.key]

    def compute_all(self, data: NBest) -> dict[str, Floats]:
        """All variants and cut-offs at once, because they parse the same trees."""
        from runoff.tasks.parsing.features.extract import gold_of, statistics

        if not gold_of(data).any():
            raise DataError(
                f"{self.name} compares trees with gold trees, and this data has none; add them as references, or pass "
                "a file of them as --references."
            )
        return statistics(data, () if self.k is None else (self.k,))

    def quality_of(self, statistics: Floats) -> Floats:
        """F, as a share, times the number of gold constituents (Collins & Koo 2005, section 5), and the right tags."""
        return self._f(statistics) * statistics[..., GOLD] + self.tags * statistics[..., TAGS]

    def score(self, sums: Floats) -> Floats:
        """The requested part; 0 if there is nothing to count."""
        if self.part == "f":
            return 100.0 * self._f(sums)
        above, below = _SHARES[self.part]
        share = ratio(sums[..., above], sums[..., below])
        return share if self.part == "crossing" else 100.0 * share

    @staticmethod
    def _f(statistics: Floats) -> Floats:
        return ratio(2.0 * statistics[..., MATCHED], statistics[..., GOLD] + statistics[..., TEST])


@dataclass(frozen=True, repr=False)
class Evalb(Parseval):
    """PARSEVAL exactly as the program EVALB computes it with COLLINS.prm, 0 to 100.

    Each tree loses the words that it tags itself as punctuation. If the remaining words differ from those of the gold
    tree, EVALB reports an error and skips the sentence, and so does this; its quality is 0. Options are those of
    `parseval`.

    Examples
    --------
    >>> import numpy as np
    >>> left_out, wrong = np.zeros(10), np.array([3, 4, 6, 1, 0, 1, 0, 5, 5, 1.0])
    >>> Evalb().score(left_out + wrong).tolist(), Evalb(part="crossing").score(left_out + wrong).tolist()
    (60.0, 1.0)
    """

    name = "evalb"
    dropped = "own-tags"
    misfits = "left-out"
