"""Templates of clauses: what the recipe looks at, and the patterns of the whole sentence; chosen by measurement."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from runoff.tasks.tagging.clause_patterns import OF_STARTS, POS, SIDES
from runoff.tasks.tagging.recipes import tagger_recipe
from runoff.tasks.tagging.templates import Templates

if TYPE_CHECKING:
    from collections.abc import Iterable

_SIDES = """
suffix(before)[0,1]
suffix(before)[0,2]
suffix(before)[0,3]
suffix(before)[0,4]
suffix(before)[0,5]
before[0]
prefix(after)[0,1]
prefix(after)[0,2]
prefix(after)[0,3]
prefix(after)[0,4]
prefix(after)[0,5]
after[0]
suffix(before)[0,1] prefix(after)[0,1]
suffix(before)[0,1] prefix(after)[0,2]
suffix(before)[0,2] prefix(after)[0,1]
suffix(before)[0,2] prefix(after)[0,2]
suffix(before)[0,3] prefix(after)[0,2]
suffix(before)[0,2] prefix(after)[0,3]
suffix(before)[0,3] prefix(after)[0,3]
pos[0] suffix(before)[0,2]
pos[0] suffix(before)[0,3]
pos[0] suffix(before)[0,4]
pos[0] prefix(after)[0,2]
pos[0] prefix(after)[0,3]
pos[0] prefix(after)[0,4]
lower[0] suffix(before)[0,2]
lower[0] suffix(before)[0,3]
lower[0] prefix(after)[0,2]
lower[0] prefix(after)[0,3]
lower[1] prefix(after)[0,3]
pos[0] pos[1] suffix(before)[0,2] prefix(after)[0,2]
verbs-before[0]
verbs-after[0]
links-before[0]
links-after[0]
quotes-before[0]
quotes-after[0]
breaks-before[0]
breaks-after[0]
verbs-before[0] verbs-after[0]
links-before[0] links-after[0]
quotes-before[0] quotes-after[0]
verbs-before[0] links-before[0]
verbs-after[0] links-after[0]
verbs-before[0] verbs-after[0] links-before[0] links-after[0]
pos[0] verbs-before[0] verbs-after[0]
pos[1] verbs-before[0] verbs-after[0]
pos[0] pos[1] verbs-after[0]
pos[0] pos[1] verbs-before[0]
lower[0] verbs-before[0]
lower[0] verbs-after[0]
pos[0] quotes-before[0]
"""
_OF_STARTS = """
start[-1]
start[0]
start[1]
start[2]
start[3]
start[0] start[1]
start[1] pos[0]
start[1] pos[1]
starts-before[0]
starts-after[0]
starts-before[0] starts-after[0]
starts-before[0] lower[1]
starts-before[0] pos[0] pos[1]
starts-before[0] pos[1] pos[2]
starts-before[0] starts-after[0] pos[1]
starts-before[0] suffix(before)[0,4]
starts-before[0] prefix(after)[0,2]
starts-before[0] prefix(after)[0,3]
opener[0]
opener-pos[0]
opener-pos[0] pos[1]
opener[0] pos[1]
opener[0] pos[0] pos[1]
opener[0] prefix(after)[0,2]
verbs-since[0]
verbs-since[0] starts-before[0]
verbs-since[0] opener-pos[0]
verbs-since[0] opener[0]
verbs-since[0] pos[1]
verbs-since[0] pos[0] pos[1]
verbs-since[0] starts-before[0] pos[1]
suffix(before)[0,4] prefix(after)[0,3]
suffix(before)[0,5] prefix(after)[0,2]
"""


@cache
def clause_templates() -> tuple[Templates, Templates]:
    """Templates for the starts of clauses, and for their ends, which also look at the starts.

    Examples
    --------
    >>> starts, ends = clause_templates()
    >>> sorted(set(ends.columns) - set(starts.columns))
    ['opener', 'opener-pos', 'start', 'starts-after', 'starts-before', 'verbs-since']
    """
    lines = "\n".join(tagger_recipe("clauses").templates.lines) + _SIDES
    ends = Templates.parse(lines + _OF_STARTS)
    return for_starts(ends), ends


def for_starts(templates: Templates) -> Templates:
    """Without the templates that look at starts, which only those of ends can.

    Examples
    --------
    >>> for_starts(Templates.parse("word[0]\\nstart[1] word[1]")).lines
    ['word[0]']
    """
    return templates.only([name for name in templates.columns if name not in OF_STARTS])


def plain_columns(templates: Templates) -> list[str]:
    """The columns that a corpus itself must have for templates with patterns.

    Examples
    --------
    >>> plain_columns(Templates.parse("word[0]\\nstart[1]"))
    ['word', 'pos']
    """
    made = {*SIDES, *OF_STARTS}
    return list(dict.fromkeys(POS if name in made else name for name in templates.columns))


def fitting(templates: Templates, columns: Iterable[str], notes: list[str]) -> Templates:
    """The templates that these columns are enough for; a note tells of columns that are missing.

    Examples
    --------
    >>> notes = []
    >>> fitting(Templates.parse("word[0]\\nchunk[0]"), ["word"], notes).lines, notes
    (['word[0]'], ["1 of 2 templates were left out: the sentences have no column 'chunk'."])
    """
    known = list(columns)
    missing = [name for name in plain_columns(templates) if name not in known]
    if not missing:
        return templates
    made = [*SIDES, *OF_STARTS] if POS in known else []
    kept = templates.only([*known, *made])
    count = len(templates.templates) - len(kept.templates)
    named = " and ".join(map(repr, missing))
    note = f"{count} of {len(templates.templates)} templates were left out: the sentences have no column {named}."
    if note not in notes:
        notes.append(note)
    return kept
