"""Metrics of taggings: conlleval for phrases, and the share of right tags."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from runoff.metrics.base import PickMetric, ratio
from runoff.metrics.options import check_choice
from runoff.tasks.tagging.phrase_statistics import (
    COLUMNS,
    CORRECT,
    GOLD,
    GUESSED,
    RIGHT_TAGS,
    TOKENS,
    of_candidates,
)

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.nbest import NBest

TIES = 1e-9  # of a phrase: no sum over the tags of a sentence can turn two taggings that differ in phrases


@dataclass(frozen=True, repr=False)
class ConllEval(PickMetric):
    """Phrases as the Perl script conlleval (version of 2004) counts them, 0 to 100.

    A phrase is right if its first token, its last token and its type are. The script's rules for where phrases start
    and end read IOB2, IOB1 and the IOE schemes, and give every malformed sequence some reading: an I after O or after
    another type starts a phrase. They do not know the S, L and U of BIOES and BILOU, nor that a B after an E starts
    a phrase: convert such tags first, with `runoff.tasks.tagging.convert`. Gold tags are the first reference.

    Two sides of the script are not kept. Every sentence stands by itself: the script carries a phrase over a blank line
    where it ends in a tag without a type whose letter it does not know, or in one with the letter ".". And a word -X-
    is a word, not the end of a sentence.

    Parameters
    ----------
    part
        f, precision or recall of the phrases, or accuracy of the tags. All have the same statistics and quality.
    raw
        As the script with -r: tags have no letters, and every tag but O is a phrase of one token.

    Notes
    -----
    The quality of a tagging is minus its number of wrong and missed phrases, `2 correct - guessed - gold`; right tags
    decide between equal ones. It adds up over sentences, and it charges a wrong phrase in a sentence without gold
    phrases, which F of a sentence cannot. A choice that maximises F of a corpus maximises the sum of
    `2 correct - F (guessed + gold)` at its own F (Dinkelbach 1967), so that this is what F rewards, as F nears 1.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> texts = ["B-NP O B-VP", "B-NP I-NP B-VP"]
    >>> data = NBest.from_arrays(texts=texts, sizes=[2], references=["B-NP I-NP B-VP"])
    >>> ConllEval().statistics(data).tolist()
    [[1.0, 2.0, 2.0, 2.0, 3.0], [2.0, 2.0, 2.0, 3.0, 3.0]]
    >>> ConllEval().score(ConllEval().statistics(data)).tolist(), ConllEval().quality(data).round(6).tolist()
    ([50.0, 100.0], [-2.0, 0.0])
    """

    part: Literal["f", "precision", "recall", "accuracy"] = "f"
    raw: bool = False

    name = "conlleval"
    digits = 2
    limit = 100.0
    columns = COLUMNS

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self, "part")

    @property
    def key(self) -> str:
        """All parts share their statistics."""
        return f"{self.name}[raw]" if self.raw else self.name

    @property
    def signature(self) -> str:
        """All options that affect the numbers."""
        return f"{self.name}|part:{self.part}|phrases:{'raw' if self.raw else 'conlleval-2004'}"

    def compute(self, data: NBest) -> Floats:
        """Compare tags with gold tags."""
        return of_candidates(data, self.name, raw=self.raw).rows

    def quality_of(self, statistics: Floats) -> Floats:
        """Minus the wrong and the missed phrases; right tags decide between equal ones."""
        errors = statistics[..., GUESSED] + statistics[..., GOLD] - 2.0 * statistics[..., CORRECT]
        return TIES * statistics[..., RIGHT_TAGS] - errors

    def score(self, sums: Floats) -> Floats:
        """The requested part, in the script's own arithmetic; 0 if there is nothing to count."""
        if self.part == "accuracy":
            return ratio(100.0 * sums[..., RIGHT_TAGS], sums[..., TOKENS])
        precision = ratio(100.0 * sums[..., CORRECT], sums[..., GUESSED])
        if self.part == "precision":
            return precision
        recall = ratio(100.0 * sums[..., CORRECT], sums[..., GOLD])
        return recall if self.part == "recall" else ratio(2.0 * precision * recall, precision + recall)


@dataclass(frozen=True, repr=False)
class TagAccuracy(PickMetric):
    """Right tags of 100, compared as they are written; for parts of speech and other tags without phrases.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["DT NN", "DT VB"], sizes=[2], references=["DT NN"])
    >>> TagAccuracy().score(TagAccuracy().statistics(data)).tolist()
    [100.0, 50.0]
    """

    name = "tag-accuracy"
    digits = 2
    limit = 100.0
    columns = ("right tags", "tokens")

    @property
    def signature(self) -> str:
        """Its only rule."""
        return f"{self.name}|tags:as-written"

    def compute(self, data: NBest) -> Floats:
        """Compare tags with gold tags."""
        # Raw: a tag is its own type, so that no two different ones are the same.
        return of_candidates(data, self.name, raw=True).rows[:, RIGHT_TAGS:]

    def quality_of(self, statistics: Floats) -> Floats:
        """Number of right tags."""
        return statistics[..., 0]

    def score(self, sums: Floats) -> Floats:
        """Percent."""
        return ratio(100.0 * sums[..., 0], sums[..., 1])
