"""`NBest` as a sequence of groups, and with the real scikit-learn."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runoff import DataError, NBest


def interleaved() -> NBest:
    return NBest.from_arrays(
        [[1.0, 0.0], [2.0, 0.0], [3.0, 5.0], [4.0, 0.0], [5.0, 6.0]],
        quality=[1, 2, 3, 4, 5],
        groups=["b", "a", "b", "c", "a"],
        base=[0.1, 0.2, 0.3, 0.4, 0.5],
        texts=list("vwxyz"),
        missed=[[1], [], [2, 3]],
    )


def test_interleaved_groups_are_brought_together_in_order_of_first_appearance() -> None:
    data = interleaved()
    assert data.group_ids.to_pylist() == ["b", "a", "c"]
    assert data.quality.tolist() == [1, 3, 2, 5, 4]
    assert data.texts.to_pylist() == list("vxwzy")
    assert data.in_input_order(data.quality).tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    "key",
    [
        0,
        -1,
        slice(1, 3),
        slice(None, None, 2),
        slice(None, None, -1),
        [2, 0],
        np.array([True, False, True]),
        [0, 0, 1],
    ],
)
def test_every_way_of_indexing_gives_the_groups_that_a_list_would_give(key: object) -> None:
    data = interleaved()
    groups = [data[i] for i in range(3)]
    expected = (
        [groups[key]]
        if isinstance(key, int)
        else groups[key]
        if isinstance(key, slice)
        else [groups[i] for i in np.arange(3)[np.asarray(key)]]
    )
    part = data[key]
    assert len(part) == len(expected)
    assert part.quality.tolist() == [q for each in expected for q in each.quality.tolist()]
    assert part.base.tolist() == [q for each in expected for q in each.base.tolist()]
    assert part.texts.to_pylist() == [t for each in expected for t in each.texts.to_pylist()]
    assert part.missed.to_pylist() == [m for each in expected for m in each.missed.to_pylist()]
    assert part.group_ids.to_pylist() == [i for each in expected for i in each.group_ids.to_pylist()]
    wanted = np.vstack([each.features.to_scipy().toarray() for each in expected])
    assert part.features.to_scipy().toarray().tolist() == wanted.tolist()


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12), st.data())
def test_a_slice_of_a_slice_is_a_slice(sizes: list[int], draw: st.DataObject) -> None:
    rows = sum(sizes)
    data = NBest.from_arrays(np.arange(2 * rows).reshape(rows, 2), quality=np.arange(rows), sizes=sizes)
    a = draw.draw(st.integers(0, len(sizes)))
    b = draw.draw(st.integers(a, len(sizes)))
    c = draw.draw(st.integers(0, b - a))
    twice, once = data[a:b][c:], data[a + c : b]
    assert twice.quality.tolist() == once.quality.tolist()
    assert (twice.features.to_scipy() != once.features.to_scipy()).nnz == 0


def test_slices_share_memory_with_the_whole() -> None:
    data = NBest.from_arrays(np.ones((100, 3)) * 2, sizes=[10] * 10)
    assert np.shares_memory(data[3:7].features.values, data.features.values)


def test_nothing_can_be_changed() -> None:
    data = interleaved()
    with pytest.raises(AttributeError):
        data.base = None  # type: ignore[misc]
    for array in (data.offsets, data.quality, data.base, data.features.indices, data.features.values):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7
    with pytest.raises(TypeError):
        data.stats["x"] = np.zeros((5, 1))  # type: ignore[index]


def test_the_callers_arrays_stay_writable_and_unshared_changes_do_not_leak() -> None:
    quality = np.array([1.0, 0.0])
    NBest.from_arrays([[1.0], [2.0]], quality, sizes=[2])
    quality[0] = 5.0  # must not raise: the caller's own array is not frozen


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("where", ["quality", "base"])
def test_numbers_that_are_not_finite_are_refused_with_their_place(bad: float, where: str) -> None:
    with pytest.raises(DataError, match=rf"{where} must be a finite number; candidate 1 of group 'b'"):
        NBest.from_arrays(np.ones((4, 1)), groups=["a", "b", "b", "c"], **{where: [0, 0, bad, 0]})


@pytest.mark.parametrize(
    ("missed", "message"),
    [
        ([[1]], "there are 3 groups but 1 entries of missed"),
        ([[1], [2, np.nan], []], "missed must be finite numbers; entry 1 of group 'a' is nan"),
        ([[1], None, []], "missed must be lists of numbers, one per group, without gaps"),
        ([[1], [None], []], "missed must be lists of numbers, one per group, without gaps"),
        ([1, 2, 3], "missed must be lists of numbers, one per group: "),
        ([["x"], [], []], "missed must be lists of numbers, one per group: "),
        (pa.array([1, 2, 3]), "missed must be lists of numbers, one per group: "),
    ],
)
def test_missed_answers_that_do_not_fit(missed: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        NBest.from_arrays(np.ones((3, 1)), groups=["b", "a", "c"], missed=missed)


def test_missed_answers_of_another_type() -> None:
    with pytest.raises(DataError, match=r"missed must be an Arrow array of the type large_list<.*>; found list<"):
        interleaved().replace(missed=pa.array([[1], [], []]))


def test_features_that_are_not_finite_are_refused_with_their_place() -> None:
    with pytest.raises(DataError, match="candidate 1 has nan in column 0"):
        NBest.from_arrays([[1.0], [np.nan]], sizes=[2])


def test_a_group_may_be_empty_and_a_whole_may_be_empty() -> None:
    data = NBest.from_arrays(np.ones((3, 1)), quality=[1, 2, 3], sizes=[0, 2, 0, 1])
    assert data.sizes.tolist() == [0, 2, 0, 1]
    assert [len(each.quality) for each in data] == [0, 2, 0, 1]
    nothing = data[:0]
    assert len(nothing) == 0
    assert nothing.n_candidates == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "exactly one of"),
        ({"sizes": [2], "groups": [1, 1]}, "exactly one of"),
        ({"sizes": [1]}, "must cut 2 candidates"),
        ({"sizes": [3, -1]}, "not negative"),
        ({"offsets": [0, 2, 1]}, "must cut"),
        ({"groups": ["a"]}, "2 candidates but 1 group ids"),
        ({"groups": ["a", None]}, "no group id"),
        ({"sizes": [2], "feature_names": ["x", "y"]}, "1 feature columns but 2 feature names"),
        ({"sizes": [1, 1], "group_ids": ["x", "x"]}, "must differ"),
        ({"sizes": [2], "texts": ["only one"]}, "2 candidates but 1 entries of texts"),
    ],
)
def test_arrays_that_do_not_fit_are_refused_with_a_sentence(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        NBest.from_arrays([[1.0], [2.0]], **arguments)


def test_all_ones_are_kept_implicit() -> None:
    assert NBest.from_arrays([[1, 0], [0, 1]], sizes=[2]).features.values is None
    assert NBest.from_arrays([[1, 0], [0, 2]], sizes=[2]).features.values is not None


def test_groups_may_be_numbers_or_text_and_unknown_ids_are_said() -> None:
    data = NBest.from_arrays(np.ones((3, 1)), groups=np.array([7, 3, 7]))
    assert data.find("3") == 1
    with pytest.raises(ValueError, match=r"no group 'x' .* 7, 3"):
        data.find("x")
