"""One pass over a tree's text: its constituents as labels and positions, without objects for nodes."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from runoff.tasks.parsing.bracket_text import is_no_tree
from runoff.tasks.parsing.brackets import parse_tree
from runoff.tasks.parsing.trees import TRACE

NOBODY = -1  # parent of a root


class TreeSketch(NamedTuple):
    """Constituents of a tree, parents before children, and its tags and words; traces are left out of all positions."""

    labels: list[str]
    starts: list[int]
    stops: list[int]
    parents: list[int]  # numbers of constituents
    tags: list[str]
    words: list[str]
    over: list[int]  # of every word, the constituent right above it


@lru_cache(maxsize=2048)  # a group's texts are looked at several times
def tree_sketch(text: str) -> TreeSketch:
    """The sketch of a tree; that of (()), which is no tree, is empty. O(characters).

    Text as parsers write it, with one blank before every word and opening bracket, is split at its blanks, which is six
    times as fast as reading a `Tree`; any other text is read as a tree first, with the errors of `parse_tree`.

    Examples
    --------
    >>> found = tree_sketch("(S1 (NP (DT a) (NN cat)))")
    >>> found.labels, found.starts, found.stops, found.tags
    (['S1', 'NP'], [0, 0], [2, 2], ['DT', 'NN'])
    """
    if is_no_tree(text):
        return TreeSketch([], [], [], [], [], [], [])
    found = _scan(text) if _is_regular(text) else None
    if found is None:
        found = _scan(str(parse_tree(text)))
    if found is None:  # pragma: no cover - what is written by a tree is regular
        raise AssertionError(text)
    return found


def _is_regular(text: str) -> bool:
    """Whether there is one blank before every word and every opening bracket but the first, and none elsewhere."""
    opening = text.count("(")
    return (
        text.startswith("(")
        and opening == text.count(" (") + 1 == text.count(")")
        and "  " not in text
        and " )" not in text
        and text.isprintable()
    )


def _scan(text: str) -> TreeSketch | None:
    """The sketch of regular text; None where it is no tree."""
    labels: list[str] = []
    starts: list[int] = []
    stops: list[int] = []
    parents: list[int] = []
    tags: list[str] = []
    words: list[str] = []
    over: list[int] = []
    stack: list[int] = []
    tag: str | None = None  # a label whose word or first child comes next
    at = 0
    closed = False
    for token in text.split(" "):
        if closed:
            return None
        if token[:1] == "(":
            if tag is not None:
                parents.append(stack[-1] if stack else NOBODY)
                stack.append(len(labels))
                labels.append(tag)
                starts.append(at)
                stops.append(at)
            elif labels and not stack:
                return None
            tag = token[1:]
            if tag[-1:] == ")":
                return None
            continue
        word = token.rstrip(")")
        closing = len(token) - len(word) - 1
        if not tag or not word or closing < 0 or closing > len(stack):
            return None
        if tag != TRACE:
            tags.append(tag)
            words.append(word)
            over.append(stack[-1] if stack else NOBODY)
            at += 1
        tag = None
        for _ in range(closing):
            stops[stack.pop()] = at
        closed = not stack
    return TreeSketch(labels, starts, stops, parents, tags, words, over) if closed else None
