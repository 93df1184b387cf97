"""Sentences of the synthetic village whose trees and base phrases have mistakes, as those of real tools have."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from runoff.tasks.parsing.trees import Tree
from runoff.tasks.roles.demo.village import Village

if TYPE_CHECKING:
    from runoff.tasks.roles.propositions import RoleSentence

LOOSE = 0.35  # share of loose phrases that hang at a wrong place
FLAT, MERGED = 0.35, 0.3  # share of sentences that lose a constituent; that have two base phrases in one


def synthetic_roles(count: int, seed: int, *, harder: float = 1.0) -> list[RoleSentence]:
    """So many sentences; `harder` multiplies the shares of mistakes.

    Examples
    --------
    >>> sentences = synthetic_roles(20, 0)
    >>> len(sentences), all(each.tree.words() == list(each.words) for each in sentences)
    (20, True)
    """
    rng = np.random.default_rng([seed, 2005])
    found = []
    for sentence in Village(seed).sentences(count, errors=min(1.0, harder * LOOSE)):
        changed = sentence
        if rng.random() < harder * FLAT and changed.tree is not None:
            changed = changed.with_tree(_flattened(changed.tree, rng))
        if rng.random() < harder * MERGED and changed.chunks is not None:
            changed = replace(changed, chunks=_merged(changed.chunks, rng))
        found.append(changed)
    return found


def _flattened(tree: Tree, rng: np.random.Generator) -> Tree:
    """The tree without one of its phrases, whose children take its place."""
    phrases: list[Tree] = []

    def collect(node: Tree) -> None:
        for child in node.children:
            if child.word is None:
                if len(child.children) > 1 and child.label in ("NP", "PP", "VP", "SBAR"):
                    phrases.append(child)
                collect(child)

    collect(tree)
    if not phrases:
        return tree
    gone = phrases[int(rng.integers(len(phrases)))]

    def copy(node: Tree) -> list[Tree]:
        if node.word is not None:
            return [node]
        children = [each for child in node.children for each in copy(child)]
        return children if node is gone else [Tree(node.label, children)]

    return copy(tree)[0]


def _merged(chunks: tuple[str, ...], rng: np.random.Generator) -> tuple[str, ...]:
    """Base phrases of which one goes on into the next."""
    places = [at for at in range(1, len(chunks)) if chunks[at][:2] == "B-" and chunks[at - 1] != "O"]
    if not places:
        return chunks
    at = places[int(rng.integers(len(places)))]
    own, before = chunks[at][2:], chunks[at - 1][2:]
    found = list(chunks)
    found[at] = f"I-{before}"
    for follows in range(at + 1, len(found)):
        if found[follows] != f"I-{own}":
            break
        found[follows] = f"I-{before}"
    return tuple(found)
