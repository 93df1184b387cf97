"""Spans that tags stand for, by conlleval's rules: the prefix says where a span begins, the rest is its type."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.errors import UsageError
from runoff.model.chain_spans import SpanTags
from runoff.tasks.tagging.corpus import Column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Bools, Columns, Ints

_BEGIN, _INSIDE, _ALONE = frozenset("B"), frozenset("IMEL"), frozenset("SU")
_WITHOUT_ENDS = {"B": "B", "I": "I", "E": "I", "S": "B"}
OUTSIDE = "O"
_GOES_ON = frozenset("BIM")  # a span may continue after these


def span_tags(tags: Sequence[str]) -> SpanTags | None:
    """Types and continuations of tags such as B-NP, I-NP and O (also E, L, M, S, U); None where tags are no spans.

    Examples
    --------
    >>> rules = span_tags(["O", "B-NP", "I-NP", "I-VP"])
    >>> rules.type_of.tolist(), np.argwhere(rules.continues).tolist()
    ([-1, 0, 0, 1], [[1, 2], [2, 2], [3, 3]])
    >>> span_tags(["NN", "VB"]) is None
    True
    """
    parts = [tag.partition("-") for tag in tags]
    known = _BEGIN | _INSIDE | _ALONE
    if not any(dash for _, dash, _ in parts) or any(
        prefix not in known and tag != "O" for (prefix, _, _), tag in zip(parts, tags, strict=True)
    ):
        return None
    number: dict[str, int] = {}
    types = [
        -1 if tag == "O" else number.setdefault(kind, len(number))
        for (_, _, kind), tag in zip(parts, tags, strict=True)
    ]
    goes_on = np.array(
        [prefix in _GOES_ON and tag != "O" for (prefix, _, _), tag in zip(parts, tags, strict=True)], bool
    )
    is_inside = np.array([prefix in _INSIDE for prefix, _, _ in parts], bool)
    type_of = np.array(types, np.int32)
    continues = goes_on[:, None] & is_inside[None, :] & (type_of[:, None] == type_of[None, :]) & (type_of >= 0)[None, :]
    return SpanTags(type_of, continues, len(number))


def spans_of(rules: SpanTags, codes: Columns, offsets: Ints) -> Ints:
    """Spans of all sentences: rows of first token, token after the last, and type. O(tokens).

    A code of -1 is a tag that is not known: outside of all spans.

    Examples
    --------
    >>> rules = span_tags(["O", "B-NP", "I-NP"])
    >>> spans_of(rules, np.array([1, 2, 0, 2], np.int32), np.array([0, 4])).tolist()
    [[0, 2, 0], [3, 4, 0]]
    """
    kind = np.where(codes >= 0, rules.type_of[codes], -1)
    goes_on = np.zeros(codes.size + 1, bool)  # from the token before
    goes_on[1:-1] = rules.continues[codes[:-1], codes[1:]] & (codes[:-1] >= 0) & (codes[1:] >= 0)
    goes_on[offsets] = False
    starts = np.flatnonzero((kind >= 0) & ~goes_on[:-1])
    ends = np.flatnonzero((kind >= 0) & ~goes_on[1:]) + 1
    return np.column_stack([starts, ends, kind[starts]]).astype(np.int64)


def as_bioes(column: Column, offsets: Ints) -> Column:
    """Tags that also say where a span ends: B, I, E, and S for a span of one token. O(tokens).

    Examples
    --------
    >>> as_bioes(Column.of(["B-NP", "I-NP", "O", "B-VP"]), np.array([0, 4])).texts()
    ['B-NP', 'E-NP', 'O', 'S-VP']
    """
    rules = span_tags(column.values)
    if rules is None:
        raise UsageError(
            "only tags that are spans (as B-NP, I-NP and O) can say where a span ends; use encoding='none'."
        )
    found = [OUTSIDE] * len(column)
    kinds = {int(kind): tag.partition("-")[2] for tag, kind in zip(column.values, rules.type_of, strict=True)}
    for first, last, kind in spans_of(rules, column.codes, offsets).tolist():
        for at in range(first, last):
            prefix = ("S" if last == first + 1 else "B") if at == first else "E" if at == last - 1 else "I"
            found[at] = f"{prefix}-{kinds[kind]}"
    return Column.of(found)


def as_bio(tag: str) -> str:
    """A tag without the end of its span.

    Examples
    --------
    >>> [as_bio(tag) for tag in ("B-NP", "E-NP", "S-VP", "O")]
    ['B-NP', 'I-NP', 'B-VP', 'O']
    """
    prefix, dash, kind = tag.partition("-")
    return f"{_WITHOUT_ENDS[prefix]}-{kind}" if dash and prefix in _WITHOUT_ENDS else tag


def legal_bioes(tags: Sequence[str]) -> tuple[Bools, Bools, Bools]:
    """Pairs of tags that can follow each other, and tags that can be first and last."""
    parts = [tag.partition("-") for tag in tags]
    opens = np.array([prefix in "BI" and bool(dash) for prefix, dash, _ in parts])  # the span goes on
    inside = np.array([prefix in "IE" and bool(dash) for prefix, dash, _ in parts])
    kinds = np.array([kind for *_, kind in parts])
    pairs = (opens[:, None] == inside[None, :]) & (~opens[:, None] | (kinds[:, None] == kinds[None, :]))
    return pairs, ~inside, ~opens


def span_f1(rules: SpanTags, found: Columns, right: Columns, offsets: Ints) -> float:
    """F1 of spans over all sentences; 0 where there are none.

    Examples
    --------
    >>> rules = span_tags(["O", "B-NP", "I-NP"])
    >>> span_f1(rules, np.array([1, 2, 0], np.int32), np.array([1, 0, 1], np.int32), np.array([0, 3]))
    0.0
    """
    one, two = ({tuple(span) for span in spans_of(rules, codes, offsets).tolist()} for codes in (found, right))
    return 2 * len(one & two) / (len(one) + len(two)) if one or two else 0.0
