"""Groups that came in parts, joined, against a dictionary of lists."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff.nbest import NBest
from runoff.nbest.joined_groups import joined


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3)), min_size=1, max_size=8))
def test_parts_are_joined_as_a_dictionary_would(parts: list[tuple[str, int]]) -> None:
    sizes = [size for _, size in parts]
    count = sum(sizes)
    data = NBest.from_arrays(
        np.arange(2.0 * count).reshape(count, 2) + 1,
        sizes=sizes,
        texts=[f"t{row}" for row in range(count)],
        base=np.arange(count) / 2,
        inputs=[f"i{at}" for at in range(len(parts))],
        references=[[f"r{at}"] for at in range(len(parts))],
        attributes={"doc": [f"d{at}" for at in range(len(parts))]},
        stats={"wer": np.arange(count).reshape(count, 1)},
        metric="wer",
    )
    whole = joined(replace(data, group_ids=pa.array([name for name, _ in parts], pa.large_string())))
    rows: dict[str, list[int]] = {}
    first: dict[str, int] = {}
    row = 0
    for at, (name, size) in enumerate(parts):
        rows.setdefault(name, []).extend(range(row, row + size))
        first.setdefault(name, at)
        row += size
    order = [row for group in rows.values() for row in group]
    assert whole.group_ids.to_pylist() == list(rows)
    assert whole.sizes.tolist() == [len(group) for group in rows.values()]
    assert whole.texts.to_pylist() == [f"t{row}" for row in order]
    assert whole.base.tolist() == [row / 2 for row in order]
    assert whole.stats["wer"][:, 0].tolist() == order
    assert whole.features.to_scipy().toarray()[:, 0].tolist() == [2 * row + 1 for row in order]
    assert whole.inputs.to_pylist() == [f"i{at}" for at in first.values()]
    assert whole.references.to_pylist() == [[f"r{at}"] for at in first.values()]
    assert whole.attributes["doc"].to_pylist() == [f"d{at}" for at in first.values()]
    assert (whole.rows is None) == (order == sorted(order))
    assert whole.metric == "wer"


def test_the_first_part_that_has_something_gives_it() -> None:
    data = NBest.from_arrays(texts=["a", "b", "c"], sizes=[1, 1, 1], references=[None, ["r"], ["s"]], inputs=["p"] * 3)
    whole = joined(replace(data, group_ids=pa.array(["x", "x", "x"], pa.large_string())))
    assert whole.references.to_pylist() == [["r"]]
    assert whole.notes == ("The references of parts of a group differ in 1 group(s); those of the first were used.",)
