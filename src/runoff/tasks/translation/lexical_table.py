"""Probabilities of target words, given a source word or none, and what they say of whole sentence pairs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.arrays import frozen
from runoff.errors import ModelError, UsageError
from runoff.kernels.cooccurrence import slots_of
from runoff.kernels.word_model import pair_log_probabilities
from runoff.parallel import even_cuts, in_threads

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from runoff.arrays import Columns, Floats, Ints, Singles
    from runoff.metrics.tokens import Tokens
    from runoff.tasks.translation.alignments import Alignments
    from runoff.tasks.translation.bitext import Bitext

_PIECES = 16
FLOOR = 1e-10  # of the probability of a target word


@dataclass(frozen=True, eq=False)
class LexicalTable:
    """p(target word | source word), sparse: row 0 is of NULL, row s + 1 of source word s, words sorted in each row.

    Examples
    --------
    >>> table = LexicalTable(
    ...     np.array([0, 1, 3]), np.array([1, 0, 1], np.int32), np.array([1, 0.75, 0.25], np.float32),
    ...     pa.array(["house"], pa.large_string()), pa.array(["Haus", "das"], pa.large_string()))
    >>> table.probability("house", "Haus"), table.probability(None, "Haus"), table.translations("house")
    (0.75, 0.0, [('Haus', 0.75), ('das', 0.25)])
    """

    starts: Ints
    words: Columns
    probabilities: Singles
    source_words: pa.Array
    target_words: pa.Array

    @classmethod
    def counted(cls, bitext: Bitext, alignments: Alignments) -> LexicalTable:
        """Relative frequencies of links; a target word without a link counts for NULL. O(links log).

        Koehn, Och and Marcu (2003), section 4.4: what lexical weights of phrases are made of.
        """
        source, target = bitext.source, bitext.target
        pair_of = np.repeat(np.arange(len(bitext)), np.diff(alignments.offsets))
        target_tokens = target.offsets[pair_of] + alignments.target
        is_linked = np.zeros(target.ids.size, np.bool_)
        is_linked[target_tokens] = True
        rows = np.concatenate(
            [source.ids[source.offsets[pair_of] + alignments.source] + 1, np.zeros((~is_linked).sum(), np.int64)]
        )
        columns = np.concatenate([target.ids[target_tokens], target.ids[~is_linked]])
        width = max(len(target.spelling), 1)
        keys, counts = np.unique(rows * width + columns, return_counts=True)
        sizes = np.bincount(keys // width, minlength=len(source.spelling) + 1)
        totals = np.bincount(keys // width, counts, minlength=len(source.spelling) + 1)
        return cls(
            frozen(np.concatenate([[0], np.cumsum(sizes)])),
            frozen((keys % width).astype(np.int32)),
            frozen((counts / totals[keys // width]).astype(np.float32)),
            source.spelling,
            target.spelling,
        )

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], source_words: pa.Array, target_words: pa.Array
    ) -> LexicalTable:
        """A table of what `to_arrays` gave, checked in full: compiled loops trust it. O(entries).

        Raises `ModelError` where an array is not as it must be.
        """
        kinds = {"starts": np.int64, "words": np.int32, "probabilities": np.float32}
        if arrays.keys() != kinds.keys():
            raise ModelError(f"a lexical table has {', '.join(kinds)}; found {', '.join(arrays) or 'nothing'}.")
        for name, kind in kinds.items():
            if arrays[name].dtype != kind or arrays[name].ndim != 1:
                raise ModelError(f"{name} of a lexical table must be one row of {np.dtype(kind).name} numbers.")
        starts, words, probabilities = (arrays[name] for name in kinds)
        rows = len(source_words) + 1
        if starts.size != rows + 1 or starts[0] != 0 or starts[-1] != words.size or (np.diff(starts) < 0).any():
            raise ModelError(f"starts of a lexical table must be {rows + 1} places in order, up to {words.size}.")
        if words.size and (words.min() < 0 or words.max() >= len(target_words)):
            raise ModelError(f"words of a lexical table must be numbers below {len(target_words)}.")
        is_first = np.zeros(words.size + 1, np.bool_)
        is_first[starts] = True
        if ((np.diff(words) <= 0) & ~is_first[1:-1]).any():
            raise ModelError("words of a lexical table must be sorted, each once in its row.")
        if probabilities.size != words.size or not ((probabilities >= 0) & (probabilities <= 1)).all():
            raise ModelError("probabilities of a lexical table must be from 0 to 1, one for every word.")
        return cls(frozen(starts), frozen(words), frozen(probabilities), source_words, target_words)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays by name, without the spelling of words, which a bitext and a phrase table share."""
        return {"starts": self.starts, "words": self.words, "probabilities": self.probabilities}

    def __len__(self) -> int:
        return self.words.size

    def probability(self, source: str | None, target: str) -> float:
        """p(target | source), NULL being None; 0 for words and pairs that are not in the table. O(vocabulary)."""
        row = 0 if source is None else pc.index(self.source_words, source).as_py() + 1
        if row == 0 and source is not None:
            return 0.0
        return float(self.lookup(np.array([row - 1]), np.array([pc.index(self.target_words, target).as_py()]))[0])

    def translations(self, source: str | None, most: int = 10) -> list[tuple[str, float]]:
        """The most probable target words of a source word, or of NULL. O(vocabulary)."""
        row = 0 if source is None else pc.index(self.source_words, source).as_py() + 1
        if row == 0 and source is not None:
            return []
        here = slice(self.starts[row], self.starts[row + 1])
        best = np.argsort(-self.probabilities[here], kind="stable")[:most]
        texts = self.target_words.take(pa.array(self.words[here][best])).to_pylist()
        return list(zip(texts, self.probabilities[here][best].tolist(), strict=True))

    def lookup(self, source: NDArray[np.integer[Any]], target: NDArray[np.integer[Any]]) -> Floats:
        """p(target | source) of pairs of word numbers, -1 being NULL for a source; 0 where the table has none.

        O(log of the row) each.
        """
        rows, wanted = np.asarray(source, np.int64) + 1, np.asarray(target, np.int64)
        slots = slots_of(self.starts, self.words, rows, wanted)
        found = np.zeros(slots.size)
        found[slots >= 0] = self.probabilities[slots[slots >= 0]]
        return found

    def pruned(self, minimum: float) -> LexicalTable:
        """The table without probabilities below a minimum; the others stay as they are."""
        keep = self.probabilities >= minimum
        before = np.concatenate([[0], np.cumsum(keep)])
        return LexicalTable(
            frozen(before[self.starts]),
            frozen(self.words[keep]),
            frozen(self.probabilities[keep]),
            self.source_words,
            self.target_words,
        )

    def log_probability(
        self, source: Tokens, target: Tokens, *, source_of: Ints | None = None, floor: float = FLOOR
    ) -> Floats:
        """IBM model 1's ln p(target text | source text) of every target text, its length given.

        The sum over target words of ln(1 / (l + 1) times the sum of p(target word | source word) over NULL and the l
        source words); Brown et al. (1993), equation 6 without epsilon. Texts may be over other vocabularies: words
        are found by spelling.

        Parameters
        ----------
        source, target
            Source texts and target texts.
        source_of
            Number of the source text of every target text; None: they are pairs. Candidates that share a source text
            should follow each other: then a word costs a look-up per source word once for all of them.
        floor
            Least probability of a target word, so that unknown words leave the sum finite.
        """
        if not 0 < floor < 1:
            raise UsageError(f"the floor of a probability must be above 0 and below 1; found {floor}.")
        if source_of is None:
            if len(source) != len(target):
                raise UsageError(f"there are {len(source):,} source texts and {len(target):,} target texts.")
            source_of = np.arange(len(source))
        elif source_of.size != len(target) or (
            source_of.size and (source_of.min() < 0 or source_of.max() >= len(source))
        ):
            raise UsageError(f"every target text needs the number of a source text, below {len(source):,}.")
        ours, theirs = word_numbers(source, self.source_words), word_numbers(target, self.target_words)
        cuts = even_cuts(target.offsets + np.arange(len(target) + 1), _PIECES).tolist()
        out = np.zeros(len(target))

        def fill(piece: tuple[int, int]) -> None:
            pair_log_probabilities(
                *piece,
                ours,
                source.offsets,
                theirs,
                target.offsets,
                source_of,
                self.starts,
                self.words,
                self.probabilities,
                len(self.target_words),
                floor,
                out,
            )

        in_threads(fill, list(pairwise(cuts)))
        return out


def word_numbers(texts: Tokens, words: pa.Array) -> Ints:
    """Numbers of tokens among the words of a table; -1 for those that are not there. O(tokens + words)."""
    if texts.spelling is words:
        return texts.ids
    found = pc.fill_null(pc.index_in(texts.spelling, value_set=words), -1).to_numpy(zero_copy_only=False)
    numbers: Ints = found.astype(np.int64)[texts.ids]
    return numbers
