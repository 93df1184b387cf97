"""Settings of a grammar: estimation and search."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from runoff.errors import UsageError

SPLITS = {
    "base": "noun phrases without a noun phrase in them, possessives aside (Collins 1999)",
    "subjectless": "S without a noun phrase before its verb phrase (Collins 1999)",
    "preposition": "IN before a clause, IN that is `of`, and all others (Klein & Manning 2003)",
    "auxiliary": "forms of be and have among the verbs (Klein & Manning 2003)",
}

_WHOLE = (
    ("vertical", 1, 2),
    ("horizontal", 0, 2),
    ("rare", 1, None),
    ("heights", 1, 9),
    ("longest", 1, None),
)  # minimum and maximum


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Settings of a grammar; the defaults were tuned on the Penn Treebank sample.

    Examples
    --------
    >>> Settings(lexical=False).splits
    ('base', 'subjectless', 'preposition', 'auxiliary')
    """

    lexical: bool = True  # condition on words; without, on tags only
    vertical: int = 2  # 2: condition on the parent label, 1: do not
    horizontal: int = 2  # number of previous modifiers on the same side to condition on: 0, 1 or 2
    splits: tuple[str, ...] = tuple(SPLITS)
    rare: int = 6  # words seen less often are represented by shape and suffix
    unseen: float = 200.0  # pseudo-count of unseen words, per shape and tag
    smoothing: float = 4.0  # Witten-Bell: weight of each distinct outcome relative to the count of a context
    heights: int = 3  # maximum length of a unary chain
    threshold: float = 1e-4  # posterior probability below which a coarser grammar prunes
    beam: float = 9.0  # maximum difference in log-probability to the best over the same words
    longest: int = 150  # words; longer sentences get a flat tree

    def __post_init__(self) -> None:
        if not isinstance(self.lexical, bool):
            raise UsageError(f"lexical must be true or false, not {self.lexical!r}.")
        wrong = [name for name in self.splits if name not in SPLITS]
        if wrong:
            raise UsageError(f"there is no split {wrong[0]!r}; there are: {', '.join(SPLITS)}.")
        for name, least, most in _WHOLE:
            value = getattr(self, name)
            if type(value) is not int or value < least or (most is not None and value > most):
                upper = f"at least {least}" if most is None else f"from {least} to {most}"
                raise UsageError(f"{name} must be a whole number {upper}, not {value}.")
        for name in ("unseen", "smoothing", "beam"):
            if not 0 < getattr(self, name) < math.inf:
                raise UsageError(f"{name} must be greater than 0, not {getattr(self, name)}.")
        if not 0 < self.threshold < 1:
            raise UsageError(f"threshold must be between 0 and 1, not {self.threshold}.")

    def to_dict(self) -> dict[str, Any]:
        """All settings as plain values."""
        return {**asdict(self), "splits": list(self.splits)}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Settings:
        """Settings from the output of `to_dict`.

        Examples
        --------
        >>> Settings.from_dict(Settings(rare=2).to_dict()) == Settings(rare=2)
        True
        """
        return cls(**{**values, "splits": tuple(values["splits"])})
