"""Phrase-structure trees: labelled nodes over words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TRACE = "-NONE-"
ROOTS = frozenset({"", "TOP", "S1", "ROOT"})  # labels of a root above the sentence


class Tree:
    """A node with everything below it: a tag over a word, or a constituent over other nodes.

    `start` and `end` are word positions, as in slices. Nodes are compared by identity and must not be changed:
    candidates of an n-best list share equal nodes (see `Forest`).

    Examples
    --------
    >>> noun = Tree("NP", [Tree.leaf("DT", "the", 0), Tree.leaf("NN", "cat", 1)])
    >>> str(noun), noun.words(), noun.start, noun.end
    ('(NP (DT the) (NN cat))', ['the', 'cat'], 0, 2)
    """

    __slots__ = ("children", "end", "label", "start", "word")

    def __init__(self, label: str, children: Sequence[Tree]) -> None:
        self.label = label
        self.children = tuple(children)
        self.word: str | None = None
        self.start: int = children[0].start
        self.end: int = children[-1].end

    @classmethod
    def leaf(cls, tag: str, word: str, start: int) -> Tree:
        """A tag over the word at position `start`."""
        node = cls.__new__(cls)
        node.label, node.word, node.children = tag, word, ()
        node.start, node.end = start, start + 1
        return node

    @property
    def is_leaf(self) -> bool:
        """Whether it is a tag over a word."""
        return self.word is not None

    def walk(self) -> Iterator[Tree]:
        """Every node, parents before children, from left to right."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def leaves(self) -> list[Tree]:
        """Tags over words, from left to right."""
        return [node for node in self.walk() if node.word is not None]

    def words(self) -> list[str]:
        """Words from left to right."""
        return [node.word for node in self.walk() if node.word is not None]

    def __str__(self) -> str:
        pieces: list[str] = []
        waiting: list[Tree | str] = [self]  # an explicit stack: trees can be too deep for recursion
        while waiting:
            node = waiting.pop()
            if isinstance(node, str):
                pieces.append(node)
            elif node.word is not None:
                pieces.append(f" ({node.label} {node.word})")
            else:
                pieces.append(f" ({node.label}")
                waiting += [")", *reversed(node.children)]
        return "".join(pieces)[1:]

    def __repr__(self) -> str:
        return f"Tree({str(self)!r})"


def plain_label(label: str) -> str:
    """The category without function tags and trace numbers.

    If a label starts with a dash, the category ends with the next dash.

    Examples
    --------
    >>> plain_label("NP-SBJ-1"), plain_label("NP=2"), plain_label("-LRB-"), plain_label("PRP$")
    ('NP', 'NP', '-LRB-', 'PRP$')
    """
    start = max(label.find("-", 1), 0) + 1 if label.startswith("-") else 1
    cut = min((at for at in (label.find(mark, start) for mark in "-=|") if at > 0), default=len(label))
    return label[:cut]


def plain(tree: Tree) -> Tree | None:
    """The tree as a parser would write it: no traces, no function tags; None if nothing is left.

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> str(plain(parse_tree("(S (NP-SBJ-1 (PRP I)) (VP (VBD left) (NP (-NONE- *-1))))")))
    '(S (NP (PRP I)) (VP (VBD left)))'
    """
    found, _ = _plain(tree, 0)
    return found


def _plain(tree: Tree, start: int) -> tuple[Tree | None, int]:
    if tree.word is not None:
        if tree.label == TRACE:
            return None, start
        return Tree.leaf(plain_label(tree.label), tree.word, start), start + 1
    children = []
    for child in tree.children:
        kept, start = _plain(child, start)
        if kept is not None:
            children.append(kept)
    return (Tree(plain_label(tree.label), children) if children else None), start
