"""Back-off chains: the contexts of each kind of derivation step, from fine to coarse.

The chains follow Collins (1999) and Charniak (2000): the finest context has the head word, the coarsest nearly nothing,
and each is interpolated with the next coarser one (Witten & Bell).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels import derivation_steps
from runoff.kernels.derivation_steps import HEADS, LABELS, TAGS, WORDS

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
    """Fields of the contexts as bit masks, by kind of step and level; -1 if there is no such level.

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
                names = [name for name in names if name != "TAG"]  # conditioning on both heads' tags would be lexical
            bits.append(sum(1 << getattr(derivation_steps, name) for name in names))
        # Without some fields, a level may be no finer than a later one; it is dropped.
        kept = [mask for at, mask in enumerate(bits) if not any(mask & coarser == mask for coarser in bits[at + 1 :])]
        found[kind, : len(kept)] = kept
    return found
