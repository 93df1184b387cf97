"""`NBest` as a sequence of groups, and with the real scikit-learn."""

import dataclasses
import pickle
from collections.abc import Callable

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runoff import DataError, NBest
from runoff.arrays import frozen


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


@pytest.mark.parametrize("wrap", [np.asarray, pd.Series, memoryview])
def test_the_callers_arrays_stay_writable_and_changes_do_not_leak(wrap: Callable[[np.ndarray], object]) -> None:
    base, quality, stats, offsets = np.array([1.0, 0.0]), np.array([1.0, 0.0]), np.ones((2, 1)), np.array([0, 2])
    data = NBest.from_arrays([[1.0], [2.0]], wrap(quality), base=wrap(base), offsets=offsets, stats={"wer": stats})
    again = data.replace(quality=wrap(quality), stats={"wer": stats})
    for array in (base, quality, stats, offsets):
        array[...] = 5
    for each in (data, again):
        assert each.base.tolist() == each.quality.tolist() == [1, 0]
        assert each.stats["wer"].tolist() == [[1], [1]]
        assert each.offsets.tolist() == [0, 2]


def test_arrays_that_cannot_be_changed_are_shared() -> None:
    quality = frozen(np.array([1.0, 0.0]))
    assert np.shares_memory(NBest.from_arrays(quality=quality, sizes=[2]).quality, quality)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"group_ids": ["a", None]}, "every group needs an id; group 1 has none"),
        ({"texts": ["u", "v", None]}, "texts must not have missing entries; candidate 0 of group '1' has none"),
        (
            {"candidate_ids": ["u", None, "w"]},
            "candidate_ids must not have missing entries; candidate 1 of group '0' has none",
        ),
        ({"references": [None, ["a", None]]}, "a reference of group '1' is missing"),
    ],
)
def test_gaps_are_refused_with_their_place(parts: dict[str, object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        NBest.from_arrays(np.ones((3, 1)), sizes=[2, 1], **parts)
    with pytest.raises(DataError, match=message):
        NBest.from_arrays(np.ones((3, 1)), sizes=[2, 1]).replace(**parts)


def test_inputs_and_references_may_have_gaps() -> None:
    data = NBest.from_arrays(np.ones((3, 1)), sizes=[2, 1], inputs=[None, "i"], references=[["r"], None])
    assert data[::-1].inputs.to_pylist() == ["i", None]
    assert data[::-1].references.to_pylist() == [None, ["r"]]


def test_parts_that_are_no_arrow_arrays_are_said() -> None:
    data = interleaved()
    with pytest.raises(DataError, match="texts must be an Arrow array of the type large_string; found list"):
        dataclasses.replace(data, texts=["a"] * 5)


def test_new_texts_or_references_drop_statistics_of_the_old_ones() -> None:
    data = NBest.from_arrays(texts=["a", "b"], references=["a"], sizes=[2], stats={"wer": [[0, 1], [1, 1]]})
    assert not data.replace(texts=["a", "c"]).stats
    assert not data.replace(references=None).stats
    assert list(data.replace(quality=[1, 0]).stats) == ["wer"]
    assert list(data.replace(texts=data.texts).stats) == ["wer"]
    assert data.replace(texts=["b", "a"], stats={"wer": [[1, 1], [0, 1]]}).stats["wer"].tolist() == [[1, 1], [0, 1]]


def test_the_whole_as_a_slice_keeps_the_order_of_the_input() -> None:
    data = interleaved()
    assert data[:].rows.tolist() == data[0:3].rows.tolist() == data.rows.tolist() == [0, 2, 1, 4, 3]
    assert data[:2].rows is None


def test_group_of_every_candidate() -> None:
    assert NBest.from_arrays(np.ones((3, 1)), sizes=[0, 2, 0, 1]).group_of.tolist() == [1, 1, 3]
    assert NBest.from_arrays(np.ones((3, 1)), sizes=[1, 2])[1:].group_of.tolist() == [0, 0]
    assert NBest.from_arrays(quality=[], sizes=[]).group_of.tolist() == []


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
        ([[1], None, []], "missed must be lists of numbers, one per group, without missing entries"),
        ([[1], [None], []], "missed must be lists of numbers, one per group, without missing entries"),
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
    with pytest.raises(DataError, match="candidate 1 has -inf in column 0"):
        NBest.from_arrays([[np.nan], [-np.inf]], sizes=[2])


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
        ({"sizes": [1]}, "must divide 2 candidates"),
        ({"sizes": [3, -1]}, "not negative"),
        ({"offsets": [0, 2, 1]}, "must divide"),
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


def test_attributes_follow_their_groups() -> None:
    data = NBest.from_arrays(sizes=[1] * 4, texts=list("wxyz"), attributes={"doc": ["a", None, "b", "a"]})
    for key in ([3, 0, 2], slice(1, 3), [False, True, False, True], 2):
        part = data[key]
        kept = [data.attributes["doc"][data.find(name)].as_py() for name in part.group_ids.to_pylist()]
        assert part.attributes["doc"].to_pylist() == kept
        assert pickle.loads(pickle.dumps(part)).attributes["doc"].to_pylist() == kept
    assert data.replace(attributes={"speaker": [1, 2, 3, 4]}).attributes["speaker"].to_pylist() == list("1234")
    with pytest.raises(TypeError):
        data.attributes["doc"] = None


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"doc": ["a"]}, r"the attribute 'doc' must have a text for each of the 2 groups; found 1 of large_string"),
        ({"doc": [["a"], ["b"]]}, "doc must be texts"),
        ({"input": ["a", "b"]}, "'input' cannot be the name of an attribute"),
        ({"": ["a", "b"]}, "'' cannot be the name of an attribute"),
        ({7: ["a", "b"]}, "7 cannot be the name of an attribute"),
    ],
)
def test_attributes_that_do_not_fit(attributes: dict[object, object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        NBest.from_arrays(sizes=[1, 1], texts=["x", "y"], attributes=attributes)


def test_data_can_be_sent_to_another_process() -> None:
    import multiprocessing

    data = interleaved().replace(stats={"m": np.ones((5, 2))})
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(repr, (data,)) == repr(data)


def test_a_data_frame_knows_what_its_columns_are_called() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"lm": [1.0, 2.0], "words": [3, 4]})
    assert NBest.from_arrays(frame, sizes=[2]).features.column_names().to_pylist() == ["lm", "words"]
