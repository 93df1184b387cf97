"""How likely a translation and its source are as translations of each other, word by word, by IBM model 1.

Och et al. (2004), "A smorgasbord of features for statistical machine translation", found this the best single feature
of whole translations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.translation_evidence import BEST_DIRECT, BEST_INVERSE, DIRECT, INVERSE

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.tasks.translation.features.evidence import Evidence
    from runoff.tasks.translation.features.translated_texts import TranslatedTexts

NAMES = (
    "lexicon:target",
    "lexicon:source",
    "lexicon:target by best links",
    "lexicon:source by best links",
    "lexicon:target per word",
    "lexicon:source per word",
    "lexicon:target by best links per word",
    "lexicon:source by best links per word",
)


def lexicon_features(texts: TranslatedTexts, evidence: Evidence) -> tuple[tuple[str, ...], Floats]:
    """Logarithms of p(target | source) and p(source | target), in sum and per word; a row per text.

    Each is summed over all alignments (model 1's likelihood, the length given), and of the best alignment alone (its
    words' probabilities). A word that nothing explains counts as one in a million. All are 0 for a text without words
    on the side that is predicted.
    """
    columns = evidence.table[:, [DIRECT, INVERSE, BEST_DIRECT, BEST_INVERSE]]
    theirs = np.maximum(texts.target.lengths, 1)
    ours = np.maximum(texts.source.lengths, 1)[texts.lists.list_of]
    lengths = np.column_stack([theirs, ours, theirs, ours])
    return NAMES, np.column_stack([columns, columns / lengths])
