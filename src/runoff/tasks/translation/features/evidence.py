"""What a lexicon says of every translation: sums over words, and the source word of every target word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.kernels import translation_evidence as kernel
from runoff.parallel import even_cuts, in_threads
from runoff.tasks.translation.lexical_table import word_numbers

if TYPE_CHECKING:
    from runoff.arrays import Columns, Floats
    from runoff.tasks.translation.bilingual_lexicon import BilingualLexicon
    from runoff.tasks.translation.features.translated_texts import TranslatedTexts
    from runoff.tasks.translation.lexical_table import LexicalTable

FLOOR = 1e-6  # least probability of a word
_PIECES = 32


@dataclass(frozen=True, eq=False)
class Evidence:
    """Columns as `runoff.kernels.translation_evidence` numbers them, a row for every distinct translation.

    `links` has the position in the source sentence of every target token, -1 for none.
    """

    table: Floats
    links: Columns

    @classmethod
    def of(cls, texts: TranslatedTexts, lexicon: BilingualLexicon) -> Evidence:
        """Measure all translations. O(source words times target words) of each, and few look-ups."""
        ours = word_numbers(texts.source, lexicon.direct.source_words)
        theirs = word_numbers(texts.target, lexicon.direct.target_words)
        sides = kernel.Sides(ours, texts.source.offsets, theirs, texts.target.offsets)
        lists = texts.lists
        table = np.zeros((lists.n_texts, kernel.COLUMNS))
        links = np.full(theirs.size, -1, np.int32)
        work = texts.target.offsets[lists.offsets] - texts.target.offsets[0]
        cuts = even_cuts(work + np.arange(work.size), _PIECES)
        direct, inverse = _arrays(lexicon.direct), _arrays(lexicon.inverse)
        n_target = len(lexicon.direct.target_words)

        def piece(at: int) -> None:
            kernel.measure(
                cuts[at],
                cuts[at + 1],
                lists.offsets,
                sides,
                direct,
                inverse,
                lexicon.information,
                n_target,
                FLOOR,
                table,
                links,
            )

        in_threads(piece, range(cuts.size - 1))
        return cls(frozen(table), frozen(links))


def _arrays(table: LexicalTable) -> kernel.Table:
    return kernel.Table(frozen(table.starts), frozen(table.words), frozen(table.probabilities))
