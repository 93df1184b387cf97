from __future__ import annotations

import gzip
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from runoff.errors import DataError, UsageError
from runoff.formats import read, recognise, write
from runoff.nbest import NBest

if TYPE_CHECKING:
    from pathlib import Path


def save(table: pa.Table, path: Path) -> Path:
    if path.suffix == ".parquet":
        pq.write_table(table, path)
    else:
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table, max_chunksize=2)
    return path


FLAT = pa.table(
    {
        "query_id": pa.array(["b", "a", "b"]).dictionary_encode(),
        "Relevance": pa.array([2, 0, 1], pa.int8()),
        "price": pa.array([Decimal("1.50"), Decimal("2.25"), Decimal("0.00")]),
        "new": [True, False, True],
        "source": ["s", "t", "s"],
        "references": [["r1", "r2"], [], ["r1", "r2"]],
    }
)


@pytest.mark.parametrize("ending", ["arrow", "feather", "parquet", "bin"])
def test_flat_tables_by_the_usual_names(tmp_path, ending):
    path = save(FLAT, tmp_path / f"table.{ending}")
    assert recognise(path).name == "arrow"
    data = read(path)
    assert data.group_ids.to_pylist() == ["b", "a"]
    assert data.quality.tolist() == [2, 1, 0]
    assert data.features.names.to_pylist() == ["price", "new"]
    assert data.features.to_scipy().toarray().tolist() == [[1.5, 1], [0, 1], [2.25, 0]]
    assert data.inputs.to_pylist() == ["s", "t"]
    assert data.references.to_pylist() == [["r1", "r2"], []]
    assert data.rows.tolist() == [0, 2, 1]


def test_columns_that_the_person_names(tmp_path):
    path = save(FLAT, tmp_path / "table.parquet")
    data = read(path, columns="group=source,quality=price,features=new")
    assert data.group_ids.to_pylist() == ["s", "t"]
    assert data.quality.tolist() == [1.5, 0, 2.25]
    assert data.features.names.to_pylist() == ["new"]


@pytest.mark.parametrize("ending", ["arrow", "parquet"])
def test_compressed_files_open_too(tmp_path, ending):
    inner = save(FLAT, tmp_path / f"table.{ending}")
    compressed = tmp_path / f"table.{ending}.gz"
    compressed.write_bytes(gzip.compress(inner.read_bytes()))
    assert read(compressed).quality.tolist() == read(inner).quality.tolist()


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("Relevance", [1, None, 2], r"row 2: column 'Relevance' is empty in 1 row\(s\); fill it in"),
        ("Relevance", [1.0, 2.0, float("nan")], "row 3: column 'Relevance' must be finite numbers; found nan"),
        ("Relevance", ["1", "2", "x"], "row 3: column 'Relevance' must be numbers; found 'x'"),
        ("query_id", ["a", None, "a"], r"row 2: column 'query_id' is empty in 1 row\(s\)"),
        ("new", [1, 2, float("inf")], "row 3: column 'new' must be finite numbers in single precision; found inf"),
    ],
)
def test_cells_that_cannot_be_used(tmp_path, column, values, message):
    table = FLAT.set_column(FLAT.column_names.index(column), column, pa.array(values))
    with pytest.raises(DataError, match=rf"table\.arrow: {message}"):
        read(save(table, tmp_path / "table.arrow"))


def test_an_id_twice_in_a_group(tmp_path):
    path = save(pa.table({"qid": [1, 2, 1], "docid": ["a", "a", "a"]}), tmp_path / "table.arrow")
    with pytest.raises(DataError, match=r"table\.arrow: row 3: group '1' already has .* the id 'a', in row 1"):
        read(path)
    assert read(path, columns="id=").candidate_ids is None


def test_no_group_column(tmp_path):
    with pytest.raises(DataError, match="no column is known to hold the group ids; the columns are: x, y"):
        read(save(pa.table({"x": [1], "y": [2]}), tmp_path / "table.parquet"))


@pytest.mark.parametrize("ending", ["arrow", "parquet"])
def test_files_that_were_cut_off_or_damaged(tmp_path, ending):
    path = tmp_path / f"data.{ending}"
    NBest.from_arrays(np.eye(3), sizes=[3], texts=["a", "b", "c"]).save(path)
    whole = path.read_bytes()
    for size in (6, 50, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(DataError, match=r"the file is damaged or truncated \("):
            read(path)


def test_written_by_ending(tmp_path):
    data = NBest.from_arrays(np.eye(2), sizes=[1, 1], notes=["one"])
    for name in ("a.arrow", "a.parquet", "A.PARQUET"):
        write(data, tmp_path / name)
        assert read(tmp_path / name).notes == ("one",)
    assert (tmp_path / "A.PARQUET").read_bytes()[:4] == b"PAR1"
    with pytest.raises(UsageError, match=r"a\.arrow\.gz: Arrow files are not compressed; write \.parquet"):
        write(data, tmp_path / "a.arrow.gz")
    with pytest.raises(UsageError, match=r"a\.feather: the name does not tell which format to write"):
        write(data, tmp_path / "a.feather")


def test_our_own_files_know_their_columns(tmp_path):
    NBest.from_arrays(np.eye(2), sizes=[2]).save(tmp_path / "a.arrow")
    with pytest.raises(UsageError, match="leave out the option columns"):
        read(tmp_path / "a.arrow", columns="group=id")
