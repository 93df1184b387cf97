"""A tree of constituents that come from several trees over the same words."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

from runoff.tasks.parsing.gold_standard import category
from runoff.tasks.parsing.tree_sketch import tree_sketch
from runoff.tasks.parsing.word_edges import WordEdges

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from runoff.combine.parts import Part
    from runoff.tasks.parsing.tree_sketch import TreeSketch

_ROOT = "TOP"


class _Place(NamedTuple):
    """Where and how a tree has a part: its label there and all its words, with punctuation at the edges."""

    label: str
    start: int
    stop: int


def tree_of_parts(parts: Sequence[Part], texts: Sequence[str]) -> str:
    """A tree that has exactly these constituents, which do not cross, over the words and tags of the first text.

    Labels, and which punctuation at its edges belongs to a constituent, are those of the first text that has it;
    constituents over the same words stand as in the first text that has all of them. The root is that of the first
    text. O(words + constituents), after the texts up to the one where the last of the parts is found.

    Examples
    --------
    >>> from runoff.combine.parts import Part
    >>> texts = ["(S1 (S (NP (PRP I)) (VP (VBP run) (. .))))", "(S1 (FRAG (X (PRP I)) (VB run) (. .)))"]
    >>> tree_of_parts([Part(0, 2, "FRAG"), Part(0, 1, "NP")], texts)
    '(S1 (FRAG (NP (PRP I)) (VBP run) (. .)))'
    """
    sketches = [tree_sketch(text) for text in texts]
    edges = WordEdges.of(sketches)
    fitting = [sketch for sketch in sketches if len(sketch.tags) == edges.length]
    if not edges.length:
        return texts[0]
    places = _places(parts, fitting, edges)
    first = fitting[0]
    tree = " ".join(_pieces(_from_outside(parts, fitting, edges), places, first)).replace(" )", ")")
    root = first.labels[0] if first.labels else _ROOT
    if category(root) is None:
        return f"({root} {tree})"
    return tree if _is_one_tree(tree) else f"({_ROOT} {tree})"


def _is_one_tree(text: str) -> bool:
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if not depth:
            return at == len(text) - 1
    return False


def _places(parts: Sequence[Part], sketches: Sequence[TreeSketch], edges: WordEdges) -> dict[Part, _Place]:
    """Places of the parts in the first trees that have them; a part that no tree has keeps to its words."""
    waiting = set(parts)
    found = {part: _Place(part.label, part.start, part.stop) for part in parts}
    for sketch in sketches:
        if not waiting:
            break
        for number, part in enumerate(edges.parts(sketch)):
            if part in waiting:
                waiting.remove(part)
                found[part] = _Place(sketch.labels[number], sketch.starts[number], sketch.stops[number])
    return found


def _from_outside(parts: Sequence[Part], sketches: Sequence[TreeSketch], edges: WordEdges) -> list[Part]:
    """Parts from left to right, those around others first."""
    ordered: list[Part] = []
    for _, same in itertools.groupby(sorted(parts, key=_outer_first), key=_outer_first):
        own = list(same)
        ordered.extend(own if len(own) == 1 else _chain(own, sketches, edges))
    return ordered


def _outer_first(part: Part) -> tuple[int, int]:
    return part.start, -part.stop


def _chain(parts: Sequence[Part], sketches: Sequence[TreeSketch], edges: WordEdges) -> list[Part]:
    """Parts over the same words, from top to bottom, as in the first tree that has the most of them."""
    wanted = set(parts)
    best: list[Part] = []
    for sketch in sketches:
        found = [part for part in edges.parts(sketch) if part in wanted and part is not None]
        if len(found) > len(best):
            best = found
        if len(best) == len(wanted):
            break
    return [*sorted(wanted.difference(best)), *best]


def _pieces(parts: Sequence[Part], places: dict[Part, _Place], words: TreeSketch) -> Iterator[str]:
    """Brackets and words from left to right, a blank belonging before each but a closing bracket."""
    length, at = len(words.tags), 0
    stack: list[tuple[int, int]] = []  # of open constituents, where their last word that counts ends, and their last
    for part in [*parts, None]:
        while stack and (part is None or stack[-1][0] <= part.start):
            _, stop = stack.pop()
            yield from _leaves(words, at, stop)
            at = stop
            yield ")"
        # Punctuation that an earlier sibling or no constituent above has taken stays there.
        above = stack[-1][1] if stack else length
        if part is not None:
            place = places[part]
            start, stop = max(place.start, at), min(place.stop, above)
            yield from _leaves(words, at, start)
            at = start
            stack.append((part.stop, stop))
            yield f"({place.label}"
    yield from _leaves(words, at, length)


def _leaves(words: TreeSketch, start: int, stop: int) -> Iterator[str]:
    for at in range(start, stop):
        yield f"({words.tags[at]} {words.words[at]})"
