"""Which column of a CoNLL-2005 file is what: named by the user, or recognised by what stands in it."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from runoff.errors import DataError, UsageError, brief
from runoff.tasks.tagging.bracket_column import brackets_in

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from runoff.tasks.roles.sentence_blocks import SentenceBlock

COLUMNS = ("word", "pos", "chunk", "clause", "tag", "parse", "ne", "sense")  # before lemma and props
_LEMMA, _PROPS, _SKIPPED = "lemma", "props", "_"
_BRACKETED = ("chunk", "clause", "parse", "ne")
_CHUNKS = frozenset(["NP", "VP", "PP", "ADVP", "ADJP", "SBAR", "PRT", "CONJP", "INTJ", "LST", "UCP"])  # CoNLL-2000
_CLAUSES = frozenset("S")
_SENSE = re.compile(r"-|[0-9A-Z]{2}|\S+\.\S+")
_LOOKED_AT = 200  # sentences


@dataclass(frozen=True)
class RoleFileLayout:
    """Places of the columns that are read, from 0; what follows the lemma are the roles."""

    places: Mapping[str, int]

    def check(self, block: SentenceBlock) -> None:
        """Refuse a sentence with fewer columns than are read."""
        least = self.places[_LEMMA] + 1
        if block.width < least:
            raise block.error(f"expected at least {least} columns, up to the lemma of predicates; found {block.width}.")


def layout_of(blocks: Sequence[SentenceBlock], columns: str | Sequence[str] | None) -> RoleFileLayout:
    """The layout of a file, named or recognised; columns of brackets that nowhere have any are not read.

    Examples
    --------
    >>> from runoff.tasks.roles.sentence_blocks import SentenceBlock
    >>> row = ["I", "PRP", "(NP*)", "(S*)", "(S1(S(NP*)))", "*", "-", "-"]
    >>> dict(layout_of([SentenceBlock([row], "a.conll", 1)], None).places)
    {'word': 0, 'pos': 1, 'chunk': 2, 'clause': 3, 'parse': 4, 'sense': 6, 'lemma': 7}
    """
    names = _recognised(blocks) if columns is None else _named(columns)
    places = {name: place for place, name in enumerate(names) if name != _SKIPPED}
    for name in _BRACKETED:
        place = places.get(name)
        if place is not None and all(row[place : place + 1] == ["*"] for block in blocks for row in block.rows):
            del places[name]
    return RoleFileLayout(places)


def _named(columns: str | Sequence[str]) -> list[str]:
    names = [name.strip() for name in columns.split(",")] if isinstance(columns, str) else list(columns)
    known = (*COLUMNS, _LEMMA, _PROPS, _SKIPPED)
    for name in names:
        if name not in known:
            raise UsageError(f"there is no column {name!r} of roles; there are: {', '.join(known)}.")
        if name != _SKIPPED and names.count(name) > 1:
            raise UsageError(f"two columns are called {name!r}; names must differ.")
    if names[-2:] == [_LEMMA, _PROPS]:
        names.pop()
    if names[-1:] != [_LEMMA] or _PROPS in names:
        raise UsageError(f"the last columns must be lemma and props; found {brief(','.join(names))}.")
    return names


def _recognised(blocks: Sequence[SentenceBlock]) -> list[str]:
    seen = blocks[:_LOOKED_AT]
    last = Counter(_last_plain(block) for block in seen).most_common(1)[0][0]
    if last < 0:
        raise DataError(
            "expected a column with the lemmas of predicates, and - for other words, before the columns of brackets; "
            "found brackets alone.",
            path=seen[0].path,
            line=seen[0].line,
        )
    wide = [block for block in seen if block.width > last]
    columns = [{row[place] for block in wide for row in block.rows} for place in range(last)]
    bracketed = [all(map(brackets_in, column)) for column in columns]
    names = [_SKIPPED] * last
    of_brackets = [place for place in range(last) if bracketed[place]]
    kinds = _BRACKETED if len(of_brackets) == len(_BRACKETED) else [_kind(columns[place]) for place in of_brackets]
    for place, kind in zip(of_brackets, kinds, strict=True):
        names[place] = kind if kind not in names else _SKIPPED
    first = of_brackets[0] if of_brackets else last
    for place, name in zip(range(min(first, 2)), ("word", "pos"), strict=False):
        names[place] = name
    if last > 2 and not bracketed[-1] and (of_brackets or all(map(_SENSE.fullmatch, columns[-1]))):
        names[-1] = "sense"
    if "parse" in names[1:]:
        before = names.index("parse") - 1
        if before >= first and not bracketed[before]:
            names[before] = "tag"
    return [*names, _LEMMA]


def _last_plain(block: SentenceBlock) -> int:
    """Place of the last column that is not one of brackets; -1 if there is none."""
    for place in range(block.width - 1, -1, -1):
        if not all(brackets_in(row[place]) for row in block.rows):
            return place
    return -1


def _kind(fields: set[str]) -> str:
    """What a column of brackets shows, by its labels and whether they are nested."""
    found = [brackets for brackets in map(brackets_in, fields) if brackets is not None]
    labels = {label for brackets in found for label in brackets.opening}
    if not labels:
        return _SKIPPED
    if labels <= _CLAUSES:
        return "clause"
    if any(len(brackets.opening) > 1 or len(brackets.closing) > 1 for brackets in found):
        return "parse"
    return "chunk" if labels <= _CHUNKS else "ne"
