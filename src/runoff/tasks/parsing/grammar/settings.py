"""How a grammar is made from a treebank, and how hard it looks for trees."""

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
)  # least and most


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Choices of a grammar; the defaults were found on the Penn Treebank sample.

    Examples
    --------
    >>> Settings(lexical=False).splits
    ('base', 'subjectless', 'preposition', 'auxiliary')
    """

    lexical: bool = True  # steps look at words; without, at tags alone
    vertical: int = 2  # 2: a constituent knows its parent, 1: it does not
    horizontal: int = 2  # modifiers before on the same side that the next one knows: 0, 1 or 2
    splits: tuple[str, ...] = tuple(SPLITS)
    rare: int = 6  # words seen less often are known by shape and suffix alone
    unseen: float = 200.0  # words never seen, of one shape and tag, weigh as much as this many seen ones
    smoothing: float = 4.0  # Witten-Bell: weight of every different outcome against the count of a context
    heights: int = 3  # constituents with one child, one above the other
    threshold: float = 1e-4  # posterior probability below which a rougher grammar rules something out
    beam: float = 9.0  # logarithm of how much worse than the best over the same words something may be
    longest: int = 150  # words; longer sentences get a flat tree

    def __post_init__(self) -> None:
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
                raise UsageError(f"{name} must be a number of more than 0, not {getattr(self, name)}.")
        if not 0 < self.threshold < 1:
            raise UsageError(f"threshold must be between 0 and 1, not {self.threshold}.")

    def to_dict(self) -> dict[str, Any]:
        """All choices as plain values."""
        return {**asdict(self), "splits": list(self.splits)}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Settings:
        """Choices that `to_dict` gave.

        Examples
        --------
        >>> Settings.from_dict(Settings(rare=2).to_dict()) == Settings(rare=2)
        True
        """
        return cls(**{**values, "splits": tuple(values["splits"])})
