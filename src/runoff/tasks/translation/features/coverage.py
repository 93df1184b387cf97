"""What a translation leaves out of its source, what it adds, how long it is, and what it keeps as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.kernels import translation_evidence as kernel
from runoff.kernels.kept_words import kept_words
from runoff.tasks.text.tokenizer import is_punctuation
from runoff.tasks.translation.joined_tokens import JOINER

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.tasks.translation.bilingual_lexicon import BilingualLexicon
    from runoff.tasks.translation.features.evidence import Evidence
    from runoff.tasks.translation.features.translated_texts import TranslatedTexts

_KINDS = ("unknown words", "numbers", "marks")
_LEAST_SPREAD = 0.05  # of the logarithm of the ratio of lengths
NAMES = (
    "coverage:left out",
    "coverage:hardly there",
    "coverage:added",
    "coverage:hardly explained",
    "coverage:information left out",
    "coverage:without link",
    "coverage:source without link",
    "coverage:source with three links",
    "coverage:jumps",
    "coverage:length",
    "coverage:too long",
    "coverage:too short",
    *(f"coverage:{kind} {what}" for what in ("kept", "lost", "added") for kind in _KINDS),
)


def coverage_features(
    texts: TranslatedTexts, lexicon: BilingualLexicon, evidence: Evidence
) -> tuple[tuple[str, ...], Floats]:
    """Counts of words that one side lacks, of links, and of what is kept; a row per text.

    A word is explained by one of the other side where either direction's probability is at least 0.01; hardly so below
    0.1. `information left out` sums -ln p of source words that are left out or hardly there. Links are the most
    probable ones of both directions; `jumps` sums how far they stray from left to right. The ratio of lengths is
    compared with that of the training text, in its standard deviations: squared, above and below. Words that the
    lexicon does not know, numbers and punctuation marks may be kept as they are spelled, lost, or added. O(words).
    """
    table = evidence.table
    names = [
        kernel.LEFT_OUT,
        kernel.LEFT_OUT + 1,
        kernel.ADDED,
        kernel.ADDED + 1,
        kernel.INFORMATION,
        kernel.UNLINKED,
        kernel.BARREN,
        kernel.FERTILE,
        kernel.JUMPS,
    ]
    return NAMES, np.column_stack([table[:, names], _length(texts, lexicon), _kept(texts, lexicon)])


def _length(texts: TranslatedTexts, lexicon: BilingualLexicon) -> Floats:
    """How far the ratio of lengths is from the usual one."""
    ours = texts.source.lengths[texts.lists.list_of]
    ratio = np.log((texts.target.lengths + 0.5) / (ours + 0.5)) - lexicon.log_ratio
    away = np.where(ours > 0, ratio / max(lexicon.spread, _LEAST_SPREAD), 0.0)
    return np.column_stack([away**2, np.maximum(away, 0.0), np.maximum(-away, 0.0)])


def _kept(texts: TranslatedTexts, lexicon: BilingualLexicon) -> Floats:
    """Counts of words kept, lost and added, of each kind."""
    known = set(lexicon.direct.source_words.to_pylist()) | set(lexicon.direct.target_words.to_pylist())
    numbers: dict[str, int] = {}
    sides = []
    for side in (texts.source, texts.target):
        bare = [word.replace(JOINER, "") for word in side.spelling.to_pylist()]
        sides.append(np.array([numbers.setdefault(word, len(numbers)) for word in bare], np.int64))
        known |= {plain for plain, word in zip(bare, side.spelling.to_pylist(), strict=True) if word in known}
    kinds = np.array([_kind(word, word in known) for word in numbers], np.int32)
    out = np.zeros((texts.lists.n_texts, 3 * len(_KINDS)))
    kept_words(
        texts.lists.offsets,
        frozen(sides[0][texts.source.ids]),
        texts.source.offsets,
        frozen(sides[1][texts.target.ids]),
        texts.target.offsets,
        frozen(kinds),
        len(_KINDS),
        out,
    )
    return out


def _kind(word: str, is_known: bool) -> int:
    if any(map(str.isdigit, word)):
        return 1
    if word and all(map(is_punctuation, word)):
        return 2
    return -1 if is_known else 0
