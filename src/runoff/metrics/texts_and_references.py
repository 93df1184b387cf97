"""Texts and references as metrics need them: checked, split into words, one list per group."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.errors import DataError
from runoff.metrics.tokens import Tokens, tokenised

if TYPE_CHECKING:
    from collections.abc import Sequence, Sized

    from runoff.arrays import Ints
    from runoff.nbest import NBest


def texts_and_references(data: NBest, metric: str) -> tuple[list[str], list[list[str]]]:
    """Texts of all candidates and references of all groups; raises if some are missing."""
    if data.texts is None or data.references is None:
        missing = [name for name in ("texts", "references") if getattr(data, name) is None]
        raise DataError(f"{metric} compares texts with references and this data has no {' and no '.join(missing)}.")
    texts: list[str | None] = data.texts.to_pylist()
    references: list[list[str | None] | None] = data.references.to_pylist()
    filled = data.sizes > 0
    for group, entry in enumerate(references):
        if filled[group] and (not entry or None in entry):
            place = data.group_ids[group].as_py()
            raise DataError(f"{metric} needs at least one reference for every group; group {place!r} has none.")
    if None in texts:
        row = texts.index(None)
        group = int(np.searchsorted(data.offsets, row, side="right")) - 1
        place = f"candidate {row - int(data.offsets[group])} of group {data.group_ids[group].as_py()!r}"
        raise DataError(f"{metric} needs the text of every candidate; {place} has none.")
    clean = [[text for text in entry or () if text is not None] for entry in references]
    return [text for text in texts if text is not None], clean


def offsets_of(groups: Sequence[Sized]) -> Ints:
    """Where each group begins among the members of all groups, and where the last one ends.

    Examples
    --------
    >>> offsets_of([["a", "b"], [], ["c"]]).tolist()
    [0, 2, 2, 3]
    """
    return frozen(np.concatenate([[0], np.cumsum(np.fromiter(map(len, groups), np.int64, len(groups)))]))


def candidates_then_references(
    texts: Sequence[str], offsets: Ints, references: Sequence[Sequence[str]]
) -> list[list[str]]:
    """The candidates of each group and then its references; nothing of a group without candidates.

    Examples
    --------
    >>> candidates_then_references(["a", "b"], np.array([0, 2, 2]), [["x"], ["y"]])
    [['a', 'b', 'x'], []]
    """
    return [
        [*texts[start:stop], *(references[group] if stop > start else ())]
        for group, (start, stop) in enumerate(itertools.pairwise(offsets.tolist()))
    ]


def whitespace_words(texts: Sequence[str]) -> Tokens:
    """Words between white space (as `str.split`), unchanged. O(characters).

    Examples
    --------
    >>> whitespace_words(["it's a cat", " A cat"]).of(1)
    ['A', 'cat']
    """
    return tokenised(texts, _whole)


def _whole(piece: str) -> list[str]:
    return [piece]
