"""Spans that tags stand for, by conlleval's rules: the prefix says where a span begins, the rest is its type."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.model.chain_spans import SpanTags
from runoff.tasks.tagging.tag_letters import split_tag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Bools, Columns, Ints

_LETTERS, _GOES_ON, _INSIDE = frozenset("BIMELSU"), frozenset("BIM"), frozenset("IMEL")  # a span goes on from, and to
_WITHOUT_ENDS = {"B": "B", "I": "I", "E": "I", "S": "B"}


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
    parts = [split_tag(tag) for tag in tags]
    if not any("-" in tag for tag in tags) or any(
        letter not in _LETTERS and tag != "O" for (letter, _), tag in zip(parts, tags, strict=True)
    ):
        return None
    return span_rules(parts)[0]


def span_rules(parts: Sequence[tuple[str, str]]) -> tuple[SpanTags, tuple[str, ...]]:
    """Types and continuations of tags with these letters and types, and the names of the types.

    Letters that are not those of spans are outside of all.

    Examples
    --------
    >>> rules, types = span_rules([("O", ""), ("B", "NP"), ("I", "NP")])
    >>> rules.continues[1].tolist(), types
    ([False, False, True], ('NP',))
    """
    number: dict[str, int] = {}
    types = [number.setdefault(kind, len(number)) if letter in _LETTERS else -1 for letter, kind in parts]
    type_of = np.array(types, np.int32)
    goes_on = np.array([letter in _GOES_ON for letter, _ in parts], bool)
    is_inside = np.array([letter in _INSIDE for letter, _ in parts], bool)
    continues = goes_on[:, None] & is_inside[None, :] & (type_of[:, None] == type_of[None, :])
    return SpanTags(type_of, continues, len(number)), tuple(number)


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
