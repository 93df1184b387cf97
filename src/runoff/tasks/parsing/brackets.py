"""Penn brackets: reading them from text and files, with errors that name line and column."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from runoff.errors import DataError, brief
from runoff.tasks.parsing.trees import TRACE, Tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

DEEPEST = 400  # levels; far above any sentence, and low enough for recursion
# ASCII alone separates: a no-break space belongs to its word, as in every other program that reads brackets.
_TOKEN = re.compile(r"\(\s*([^\s()]+)\s+([^\s()]+)\s*\)|(\()\s*([^\s()]*)|(\))|([^\s()]+)", re.ASCII)


class Forest:
    """Trees over the same words, which share every subtree that they have in common.

    Candidates of an n-best list differ in a few places only, so what is computed for a node of the forest
    serves all of them. Equal nodes (same label, words and position) are the same object.

    Examples
    --------
    >>> forest = Forest()
    >>> one, two = forest.tree("(S (NP (PRP I)) (VP (VBP run)))"), forest.tree("(FRAG (NP (PRP I)) (VP (VB run)))")
    >>> one.children[0] is two.children[0], one.children[1] is two.children[1]
    (True, False)
    """

    def __init__(self) -> None:
        self._nodes: dict[tuple[object, ...], Tree] = {}

    def leaf(self, tag: str, word: str, start: int) -> Tree:
        """The tag over this word at this position."""
        key = (tag, word, start)
        node = self._nodes.get(key)
        if node is None:
            node = self._nodes[key] = Tree.leaf(tag, word, start)
        return node

    def node(self, label: str, children: list[Tree]) -> Tree:
        """The constituent with these children, which must be of this forest."""
        key = (label, *children)
        node = self._nodes.get(key)
        if node is None:
            node = self._nodes[key] = Tree(label, children)
        return node

    def tree(self, text: str, where: str = "the tree") -> Tree:
        """Read one tree; an error names the column in its text."""
        trees = list(_trees([text], where, self))
        if len(trees) != 1:
            raise DataError(f"{where}: expected one tree; found {len(trees)} in {brief(text)}.")
        return trees[0]

    def without_traces(self, tree: Tree) -> Tree | None:
        """The tree without traces, words counted from 0, labels unchanged; None if no word is left.

        Examples
        --------
        >>> forest = Forest()
        >>> str(forest.without_traces(forest.tree("(S (NP-SBJ (-NONE- *)) (VP (VB run)))")))
        '(S (VP (VB run)))'
        """
        return self._spoken(tree, 0)[0]

    def _spoken(self, tree: Tree, start: int) -> tuple[Tree | None, int]:
        if tree.word is not None:
            return (None, start) if tree.label == TRACE else (self.leaf(tree.label, tree.word, start), start + 1)
        children = []
        for child in tree.children:
            kept, start = self._spoken(child, start)
            if kept is not None:
                children.append(kept)
        return (self.node(tree.label, children) if children else None), start


def parse_tree(text: str, where: str = "the tree") -> Tree:
    """Read one tree from text; `where` starts the error message.

    Examples
    --------
    >>> parse_tree("(S (NP (PRP I)) (VP (VBP run)))").words()
    ['I', 'run']
    """
    return Forest().tree(text, where)


def read_trees(lines: Iterable[str], where: str = "the trees", first: int = 1) -> Iterator[Tree]:
    """Read trees one by one: several on a line or one over many lines, numbered from `first` on. O(characters).

    Examples
    --------
    >>> [str(tree) for tree in read_trees(["( (NP (DT the)", "  (NN cat))) (INTJ (UH oh))"])]
    ['( (NP (DT the) (NN cat)))', '(INTJ (UH oh))']
    """
    return _trees(lines, where, None, first)


def _trees(lines: Iterable[str], where: str, shared: Forest | None, first: int = 1) -> Iterator[Tree]:
    stack: list[tuple[str, list[Tree]]] = []  # open constituents: label and children so far
    bare: str | None = None  # a word that came right after the label, its bracket not closed yet
    forest = Forest() if shared is None else shared
    start, opened = 0, 0
    number = 0
    for number, line in enumerate(lines, first):
        for at, (tag, word, is_open, label, is_close, loose) in enumerate(_TOKEN.findall(line)):
            if word and bare is None and stack:
                stack[-1][1].append(forest.leaf(tag, word, start))
                start += 1
            elif is_close and stack and (stack[-1][1] or bare is not None):
                name, children = stack.pop()
                node = forest.node(name, children) if bare is None else forest.leaf(name, bare, start - 1)
                bare = None
                if stack:
                    stack[-1][1].append(node)
                else:
                    yield node
                    start = 0
                    if shared is None:
                        forest = Forest()
            elif is_open and bare is None and len(stack) < DEEPEST:
                if not stack:
                    opened = number
                stack.append((label, []))
            elif word and not stack:
                yield forest.leaf(tag, word, 0)
            elif loose and stack and stack[-1][0] and not stack[-1][1] and bare is None:
                bare = loose
                start += 1
            else:
                place = where if shared is not None else f"{where}, line {number}"
                raise DataError(_trouble(place, line, at, stack, bare))
    if stack:
        place, tree = (f"{where}, line {number}", f"the tree that begins in line {opened}")
        if shared is not None:
            place, tree = where, "the tree"
        raise DataError(f"{place}: {tree} is not closed; {missing(len(stack))}.")


def missing(brackets: int) -> str:
    """How many closing brackets are missing, in words.

    Examples
    --------
    >>> missing(1)
    '1 closing bracket is missing'
    """
    return "1 closing bracket is missing" if brackets == 1 else f"{brackets} closing brackets are missing"


def _trouble(where: str, line: str, at: int, stack: list[tuple[str, list[Tree]]], bare: str | None) -> str:
    """What is wrong at token number `at` of the line."""
    token = next(match for place, match in enumerate(_TOKEN.finditer(line)) if place == at)
    place = f"{where}, column {token.start() + 1}"
    found = brief(token.group().strip())
    if token.group() == ")":
        if not stack:
            return f"{place}: a closing bracket has no opening bracket."
        hint = "" if stack[-1][0] else " A bracket that is a word is written -LRB- or -RRB-."
        return f"{place}: the constituent {stack[-1][0]!r} is empty.{hint}"
    if len(stack) >= DEEPEST:
        return f"{place}: the tree is more than {DEEPEST} levels deep."
    if bare is not None:
        return f"{place}: expected a closing bracket after the word {brief(bare)}; found {found}."
    if not stack:
        return f"{place}: expected an opening bracket; found {found}."
    return f"{place}: expected a tag and a word in brackets, as in (NN dog); found the word {found} alone."
