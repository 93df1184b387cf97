"""Features of a constituent by itself: tables 1 and 4."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.tasks.roles.partial_candidates import noun_after
from runoff.tasks.roles.syntax import CLAUSES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.tasks.roles.features.lexicon import RoleLexicon
    from runoff.tasks.roles.syntax import Constituent, Syntax

_LONG = 5  # sequences from this length on are not features themselves
_BAGGED = ("NN", "JJ", "RB")
_CONTENT = frozenset(["PP", "SBAR", "S", "WHPP", "SQ", "SBARQ", "SINV"])


def constituent_features(syntax: Syntax, each: Constituent, lexicon: RoleLexicon) -> list[str]:
    """All features of one constituent, whatever the predicate. O(words).

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> from runoff.tasks.roles.features.lexicon import RoleLexicon
    >>> from runoff.tasks.roles.propositions import RoleSentence
    >>> from runoff.tasks.roles.syntax import Syntax
    >>> from runoff.tasks.roles.tree_candidates import constituent
    >>> syntax = Syntax(RoleSentence(("I", "eat"), tree=parse_tree("(S (NP (PRP I)) (VP (VBP eat)))")), use_tree=True)
    >>> constituent_features(syntax, constituent(syntax, 1), RoleLexicon())[:4]
    ['type=NP', 'head_pos=PRP', 'head=i', 'first=i']
    """
    label, start, stop, head, top, node = each
    lower, pos = syntax.lower, syntax.pos
    content = content_word(syntax, each)
    found = [
        f"type={label}",
        f"head_pos={pos[head]}",
        f"head={lower[head]}",
        f"first={lower[start]}",
        f"type,head={label} {lower[head]}",
        f"first_pos={pos[start]}",
        f"last={lower[stop - 1]}",
        f"last_pos={pos[stop - 1]}",
        f"before={lower[start - 1] if start else '^'}",
        f"before_pos={pos[start - 1] if start else '^'}",
        f"after={lower[stop] if stop < len(lower) else '$'}",
        f"after_pos={pos[stop] if stop < len(pos) else '$'}",
        f"words={min(stop - start, 6)}",
        f"content={lower[content]}",
        f"content_pos={pos[content]}",
        f"first,content={lower[start]} {lower[content]}",
    ]
    for size in (2, 3, 4):
        found.append(f"suffix={lower[head][-size:]}")
        found.append(f"content_suffix={lower[content][-size:]}")
    _sequence("pos", pos[start:stop], found)
    _sequence("top", top, found)
    found += [f"bag={lower[at]}" for at in range(start, stop) if pos[at].startswith(_BAGGED)]
    for word in dict.fromkeys(lower[start:stop]):
        if word in lexicon.temporal:
            found.append(f"temporal={word}" if stop - start > 1 else f"temporal_all={word}")
    for begin, end, kind in syntax.entities:
        if start <= begin and end <= stop:
            found.append(f"{'entity_all' if (begin, end) == (start, stop) else 'entity'}={kind}")
    if node >= 0:
        _of_tree(syntax, node, found)
    return found


def content_word(syntax: Syntax, each: Constituent) -> int:
    """Position of the word that says most: of a preposition's or conjunction's phrase the head below it.

    After Surdeanu et al. (2003): PP: head of its last phrase; SBAR: of its S; VP after "to" and the like: of its VP.
    For base phrases: a preposition is followed by its noun phrase.
    """
    if each.node < 0:
        if each.label == "PP":
            noun = noun_after(syntax, each.stop)
            return each.head if noun < 0 else noun
        return each.head
    tree = syntax.tree
    node = each.node
    for _ in range(4):
        children = tree.children[node]
        if tree.labels[node] not in _CONTENT or not children:
            break
        lower = [child for child in children if tree.children[child]]
        if not lower:
            break
        wanted = [child for child in lower if tree.labels[child] in ("VP", "S", "NP")]
        node = wanted[-1] if wanted else lower[-1]
    return tree.heads[node]


def _sequence(name: str, labels: Sequence[str], found: list[str]) -> None:
    if len(labels) < _LONG:
        found.append(f"{name}_sequence={' '.join(labels)}")
    for size in (2, 3, 4):
        found += dict.fromkeys(
            f"{name}_{size}={' '.join(labels[at : at + size])}" for at in range(min(len(labels), 12) - size + 1)
        )


def _of_tree(syntax: Syntax, node: int, found: list[str]) -> None:
    tree = syntax.tree
    labels, lower, heads = tree.labels, syntax.lower, tree.heads
    parent = tree.parents[node]
    if labels[node] == "NP":
        above = parent
        while above >= 0 and labels[above] not in CLAUSES and labels[above] != "VP":
            above = tree.parents[above]
        found.append(f"governed={labels[above] if above >= 0 else '-'}")
    if parent >= 0:
        siblings = tree.children[parent]
        at = siblings.index(node)
        found.append(f"parent={labels[parent]}")
        found.append(f"parent_head={lower[heads[parent]]}")
        found.append(f"parent_pos={syntax.pos[heads[parent]]}")
        found.append(f"rule={labels[parent]}>{labels[node]} {at == 0} {at == len(siblings) - 1}")
        for name, beside in (("left", at - 1), ("right", at + 1)):
            if 0 <= beside < len(siblings):
                sibling = siblings[beside]
                found.append(f"{name}={labels[sibling]}")
                found.append(f"{name}_head={lower[heads[sibling]]}")
                found.append(f"{name}_pos={syntax.pos[heads[sibling]]}")
            else:
                found.append(f"{name}=-")
    counts: dict[str, int] = {}
    stop = tree.stops[node]
    below = node + 1
    while below < len(tree) and tree.starts[below] < stop:
        if tree.children[below]:
            counts[labels[below]] = counts.get(labels[below], 0) + 1
        below += 1
    found += [f"number_of={label} {min(many, 4)}" for label, many in counts.items()]
