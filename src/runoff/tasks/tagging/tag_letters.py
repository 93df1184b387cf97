"""What a tag says: a letter before the first hyphen, a type after it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runoff.arrays import frozen
from runoff.kernels.phrase_counts import BEGIN, BRACKET, DOT, END, INSIDE, OTHER, OUTSIDE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from runoff.arrays import Columns

NO_TYPE = -1
# conlleval knows these letters alone; whatever else stands before a hyphen only continues or changes a type.
_CONLLEVAL = {"O": OUTSIDE, "B": BEGIN, "I": INSIDE, "E": END, ".": DOT, "[": BRACKET, "]": BRACKET}


def split_tag(tag: str) -> tuple[str, str]:
    """Letter and type of a tag, split at its first hyphen; a tag without a hyphen has no type.

    Examples
    --------
    >>> split_tag("B-NP"), split_tag("I-A-B"), split_tag("O"), split_tag("NN")
    (('B', 'NP'), ('I', 'A-B'), ('O', ''), ('NN', ''))
    """
    letter, _, kind = tag.partition("-")
    return letter, kind


@dataclass(frozen=True, eq=False)
class TagTable:
    """Tags by number, with what conlleval reads in them.

    Examples
    --------
    >>> table = TagTable.of(["B-NP", "O", "B-VP"])
    >>> table.types, table.type_of.tolist()
    (('NP', 'VP'), [0, -1, 1])
    """

    types: tuple[str, ...]  # in the order in which they first occur; the empty one is not among them
    letter_of: Columns  # of every tag
    type_of: Columns
    same_as: Columns  # of every tag, the first that is the same to conlleval

    @classmethod
    def of(cls, tags: Iterable[str], *, raw: bool = False) -> TagTable:
        """The table of these tags; `raw`: every tag but O is a phrase of its own, and its type."""
        numbers: dict[str, int] = {}
        seen: dict[tuple[str, str], int] = {}
        letters, types, same = [], [], []
        for at, tag in enumerate(tags):
            letter, kind = split_tag(f"B-{tag}" if raw and tag != "O" else tag)
            if kind == "0":
                kind = ""  # what Perl takes for false, conlleval takes for no type
            letters.append(_CONLLEVAL.get(letter, OTHER))
            types.append(numbers.setdefault(kind, len(numbers)) if kind else NO_TYPE)
            same.append(seen.setdefault((letter, kind), at))
        made = (frozen(np.array(each, np.int32)) for each in (letters, types, same))
        return cls(tuple(numbers), *made)
