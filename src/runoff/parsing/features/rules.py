"""Families over rules: what Collins & Koo (2005, section 5.2) take from a rule and from the one above it.

Every family here is made twice, over plain labels and over labels that carry their closed-class head word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runoff.parsing.features.sites import Rule


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
