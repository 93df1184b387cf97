"""Models of where a target word comes from: all that an aligner knows besides words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.kernels.word_model import add_counts, best_positions
from runoff.tasks.translation.lexicon import Counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Columns, Floats
    from runoff.tasks.translation.lexicon import Lexicon, SentencePairs


class UniformPositions:
    """IBM model 1 (Brown et al. 1993): every position of the source sentence, NULL included, is as likely."""

    name = "model1"

    def count(self, pairs: SentencePairs, lexicon: Lexicon, first: int, last: int, counts: Floats) -> Counted:
        """See `PositionModel`. O(source words times target words) look-ups for every pair."""
        rows = lexicon.starts, lexicon.words, lexicon.probabilities
        return Counted(add_counts(first, last, *pairs, *rows, counts))

    def learn(self, counted: Sequence[Counted]) -> None:
        """There is nothing to learn about positions."""

    def align(
        self,
        pairs: SentencePairs,
        lexicon: Lexicon,
        first: int,
        last: int,
        decoding: str,  # noqa: ARG002 - words are independent: the best alignment has each one's best position
        out: Columns,
    ) -> None:
        """See `PositionModel`."""
        best_positions(first, last, *pairs, lexicon.starts, lexicon.words, lexicon.probabilities, out)
