"""Lists of parses without a parser: readings of the ambiguous sentences of the synthetic treebank."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np

from runoff.tasks.parsing.demo.treebank import DemoSentence, documents
from runoff.tasks.parsing.parse_list import ParseList

SENTENCES = {"train": 700, "dev": 200, "test": 400}
_MOST = 12  # readings of a sentence
_DOUBT = 1.5  # how far the first round's scores of two readings lie apart, at random
_KNOWN = 0.4  # how much the right one leads on average


def synthetic_lists(seed: int) -> dict[str, list[ParseList]]:
    """Train, dev and test: every sentence with up to 12 readings, and a first round that knows little.

    Examples
    --------
    >>> lists = synthetic_lists(0)["dev"]
    >>> len(lists), lists[0].gold in lists[0].trees
    (200, True)
    """
    rng = np.random.default_rng([seed, 2005])
    count = sum(SENTENCES.values())
    every = [each for document in documents(-(-count // 20), seed) for each in document.sentences]
    found, start = {}, 0
    for part, size in SENTENCES.items():
        found[part] = [_list(each, rng) for each in every[start : start + size]]
        start += size
    return found


def readings(sentence: DemoSentence) -> list[tuple[str, int]]:
    """Trees with the number of wrong attachments in each: none, one, or several that do not touch."""
    edits = [_edit(sentence.tree, rival) for _, rival in sentence.rivals]
    found = {sentence.tree: 0}
    for many in range(1, len(edits) + 1):
        for chosen in combinations(edits, many):
            tree = _applied(sentence.tree, chosen)
            if tree is not None:
                found.setdefault(tree, many)
    return list(found.items())[:_MOST]


def _edit(tree: str, other: str) -> tuple[int, int, str]:
    """Where the text of a tree changes, and to what."""
    start = next((at for at, (a, b) in enumerate(zip(tree, other, strict=False)) if a != b), min(len(tree), len(other)))
    most = min(len(tree), len(other)) - start
    end = next((at for at in range(most) if tree[-1 - at] != other[-1 - at]), most)
    return start, len(tree) - end, other[start : len(other) - end]


def _applied(tree: str, edits: tuple[tuple[int, int, str], ...]) -> str | None:
    """The tree with all changes; None where they touch."""
    ordered = sorted(edits)
    if any(one[1] > two[0] for one, two in pairwise(ordered)):
        return None
    for start, stop, text in reversed(ordered):
        tree = tree[:start] + text + tree[stop:]
    return tree if tree.count("(") == tree.count(")") else None


def _list(sentence: DemoSentence, rng: np.random.Generator) -> ParseList:
    """Readings in the order of the first round's scores."""
    found = readings(sentence)
    scores = -20.0 - _KNOWN * np.array([wrong for _, wrong in found]) + _DOUBT * rng.normal(size=len(found))
    order = np.argsort(-scores, kind="stable")
    trees = [found[at][0] for at in order]
    return ParseList(sentence.id, sentence.tree, np.round(scores[order], 4).tolist(), trees)
