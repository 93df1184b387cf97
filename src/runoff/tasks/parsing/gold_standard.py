"""A gold tree that scores candidates and caches the result of every node.

The rules are those of `runoff.tasks.parsing.parseval`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING

from runoff.tasks.parsing.brackets import Forest
from runoff.tasks.parsing.metric import COLUMNS, DELETED_LABELS, EQUAL_LABELS
from runoff.tasks.parsing.trees import TRACE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from runoff.tasks.parsing.trees import Tree

    Row: TypeAlias = tuple[int, ...]  # as COLUMNS
    Span: TypeAlias = tuple[int, int]

LEFT_OUT: Row = (0,) * len(COLUMNS)
_DELETED = frozenset(DELETED_LABELS)
_FUNCTION = re.compile("[-=]")


class _Words:
    """Words of a tree without traces, and which of them are deleted because of their tags (bit i for word i)."""

    def __init__(self, tree: Tree | None) -> None:
        leaves = [] if tree is None else tree.leaves()
        self.words = [leaf.word for leaf in leaves]
        self.tags = [leaf.label for leaf in leaves]
        self.dropped = sum(1 << at for at, tag in enumerate(self.tags) if tag in _DELETED)

    def kept(self) -> list[str | None]:
        return [word for word, tag in zip(self.words, self.tags, strict=True) if tag not in _DELETED]


class GoldStandard:
    """A gold tree, prepared for scoring candidates; caches the result of every node."""

    def __init__(self, gold: Tree) -> None:
        tree = Forest().without_traces(gold)
        self._gold = _Words(tree)
        self.length = len(self._gold.words)
        self.tags = [_same(tag) for tag in self._gold.tags if tag not in _DELETED]
        self.labels: dict[Span, list[str]] = {}
        places = _places(self.length, self._gold.dropped)
        for label, span in () if tree is None else _constituents(tree, places):
            self.labels.setdefault(span, []).append(label)
        self.size = sum(map(len, self.labels.values()))
        self._crosses: dict[Span, bool] = {}
        self._facts: dict[Tree, tuple[int, int, bool]] = {}
        self._readings: dict[tuple[int, int], _Reading] = {}

    def rows(self, candidate: Tree) -> tuple[Row, Row, bool]:
        """Statistics by both variants, and whether the number of words differs."""
        tree: Tree | None = candidate
        dropped, other, traces = self._look(candidate)
        if traces or candidate.start != 0:
            tree = Forest().without_traces(candidate)
            dropped, other, _ = (0, 0, False) if tree is None else self._look(tree)
        length = 0 if tree is None else tree.end
        if length != self.length:
            return self._misfit(tree, length, dropped), self._by_own_tags(tree, length, dropped), True
        if tree is None:  # traces alone, here and in the gold tree
            return self._statistics(0, 0, 0, 0), LEFT_OUT, False
        robust = self._row(tree, length, self._gold.dropped)
        if dropped != self._gold.dropped:
            return robust, self._by_own_tags(tree, length, dropped), False
        return robust, robust if self.tags and not other & ~dropped else LEFT_OUT, False

    def crosses(self, span: Span) -> bool:
        """Whether the span crosses a gold constituent."""
        found = self._crosses.get(span)
        if found is None:
            start, end = span
            found = any(left < start < right < end or start < left < end < right for left, right in self.labels)
            self._crosses[span] = found
        return found

    def matches(self, span: Span, labels: tuple[str, ...]) -> int:
        """How many of the labels over this span match gold labels there, each used once."""
        here = self.labels.get(span)
        if here is None:
            return 0
        if len(labels) == 1:
            return int(labels[0] in here)
        return sum(min(labels.count(label), here.count(label)) for label in set(labels))

    def _look(self, node: Tree) -> tuple[int, int, bool]:
        """Deleted words, words that differ from the gold tree's (both as bits), and whether there are traces."""
        found = self._facts.get(node)
        if found is None:
            if node.word is None:
                dropped, other, traces = 0, 0, False
                for child in node.children:
                    more, wrong, trace = self._look(child)
                    dropped, other, traces = dropped | more, other | wrong, traces or trace
                found = dropped, other, traces
            else:
                words, bit = self._gold.words, 1 << node.start
                same = node.start < len(words) and words[node.start] == node.word
                found = bit if node.label in _DELETED else 0, 0 if same else bit, node.label == TRACE
            self._facts[node] = found
        return found

    def _row(self, tree: Tree, length: int, dropped: int) -> Row:
        """Statistics of a tree with as many words left as the gold tree."""
        reading = self._readings.get((length, dropped))
        if reading is None:
            reading = self._readings[length, dropped] = _Reading(self, _places(length, dropped))
        test, crossing, right, _, _, matched = reading.look(tree)
        return self._statistics(matched, test, crossing, right)

    def _statistics(self, matched: int, test: int, crossing: int, right: int) -> Row:
        exact = matched == test == self.size
        crosses = crossing, int(crossing == 0), int(crossing <= 2)
        return matched, self.size, test, *crosses, int(exact), right, len(self.tags), 1

    def _by_own_tags(self, tree: Tree | None, length: int, dropped: int) -> Row:
        """As EVALB: delete what the candidate itself tags as punctuation; the rest must be the gold words."""
        left = _Words(tree).kept()
        if tree is None or not left or left != self._gold.kept():
            return LEFT_OUT
        return self._row(tree, length, dropped)

    def _misfit(self, tree: Tree | None, length: int, dropped: int) -> Row:
        """Different number of words: nothing counts as right, and every constituent crosses."""
        test = 0 if tree is None else sum(1 for _ in _constituents(tree, _places(length, dropped)))
        return 0, self.size, test, test, 0, 0, 0, 0, len(self.tags), 1


class _Reading:
    """Comparison of nodes with the gold tree for one set of deleted words."""

    def __init__(self, standard: GoldStandard, places: list[int]) -> None:
        self._standard, self._places = standard, places
        self._seen: dict[Tree, tuple[int, int, int, int, tuple[str, ...], int]] = {}

    def look(self, node: Tree) -> tuple[int, int, int, int, tuple[str, ...], int]:
        """Contribution of a node and everything below it.

        Constituents, crossing ones, right tags; matches of constituents with fewer words than the node, the labels
        of those with the same words (which a parent may have too, and gold labels are matched only once), and all
        matches.
        """
        found = self._seen.get(node)
        if found is not None:
            return found
        standard, places = self._standard, self._places
        span = start, end = places[node.start], places[node.end]
        test = crossing = right = below = 0
        labels: tuple[str, ...] = ()
        if node.word is not None:
            right = int(start < end and _same(node.label) == standard.tags[start])
        else:
            for child in node.children:
                its_test, its_crossing, its_right, its_below, its_labels, its_matches = self.look(child)
                test, crossing, right = test + its_test, crossing + its_crossing, right + its_right
                if its_labels and places[child.start] == start and places[child.end] == end:
                    below, labels = below + its_below, its_labels
                else:
                    below += its_matches
            label = category(node.label)
            if label is not None and start < end:
                test, crossing, labels = test + 1, crossing + standard.crosses(span), (*labels, label)
        matched = below + standard.matches(span, labels) if labels else below
        found = self._seen[node] = test, crossing, right, below, labels, matched
        return found


@lru_cache(maxsize=100_000)
def category(label: str) -> str | None:
    """Label of a constituent as it is compared; None if it is deleted.

    Examples
    --------
    >>> category("NP-SBJ"), category("PRT"), category("S1")
    ('NP', 'ADVP', None)
    """
    plain = _FUNCTION.split(label, maxsplit=1)[0]
    return None if not label or plain in _DELETED else _same(plain)


def _same(label: str) -> str:
    return EQUAL_LABELS.get(label, label)


def _places(length: int, dropped: int) -> list[int]:
    """How many words are kept before each place, of words of which some (as bits) are dropped."""
    return list(accumulate((1 - (dropped >> at & 1) for at in range(length)), initial=0))


def _constituents(tree: Tree, places: list[int]) -> Iterator[tuple[str, Span]]:
    """Label and words of every constituent that counts."""
    for node in tree.walk():
        if node.word is None and places[node.start] < places[node.end]:
            label = category(node.label)
            if label is not None:
                yield label, (places[node.start], places[node.end])
