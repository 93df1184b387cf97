"""The tree of a sentence for which no other was found: all words hang from one node."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.parsing.treebank_files import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.kernels.head_chart import Leaves
    from runoff.parsing.grammar.symbols import Symbols


def flat_tree(words: Sequence[str], leaves: Leaves, symbols: Symbols, label: int) -> tuple[list[float], list[str]]:
    """A tree of the label over all words with their likeliest tags, and the log-probability of the words by them."""
    likely = leaves.known * leaves.within
    tags, score = [], 0.0
    for place in range(len(words)):
        here = np.flatnonzero(leaves.places == place)
        best = here[np.argmax(likely[here])]
        tags.append(symbols.plain[leaves.tags[best]])
        score += float(np.log(likely[best]))
    below = " ".join(f"({tag} {word})" for tag, word in zip(tags, words, strict=True))
    name = symbols.plain[label]
    return [score], [f"({ROOT} {below})" if name == ROOT else f"({ROOT} ({name} {below}))"]
