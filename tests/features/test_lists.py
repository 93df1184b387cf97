"""Features that any list of texts has, counted by hand."""

import numpy as np
import pytest

from runoff import DataError, NBest
from runoff.features import list_features, prepare
from runoff.features.lists import NAMES


def test_position_copies_and_length_counted_by_hand() -> None:
    data = NBest.from_arrays(texts=["a b c", "a b", " a b c ", "", "x"], sizes=[4, 1])
    table = dict(zip(NAMES, list_features(data).features.to_scipy().toarray().T.tolist(), strict=True))
    assert table["list:position"] == pytest.approx([0, np.log(2), np.log(3), np.log(4), 0])
    assert table["list:first"] == [1, 0, 0, 0, 1]
    assert table["list:copies"] == [0.5, 0.25, 0.5, 0.25, 1]  # white space around a text does not count
    assert table["list:distinct_before"] == [0, 0.25, 0, 0.5, 0]
    assert table["length:words"] == [3, 2, 3, 0, 1]
    assert table["length:from_mean"] == [1, 0, 1, 2, 0]
    assert table["length:below_first"] == [0, 1, 0, 3, 0]


def test_they_stand_beside_features_that_are_there_already() -> None:
    data = NBest.from_arrays([[5.0], [0.0]], texts=["a", "b"], sizes=[2], feature_names=["mine"])
    found = prepare(data, [{"step": "list-features"}]).features
    assert found.column_names().to_pylist() == ["mine", *NAMES]
    assert found.to_scipy().toarray()[:, 0].tolist() == [5.0, 0.0]


def test_empty_groups_and_missing_texts() -> None:
    assert list_features(NBest.from_arrays(texts=["a"], sizes=[0, 1, 0])).features.shape == (1, len(NAMES))
    with pytest.raises(DataError, match="neither features nor texts"):
        list_features(NBest.from_arrays(quality=[1.0], sizes=[1]))
    with pytest.raises(DataError, match=r"^this data has no texts, which the model's features are made from\.$"):
        list_features(NBest.from_arrays([[1.0]], sizes=[1]))


def test_a_name_that_is_taken_is_said() -> None:
    data = NBest.from_arrays([[1.0]], texts=["a"], sizes=[1], feature_names=["list:copies"])
    with pytest.raises(DataError, match="more than one column is called 'list:copies'"):
        list_features(data)
