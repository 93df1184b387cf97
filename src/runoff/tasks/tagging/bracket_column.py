"""Nested stretches as a column of brackets: `(S*`, `*`, `*S)`, `(S(S*S)`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from runoff.arrays import frozen
from runoff.errors import DataError, UsageError, brief
from runoff.tasks.tagging.corpus import Column
from runoff.tasks.tagging.spans import Spans

if TYPE_CHECKING:
    from runoff.arrays import Ints
    from runoff.tasks.tagging.corpus import Corpus

_FIELD = re.compile(r"((?:\([^()*\s]*)*)\*((?:[^()*\s]*\))*)")


class FieldBrackets(NamedTuple):
    """What opens before a token and what closes after it; a closing bracket may have no label."""

    opening: tuple[str, ...]
    closing: tuple[str, ...]


def brackets_in(field: str) -> FieldBrackets | None:
    """The labels of the brackets of one field; None if it is not one of brackets.

    Examples
    --------
    >>> brackets_in("(S(NP*NP)"), brackets_in("B-NP")
    (FieldBrackets(opening=('S', 'NP'), closing=('NP',)), None)
    """
    found = _FIELD.fullmatch(field)
    if found is None:
        return None
    return FieldBrackets(tuple(found[1].split("(")[1:]), tuple(found[2].split(")")[:-1]))


def bracket_spans(corpus: Corpus, column: str) -> Spans:
    """Read a column of brackets, as in CoNLL-2001 (`*S)`) or CoNLL-2005 (`*)`). O(tokens + brackets).

    Examples
    --------
    >>> from runoff.tasks.tagging.corpus import Corpus
    >>> corpus = Corpus.of({"clause": ["(S*", "(S*", "*S)", "*S)"]}, sizes=[4])
    >>> [(span.start, span.stop, span.label) for span in bracket_spans(corpus, "clause").of(corpus.offsets)]
    [(0, 4, 'S'), (1, 3, 'S')]
    """
    texts = corpus[column]
    fields = {code: brackets_in(texts.values[code]) for code in np.unique(texts.codes).tolist()}
    starts: list[int] = []
    stops: list[int] = []
    labels: list[str] = []
    codes, offsets = texts.codes.tolist(), corpus.offsets.tolist()
    for sentence in range(len(corpus)):
        still_open: list[int] = []
        first, stop = offsets[sentence], offsets[sentence + 1]
        for at in range(first, stop):
            found = fields[codes[at]]
            if found is None:
                raise _misfit("brackets such as (S* or *)", corpus, column, sentence, at - first)
            for label in found.opening:
                still_open.append(len(starts))
                starts.append(at)
                stops.append(at)
                labels.append(label)
            for label in found.closing:
                if not still_open or label not in ("", labels[still_open[-1]]):
                    wanted = f"{labels[still_open[-1]]}) to close" if still_open else "no bracket to close"
                    raise _misfit(wanted, corpus, column, sentence, at - first)
                stops[still_open.pop()] = at + 1
        if still_open:
            label = labels[still_open[-1]]
            raise _misfit(f"a bracket to close {label!r}", corpus, column, sentence, stop - first - 1)
    made = Column.of(labels)
    return Spans(frozen(np.array(starts, np.int64)), frozen(np.array(stops, np.int64)), made.codes, made.values)


def brackets_of(spans: Spans, offsets: Ints, *, labelled_ends: bool = True) -> Column:
    """Write stretches, which may be nested but must not cross, as a column of brackets. O(tokens + brackets log).

    Examples
    --------
    >>> spans = Spans(np.array([0, 0]), np.array([2, 1]), np.array([0, 0], np.int32), ("S",))
    >>> brackets_of(spans, np.array([0, 2])).texts(), brackets_of(spans, np.array([0, 2]), labelled_ends=False).texts()
    (['(S(S*S)', '*S)'], ['(S(S*)', '*)'])
    """
    ends = offsets[np.searchsorted(offsets, spans.starts, side="right").clip(max=offsets.size - 1)]
    if (spans.starts < 0).any() or (spans.stops <= spans.starts).any() or (spans.stops > ends).any():
        raise UsageError("a bracketed stretch must have at least one token, all of them in one sentence.")
    n = int(offsets[-1])
    before, after = [""] * n, [""] * n
    order = np.lexsort((-spans.stops, spans.starts))
    still_open: list[int] = []
    labels = spans.texts()
    for start, stop, which in zip(
        spans.starts[order].tolist(), spans.stops[order].tolist(), order.tolist(), strict=True
    ):
        while still_open and still_open[-1] <= start:
            still_open.pop()
        if still_open and still_open[-1] < stop:
            raise UsageError("bracketed stretches may lie inside each other, but must not cross.")
        still_open.append(stop)
        before[start] += f"({labels[which]}"
        # What opens later closes earlier.
        after[stop - 1] = f"{labels[which] if labelled_ends else ''}){after[stop - 1]}"
    return Column.of(f"{left}*{right}" for left, right in zip(before, after, strict=True))


def has_brackets(column: Column) -> bool:
    """Whether every token has a field of brackets, such as `*` or `(S*S)`.

    Examples
    --------
    >>> has_brackets(Column.of(["(S*", "*S)"])), has_brackets(Column.of(["B-NP", "O"])), has_brackets(Column.of([]))
    (True, False, False)
    """
    seen = np.unique(column.codes).tolist()
    return bool(seen) and all(_FIELD.fullmatch(column.values[code]) for code in seen)


def _misfit(wanted: str, corpus: Corpus, column: str, sentence: int, token: int) -> DataError:
    found = corpus[column]
    text = found.values[int(found.codes[int(corpus.offsets[sentence]) + token])]
    name = "" if corpus.ids is None else f" ({brief(corpus.ids[sentence])})"
    return DataError(
        f"expected {wanted} in column {column!r} of sentence {sentence + 1}{name}, token {token + 1}; "
        f"found {brief(text)}."
    )
