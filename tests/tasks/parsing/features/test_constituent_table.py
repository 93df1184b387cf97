"""Which constituents which tree has, against walks through every tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from runoff.tasks.parsing.brackets import Forest
from runoff.tasks.parsing.features.constituent_table import constituents

if TYPE_CHECKING:
    from collections.abc import Callable


@given(st.integers(0, 10**9))
def test_against_walks(some_lists: Callable[..., list[list[str]]], seed: int) -> None:
    (texts,) = some_lists(seed, 1, words=12)
    forest = Forest()
    trees = [forest.tree(text) for text in texts]
    nodes, has = constituents(trees)
    assert len(set(nodes)) == len(nodes)
    assert has.shape == (len(trees), len(nodes))
    for tree, row in zip(trees, has, strict=True):
        assert {node for node, there in zip(nodes, row, strict=True) if there} == {n for n in tree.walk() if n.children}


def test_words_alone_have_no_constituents() -> None:
    forest = Forest()
    nodes, has = constituents([forest.tree("(UH oh)"), forest.tree("(NN oh)")])
    assert (nodes, has.shape) == ([], (2, 0))


def test_no_trees() -> None:
    nodes, has = constituents([])
    assert (nodes, has.shape) == ([], (0, 0))
