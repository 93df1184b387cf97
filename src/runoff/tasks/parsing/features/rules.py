"""Families over rules: the features of Collins & Koo (2005, section 5.2) from a rule and the rule above it.

Names follow their examples: (Right,VP,NP,SBAR) is ``Right VP NP SBAR``, a label above comes before ``^``, and adj = 1
is ``near``. All families except head-modifiers exist twice: over plain labels, and over labels with their closed-class
head word, as in ``PP/of`` (only if there is such a word; theirs exist everywhere). The root has nothing above it and
so no two-level features.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runoff.tasks.parsing.features.nodes import Rule


def rule(below: Rule) -> list[str]:
    """The rule itself, its head marked."""
    return [below.text]


def bigram(below: Rule) -> list[str]:
    """Neighbouring labels to the left and to the right of the head, STOP at the ends."""
    return below.bigrams


def trigram(below: Rule) -> list[str]:
    """Three neighbouring labels, the head marked, STOP at the ends."""
    return below.trigrams


def grandparent_rule(above: Rule, below: Rule) -> list[str]:
    """The rule and the label above it."""
    return [f"{above.label}^{below.text}"]


def grandparent_bigram(above: Rule, below: Rule) -> list[str]:
    """Bigrams and the label above the rule."""
    return [f"{above.label}^{text}" for text in below.bigrams]


def two_level_rule(above: Rule, below: Rule) -> list[str]:
    """The rule and the whole rule above it."""
    return [f"{above.text}^{below.text}"]


def two_level_bigram(above: Rule, below: Rule) -> list[str]:
    """Bigrams and the whole rule above the rule."""
    return [f"{above.text}^{text}" for text in below.bigrams]


def head_modifier(above: Rule, below: Rule) -> list[str]:
    """Head and modifier with the label above, and whether they are next to each other."""
    return [f"{above.label}^{text}" for text in below.modifiers]
