"""Split labels: finer categories than the treebank's, by what is in a constituent or around a tag.

The split of a label is determined by the tree, so every tree has exactly one split form, and removing the splits
restores the tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from runoff.tasks.parsing.heads import head_child

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from runoff.tasks.parsing.trees import Tree

MARK = " "  # between a label and its split: no treebank label has a blank
_VERBS = frozenset(["VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "AUX", "AUXG", "MD"])
_BE = frozenset(["be", "am", "is", "are", "was", "were", "been", "being", "'s", "'re", "'m", "ai"])
_HAVE = frozenset(["have", "has", "had", "having", "'ve", "'d"])


@dataclass(slots=True)
class SplitNode:
    """A node with its split label, and the index of its head child."""

    label: str
    plain: str
    children: list[SplitNode]
    head: int
    word: str | None

    def walk(self) -> Iterator[SplitNode]:
        """Every node, parents before children, from left to right."""
        waiting = [self]
        while waiting:
            part = waiting.pop()
            yield part
            waiting.extend(reversed(part.children))


def split_tree(tree: Tree, splits: Collection[str]) -> SplitNode:
    """The tree with split labels. O(nodes).

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> tree = parse_tree("(S (VP (TO to) (VP (VB be) (NP (DT a) (NN man)))))")
    >>> part = split_tree(tree, ["subjectless", "auxiliary"])
    >>> part.label, part.children[0].children[1].children[0].label
    ('S subjectless', 'VB be')
    """
    return _split(tree, "", frozenset(splits))


def _split(tree: Tree, parent: str, splits: frozenset[str]) -> SplitNode:
    if tree.word is not None:
        return SplitNode(_tag(tree.label, tree.word, parent, splits), tree.label, [], 0, tree.word)
    labels = tuple(child.label for child in tree.children)
    children = [_split(child, tree.label, splits) for child in tree.children]
    label = _label(tree, labels, splits)
    return SplitNode(label, tree.label, children, head_child(tree.label, labels), None)


def _label(tree: Tree, labels: tuple[str, ...], splits: frozenset[str]) -> str:
    if tree.label == "NP" and "base" in splits and not any(map(_is_full_noun_phrase, tree.children)):
        return f"NP{MARK}base"
    if tree.label == "S" and "subjectless" in splits and "VP" in labels and "NP" not in labels[: labels.index("VP")]:
        return f"S{MARK}subjectless"
    return tree.label


def _is_full_noun_phrase(tree: Tree) -> bool:
    return tree.label == "NP" and not (tree.children and tree.children[-1].label == "POS")


def _tag(tag: str, word: str, parent: str, splits: frozenset[str]) -> str:
    low = word.lower()
    if tag == "IN" and "preposition" in splits:
        if parent == "SBAR":
            return f"IN{MARK}clause"
        return f"IN{MARK}of" if low == "of" else tag
    if tag in _VERBS and "auxiliary" in splits:
        if low in _BE:
            return f"{tag}{MARK}be"
        return f"{tag}{MARK}have" if low in _HAVE else tag
    return tag
