"""Feature families by name, by paper, and by what they look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.parameters import picked
from runoff.tasks.parsing.features import rules, shapes, words
from runoff.tasks.parsing.features.consensus import FAMILY as CONSENSUS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from runoff.tasks.parsing.features.nodes import NodeView, Rule, SentenceContext

OF_RULES: dict[str, Callable[[Rule], list[str]]] = {
    "rule": rules.rule,
    "bigram": rules.bigram,
    "trigram": rules.trigram,
}
OF_TWO_RULES: dict[str, Callable[[Rule, Rule], list[str]]] = {
    "grandparent-rule": rules.grandparent_rule,
    "grandparent-bigram": rules.grandparent_bigram,
    "two-level-rule": rules.two_level_rule,
    "two-level-bigram": rules.two_level_bigram,
    "head-modifier": rules.head_modifier,
}
# Depend only on the label and the first and last word of a node.
OF_SPANS: dict[str, Callable[[NodeView, SentenceContext], list[str]]] = {
    "right-branch": shapes.right_branch,
    "heavy": shapes.heavy,
    "edges": shapes.edges,
    "outline": shapes.outline,
}
# Depend only on the rule and the heads of the children.
OF_HEADS: dict[str, Callable[[NodeView, SentenceContext], list[str]]] = {
    "lexical-bigram": words.lexical_bigram,
    "distance": words.distance,
    "heads": words.heads,
    "takes": words.modifier_labels,
    "projection": words.projection,
}
OF_NODES: dict[str, Callable[[NodeView, SentenceContext], list[str]]] = {
    "preposition": words.preposition,
    "word": words.word,
    "tree-ngram": words.tree_ngram,
    "head-tree": words.head_tree,
    "parallel": shapes.parallel,
    "agreement": shapes.agreement,
}
PRESENCE = "?"  # suffix of the family in the names of binary features
CLOSED = "closed"  # second pass, with closed-class head words added to labels
WITH_CLOSED = (*OF_RULES, *(name for name in OF_TWO_RULES if name != "head-modifier"))  # families of the second pass
COLLINS = (*OF_RULES, *OF_TWO_RULES, "lexical-bigram", "preposition", "distance", CLOSED)
LATER = (*(name for name in (*OF_HEADS, *OF_NODES, *OF_SPANS) if name not in COLLINS), CONSENSUS)
ALL = (*COLLINS, *LATER)
SETS = {"collins": COLLINS, "later": LATER, "all": ALL}


def chosen(text: str) -> tuple[str, ...]:
    """Families by name: comma-separated sets and families; a minus removes one.

    Examples
    --------
    >>> chosen("rule,bigram"), len(chosen("all")) - len(chosen("all,-edges"))
    (('rule', 'bigram'), 1)
    """
    return picked(text, ALL, SETS, "feature family")


def counts_presence(names: Iterable[str]) -> bool:
    """Whether features with these names are binary, not counts.

    Examples
    --------
    >>> counts_presence(["rule?:NP>DT NN!"]), counts_presence(["rule:NP>DT NN!"])
    (True, False)
    """
    return any(name.partition(":")[0].endswith(PRESENCE) for name in names)


def families_of(names: Iterable[str]) -> tuple[str, ...]:
    """Families of the features with these names; other features are ignored.

    Examples
    --------
    >>> families_of(["rule+:NP>DT NN!", "edges?:NP 2 (the"])
    ('rule', 'closed', 'edges')
    """
    prefixes = {name.partition(":")[0].removesuffix(PRESENCE) for name in names}
    plain = {prefix.removesuffix("+") for prefix in prefixes}
    closed = {CLOSED} if plain != prefixes else set()
    return tuple(name for name in ALL if name in plain | closed)
