from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from runoff.errors import DataError, UsageError
from runoff.nbest import Features, NBest, grouping

ROWS = {"qid": ["b", "a", "b"], "label": [1, 0, 2], "x": [0.5, 0.0, 2.0], "text": ["u", "v", "w"]}


def dense(data: NBest) -> list[list[float]]:
    return data.features.to_scipy().toarray().tolist()


@pytest.mark.parametrize(
    "make",
    [
        pd.DataFrame,
        pl.DataFrame,
        pa.table,
        lambda rows: pa.RecordBatch.from_pydict(rows),
        lambda rows: pd.DataFrame(rows).astype({"qid": "category"}),
        lambda rows: pl.DataFrame(rows, schema_overrides={"qid": pl.Categorical}),
        lambda rows: rows,
    ],
    ids=["pandas", "polars", "arrow", "batch", "pandas-category", "polars-categorical", "dict"],
)
def test_tables_of_every_kind(make):
    data = NBest.from_table(make(ROWS), group="qid", quality="label", text="text")
    assert data.group_ids.to_pylist() == ["b", "a"]
    assert data.quality.tolist() == [1, 2, 0]
    assert data.texts.to_pylist() == ["u", "w", "v"]
    assert data.features.names.to_pylist() == ["x"]
    assert dense(data) == [[0.5], [2], [0]]
    assert data.in_input_order(data.quality).tolist() == [1, 0, 2]


def test_a_pandas_index_is_no_feature():
    frame = pd.DataFrame(ROWS).iloc[[2, 0]]
    assert NBest.from_table(frame, group="qid").features.names.to_pylist() == ["label", "x"]
    indexed = pd.DataFrame(ROWS).set_index("label")
    assert NBest.from_table(indexed, group="qid").features.names.to_pylist() == ["x"]
    assert NBest.from_table(indexed, group="qid", quality="label").quality.tolist() == [1, 2, 0]


def test_inputs_and_references_belong_to_the_group():
    table = {"q": [1, 2, 1], "src": ["a", "b", "c"], "ref": [["x", "y"], None, ["x", "y"]], "ref1": ["x", None, "z"]}
    data = NBest.from_table(table, group="q", input="src", reference="ref")
    assert data.inputs.to_pylist() == ["a", "b"]
    assert data.references.to_pylist() == [["x", "y"], []]
    assert data.notes == (
        "Columns that are not numbers were not used: ref1.",
        "Column src differs within 1 group(s); the first row of each group was used.",
    )
    single = NBest.from_table(table, group="q", reference="ref1")
    assert single.references.to_pylist() == [["x"], []]
    assert "Column ref1 differs within 1 group(s); the first row of each group was used." in single.notes


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"group": "query"}, "the table has no column 'query'; its columns are: qid, label, x, text"),
        ({"group": "qid", "features": ["y"]}, "the table has no column 'y'"),
        ({"group": "qid", "quality": "text"}, "row 1: column 'text' must be numbers; found 'u'"),
    ],
)
def test_columns_that_do_not_fit(options, message):
    with pytest.raises((UsageError, DataError), match=message):
        NBest.from_table(pa.table(ROWS), **options)


def test_two_columns_of_the_same_name():
    table = pa.Table.from_arrays([pa.array([1]), pa.array([1])], ["qid", "qid"])
    with pytest.raises(UsageError, match="the table has 2 columns called 'qid'"):
        NBest.from_table(table, group="qid")
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([1]), pa.array([2])], ["qid", "x", "x"])
    with pytest.raises(UsageError, match="the table has 2 columns called 'x'"):
        NBest.from_table(twice, group="qid")
    with pytest.raises(DataError, match="more than one column is called 'x'"):
        NBest.from_table(pa.table(ROWS), group="qid", features=["x", "x"])


def test_what_is_no_table():
    with pytest.raises(UsageError, match="expected a pandas, polars or Arrow table, found int"):
        NBest.from_table(3, group="qid")


def test_a_table_with_a_number_that_is_too_long():
    with pytest.raises(DataError, match="a whole number that 64 bits cannot hold; turn its column into texts"):
        NBest.from_table({"qid": [1, 10**400], "x": [1, 2]}, group="qid")


def test_an_empty_table():
    data = NBest.from_table(pa.table(ROWS).slice(0, 0), group="qid", quality="label", text="text", input="text")
    assert (len(data), data.n_candidates) == (0, 0)


@pytest.mark.parametrize(
    "groups",
    [
        ["b", "a", "b"],
        np.array(["b", "a", "b"]),
        np.array(["b", "a", "b"], object),
        pd.Series(["b", "a", "b"]),
        pl.Series(["b", "a", "b"]),
        pa.array(["b", "a", "b"]),
        pa.chunked_array([["b"], ["a", "b"]]),
        pa.DictionaryArray.from_arrays(pa.array([2, 1, 2]), pa.array(["unused", "a", "b"])),
        pd.Categorical(["b", "a", "b"]),
    ],
    ids=lambda groups: type(groups).__name__,
)
def test_group_ids_of_every_kind(groups):
    data = NBest.from_arrays(np.eye(3), groups=groups)
    assert data.group_ids.to_pylist() == ["b", "a"]
    assert data.offsets.tolist() == [0, 2, 3]
    assert dense(data) == [[1, 0, 0], [0, 0, 1], [0, 1, 0]]


def test_encoded_group_ids_come_in_order_of_first_appearance():
    encoded = pa.DictionaryArray.from_arrays(pa.array([2, 1, 2]), pa.array(["unused", "a", "b"]))
    for groups in (encoded, pa.chunked_array([encoded[:1], encoded[1:]])):
        cut = grouping.group(3, groups=groups)
        assert cut.ids.to_pylist() == ["b", "a"]
        assert cut.offsets.tolist() == [0, 2, 3]
        assert cut.order.tolist() == [0, 2, 1]


def test_everything_moves_with_its_row():
    data = NBest.from_arrays(
        sparse.csr_matrix(np.diag([1.0, 2.0, 3.0])),
        quality=[1, 2, 3],
        groups=[5, 7, 5],
        base=[-1, -2, -3],
        texts=["a", "b", "c"],
        candidate_ids=[10, 20, 30],
        inputs=["in 5", "in 7"],
        references=["five", ["seven", "sept"]],
        missed=[[1, 0.5], np.array([], int)],
        stats={"s": [[1, 0], [2, 0], [3, 0]]},
    )
    assert data.quality.tolist() == [1, 3, 2]
    assert data.base.tolist() == [-1, -3, -2]
    assert data.texts.to_pylist() == ["a", "c", "b"]
    assert data.candidate_ids.to_pylist() == ["10", "30", "20"]
    assert data.stats["s"][:, 0].tolist() == [1, 3, 2]
    assert data.group_ids.to_pylist() == ["5", "7"]
    assert data.references.to_pylist() == [["five"], ["seven", "sept"]]
    assert data.missed.to_pylist() == [[1, 0.5], []]
    assert dense(data) == [[1, 0, 0], [0, 0, 3], [0, 2, 0]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"groups": ["a", 1, "b"]}, "group ids must be all texts or all numbers"),
        ({"groups": ["a", None, "b"]}, r"1 candidate\(s\) have no group id"),
        ({"groups": ["a", "b"]}, "there are 3 candidates but 2 group ids"),
        ({"sizes": [1, 1]}, "sizes must divide 3 candidates into groups"),
        ({"sizes": [3], "quality": [1, 2]}, "there are 3 candidates but 2 entries of quality"),
        ({"sizes": [3], "quality": ["good", "bad", "ugly"]}, "quality must be numbers"),
        ({"sizes": [3], "quality": [[1], [2], [3]]}, "quality must have one number per candidate"),
        (
            {"sizes": [3], "quality": [1, np.nan, 2]},
            "quality must be a finite number; candidate 1 of group '0' has nan",
        ),
        ({"sizes": [3], "texts": [1, "b", {}]}, "texts and ids must be texts"),
        ({"groups": [1, 2, 10**400]}, "group ids must be all texts or all numbers"),
        ({"sizes": [3], "candidate_ids": [1, 2, 10**400]}, "texts and ids must be texts"),
        ({"sizes": [3], "base": [1, 2, 10**400]}, "base must be numbers"),
        ({"sizes": [3], "stats": {"s": [[1], [2], [10**400]]}}, "statistics for 's' must be a table of numbers"),
        ({"sizes": [3], "references": [3]}, "references must be texts or lists of texts"),
        ({"sizes": [2, 1], "group_ids": ["a", "a"]}, "group_ids must differ"),
        (
            {"groups": ["g", "h", "g"], "candidate_ids": ["a", "a", "a"]},
            "row 3: group 'g' already has a candidate with the id 'a', in row 1; ids must differ within a group",
        ),
        ({"sizes": [3], "stats": {"s": [["a"], [1], [2]]}}, "statistics for 's' must be a table of numbers"),
        ({"sizes": [3], "stats": {"s": [1, 2, 3]}}, "statistics for 's' must have one row for each"),
    ],
)
def test_arrays_that_do_not_fit(arguments, message):
    with pytest.raises(DataError, match=message):
        NBest.from_arrays(np.eye(3), **arguments)


@pytest.mark.parametrize(
    ("indptr", "indices", "values"),
    [([], [], None), ([0, 2, 1], [0, 0], None), ([-1, 1], [0], None), ([0, 3], [0, 0], None), ([0, 2], [0, 0], [1.0])],
)
def test_rows_that_leave_the_stored_values(indptr, indices, values):
    with pytest.raises(DataError, match="the feature table is damaged"):
        Features.from_csr(indptr, indices, values, 1)
