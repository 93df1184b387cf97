"""Moses lists that are written are read as they were."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import runoff
from runoff.errors import DataError
from runoff.nbest import NBest

NUMBERS = st.floats(width=32, allow_nan=False, allow_infinity=False)
TEXTS = st.text(alphabet="ab ,|é", max_size=8).map(lambda text: " ".join(text.split()).replace("|||", "|"))


@settings(deadline=None)
@given(st.lists(st.tuples(TEXTS, NUMBERS, NUMBERS, st.floats(-1e9, 1e9)), min_size=1, max_size=6), st.data())
def test_lists_come_back(tmp_path_factory, rows, draw):
    path = tmp_path_factory.mktemp("moses") / "lists.nbest.gz"
    cut = draw.draw(st.integers(1, len(rows)))
    data = NBest.from_arrays(
        np.array([row[1:3] for row in rows], np.float32),
        base=[row[3] for row in rows],
        texts=[row[0] for row in rows],
        sizes=[cut, len(rows) - cut] if cut < len(rows) else [cut],
        feature_names=["tm:direct", "lm"],
    )
    runoff.write(data, path)
    back = runoff.read(path, "moses")
    assert back.texts.to_pylist() == data.texts.to_pylist()
    assert back.base.tolist() == data.base.tolist()
    assert back.sizes.tolist() == data.sizes.tolist()
    assert back.features.column_names().to_pylist() == ["tm:direct", "lm"]
    assert np.array_equal(back.features.to_scipy().toarray(), data.features.to_scipy().toarray())


def test_lines_are_as_moses_writes_them(tmp_path):
    path = tmp_path / "lists.nbest"
    data = NBest.from_arrays(
        [[0.5, 0.0]], base=[-1.25], texts=["a b"], sizes=[1], feature_names=["word penalty", "lm"], group_ids=["an id"]
    )
    runoff.write(data, path)
    assert path.read_text() == "0 ||| a b ||| word_penalty= 0.5 lm= 0.0 ||| -1.25\n"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"texts": ["a\nb"]}, "line break"),
        ({"texts": ["a ||| b"]}, "line break or"),
        ({"base": None}, "no first-round scores"),
        ({"X": [[np.nan, 1.0]]}, "missing values"),
        ({"feature_names": ["a b", "a_b"]}, "the same name"),
    ],
)
def test_what_the_format_cannot_hold_is_refused(tmp_path, change, message):
    given_ = {"X": [[1.0, 2.0]], "base": [0.5], "texts": ["a"], "sizes": [1], "feature_names": ["a", "b"], **change}
    with pytest.raises(DataError, match=message):
        runoff.write(NBest.from_arrays(given_.pop("X"), **given_), tmp_path / "lists.nbest")
