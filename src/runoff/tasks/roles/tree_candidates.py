"""Candidates from a full tree: siblings along the path to the root (model 2), or all constituents (model 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.tasks.parsing.heads import PUNCTUATION
from runoff.tasks.roles.syntax import CLAUSES, Constituent

if TYPE_CHECKING:
    from runoff.tasks.roles.syntax import Syntax


def path_siblings(syntax: Syntax, predicate: int) -> list[Constituent]:
    """The predicate and the siblings of all nodes on its path to the root, from left to right; they cover the sentence.

    Xue & Palmer's (2004) pruning, which is what the topmost constituents of clause regions are in a full tree (Màrquez
    et al. 2005). O(path x siblings).

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> from runoff.tasks.roles.propositions import RoleSentence
    >>> from runoff.tasks.roles.syntax import Syntax
    >>> tree = parse_tree("(S (NP (PRP I)) (VP (VBP eat) (NP (NNS figs))))")
    >>> [each.label for each in path_siblings(Syntax(RoleSentence(("I", "eat", "figs"), tree=tree), use_tree=True), 1)]
    ['NP', 'VBP', 'NP']
    """
    tree = syntax.tree
    path = tree.ancestors(tree.leaf_of[predicate])
    on_path = set(path)
    nodes = [path[0]] + [child for each in path for child in tree.children[each] if child not in on_path]
    return [constituent(syntax, node) for node in sorted(nodes)]


def constituents(syntax: Syntax, predicate: int) -> list[Constituent]:
    """Constituents of the first clause that includes the predicate, and those to its left, without the ones over it.

    Of several over the same words the topmost (Màrquez, Surdeanu et al. 2005, model 3). O(nodes).

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> from runoff.tasks.roles.propositions import RoleSentence
    >>> from runoff.tasks.roles.syntax import Syntax
    >>> tree = parse_tree("(S (NP (PRP I)) (VP (VBP eat) (NP (JJ ripe) (NNS figs))))")
    >>> syntax = Syntax(RoleSentence(("I", "eat", "ripe", "figs"), tree=tree), use_tree=True)
    >>> [each.label for each in constituents(syntax, 1)]
    ['NP', 'NP', 'JJ', 'NNS']
    """
    tree = syntax.tree
    path = tree.ancestors(tree.leaf_of[predicate])
    clause = next((node for node in path if tree.labels[node] in CLAUSES), path[-1])
    first, last = tree.starts[clause], tree.stops[clause]
    found = []
    for node in range(len(tree)):
        start, stop = tree.starts[node], tree.stops[node]
        if start <= predicate < stop or not (stop <= predicate or first <= start < stop <= last):
            continue
        if tree.labels[node] in PUNCTUATION or tree.topmost(node) != node:
            continue
        found.append(constituent(syntax, node))
    return found


def constituent(syntax: Syntax, node: int) -> Constituent:
    """A node of the tree as a candidate."""
    tree = syntax.tree
    top = tuple(tree.labels[child] for child in tree.children[node])
    return Constituent(tree.labels[node], tree.starts[node], tree.stops[node], tree.heads[node], top, node)
