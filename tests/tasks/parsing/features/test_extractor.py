"""The extractor against a plain walk through every tree that shares and remembers nothing."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff.tasks.parsing.brackets import Forest
from runoff.tasks.parsing.features.constituent_table import constituents
from runoff.tasks.parsing.features.extractor import Extractor
from runoff.tasks.parsing.features.families import ALL, COLLINS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Lists = list[list[str]]
    Counts = tuple[list[list[Counter[str]]], Counter[str]]


def extracted(lists: Lists, families: Sequence[str]) -> Counts:
    extractor = Extractor(families)
    for texts in lists:
        forest = Forest()
        trees = [forest.tree(text) for text in texts]
        extractor.add(trees, *constituents(trees))
    found = extractor.counts()
    names = found.names.to_pylist()
    assert len(set(names)) == len(names)
    rows = [
        Counter({names[i]: int(n) for i, n in zip(found.indices[a:b], found.values[a:b], strict=True)})
        for a, b in zip(found.indptr, found.indptr[1:], strict=False)
    ]
    assert found.indices.size == sum(map(len, rows))  # no feature twice in a row
    assert len(rows) == sum(map(len, lists))
    waiting = iter(rows)
    return [[next(waiting) for _ in texts] for texts in lists], Counter(
        dict(zip(names, found.seen.tolist(), strict=True))
    )


@settings(deadline=None)
@given(st.integers(0, 10**9), st.integers(1, 9))
def test_all_families_against_plain_walks(
    some_lists: Callable[..., Lists], plainly: Callable[..., Counts], seed: int, words: int
) -> None:
    lists = some_lists(seed, 3, words=words)
    assert extracted(lists, ALL) == plainly(lists, ALL)


@pytest.mark.parametrize("family", [*ALL, "collins"])
def test_each_family_alone(some_lists: Callable[..., Lists], plainly: Callable[..., Counts], family: str) -> None:
    lists = some_lists(7, 40)
    families = COLLINS if family == "collins" else (family,)
    kept, seen = extracted(lists, families)
    assert (kept, seen) == plainly(lists, families)
    if family not in ("closed", "consensus"):
        assert seen
        assert {name.partition(":")[0].removesuffix("+") for name in seen} == set(families) - {"closed"}


@pytest.mark.parametrize(
    "lists",
    [
        [],
        [[]],
        [[], ["(NN a)"], []],
        [["(NN a)", "(NN b)", "(X (NN a))"]],  # a word alone has no rule
        [["(X (NN a))"] * 3],  # equal trees: nothing tells them apart
        [["(X (X (X (NN a))))", "(X (X (NN a)))", "(X (NN a))"]],  # the same rule more and less often
        [["(S (NN a) (NN b))", "(S (NN a) (NN b) (NN c))", "(S (NN c))"]],  # other words and other numbers of them
        [["( (S (NN a)))", "(S (NN a))"]],  # a root without a label
    ],
)
def test_odd_lists(plainly: Callable[..., Counts], lists: Lists) -> None:
    assert extracted(lists, ALL) == plainly(lists, ALL)


def test_a_feature_of_all_trees_is_seen_but_not_stored() -> None:
    kept, seen = extracted([["(X (A (NN a)) (B (NN b)))", "(X (A (NN a)) (B (NP (NN b))))"]], ["rule"])
    # X>A! B and A>NN! are everywhere, so only the difference is stored.
    assert kept == [[{"rule:B>NN!": 1}, {"rule:B>NP!": 1, "rule:NP>NN!": 1}]]
    assert seen == dict.fromkeys(["rule:X>A! B", "rule:A>NN!", "rule:B>NN!", "rule:B>NP!", "rule:NP>NN!"], 1)


def test_counts_are_whole_where_only_some_of_them_differ() -> None:
    """NP>NN! is twice in the first tree and once in the second; one of the nodes is the same in both."""
    kept, _ = extracted([["(X (NP (NN a)) (NP (NN b)))", "(X (NP (NN a)) (NN b))"]], ["rule"])
    assert kept[0][0]["rule:NP>NN!"] == 2
    assert kept[0][1]["rule:NP>NN!"] == 1


def test_more_features_than_there_was_room_for() -> None:
    lists = [[f"(X (T{at} w{at}) (T w))", f"(Y (T{at} w{at}) (T w))"] for at in range(4_000)]
    kept, seen = extracted(lists, ("rule", "word", "heads", "edges"))
    assert len(seen) > 1 << 16
    assert kept[-1][0]["rule:X>T3999! T"] == 1
    assert seen["edges:X tags ( )"] == 4_000
