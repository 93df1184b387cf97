"""Lists of several sets, one after the other."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff.errors import UsageError
from runoff.features.concatenation import concatenate
from runoff.nbest import NBest


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=3), min_size=1, max_size=4), st.randoms())
def test_cut_lists_are_put_together_again(parts, random):
    """Slices of one set give the set, whatever the order in which their columns are named."""
    sizes = [size for part in parts for size in part]
    total = sum(sizes)
    data = NBest.from_arrays(
        np.arange(total * 2).reshape(total, 2) % 5,
        quality=np.arange(total),
        base=-np.arange(total),
        texts=[f"text {row}" for row in range(total)],
        sizes=sizes,
        inputs=[f"input {at}" for at in range(len(sizes))],
        references=[[f"reference {at}"] for at in range(len(sizes))],
        attributes={"speaker": [str(at % 2) for at in range(len(sizes))]},
        feature_names=["a", "b"],
        metric="wer",
    )
    cuts = np.cumsum([0, *map(len, parts)]).tolist()
    found = concatenate([data[start:stop] for start, stop in itertools.pairwise(cuts)])
    for name in ("group_ids", "texts", "inputs", "references"):
        assert getattr(found, name).to_pylist() == getattr(data, name).to_pylist()
    assert found.attributes["speaker"].to_pylist() == data.attributes["speaker"].to_pylist()
    for name in ("offsets", "quality", "base"):
        assert getattr(found, name).tolist() == getattr(data, name).tolist()
    assert np.array_equal(found.features.to_scipy().toarray(), data.features.to_scipy().toarray())
    assert found.metric == "wer"


def test_sets_must_have_the_same_kinds_of_values():
    with_base = NBest.from_arrays(sizes=[1], base=[1.0])
    with pytest.raises(UsageError, match="1 of 2 sets of lists have no base"):
        concatenate([with_base, NBest.from_arrays(sizes=[1])])
    with pytest.raises(UsageError, match="no lists"):
        concatenate([])
