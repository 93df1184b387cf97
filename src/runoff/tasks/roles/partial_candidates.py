"""Candidates from base phrases and clauses alone (model 1)."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING

from runoff.tasks.roles.syntax import Constituent

if TYPE_CHECKING:
    from runoff.tasks.roles.syntax import Syntax

CLAUSE = "S"
_NOUNS = ("NN", "PRP", "CD", "WP", "DT", "EX", "JJ", "RB", "$")  # tags that noun phrases start with


def region_tokens(syntax: Syntax, predicate: int) -> list[Constituent]:
    """Topmost clauses and base phrases of the regions around a predicate, from left to right (Màrquez et al. 2005).

    The innermost clause with the predicate is one region; of every clause around it, what lies to the left is another,
    and what lies to the right is left out. Inside a region, a clause without the predicate is one token, then a base
    phrase, then a word; the predicate's own base phrase is taken apart. O(words + clauses²).

    Examples
    --------
    >>> from runoff.tasks.roles.propositions import RoleSentence
    >>> from runoff.tasks.roles.syntax import Syntax
    >>> words, pos = ("I", "will", "go", "if", "you", "ask"), ("PRP", "MD", "VB", "IN", "PRP", "VBP")
    >>> chunks = ("B-NP", "B-VP", "I-VP", "B-SBAR", "B-NP", "B-VP")
    >>> syntax = Syntax(RoleSentence(words, pos=pos, chunks=chunks, clauses=((0, 6), (4, 6))))
    >>> [(each.label, each.start, each.stop) for each in region_tokens(syntax, 2)]
    [('NP', 0, 1), ('MD', 1, 2), ('VB', 2, 3), ('SBAR', 3, 4), ('S', 4, 6)]
    """
    around = sorted(
        (each for each in syntax.clauses if each[0] <= predicate < each[1]), key=lambda each: each[0] - each[1]
    )
    found: list[Constituent] = []
    for outer, inner in pairwise(around):
        _tile(syntax, outer[0], max(outer[0], inner[0]), predicate, found)
    _tile(syntax, *around[-1], predicate, found)
    return found


def _tile(syntax: Syntax, first: int, last: int, predicate: int, found: list[Constituent]) -> None:
    inside = [each for each in syntax.clauses if first <= each[0] < each[1] <= last]
    inside = [each for each in inside if not each[0] <= predicate < each[1]]
    longest: dict[int, int] = {}
    for start, stop in inside:
        longest[start] = max(stop, longest.get(start, 0))
    starts = sorted(longest)
    own = syntax.chunk_of[predicate]
    at = first
    while at < last:
        chunk = syntax.chunk_of[at]
        if at in longest:
            stop = longest[at]
            found.append(Constituent(CLAUSE, at, stop, _clause_head(syntax, at, stop), _inside(syntax, at, stop)))
        elif chunk >= 0 and chunk != own:
            following = bisect_right(starts, at)
            stop = min(syntax.chunks[chunk].stop, last, starts[following] if following < len(starts) else last)
            top = tuple(syntax.pos[at:stop])
            found.append(Constituent(syntax.chunks[chunk].label, at, stop, stop - 1, top))
        else:
            stop = at + 1
            found.append(Constituent(syntax.pos[at], at, stop, at, ()))
        at = stop


def _clause_head(syntax: Syntax, start: int, stop: int) -> int:
    """The last word of the first verb phrase; else of the first base phrase; else the first word."""
    at = start
    first = start
    while at < stop:
        chunk = syntax.chunk_of[at]
        if chunk < 0:
            at += 1
            continue
        _, after, label = syntax.chunks[chunk]
        if label == "VP":
            return min(after, stop) - 1
        first = first if first > start else min(after, stop) - 1
        at = after
    return first


def _inside(syntax: Syntax, start: int, stop: int) -> tuple[str, ...]:
    """Types of the base phrases of a clause, in order."""
    found: list[str] = []
    at = start
    while at < stop:
        chunk = syntax.chunk_of[at]
        found.append(syntax.pos[at] if chunk < 0 else syntax.chunks[chunk].label)
        at = at + 1 if chunk < 0 else syntax.chunks[chunk].stop
    return tuple(found)


def noun_after(syntax: Syntax, at: int) -> int:
    """Position of the head of the first noun phrase that starts at a word or right after it; -1 for none."""
    if at < len(syntax.words):
        chunk = syntax.chunk_of[at]
        if chunk >= 0 and syntax.chunks[chunk].label == "NP" and syntax.pos[at].startswith(_NOUNS):
            return syntax.chunks[chunk].stop - 1
    return -1
