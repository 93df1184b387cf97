"""Counts of features per tree against Counters."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from runoff.kernels.tree_features import count_once, tally

FEATURES = 7
NODES = st.lists(st.lists(st.integers(0, FEATURES - 1), max_size=5), max_size=6)


@settings(deadline=None)  # the first call compiles
@given(st.data(), NODES, st.integers(0, 5))
def test_tally_against_counters(data: st.DataObject, nodes: list[list[int]], trees: int) -> None:
    has = data.draw(arrays(np.uint8, (trees, len(nodes)), elements=st.integers(0, 1)))
    ends = np.cumsum([0, *map(len, nodes)]).astype(np.int64)
    ids = np.array([each for node in nodes for each in node], np.int32)
    places = np.full(FEATURES, -1, np.int32)
    rows, columns, values = tally(has, ends, ids, places)
    counts = [Counter(f for node, there in zip(nodes, row, strict=True) if there for f in node) for row in has]
    differs = {f for f in range(FEATURES) if len({count[f] for count in counts}) > 1}
    assert rows[0] == 0
    assert len(rows) == trees + 1
    for count, start, end in zip(counts, rows, rows[1:], strict=False):
        found = dict(zip(columns[start:end].tolist(), values[start:end].tolist(), strict=True))
        assert len(found) == end - start
        assert found == {feature: n for feature, n in count.items() if feature in differs}
    assert (places == -1).all()  # as it was, for the next list
    assert (columns.dtype.name, values.dtype.name) == ("int32", "float32")


@settings(deadline=None)  # the first call compiles
@given(st.lists(st.lists(st.integers(0, FEATURES - 1), max_size=9), max_size=6))
def test_count_once_against_sets(lists: list[list[int]]) -> None:
    last, seen = np.full(FEATURES, -1, np.int32), np.zeros(FEATURES, np.int32)
    for number, ids in enumerate(lists):
        count_once(np.array(ids, np.int32), number, last, seen)
    expected = Counter(f for ids in lists for f in set(ids))
    assert seen.tolist() == [expected[f] for f in range(FEATURES)]
