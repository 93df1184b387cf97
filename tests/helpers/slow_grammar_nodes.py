"""Trees for the grammar in plain Python: nodes with split labels, read from brackets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from runoff.tasks.parsing.heads import head_child

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Node(NamedTuple):
    """A node with its split label: a tag with a word, or a constituent with the place of its head child."""

    label: str
    plain: str
    word: str | None
    children: tuple[Node, ...]
    head: int

    @property
    def symbol(self) -> tuple[str, str]:
        """Tags and labels are different things even when they have the same name."""
        return ("tag" if self.word is not None else "label", self.label)

    def written(self) -> str:
        below = self.word if self.word is not None else " ".join(child.written() for child in self.children)
        return f"({self.plain} {below})"

    def walk(self) -> Iterator[Node]:
        yield self
        for child in self.children:
            yield from child.walk()


class Head(NamedTuple):
    tag: tuple[str, str]
    cls: str
    word: str


class Derivation(NamedTuple):
    score: float
    tree: Node


def read(text: str) -> list[object]:
    """Brackets as nested lists: [label, child, …] or [tag, word]."""
    stack: list[list[object]] = [[]]
    for token in re.findall(r"[()]|[^\s()]+", text):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    (tree,) = stack[0]
    assert isinstance(tree, list)
    return tree if tree[0] == "TOP" else ["TOP", tree]


def split(tree: list[object], splits: Iterable[str], parent: str = "") -> Node:
    """A tree with split labels, by the descriptions in `SPLITS`."""
    label = str(tree[0])
    if isinstance(tree[1], str):
        word, added = tree[1], ""
        if label == "IN" and "preposition" in splits:
            added = "clause" if parent == "SBAR" else "of" if word.lower() == "of" else ""
        elif label in {"VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "AUX", "AUXG", "MD"} and "auxiliary" in splits:
            be = {"be", "am", "is", "are", "was", "were", "been", "being", "'s", "'re", "'m", "ai"}
            have = {"have", "has", "had", "having", "'ve", "'d"}
            added = "be" if word.lower() in be else "have" if word.lower() in have else ""
        return Node(f"{label}~{added}" if added else label, label, word, (), 0)
    below = [each for each in tree[1:] if isinstance(each, list)]
    names = tuple(str(each[0]) for each in below)
    children = tuple(split(each, splits, label) for each in below)
    added = ""
    if label == "NP" and "base" in splits:
        inner = [child for child in children if child.plain == "NP"]
        if all(child.children and child.children[-1].plain == "POS" for child in inner):
            added = "base"
    elif label == "S" and "subjectless" in splits and "VP" in names and "NP" not in names[: names.index("VP")]:
        added = "subjectless"
    return Node(f"{label}~{added}" if added else label, label, None, children, head_child(label, names))
