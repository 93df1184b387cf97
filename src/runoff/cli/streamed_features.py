"""Features of lists that come block by block, written as a folder of shards."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

from runoff.errors import UsageError
from runoff.nbest.joining import joined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from runoff.features.featurizer import Featurizer
    from runoff.nbest import NBest


@dataclass
class StreamedFeatures:
    """Counts what is made; the columns of the last block are those of all."""

    groups: int = 0
    candidates: int = 0
    columns: int = 0
    has_quality: bool = True
    notes: dict[str, None] = field(default_factory=dict)

    def made(
        self,
        blocks: Iterator[NBest],
        featurizer: Featurizer,
        fit_on: int | None,
        metric: str | None,
        graded: Callable[[NBest], NBest],
    ) -> Iterator[NBest]:
        """Blocks with their features: the first `fit_on` lists are those that the featurizer is fitted on.

        They get their features from the fit, which may be cross-fitted; all others from the fitted featurizer.
        """
        if fit_on is not None:
            first, rest = first_lists(blocks, fit_on)
            yield self._counted(graded(featurizer.fit_transform(first, metric)))
            blocks = rest
        for block in blocks:
            yield self._counted(graded(featurizer.transform(block)))

    def _counted(self, block: NBest) -> NBest:
        self.groups, self.candidates = self.groups + len(block), self.candidates + block.n_candidates
        self.columns, self.has_quality = block.features.n_columns, self.has_quality and block.quality is not None
        self.notes.update(dict.fromkeys(block.notes))
        return block


def first_lists(blocks: Iterator[NBest], count: int) -> tuple[NBest, Iterator[NBest]]:
    """The first lists as one, and blocks of the others.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["a", "b", "c", "d"], sizes=[1, 1, 1, 1])
    >>> first, rest = first_lists(iter([data[:2], data[2:]]), 3)
    >>> first.texts.to_pylist(), [block.texts.to_pylist() for block in rest]
    (['a', 'b', 'c'], [['d']])
    """
    taken: list[NBest] = []
    left, over = count, None
    for block in blocks:
        piece = block[:left]
        taken.append(piece)
        left -= len(piece)
        if not left:
            over = block[len(piece) :]
            break
    if not taken:
        raise UsageError("there are no lists to fit the features on.")
    first = taken[0] if len(taken) == 1 else joined(lambda: taken)
    return first, chain([over] if over is not None and len(over) else [], blocks)
