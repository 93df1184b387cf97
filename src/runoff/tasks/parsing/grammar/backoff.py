"""What each kind of step looks at, from fine to rough.

The chains follow Collins (1999) and Charniak (2000): the finest context has the head's word, the roughest nearly
nothing, and every one is interpolated with the next rougher one as Witten & Bell do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels import head_chart
from runoff.kernels.head_chart import HEADS, LABELS, TAGS, WORDS

if TYPE_CHECKING:
    from runoff.arrays import Ints
    from runoff.tasks.parsing.grammar.settings import Settings

CONTEXTS: dict[int, tuple[str, ...]] = {
    HEADS: ("PARENT ABOVE TAG WORD", "PARENT ABOVE TAG", "PARENT TAG", "PARENT"),
    LABELS: (
        "SIDE PARENT HEAD TAG WORD LAST BARE",
        "SIDE PARENT ABOVE HEAD TAG LAST BEFORE BARE",
        "SIDE PARENT ABOVE HEAD LAST BEFORE BARE",
        "SIDE PARENT HEAD LAST",
        "SIDE PARENT",
    ),
    TAGS: ("SIDE PARENT HEAD TAG WORD LABEL", "SIDE PARENT HEAD TAG LABEL", "PARENT LABEL", "LABEL"),
    WORDS: (
        "SIDE PARENT TAG WORD LABEL OWN_TAG",
        "PARENT WORD OWN_TAG",
        "SIDE PARENT TAG LABEL OWN_TAG",
        "PARENT LABEL OWN_TAG",
    ),
}


def masks(settings: Settings) -> Ints:
    """Fields of the contexts, by kind of step and level, as bits; -1 where there is no level.

    Examples
    --------
    >>> from runoff.tasks.parsing.grammar.settings import Settings
    >>> bin(masks(Settings())[0, 3]), int((masks(Settings(lexical=False))[0] >= 0).sum())
    ('0b10', 3)
    """
    left_out = {"WORD": not settings.lexical, "ABOVE": settings.vertical < 2}
    left_out |= {"BEFORE": settings.horizontal < 2, "LAST": settings.horizontal < 1}
    found = np.full((len(CONTEXTS), max(map(len, CONTEXTS.values()))), -1, np.int64)
    for kind, levels in CONTEXTS.items():
        bits = []
        for level in levels:
            names = [name for name in level.split() if not left_out.get(name, False)]
            if not settings.lexical and kind in (TAGS, WORDS):
                names = [name for name in names if name != "TAG"]  # two heads that know each other's tags are lexical
            bits.append(sum(1 << getattr(head_chart, name) for name in names))
        # With something left out, a level may know no more than the next one, and would only stand before it.
        kept = [mask for at, mask in enumerate(bits) if not any(mask & rougher == mask for rougher in bits[at + 1 :])]
        found[kind, : len(kept)] = kept
    return found
