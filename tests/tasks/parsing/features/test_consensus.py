"""Expected F against a double loop over trees with multisets of constituents."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runoff.tasks.parsing.brackets import Forest, parse_tree
from runoff.tasks.parsing.features.consensus import NAMES, consensus
from runoff.tasks.parsing.features.constituent_table import constituents

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def counted(text: str) -> Counter[tuple[str, int, int]]:
    """Constituents as EVALB has them: label, start, end, as often as they are there; not the root that says nothing."""
    nodes = (node for node in parse_tree(text).walk() if node.children)
    return Counter((node.label, node.start, node.end) for node in nodes if node.label not in ("", "TOP", "S1", "ROOT"))


def slowly(texts: Sequence[str], scores: Sequence[float]) -> list[list[float]]:
    bags = [counted(text) for text in texts]
    rows: list[list[float]] = [[] for _ in texts]
    powers = (1.0, 0.3, 0.0)
    for power in powers:
        weights = [math.exp(power * (score - max(scores))) for score in scores]
        for row, mine in zip(rows, bags, strict=True):
            expected = 0.0
            for weight, other in zip(weights, bags, strict=True):
                both, sizes = (mine & other).total(), mine.total() + other.total()
                expected += weight / sum(weights) * (2 * both / sizes if sizes else 0.0)
            row.append(expected)
    for power in powers:
        weights = [math.exp(power * (score - max(scores))) for score in scores]
        for row, mine in zip(rows, bags, strict=True):
            total = 0.0
            for key, count in mine.items():
                for nth in range(1, count + 1):  # the second NP over the same words is believed in less
                    share = sum(w for w, bag in zip(weights, bags, strict=True) if bag[key] >= nth) / sum(weights)
                    total += math.log(max(share, 1e-12))
            row.append(total)
    for at, (row, mine) in enumerate(zip(rows, bags, strict=True)):
        place = sum(score > scores[at] or (score == scores[at] and other < at) for other, score in enumerate(scores))
        row += [math.log(place + 1), float(place == 0), float(mine.total())]
    return rows


def found(texts: Sequence[str], scores: Sequence[float]) -> list[list[float]]:
    forest = Forest()
    rows: list[list[float]] = consensus(*constituents([forest.tree(text) for text in texts]), scores).tolist()
    return rows


@given(st.integers(0, 10**9), st.lists(st.floats(-900, 100), min_size=6, max_size=6))
def test_against_a_double_loop(some_lists: Callable[..., list[list[str]]], seed: int, scores: list[float]) -> None:
    (texts,) = some_lists(seed, 1)
    if texts:
        fast, slow = found(texts, scores[: len(texts)]), slowly(texts, scores[: len(texts)])
        assert np.shape(fast) == (len(texts), len(NAMES))
        assert fast == [pytest.approx(row, abs=1e-9) for row in slow]


def test_by_hand() -> None:
    texts = ["(S1 (NP (NP (NN a)) (NN b)))", "(S1 (NP (NN a) (NN b)))", "(S1 (X (NN a) (NN b)))"]
    # First: NP 0-2 and NP 0-1; second: NP 0-2; third: X 0-2. F of first and second 2/3, of others 0. All votes alike:
    rows = found(texts, [0.0, 0.0, 0.0])
    assert rows[0][:3] == pytest.approx([(1 + 2 / 3) / 3] * 3)
    assert rows[2][:3] == pytest.approx([1 / 3] * 3)
    # Posteriors: NP 0-2 is in two of three, NP 0-1 in one.
    assert rows[0][5] == pytest.approx(math.log(2 / 3) + math.log(1 / 3))
    assert [row[6:] for row in rows] == [
        [0.0, 1.0, 2.0],
        [pytest.approx(math.log(2)), 0.0, 1.0],
        [pytest.approx(math.log(3)), 0.0, 1.0],
    ]


def test_the_same_label_twice_over_the_same_words_counts_twice() -> None:
    twice, once = "(NP (NP (NN a)))", "(NP (NN a))"
    rows = found([twice, once], [0.0, 0.0])
    assert [row[0] for row in rows] == pytest.approx([(1 + 2 / 3) / 2] * 2)  # one of two and one in common


def test_trees_without_constituents() -> None:
    assert [row[0] for row in found(["(NN a)", "(S1 (NN a))"], [0.0, -1.0])] == [0.0, 0.0]


def test_the_first_round_may_be_very_sure() -> None:
    rows = found(["(NP (NN a))", "(X (NN a))"], [0.0, -5000.0])
    assert np.isfinite(rows).all()
    assert [row[0] for row in rows] == [1.0, 0.0]


def test_the_first_choice_is_the_one_with_the_highest_score() -> None:
    """Wherever it stands in the list; with equal scores, or none, it is the one that came first."""
    texts = ["(X (NN a))", "(Y (NN a))", "(Z (NN a))"]
    first = NAMES.index("consensus:first")
    assert [row[first] for row in found(texts, [-9.0, -1.0, -5.0])] == [0, 1, 0]
    assert [row[first] for row in found(texts, [0.0, 0.0, 0.0])] == [1, 0, 0]


def test_function_tags_make_no_other_constituents() -> None:
    plain = ["(S (NP (PRP I)) (VP (VBP go)))", "(S (NP (NP (PRP I))) (X (VBP go)))"]
    tagged = ["(S-TPC (NP-SBJ-1 (PRP I)) (VP (VBP go)))", "(S (NP=2 (NP (PRP I))) (X|Y (VBP go)))"]
    assert found(tagged, [-1.0, -2.0]) == found(plain, [-1.0, -2.0])
