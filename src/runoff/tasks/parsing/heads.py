"""Head-finding rules: which child is the head of a constituent.

The table is that of Collins (1999, appendix A). Where none of its labels is found, and for a label that is not
in the table (search from the left), the head is the first child that is not punctuation; Collins takes the very first,
but has no punctuation in his constituents.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from runoff.tasks.parsing.trees import plain_label

if TYPE_CHECKING:
    from runoff.tasks.parsing.trees import Tree

LEFT, RIGHT = "left", "right"  # where the search starts
# Parent -> where to start and labels by priority: the first label that occurs anywhere wins.
RULES: dict[str, tuple[str, str]] = {
    "ADJP": (LEFT, "NNS QP NN $ ADVP JJ VBN VBG ADJP JJR NP JJS DT FW RBR RBS SBAR RB"),
    "ADVP": (RIGHT, "RB RBR RBS FW ADVP TO CD JJR JJ IN NP JJS NN"),
    "CONJP": (RIGHT, "CC RB IN"),
    "FRAG": (RIGHT, ""),
    "INTJ": (LEFT, ""),
    "LST": (RIGHT, "LS :"),
    "NAC": (LEFT, "NN NNS NNP NNPS NP NAC EX $ CD QP PRP VBG JJ JJS JJR ADJP FW"),
    "PP": (RIGHT, "IN TO VBG VBN RP FW"),
    "PRN": (LEFT, ""),
    "PRT": (RIGHT, "RP"),
    "QP": (LEFT, "$ IN NNS NN JJ RB DT CD NCD QP JJR JJS"),
    "RRC": (RIGHT, "VP NP ADVP ADJP PP"),
    "S": (LEFT, "TO IN VP S SBAR ADJP UCP NP"),
    "SBAR": (LEFT, "WHNP WHPP WHADVP WHADJP IN DT S SQ SINV SBAR FRAG"),
    "SBARQ": (LEFT, "SQ S SINV SBARQ FRAG"),
    "SINV": (LEFT, "VBZ VBD VBP VB MD VP S SINV ADJP NP"),
    "SQ": (LEFT, "VBZ VBD VBP VB MD VP SQ"),
    "UCP": (RIGHT, ""),
    "VP": (LEFT, "TO VBD VBN MD VBZ VB VBG VBP VP ADJP NN NNS NP"),
    "WHADJP": (LEFT, "CC WRB JJ ADJP"),
    "WHADVP": (RIGHT, "CC WRB"),
    "WHNP": (LEFT, "WDT WP WP$ WHADJP WHPP WHNP"),
    "WHPP": (RIGHT, "IN TO FW"),
}
# Noun phrases: where to start and a set of labels; the first child with one of them wins.
NOUN_PHRASES = frozenset({"NP", "NX", "NML"})
_NOUN_STEPS = (
    (RIGHT, frozenset(["NN", "NNP", "NNPS", "NNS", "NX", "NML", "POS", "JJR"])),
    (LEFT, frozenset({"NP"})),
    (RIGHT, frozenset(["$", "ADJP", "PRN"])),
    (RIGHT, frozenset({"CD"})),
    (RIGHT, frozenset(["JJ", "JJS", "RB", "QP"])),
)
PUNCTUATION = frozenset([",", ":", ".", "``", "''", "-LRB-", "-RRB-", "HYPH", "NFP"])


def head_child(parent: str, children: tuple[str, ...]) -> int:
    """Index of the head among children with these labels; function tags do not matter. Cached.

    Examples
    --------
    >>> head_child("VP", ("PP", "VBD", "NP", "NP", "SBAR"))
    1
    >>> head_child("NP", ("NP", "CC", "NP")), head_child("NP", ("DT", "NN", "POS"))
    (0, 2)
    """
    return _head_child(plain_label(parent), tuple(map(plain_label, children)))


@lru_cache(maxsize=200_000)
def _head_child(parent: str, children: tuple[str, ...]) -> int:
    at = _noun_head(children) if parent in NOUN_PHRASES else _by_priority(parent, children)
    if at >= 2 and children[at - 1] == "CC":  # the head of `X and Y` is X
        at = next((left for left in range(at - 2, -1, -1) if children[left] not in PUNCTUATION), at)
    return at


def _noun_head(children: tuple[str, ...]) -> int:
    if children[-1] == "POS":
        return len(children) - 1
    for begin, wanted in _NOUN_STEPS:
        for at in _order(begin, len(children)):
            if children[at] in wanted:
                return at
    return _first_proper(RIGHT, children)


def _by_priority(parent: str, children: tuple[str, ...]) -> int:
    begin, wanted = RULES.get(parent, (LEFT, ""))
    for label in wanted.split():
        for at in _order(begin, len(children)):
            if children[at] == label:
                return at
    return _first_proper(begin, children)


def _first_proper(begin: str, children: tuple[str, ...]) -> int:
    """The first child that is not punctuation; the very first one if all are."""
    order = _order(begin, len(children))
    return next((at for at in order if children[at] not in PUNCTUATION), order[0])


def _order(begin: str, count: int) -> range:
    return range(count) if begin == LEFT else range(count - 1, -1, -1)


def head_leaf(tree: Tree) -> Tree:
    """Tag and word of the head, found by following head children.

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> head_leaf(parse_tree("(S (NP (PRP I)) (VP (VBD saw) (NP (PRP her))))")).word
    'saw'
    """
    while tree.children:
        tree = tree.children[head_child(tree.label, tuple(child.label for child in tree.children))]
    return tree
