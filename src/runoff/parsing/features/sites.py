"""What feature families look at: nodes of a forest with their heads, rules and neighbours, made once per node."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from runoff.parsing.heads import head_child

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.parsing.trees import Tree

CLOSED_TAGS = frozenset(
    ("CC", "DT", "EX", "IN", "MD", "PDT", "POS", "PRP", "PRP$", "RP", "TO", "WDT", "WP", "WP$", "WRB"),
)
_BE = frozenset(("be", "am", "is", "are", "was", "were", "been", "being", "'s", "'re", "'m"))
_HAVE_DO = frozenset(("have", "has", "had", "having", "'ve", "do", "does", "did", "doing", "done", "'d"))
AUXILIARIES = _BE | _HAVE_DO
_VERB_TAGS = frozenset(("VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "AUX", "AUXG"))
STOP = "STOP"


class Rule:
    """A context-free rule with its head, the texts of its parts made once; equal rules are one object."""

    __slots__ = ("bigrams", "head", "label", "labels", "modifiers", "text", "trigrams")

    def __init__(self, label: str, labels: tuple[str, ...], head: int) -> None:
        self.label, self.labels, self.head = label, labels, head
        marked = [*labels[:head], f"{labels[head]}!", *labels[head + 1 :]]
        self.text = f"{label}>{' '.join(marked)}"
        right = [*labels[head + 1 :], STOP]
        left = [*reversed(labels[:head]), STOP]
        self.bigrams = [f"Right {label} {a} {b}" for a, b in pairwise(right)]
        self.bigrams += [f"Left {label} {a} {b}" for a, b in pairwise(left)]
        ends = [STOP, *marked, STOP]
        self.trigrams = [f"{label} {' '.join(ends[at : at + 3])}" for at in range(len(marked))]
        self.modifiers = [
            f"{_side(at, head)} {label} {labels[head]} {other} {'near' if abs(at - head) == 1 else 'far'}"
            for at, other in enumerate(labels)
            if at != head
        ]


def _side(at: int, head: int) -> str:
    return "Left" if at < head else "Right"


class Site:
    """A node of a forest as feature families see it."""

    __slots__ = (
        "children",
        "closed",
        "end",
        "head",
        "head_tag",
        "head_word",
        "is_leaf",
        "key",
        "label",
        "place",
        "rule",
        "start",
    )

    label: str
    start: int
    end: int
    is_leaf: bool
    children: tuple[Site, ...]
    rule: Rule | None  # None over a word
    closed: Rule | None  # the rule with closed-class head words at its labels; None where it has none
    head: int  # which child is the head
    head_word: str  # lower case
    head_tag: str
    place: int  # of the head word in the sentence
    key: str  # label, with the head word where that is of a closed class


class Sites:
    """Sites of one list's trees, each node's made once."""

    def __init__(self, rules: dict[tuple[object, ...], Rule]) -> None:
        self._rules = rules
        self._of: dict[Tree, Site] = {}

    def of(self, tree: Tree) -> Site:
        """The site of a node."""
        found = self._of.get(tree)
        return found if found is not None else self._made(tree)

    def _made(self, tree: Tree) -> Site:
        site = Site()
        site.label, site.start, site.end = tree.label, tree.start, tree.end
        if tree.word is not None:
            site.is_leaf, site.children, site.head = True, (), -1
            site.rule = site.closed = None
            word = tree.word.lower()
            site.head_word, site.head_tag, site.place = word, tree.label, tree.start
            is_closed = tree.label in CLOSED_TAGS or (word in AUXILIARIES and tree.label in _VERB_TAGS)
            site.key = f"{tree.label}/{word}" if is_closed else tree.label
        else:
            site.is_leaf = False
            site.children = children = tuple([self.of(child) for child in tree.children])
            labels = tuple([child.label for child in children])
            site.head = at = head_child(tree.label, labels)
            head = children[at]
            site.head_word, site.head_tag, site.place = head.head_word, head.head_tag, head.place
            site.key = tree.label + head.key[len(head.label) :]
            site.rule = self._rule(tree.label, labels, at)
            keys = tuple([child.key for child in children])
            same = keys == labels
            site.closed = None if same else self._rule(site.key, keys, at)
        self._of[tree] = site
        return site

    def _rule(self, label: str, labels: tuple[str, ...], head: int) -> Rule:
        key = (label, labels, head)
        rule = self._rules.get(key)
        if rule is None:
            rule = self._rules[key] = Rule(label, labels, head)
        return rule


class Sentence:
    """What all candidates of a list share: the words, and the first choice's tags."""

    __slots__ = ("last", "punctuation", "tags", "words")

    def __init__(self, words: Sequence[str], tags: Sequence[str]) -> None:
        self.words = [word.lower() for word in words]
        self.tags = list(tags)
        self.punctuation = [not any(map(str.isalnum, word)) for word in self.words]
        spoken = [at for at, is_mark in enumerate(self.punctuation) if not is_mark]
        self.last = spoken[-1] if spoken else len(self.words) - 1  # place of the last word that is not punctuation

    def word(self, at: int) -> str:
        """The word at a place, `<s>` before the first and after the last."""
        return self.words[at] if 0 <= at < len(self.words) else "<s>"

    def tag(self, at: int) -> str:
        """The first choice's tag at a place, `<s>` before the first and after the last."""
        return self.tags[at] if 0 <= at < len(self.tags) else "<s>"


def size_bin(count: int) -> str:
    """A number of words, roughly.

    Examples
    --------
    >>> [size_bin(n) for n in (1, 5, 6, 10, 11, 21)]
    ['1', '5', '6-10', '6-10', '11-20', '21+']
    """
    if count <= 5:
        return str(count)
    return "6-10" if count <= 10 else "11-20" if count <= 20 else "21+"
