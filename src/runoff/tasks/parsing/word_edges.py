"""Which words of a list of trees count for PARSEVAL, and where constituents begin and end among them."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import TYPE_CHECKING

from runoff.combine.parts import Part
from runoff.tasks.parsing.gold_standard import category
from runoff.tasks.parsing.metric import DELETED_LABELS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.tasks.parsing.tree_sketch import TreeSketch

_DELETED = frozenset(DELETED_LABELS)


class WordEdges:
    """Constituents as parts that PARSEVAL can tell apart: from their first to their last word that is no punctuation.

    Gold tags say what is punctuation, and a combination does not know them: the tags of most trees do.

    Examples
    --------
    >>> from runoff.tasks.parsing.tree_sketch import tree_sketch
    >>> sketch = tree_sketch("(S (NP (NP (NN cat))) (. .))")
    >>> WordEdges.of([sketch]).parts(sketch)
    [Part(start=0, stop=1, label='S'), Part(start=0, stop=1, label='NP'), Part(start=0, stop=1, label="NP'2")]
    """

    def __init__(self, dropped: Sequence[bool]) -> None:
        self.length = len(dropped)
        self._first = [self.length] * (self.length + 1)  # the next word that counts, from every place on
        self._last = [0] * (self.length + 1)  # where the last word that counts ends, before every place
        for at in reversed(range(self.length)):
            self._first[at] = self._first[at + 1] if dropped[at] else at
        for at in range(self.length):
            self._last[at + 1] = self._last[at] if dropped[at] else at + 1
        self._known: dict[tuple[str, int, int], Part | None] = {}

    @classmethod
    def of(cls, sketches: Sequence[TreeSketch]) -> WordEdges:
        """Those of a list of trees; trees with another number of words than most do not vote."""
        lengths = Counter(len(sketch.tags) for sketch in sketches)
        length = max(lengths, key=lengths.__getitem__, default=0)
        columns = zip(*(sketch.tags for sketch in sketches if len(sketch.tags) == length), strict=True)
        votes = (sum(tag in _DELETED for tag in column) * 2 > len(column) for column in columns)
        return cls(list(votes))

    def parts(self, sketch: TreeSketch) -> list[Part | None]:
        """A tree's constituents as parts; None for those that do not count, and for all if words are missing.

        Second copies of a label over the same words, which PARSEVAL counts too, have a label of their own.
        """
        if len(sketch.tags) != self.length:
            return [None] * len(sketch.labels)
        known = self._known
        found: list[Part | None] = []
        seen: set[Part] = set()
        for key in zip(sketch.labels, sketch.starts, sketch.stops, strict=True):
            part = known[key] if key in known else self._part(*key)
            if part is not None:
                if part in seen:
                    copies = (part._replace(label=f"{part.label}'{number}") for number in itertools.count(2))
                    part = next(copy for copy in copies if copy not in seen)
                seen.add(part)
            found.append(part)
        return found

    def narrowed(self, part: Part) -> Part:
        """The part from its first to its last word that counts here."""
        return part._replace(start=self._first[part.start], stop=self._last[part.stop])

    def _part(self, label: str, start: int, stop: int) -> Part | None:
        first, last = self._first[start], self._last[stop]
        name = category(label)
        part = None if name is None or first >= last else Part(first, last, name)
        self._known[label, start, stop] = part
        return part
