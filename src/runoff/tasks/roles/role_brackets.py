"""Labelled stretches of one sentence as a column of brackets, `(A0*`, `*`, `*)`, and as tags of B, I and O."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from runoff.errors import DataError, brief
from runoff.tasks.roles.propositions import Argument, Proposition
from runoff.tasks.tagging.bracket_column import brackets_in

if TYPE_CHECKING:
    from collections.abc import Iterable

    from runoff.tasks.roles.sentence_blocks import FieldColumn

_brackets_in = lru_cache(maxsize=1 << 16)(brackets_in)  # a corpus has few different fields


def stretches_of(column: FieldColumn) -> list[Argument]:
    """The stretches that a column of brackets marks, outer ones first, in the order of their starts. O(tokens).

    Examples
    --------
    >>> from runoff.tasks.roles.sentence_blocks import FieldColumn
    >>> stretches_of(FieldColumn(("(S(NP*)", "*", "*)"), "a.conll", 1, 3, "clauses"))
    [Argument(start=0, stop=3, label='S'), Argument(start=0, stop=1, label='NP')]
    """
    found: list[Argument] = []
    still_open: list[int] = []
    for at, field in enumerate(column.fields):
        if field == "*":
            continue
        brackets = _brackets_in(field)
        if brackets is None:
            raise column.error(at, "brackets such as (A0*, * or *)")
        for label in brackets.opening:
            still_open.append(len(found))
            found.append(Argument(at, at, label))
        for label in brackets.closing:
            if not still_open:
                raise column.error(at, "no bracket to close, for none is open,")
            place = still_open.pop()
            start, _, opened = found[place]
            if label not in ("", opened):
                raise column.error(at, f"{opened}) to close")
            found[place] = Argument(start, at + 1, opened)
    if still_open:
        label = found[still_open[-1]].label
        raise column.error(len(column.fields) - 1, f"a bracket to close {label!r} at the end of the sentence")
    return found


def flat_stretches_of(column: FieldColumn) -> list[Argument]:
    """The same for stretches of which none may lie inside another; raises a `DataError` where one does."""
    found = stretches_of(column)
    end, before = 0, ""
    for start, stop, label in found:
        if start < end:
            raise column.error(start, f"no bracket inside another ({brief(label)} is inside {brief(before)})")
        end, before = stop, label
    return found


def brackets_of_stretches(stretches: Iterable[tuple[int, int, str]], n_words: int) -> list[str]:
    """Stretches as brackets; outer ones come before inner ones of the same start. O(tokens + stretches).

    Examples
    --------
    >>> brackets_of_stretches([(0, 2, "A0"), (2, 3, "V")], 4)
    ['(A0*', '*)', '(V*)', '*']
    """
    before, after = [""] * n_words, [""] * n_words
    for start, stop, label in stretches:
        if any(mark in label for mark in "()*") or label.split() != [label]:
            raise DataError(f"a column of brackets cannot show the label {brief(label)}.")
        before[start] += f"({label}"
        after[stop - 1] += ")"
    return [f"{left}*{right}" for left, right in zip(before, after, strict=True)]


def tags_of_stretches(stretches: Iterable[tuple[int, int, str]], n_words: int) -> tuple[str, ...]:
    """Stretches that do not overlap as B, I and O.

    Examples
    --------
    >>> tags_of_stretches([(1, 3, "NP")], 4)
    ('O', 'B-NP', 'I-NP', 'O')
    """
    return tuple(Proposition(0, "", tuple(Argument(*each) for each in stretches)).tags(n_words))


def stretches_of_tags(tags: Iterable[str]) -> tuple[Argument, ...]:
    """The stretches of B, I and O; an I that continues nothing starts one.

    Examples
    --------
    >>> stretches_of_tags(["O", "B-NP", "I-NP"])
    (Argument(start=1, stop=3, label='NP'),)
    """
    return Proposition.of_tags(list(tags), 0, "").arguments
