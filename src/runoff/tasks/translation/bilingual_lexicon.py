"""What parallel text says about words: translation probabilities of both directions, frequencies, lengths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from runoff.arrays import frozen
from runoff.errors import DataError, ModelError
from runoff.metrics.tokens import Tokens
from runoff.tasks.translation.aligner import align_bitext
from runoff.tasks.translation.bitext import Bitext
from runoff.tasks.translation.language import Language
from runoff.tasks.translation.lexical_table import LexicalTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Floats

LEAST = 1e-4  # of the probabilities that are kept
_SIDES = ("source", "target")
_TABLES = ("direct", "inverse")


@dataclass(frozen=True, eq=False)
class BilingualLexicon:
    """Two languages, p(target word | source word) and back, how rare source words are, and usual ratios of lengths.

    `information` is -ln p of every source word of `direct`, and one more for words that it does not know; `log_ratio`
    and `spread` are mean and standard deviation of ln(target words / source words) over sentence pairs.

    Examples
    --------
    >>> english, german = ["the house", "the book", "a book"], ["das Haus", "das Buch", "ein Buch"]
    >>> lexicon = BilingualLexicon.learn(english, german)
    >>> lexicon.direct.translations("book", 1)[0][0], lexicon.log_ratio
    ('Buch', 0.0)
    """

    source: Language
    target: Language
    direct: LexicalTable
    inverse: LexicalTable
    information: Floats
    log_ratio: float
    spread: float

    @classmethod
    def learn(cls, source: Sequence[str], target: Sequence[str], *, verbose: bool = False) -> BilingualLexicon:
        """Align sentence pairs word by word with IBM model 1, and keep what it learns. O(source x target words)."""
        languages = Language.learn(source), Language.learn(target)
        return cls.of_tokens(*languages, languages[0].tokens(source), languages[1].tokens(target), verbose=verbose)

    @classmethod
    def of_tokens(
        cls, source: Language, target: Language, ours: Tokens, theirs: Tokens, *, verbose: bool = False
    ) -> BilingualLexicon:
        """The same of sentence pairs that are tokens of these languages already."""
        whole = Bitext(ours, theirs)
        chosen = whole.fit_for_training()
        if not chosen.size:
            raise DataError("no lexicon can be learned: every sentence pair has an empty side or is too long.")
        bitext = Bitext(_used(ours.take(chosen)), _used(theirs.take(chosen)))
        found = align_bitext(bitext, "model1", verbose=verbose)
        ratios = np.log(bitext.target.lengths / bitext.source.lengths)
        return cls(
            source,
            target,
            found.direct.pruned(LEAST),
            found.inverse.pruned(LEAST),
            frozen(_information(bitext.source)),
            float(ratios.mean()),
            float(ratios.std()),
        )

    def to_step(self) -> dict[str, Any]:
        """Plain values and arrays, for a model file."""
        return {
            "source": self.source.to_dict(),
            "target": self.target.to_dict(),
            "words": {"source": self.direct.source_words, "target": self.direct.target_words},
            "direct": self.direct.to_arrays(),
            "inverse": self.inverse.to_arrays(),
            "information": self.information,
            "lengths": [self.log_ratio, self.spread],
        }

    @classmethod
    def from_step(cls, kept: Any) -> BilingualLexicon:
        """From `to_step`, with a full check; raises `ModelError` where something is damaged."""
        try:
            languages = [Language.from_dict(kept[side]) for side in _SIDES]
            words = [_checked_words(kept["words"][side]) for side in _SIDES]
            tables = [
                LexicalTable.from_arrays(kept[name], *order)
                for name, order in zip(_TABLES, (words, words[::-1]), strict=True)
            ]
            information, (log_ratio, spread) = kept["information"], kept["lengths"]
            numbers = np.array([log_ratio, spread], np.float64)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ModelError("the lexicon in this file is damaged: a part of it is missing or of a wrong kind.") from (
                error
            )
        if not isinstance(information, np.ndarray) or information.dtype != np.float64 or information.ndim != 1:
            raise ModelError("the lexicon in this file is damaged: it has no numbers for the frequencies of words.")
        if information.size != len(words[0]) + 1 or not np.isfinite(information).all():
            raise ModelError("the lexicon in this file is damaged: its frequencies do not fit its words.")
        if not np.isfinite(numbers).all() or spread < 0:
            raise ModelError("the lexicon in this file is damaged: its lengths of sentences are no numbers.")
        return cls(*languages, *tables, frozen(information), float(log_ratio), float(spread))


def is_lexicon(kept: Any) -> bool:
    """Whether a value from a file is a lexicon that `BilingualLexicon.from_step` takes.

    Examples
    --------
    >>> is_lexicon(BilingualLexicon.learn(["a"], ["b"]).to_step()), is_lexicon({"source": 5})
    (True, False)
    """
    try:
        BilingualLexicon.from_step(kept)
    except ModelError:
        return False
    return True


def _used(texts: Tokens) -> Tokens:
    """The texts without the spellings of words that they do not have."""
    words, ids = np.unique(texts.ids, return_inverse=True)
    return Tokens(frozen(ids.astype(np.int64)), texts.offsets, texts.spelling.take(pa.array(words)))


def _information(texts: Tokens) -> Floats:
    """-ln p of every word; of an unknown one as of a word that was seen half a time."""
    counts = np.bincount(texts.ids, minlength=len(texts.spelling)).astype(np.float64)
    counts = np.append(counts, 0.0)
    found: Floats = -np.log(np.maximum(counts, 0.5) / max(counts.sum(), 1.0))
    return found


def _checked_words(words: Any) -> pa.Array:
    if not isinstance(words, pa.Array) or not pa.types.is_large_string(words.type) or words.null_count:
        raise ModelError("the lexicon in this file is damaged: its words are no texts.")
    words.validate(full=True)
    return words
