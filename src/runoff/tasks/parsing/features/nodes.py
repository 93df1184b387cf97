"""What feature families look at: views of the nodes of a forest with heads and rules, built once per node."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from runoff.tasks.parsing.heads import head_child
from runoff.tasks.parsing.trees import plain_label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.tasks.parsing.trees import Tree

CLOSED_TAGS = frozenset(
    ("CC", "DT", "EX", "IN", "MD", "PDT", "POS", "PRP", "PRP$", "RP", "TO", "WDT", "WP", "WP$", "WRB"),
)
_BE = frozenset(("be", "am", "is", "are", "was", "were", "been", "being", "'s", "'re", "'m"))
_HAVE_DO = frozenset(("have", "has", "had", "having", "'ve", "do", "does", "did", "doing", "done", "'d"))
AUXILIARIES = _BE | _HAVE_DO
_VERB_TAGS = frozenset(("VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "AUX", "AUXG"))
STOP = "STOP"
_JOINTS = re.compile(r"[%!/<>^|]")  # separators in names of features


class Rule:
    """A context-free rule with its head and the texts of its parts; equal rules are one object.

    Examples
    --------
    >>> rule = Rule("VP", ("PP", "VBD", "NP"), 1)
    >>> rule.text, rule.bigrams, rule.modifiers[1]
    ('VP>PP VBD! NP', ['Right VP NP STOP', 'Left VP PP STOP'], 'Right VP VBD NP near')
    """

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


class RuleTable:
    """Rules of all lists, each built once."""

    def __init__(self) -> None:
        self.safe = _Safe({STOP: "%53TOP"})
        self.category = _Categories()
        self._plain: dict[tuple[str, tuple[str, ...]], Rule] = {}
        self._closed: dict[tuple[str, tuple[str, ...]], Rule] = {}

    def plain(self, label: str, labels: tuple[str, ...]) -> Rule:
        """The rule with these labels as written in the tree."""
        key = (label, labels)
        rule = self._plain.get(key)
        if rule is None:
            safe = tuple([self.safe[each] for each in labels])
            rule = self._plain[key] = Rule(self.safe[label], safe, head_child(label, labels))
        return rule

    def closed(self, label: str, labels: tuple[str, ...], head: int) -> Rule:
        """The rule with labels that carry head words."""
        key = (label, labels)  # they determine the rule, and so the head
        rule = self._closed.get(key)
        if rule is None:
            rule = self._closed[key] = Rule(label, labels, head)
        return rule


class _Safe(dict[str, str]):
    """Labels (and words next to them) with separators escaped, so that names are unique.

    Labels and words never have blanks or round brackets, which separate anything.
    """

    def __missing__(self, text: str) -> str:
        safe = self[text] = _JOINTS.sub(lambda found: f"%{ord(found.group()):02X}", text)
        return safe


class _Categories(dict[str, str]):
    """Labels without function tags, cached."""

    def __missing__(self, label: str) -> str:
        category = self[label] = plain_label(label)
        return category


class NodeView:
    """A node of a forest as feature families see it."""

    __slots__ = (
        "category",
        "children",
        "closed",
        "closed_word",
        "end",
        "first_word",
        "head",
        "head_tag",
        "head_word",
        "is_leaf",
        "label",
        "last_word",
        "leaf",
        "left_edge",
        "place",
        "right_edge",
        "rule",
        "start",
    )

    label: str  # as written, with function tags; used in names of features
    category: str  # without function tags; what families look for
    start: int
    end: int
    is_leaf: bool
    children: tuple[NodeView, ...]
    rule: Rule | None  # None for a tag
    closed: Rule | None  # the rule with closed-class head words at its labels; None if there are none
    closed_word: str  # a slash and the head word if it is closed-class, else empty
    head: int  # index of the head child
    leaf: Tree  # leaf of the head, shared by all nodes with this head
    head_word: str  # lower case
    head_tag: str
    place: int  # position of the head word in the sentence
    left_edge: str  # labels from here down to the first word
    right_edge: str  # labels from here down to the last word
    first_word: str  # lower case
    last_word: str


class NodeViews:
    """Views of the nodes of one list's trees, each built once."""

    def __init__(self, rules: RuleTable) -> None:
        self._rules = rules
        self._of: dict[Tree, NodeView] = {}

    def of(self, tree: Tree) -> NodeView:
        """The view of a node."""
        found = self._of.get(tree)
        return self._make(tree) if found is None else found

    def _make(self, tree: Tree) -> NodeView:
        """Build missing views of a node and everything below it; trees can be too deep for recursion."""
        new, waiting = [], [tree]
        while waiting:
            node = waiting.pop()
            if node not in self._of:
                new.append(node)
                waiting.extend(node.children)
        for node in reversed(new):  # children before parents
            self._of[node] = self._over_word(node, node.word) if node.word is not None else self._over(node)
        return self._of[tree]

    def _over_word(self, tree: Tree, written: str) -> NodeView:
        view, tag, word = NodeView(), tree.label, written.lower()
        view.label = view.head_tag = view.left_edge = view.right_edge = self._rules.safe[tag]
        view.category = self._rules.category[tag]
        view.start, view.end, view.place = tree.start, tree.end, tree.start
        view.is_leaf, view.children, view.head, view.leaf = True, (), -1, tree
        view.rule = view.closed = None
        view.head_word = view.first_word = view.last_word = word
        is_closed = view.category in CLOSED_TAGS or (word in AUXILIARIES and view.category in _VERB_TAGS)
        view.closed_word = f"/{self._rules.safe[word]}" if is_closed else ""
        return view

    def _over(self, tree: Tree) -> NodeView:
        view = NodeView()
        children = view.children = tuple([self._of[child] for child in tree.children])
        rule = view.rule = self._rules.plain(tree.label, tuple([child.label for child in tree.children]))
        label, view.category = rule.label, self._rules.category[tree.label]
        view.label = label
        view.start, view.end, view.is_leaf = tree.start, tree.end, False
        at = view.head = rule.head
        head, first, last = children[at], children[0], children[-1]
        view.leaf, view.place, view.closed_word = head.leaf, head.place, head.closed_word
        view.head_word, view.head_tag = head.head_word, head.head_tag
        view.left_edge, view.first_word = f"{label} {first.left_edge}", first.first_word
        view.right_edge, view.last_word = f"{label} {last.right_edge}", last.last_word
        labels = tuple([child.label + child.closed_word for child in children])
        is_plain = labels == rule.labels
        view.closed = None if is_plain else self._rules.closed(label + view.closed_word, labels, at)
        return view


class SentenceContext:
    """What all candidates of a list share: the words, and the first choice's tags.

    Punctuation means no letters or digits, so it does not depend on a candidate's tags.
    """

    __slots__ = ("last", "punctuation", "tags", "words")

    def __init__(self, words: Sequence[str], tags: Sequence[str]) -> None:
        self.words = [word.lower() for word in words]
        self.tags = list(tags)
        self.punctuation = [not any(map(str.isalnum, word)) for word in self.words]
        spoken = [at for at, is_mark in enumerate(self.punctuation) if not is_mark]
        self.last = spoken[-1] if spoken else len(self.words) - 1  # position of the last word that is not punctuation

    def word(self, at: int) -> str:
        """The word at a position; empty outside the sentence."""
        return self.words[at] if 0 <= at < len(self.words) else ""

    def tag(self, at: int) -> str:
        """The first choice's tag at a position; empty outside the sentence."""
        return self.tags[at] if 0 <= at < len(self.tags) else ""


def size_bin(count: int) -> str:
    """A number of words, binned.

    Examples
    --------
    >>> [size_bin(n) for n in (1, 5, 6, 10, 11, 21)]
    ['1', '5', '6-10', '6-10', '11-20', '21+']
    """
    if count <= 5:
        return str(count)
    return "6-10" if count <= 10 else "11-20" if count <= 20 else "21+"
