"""Phrases of one language with their translations into another, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.kernels.phrase_lookup import phrases_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from runoff.arrays import Columns, Ints, Singles
    from runoff.metrics.tokens import Tokens

SCORES = ("inverse", "inverse-lexical", "direct", "direct-lexical")
DIRECT = SCORES.index("direct")
MOST_WORDS = 255  # of a phrase; places of links are bytes
SIDES, TYPES = ("previous", "next"), ("monotone", "swap", "discontinuous")


class PhraseOption(NamedTuple):
    """One translation of a phrase, for people: probabilities and not logarithms.

    Examples
    --------
    >>> option = PhraseOption(("the", "house"), {"direct": 0.5}, {}, ((0, 0), (1, 1)), (1.0, 2.0, 1.0))
    >>> " ".join(option.target), option.scores["direct"]
    ('the house', 0.5)
    """

    target: tuple[str, ...]
    scores: dict[str, float]
    reordering: dict[str, float]
    links: tuple[tuple[int, int], ...]
    counts: tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class PhraseTable:
    """Source phrases with their options.

    Phrase p is `phrase_words[phrase_offsets[p]:phrase_offsets[p + 1]]`, numbers of `source_words`; phrases are all
    different and in lexicographic order. Its options are those from `option_offsets[p]` to `option_offsets[p + 1]`, the
    most probable first, equally probable ones in the order of their words. Of option o,
    `target_ids[target_offsets[o]:target_offsets[o + 1]]` are numbers of `target_words`; `scores[o]` are natural
    logarithms of p(source | target), its lexical weight, p(target | source) and its lexical weight; `reordering[o]`, if
    there is any, those of the probabilities of being monotone, swapped and discontinuous to what comes before, and of
    the same three to what comes after; `links[link_offsets[o]:link_offsets[o + 1]]` are rows of source and target
    place, in the order of the target; `counts[o]` says how often the pair, its target side and its source side
    occurred, 0 where a file does not say.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from runoff.metrics.tokens import tokenised
    >>> from runoff.tasks.translation.bitext import Bitext
    >>> from runoff.tasks.translation.phrase_table_building import build_phrase_table
    >>> pairs = Bitext(tokenised(["la maison", "la"], str.split), tokenised(["the house", "the"], str.split))
    >>> links = SimpleNamespace(offsets=np.array([0, 2, 3]), source=np.array([0, 1, 0]), target=np.array([0, 1, 0]))
    >>> table = build_phrase_table(pairs, links, smoothing="none")
    >>> len(table), [option.target for option in table.options("la maison".split())]
    (3, [('the', 'house')])
    >>> table.options(["la"])[0].scores["direct"]
    1.0
    """

    source_words: pa.Array
    target_words: pa.Array
    phrase_offsets: Ints
    phrase_words: Columns
    option_offsets: Ints
    target_offsets: Ints
    target_ids: Columns
    scores: Singles
    reordering: Singles | None
    link_offsets: Ints
    links: NDArray[np.uint8]
    counts: Singles
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return int(self.phrase_offsets.size - 1)

    @property
    def n_options(self) -> int:
        """Number of options of all phrases."""
        return int(self.target_offsets.size - 1)

    @property
    def longest(self) -> int:
        """Words of the longest source phrase."""
        return int(np.diff(self.phrase_offsets).max(initial=0))

    def source_numbers(self, tokens: Tokens) -> Columns:
        """Numbers of all tokens among the source words, -1 where there is no such word. O(words + tokens)."""
        numbers = pc.fill_null(pc.index_in(tokens.spelling.cast(pa.large_string()), self.source_words), -1)
        found: Columns = numbers.to_numpy(zero_copy_only=False).astype(np.int32)[tokens.ids]
        return found

    def phrases_in(self, sentence: Columns) -> NDArray[np.int32]:
        """All spans of a sentence, given as numbers of source words, that are phrases: start, end, phrase."""
        return phrases_in(
            np.ascontiguousarray(sentence, np.int32), self.phrase_offsets, self.phrase_words, self.longest
        )

    def options(self, source: Sequence[str]) -> list[PhraseOption]:
        """The options of a phrase, the most probable first; none if the table does not have it."""
        numbers = pc.fill_null(pc.index_in(pa.array(source, pa.large_string()), self.source_words), -1)
        spans = self.phrases_in(numbers.to_numpy(zero_copy_only=False))
        whole = [phrase for start, end, phrase in spans.tolist() if (start, end) == (0, len(source))]
        return [
            self._option(at)
            for phrase in whole
            for at in range(self.option_offsets[phrase], self.option_offsets[phrase + 1])
        ]

    def _option(self, at: int) -> PhraseOption:
        words = self.target_ids[self.target_offsets[at] : self.target_offsets[at + 1]]
        names = [f"{side}-{name}" for side in SIDES for name in TYPES]
        links = self.links[self.link_offsets[at] : self.link_offsets[at + 1]]
        pair, target, source = self.counts[at].tolist()
        return PhraseOption(
            tuple(self.target_words.take(pa.array(words)).to_pylist()),
            dict(zip(SCORES, np.exp(self.scores[at], dtype=np.float64).tolist(), strict=True)),
            {}
            if self.reordering is None
            else dict(zip(names, np.exp(self.reordering[at], dtype=np.float64).tolist(), strict=True)),
            tuple((source_at, target_at) for source_at, target_at in links.tolist()),
            (pair, target, source),
        )
