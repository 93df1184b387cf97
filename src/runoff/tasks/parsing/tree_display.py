"""Trees as text for a terminal: indented lines, and how labels and words are shown."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import TYPE_CHECKING

from runoff.tasks.drawing import TreeDrawing, TreeNode
from runoff.tasks.parsing.tree_diff import Mark
from runoff.tasks.parsing.trees import ROOTS

if TYPE_CHECKING:
    from collections.abc import Collection

    from runoff.tasks.parsing.trees import Tree

_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_NOT_SHOWN = frozenset({"Cc", "Cs", "Cn"})  # control characters, halves of characters, no characters


def tree_text(tree: Tree, marked: Collection[Tree] | Mapping[Tree, Mark] = ()) -> str:
    """Draw a tree as indented lines; marked constituents have a sign at the left edge, marked tags in front of the tag.

    The sign is `*`, or that of the mark if `marked` comes from `marks`.

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> from runoff.tasks.parsing.tree_diff import differing_nodes
    >>> left = parse_tree("(S (NP (PRP I)) (VP (VBP eat) (NP (NP (NN rice)) (PP (IN with) (NP (NNS sticks))))))")
    >>> right = parse_tree("(S (NP (PRP I)) (VP (VB eat) (NP (NN rice)) (PP (IN with) (NP (NNS sticks)))))")
    >>> print(tree_text(left, differing_nodes(left, right)[0]))
      S
        NP  I/PRP
        VP
          eat/*VBP
    *     NP
            NP  rice/NN
            PP
              with/IN
              NP  sticks/NNS
    """
    signs = marked if isinstance(marked, Mapping) else dict.fromkeys(marked, Mark.ONLY)
    lines = []
    waiting: list[tuple[list[Tree], int]] = [([tree], 0)]  # one constituent, or neighbouring tags
    while waiting:
        nodes, depth = waiting.pop()
        sign, indent = " ", "  " * depth
        shown = "  ".join(_leaf(node, signs) for node in nodes)
        if nodes[0].word is None:
            (node,) = nodes
            sign, shown = signs.get(node, " "), shown_label(node)
            parts = _parts(node)
            if len(parts) == 1 and parts[0][0].word is not None:
                shown += "  " + "  ".join(_leaf(child, signs) for child in parts[0])
            else:
                waiting.extend((part, depth + 1) for part in reversed(parts))
        lines.append(f"{sign} {indent}{shown}")
    return "\n".join(lines)


def _parts(node: Tree) -> list[list[Tree]]:
    """Children, with neighbouring tags grouped."""
    parts: list[list[Tree]] = []
    for child in node.children:
        if child.word is not None and parts and parts[-1][0].word is not None:
            parts[-1].append(child)
        else:
            parts.append([child])
    return parts


def tree_drawing(tree: Tree) -> TreeDrawing:
    """The tree as a viewer draws it, without a root above the sentence.

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> tree_drawing(parse_tree("(S1 (NP (NN dogs)))")).nodes[1]
    TreeNode(label='NN', start=0, stop=1, parent=0, word='dogs')
    """
    while tree.label in ROOTS and len(tree.children) == 1:
        tree = tree.children[0]
    nodes: list[TreeNode] = []
    waiting = [(tree, -1)]
    while waiting:
        node, parent = waiting.pop()
        waiting.extend((child, len(nodes)) for child in reversed(node.children))
        word = None if node.word is None else shown_word(node)
        nodes.append(TreeNode(shown_label(node), node.start, node.end, parent, word))
    return TreeDrawing(nodes)


def _leaf(node: Tree, signs: Mapping[Tree, Mark]) -> str:
    return f"{shown_word(node)}/{signs.get(node, '')}{shown_label(node)}"


def shown_label(node: Tree) -> str:
    """The label for display; a dot for a node without a label.

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> shown_label(parse_tree("( (UH oh))"))
    '·'
    """
    return printable(node.label) or "·"


def shown_word(node: Tree) -> str:
    """The word for display: escaped brackets as brackets, control characters replaced.

    Examples
    --------
    >>> from runoff.tasks.parsing.trees import Tree
    >>> shown_word(Tree.leaf("-LRB-", "-LRB-", 0)), shown_word(Tree.leaf("CD", "$5", 0))
    ('(', '$5')
    """
    word = node.word or ""
    return _BRACKETS.get(word) or printable(word)


def printable(text: str) -> str:
    """The text with control characters and invalid characters replaced.

    Examples
    --------
    >>> printable("rain\\x07")
    'rain\ufffd'
    """
    if text.isprintable():
        return text
    return "".join("\ufffd" if unicodedata.category(letter) in _NOT_SHOWN else letter for letter in text)
