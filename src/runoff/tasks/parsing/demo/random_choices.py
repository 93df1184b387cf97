"""Random choices."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

_Item = TypeVar("_Item")


class RandomChoices:
    """Random choices from one generator.

    Examples
    --------
    >>> import numpy as np
    >>> dice = RandomChoices(np.random.default_rng(0))
    >>> dice.chance(1.0), dice.one(["a"]), dice.common(["b"]), dice.draw([(0.0, "c"), (1.0, "d")])
    (True, 'a', 'b', 'd')
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def chance(self, of: float) -> bool:
        """True with this probability."""
        return bool(self._rng.random() < of)

    def one(self, items: Sequence[_Item]) -> _Item:
        """One of these, all equally likely."""
        return items[int(self._rng.integers(len(items)))]

    def common(self, items: Sequence[_Item]) -> _Item:
        """One of these, with probability about 1/rank (Zipf)."""
        return items[min(int((len(items) + 1) ** self._rng.random()), len(items)) - 1]

    def draw(self, weighted: Sequence[tuple[float, _Item]]) -> _Item:
        """One of these by its probability; the last one takes rounding errors."""
        left = self._rng.random()
        for probability, item in weighted:
            left -= probability
            if left < 0:
                return item
        return weighted[-1][1]
