"""A plain restatement of extraction, and views of trees that are written out in a test."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from runoff.tasks.parsing.brackets import parse_tree
from runoff.tasks.parsing.features.families import OF_HEADS, OF_NODES, OF_RULES, OF_SPANS, OF_TWO_RULES, WITH_CLOSED
from runoff.tasks.parsing.features.nodes import NodeView, NodeViews, RuleTable, SentenceContext
from runoff.tasks.parsing.parse_list import ParseList
from runoff.tasks.parsing.trees import Tree

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from runoff.tasks.parsing.features.nodes import Rule

WORDS = ("the", "Cat", "to", "of", "and", "is", ",", ".", "-", "7", "U.S.", "a>b!", "[", "_")
TAGS = ("DT", "NN", "TO", "IN", "CC", "VBZ", ",", ".", ":", "CD", "NNP", "MD", "PRP", "A|B")
LABELS = ("S", "NP", "VP", "PP", "SBAR", "SQ", "CONJP", "X/Y", "STOP")


@pytest.fixture(scope="session")
def node_of() -> Callable[..., tuple[NodeView, SentenceContext]]:
    """The first node with a label (the root without one) of a written tree, and the sentence."""

    def find(text: str, label: str | None = None) -> tuple[NodeView, SentenceContext]:
        tree = parse_tree(text)
        node = tree if label is None else next(each for each in tree.walk() if each.label == label)
        return NodeViews(RuleTable()).of(node), _sentence(tree)

    return find


@pytest.fixture(scope="session")
def plainly() -> Callable[..., tuple[list[list[Counter[str]]], Counter[str]]]:
    """Count features of lists of written trees: per list and tree what differs within the list, and lists per name.

    Every tree is read and walked alone; nothing is shared between trees, lists or nodes.
    """

    def count(lists: Sequence[Sequence[str]], families: Sequence[str]) -> tuple[list[list[Counter[str]]], Counter[str]]:
        kept, seen = [], Counter[str]()
        for texts in lists:
            counts = [_counts(text, texts[0], families) for text in texts]
            names = {name for each in counts for name in each}
            seen.update(names)
            differs = {name for name in names if len({each[name] for each in counts}) > 1}
            kept.append([Counter({name: n for name, n in each.items() if name in differs}) for each in counts])
        return kept, seen

    return count


def _sentence(tree: Tree) -> SentenceContext:
    leaves = tree.leaves()
    return SentenceContext([leaf.word or "" for leaf in leaves], [leaf.label for leaf in leaves])


def _counts(text: str, first: str, families: Sequence[str]) -> Counter[str]:
    sentence, found = _sentence(parse_tree(first)), Counter[str]()

    def add(family: str, names: list[str]) -> None:
        found.update(f"{family}:{name}" for name in names)

    for node in parse_tree(text).walk():
        if not node.children:
            continue
        node = NodeViews(RuleTable()).of(node)
        rule, closed = _rules(node)
        for family in families:
            again = "closed" in families and family in WITH_CLOSED
            if family in OF_RULES:
                add(family, OF_RULES[family](rule))
                if again and closed is not rule:
                    add(f"{family}+", OF_RULES[family](closed))
            for child in node.children:
                if family in OF_TWO_RULES and not child.is_leaf:
                    below, closed_below = _rules(child)
                    add(family, OF_TWO_RULES[family](rule, below))
                    if again and (closed is not rule or closed_below is not below):
                        add(f"{family}+", OF_TWO_RULES[family](closed, closed_below))
            for of_node in (OF_SPANS, OF_HEADS, OF_NODES):
                if family in of_node:
                    add(family, of_node[family](node, sentence))
    return found


def _rules(node: NodeView) -> tuple[Rule, Rule]:
    assert node.rule is not None
    return node.rule, node.closed or node.rule


@pytest.fixture(scope="session")
def some_lists() -> Callable[..., list[list[str]]]:
    """Lists of written trees by chance: over the same words, or now and then over others; some trees twice."""

    def draw(seed: int, count: int, words: int = 6) -> list[list[str]]:
        chance = random.Random(seed)
        return [_list(chance, chance.randint(1, words)) for _ in range(count)]

    return draw


@pytest.fixture(scope="session")
def parse_lists() -> Callable[[list[list[str]]], list[ParseList]]:
    """Written trees as lists with scores; the last tree of a list is the gold tree."""

    def dress(lists: list[list[str]]) -> list[ParseList]:
        return [
            ParseList(str(at), trees[-1] if trees else None, [-1.5 * place for place in range(len(trees))], trees)
            for at, trees in enumerate(lists)
        ]

    return dress


def _list(chance: random.Random, length: int) -> list[str]:
    """Few labels, and tags that most candidates agree on: so that nodes have much in common, and not all."""
    words = [(chance.choice(WORDS), chance.choice(TAGS)) for _ in range(length)]
    labels = chance.sample(LABELS, 3)
    trees: list[str] = []
    for _ in range(chance.choice([0, 1, 2, 3, 6])):
        again = chance.random()
        if trees and again < 0.2:
            trees.append(chance.choice(trees))
        elif again < 0.9:
            trees.append(str(_tree(chance, words, 0, labels)))
        else:
            others = [(chance.choice(WORDS), chance.choice(TAGS)) for _ in range(chance.randint(1, 4))]
            trees.append(str(_tree(chance, others, 0, labels)))
    return trees


def _tree(chance: random.Random, words: Sequence[tuple[str, str]], start: int, labels: Sequence[str]) -> Tree:
    if len(words) == 1 and chance.random() < 0.7:
        word, tag = words[0]
        return Tree.leaf(tag if chance.random() < 0.85 else chance.choice(TAGS), word, start)
    cuts = sorted(chance.sample(range(1, len(words)), min(chance.choice([0, 1, 1, 2, 3]), len(words) - 1)))
    parts = [_tree(chance, words[a:b], start + a, labels) for a, b in pairwise([0, *cuts, len(words)])]
    return Tree(chance.choice(labels), parts)
