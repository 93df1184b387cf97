"""Parses as a column of brackets, `(TOP(S(NP*)`, and as trees over the words and tags of other columns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from runoff.errors import DataError, brief
from runoff.tasks.parsing.trees import Tree
from runoff.tasks.roles.role_brackets import stretches_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from runoff.tasks.roles.sentence_blocks import FieldColumn

_BLANK = re.compile(r"\s", re.ASCII)


def tree_text(text: str) -> str:
    """A word or a tag as it stands in a tree, where a bracket is written -LRB- or -RRB-.

    Examples
    --------
    >>> tree_text("("), tree_text("New York"), tree_text("cat")
    ('-LRB-', 'New_York', 'cat')
    """
    return _BLANK.sub("_", text.replace("(", "-LRB-").replace(")", "-RRB-")) or "_"


def leaves_of(words: Iterable[str], tags: Iterable[str]) -> list[Tree]:
    """Tags over words, with brackets written as in a treebank.

    Examples
    --------
    >>> [str(leaf) for leaf in leaves_of(["(", "a"], ["(", "DT"])]
    ['(-LRB- -LRB-)', '(DT a)']
    """
    pairs = zip(words, tags, strict=True)
    return [Tree.leaf(tree_text(tag), tree_text(word), at) for at, (word, tag) in enumerate(pairs)]


def tree_of_column(column: FieldColumn, words: Sequence[str], tags: Sequence[str]) -> Tree | None:
    """The tree of a sentence; None if no field has a bracket. O(words + constituents).

    Examples
    --------
    >>> from runoff.tasks.roles.sentence_blocks import FieldColumn
    >>> column = FieldColumn(("(TOP(S(NP*)", "(VP*)))"), "a.conll", 1, 6, "parse")
    >>> str(tree_of_column(column, ["I", "left"], ["PRP", "VBD"]))
    '(TOP (S (NP (PRP I)) (VP (VBD left))))'
    """
    if all(field in ("*", "-", "_") for field in column.fields):
        return None
    spans = stretches_of(column)
    if not spans or spans[0][:2] != (0, len(words)):
        stop = spans[0].stop if spans and spans[0].start == 0 else 0
        raise column.error(stop, "one tree over all words of the sentence (this word is outside of its brackets)")
    waiting = iter([*spans[1:], (len(words), 0, "")])
    coming = next(waiting)
    still_open: list[tuple[str, int, list[Tree]]] = [(spans[0].label, spans[0].stop, [])]
    for at, leaf in enumerate(leaves_of(words, tags)):
        while coming[0] == at:
            still_open.append((coming[2], coming[1], []))
            coming = next(waiting)
        still_open[-1][2].append(leaf)
        while len(still_open) > 1 and still_open[-1][1] == at + 1:
            label, _, children = still_open.pop()
            still_open[-1][2].append(Tree(label, children))
    return Tree(still_open[0][0], still_open[0][2])


def column_of_tree(tree: Tree, n_words: int) -> list[str]:
    """The brackets of a tree; one that is only a tag over a word has none. O(words + constituents).

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> column_of_tree(parse_tree("(S (NP (PRP I)) (VP (VBD left)))"), 2)
    ['(S(NP*)', '(VP*))']
    """
    before, after = [""] * n_words, [""] * n_words
    for node in tree.walk():
        if node.is_leaf:
            continue
        if any(mark in node.label for mark in "()*") or _BLANK.search(node.label):
            raise DataError(f"a column of brackets cannot show a constituent with the label {brief(node.label)}.")
        before[node.start] += f"({node.label}"
        after[node.end - 1] += ")"
    return [f"{left}*{right}" for left, right in zip(before, after, strict=True)]


def tree_over(tree: Tree, words: Sequence[str]) -> Tree:
    """The same tree with these words as they stand in trees; raises a `DataError` where its own are others.

    Examples
    --------
    >>> str(tree_over(Tree("X", [Tree.leaf("-LRB-", "(", 0)]), ["("]))
    '(X (-LRB- -LRB-))'
    """
    found, wanted = [tree_text(word) for word in tree.words()], [tree_text(word) for word in words]
    if found != wanted:
        at = next((at for at, pair in enumerate(zip(found, wanted, strict=False)) if pair[0] != pair[1]), None)
        if at is None:
            raise DataError(f"expected a tree over the {len(wanted)} words of the sentence; found {len(found)}.")
        raise DataError(
            f"expected a tree over the words of the sentence; word {at + 1} is {brief(words[at])}, "
            f"in the tree {brief(tree.words()[at])}."
        )
    if tree.words() == wanted:
        return tree
    return _escaped(tree)


def _escaped(tree: Tree) -> Tree:
    if tree.word is not None:
        return Tree.leaf(tree_text(tree.label), tree_text(tree.word), tree.start)
    return Tree(tree.label, [_escaped(child) for child in tree.children])
