from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runoff.errors import DataError, RunoffError
from runoff.formats import read, write
from runoff.nbest import Features, NBest, storage

if TYPE_CHECKING:
    from pathlib import Path


def fields(data: NBest) -> dict[str, Any]:
    """Every field as plain Python, so that two can be compared."""
    features = data.features.to_scipy()
    return {
        "offsets": data.offsets.tolist(),
        "indptr": features.indptr.tolist(),
        "indices": features.indices.tolist(),
        "values": None if data.features.values is None else features.data.tolist(),
        "columns": data.features.n_columns,
        "names": None if data.features.names is None else data.features.names.to_pylist(),
        **{name: value and value.to_pylist() for name, value in vars(data).items() if isinstance(value, pa.Array)},
        **{name: value.tolist() for name, value in vars(data).items() if isinstance(value, np.ndarray)},
        "attributes": {key: value.to_pylist() for key, value in data.attributes.items()},
        "stats": {key: value.tolist() for key, value in data.stats.items()},
        "metric": data.metric,
        "notes": data.notes,
        "none": [name for name, value in vars(data).items() if value is None],
    }


finite = st.floats(allow_nan=False, allow_infinity=False)
texts = st.text(st.characters(codec="utf-8"), max_size=5)


@st.composite
def nbests(draw: st.DrawFn) -> NBest:
    sizes = draw(st.lists(st.integers(0, 4), max_size=5))
    rows, groups, columns = sum(sizes), len(sizes), draw(st.integers(0, 4))
    matrix = np.array(
        draw(
            st.lists(
                st.lists(st.sampled_from([0.0, 1.0, 0.25, -3e30]), min_size=columns, max_size=columns),
                min_size=rows,
                max_size=rows,
            )
        ),
        np.float32,
    ).reshape(rows, columns)

    def perhaps(strategy: st.SearchStrategy[Any], size: int) -> Any:
        return draw(st.none() | st.lists(strategy, min_size=size, max_size=size))

    data = NBest.from_arrays(
        matrix,
        sizes=sizes,
        quality=perhaps(finite, rows),
        base=perhaps(finite, rows),
        texts=perhaps(texts, rows),
        candidate_ids=draw(st.none() | st.lists(texts, min_size=rows, max_size=rows, unique=True)),
        group_ids=draw(st.none() | st.lists(texts, min_size=groups, max_size=groups, unique=True)),
        inputs=perhaps(st.none() | texts, groups),
        references=perhaps(st.none() | st.lists(texts, max_size=3), groups),
        missed=perhaps(st.lists(finite, max_size=3), groups),
        attributes={
            key: draw(st.lists(st.none() | texts, min_size=groups, max_size=groups))
            for key in draw(st.sets(texts.filter(bool), max_size=2))
        },
        feature_names=draw(st.none() | st.lists(texts, min_size=columns, max_size=columns, unique=True)),
        stats={
            key: np.array(draw(st.lists(finite, min_size=2 * rows, max_size=2 * rows))).reshape(rows, 2)
            for key in draw(st.sets(texts, max_size=2))
        },
        metric=draw(st.none() | texts),
        notes=draw(st.lists(texts, max_size=2)),
    )
    return data[draw(st.sampled_from([slice(None), slice(1, None), slice(0, 2), slice(None, None, -1)]))]


@settings(deadline=None)
@given(data=nbests(), ending=st.sampled_from(["arrow", "parquet"]))
def test_what_is_saved_comes_back(tmp_path_factory, data, ending):
    path = tmp_path_factory.getbasetemp() / f"data.{ending}"
    data.save(path)
    assert fields(read(path)) == fields(data)


@settings(deadline=None)
@given(data=nbests().filter(len), ending=st.sampled_from(["arrow", "parquet", "jsonl"]))
def test_what_some_groups_lack_is_still_lacking_in_every_format(tmp_path_factory, data, ending):
    path = tmp_path_factory.getbasetemp() / f"gaps.{ending}"
    write(data, path)
    back = read(path)
    assert back.group_ids.equals(data.group_ids)
    for name in ("inputs", "references"):
        before, after = getattr(data, name), getattr(back, name)
        nothing = [None] * len(data)  # JSON lines cannot tell a column of gaps from none
        assert (nothing if after is None else after.to_pylist()) == (nothing if before is None else before.to_pylist())
    said = {name: column for name, column in data.attributes.items() if column.null_count < len(column)}
    assert {name: back.attributes[name].to_pylist() for name in said} == {n: c.to_pylist() for n, c in said.items()}


@pytest.mark.parametrize("ending", ["arrow", "parquet"])
def test_interleaved_rows_come_back(tmp_path, ending):
    data = NBest.from_arrays([[1.0], [2.0], [3.0]], groups=["b", "a", "b"])
    data.save(tmp_path / f"data.{ending}")
    back = read(tmp_path / f"data.{ending}")
    assert back.rows.tolist() == [0, 2, 1]
    assert fields(back) == fields(data)


def example() -> NBest:
    return NBest.from_arrays(
        [[1.0, 0.0], [0.5, 2.0], [0.0, 3.0]],
        groups=["x", "y", "x"],
        quality=[1, 2, 3],
        texts=["a", "b", "c"],
        references=[["r"], []],
        missed=[[], [2.0, 1.0]],
        feature_names=["f", "g"],
        stats={"bleu": np.ones((3, 2))},
    )


def test_an_opened_file_is_mapped_and_cannot_be_changed(tmp_path):
    path = tmp_path / "data.arrow"
    table = np.random.default_rng(0).random((1000, 200))
    NBest.from_arrays(table, sizes=[500, 500], quality=table[:, 0], stats={"bleu": table[:, :3]}).save(path)
    before = pa.total_allocated_bytes()
    data = read(path)
    assert pa.total_allocated_bytes() - before < path.stat().st_size / 50
    for array in (data.offsets, data.features.indices, data.features.values, data.quality, data.stats["bleu"]):
        assert not array.flags.writeable
        assert not array.flags.owndata


def test_saving_over_the_file_that_is_open(tmp_path):
    path = tmp_path / "data.arrow"
    example().save(path)
    data = read(path)
    data.replace(quality=[7, 8, 9]).save(path)
    assert data.quality.tolist() == [1, 3, 2]
    assert read(path).quality.tolist() == [7, 8, 9]


def test_saving_where_there_is_no_folder(tmp_path):
    with pytest.raises(RunoffError, match="cannot be written: no such file or directory"):
        example().save(tmp_path / "none" / "data.arrow")


def changed(**changes: Any) -> pa.Table:
    """A table of ours in which columns (None: taken away) or parts of the header are not as they should be."""
    table = storage.to_table(example())
    header = orjson.loads(table.schema.metadata[b"runoff"])
    for name, value in changes.items():
        if name in header:
            header[name] = value
        elif value is None:
            table = table.drop_columns([name])
        elif name in table.column_names:
            table = table.set_column(table.column_names.index(name), name, value)
        else:
            table = table.append_column(name, value)
    return table.replace_schema_metadata({b"runoff": orjson.dumps(header)})


def lists(offsets: list[int], values: Any) -> pa.Array:
    return nested([offsets], values if isinstance(values, pa.Array) else pa.array(values))


def features(offsets: list[int], indptr: list[int], stored: list[int] | list[float], kind: pa.DataType) -> pa.Array:
    return nested([indptr, offsets], pa.array(stored, kind))


def nested(levels: list[list[int]], entries: pa.Array) -> pa.Array:
    """Lists with any offsets, innermost first: Arrow refuses bad ones, so they are built from raw buffers."""
    buffers = [np.zeros(len(offsets), np.int64) for offsets in levels]
    for cuts in buffers:
        kind = pa.large_list(entries.type)
        entries = pa.Array.from_buffers(kind, cuts.size - 1, [None, pa.py_buffer(cuts)], children=[entries])
    for cuts, offsets in zip(buffers, levels, strict=True):
        cuts[:] = offsets
    return entries


INDEX = pa.int32()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": None}, "it has no column 'id'"),
        ({"feature": None}, "it has no column 'feature'"),
        (
            {"quality": lists([0, 1, 3], [1.0, 2.0, 3.0])},
            "'feature' and 'quality' have different numbers of candidates",
        ),
        (
            {"quality": lists([0, 2, 4], [1.0, 2.0, 3.0, 4.0])},
            "'feature' and 'quality' have different numbers of candidates",
        ),
        ({"quality": lists([0, 2, 9], [1.0, 2.0, 3.0])}, "column 'quality'"),
        ({"quality": lists([0, 2, 3], [1.0, None, 3.0])}, "column 'quality' has 1 empty entries"),
        ({"quality": lists([0, 2, 3], ["a", "b", "c"])}, "column 'quality' has the type"),
        ({"quality": pa.array([1.0, 2.0])}, "column 'quality' has the type double"),
        ({"quality": pa.array([[1.0, 2.0], None])}, "column 'quality' has 1 empty entries"),
        ({"missed": lists([0, 2, 9], [1.0, 2.0, 3.0])}, "column 'missed'"),
        ({"missed": lists([0, 2, 1], [1.0, 2.0, 3.0])}, "column 'missed'"),
        ({"missed": lists([0, 2, 3], [1.0, None, 3.0])}, "column 'missed' has 1 empty entries"),
        ({"missed": pa.array([[1.0], None])}, "column 'missed' has 1 empty entries"),
        (
            {"missed": lists([0, 2, 3], [1.0, 2.0, np.inf])},
            "missed must be finite numbers; entry 0 of group 'y' is inf",
        ),
        ({"id": pa.array(["x", None])}, "column 'id' has 1 empty entries"),
        ({"text": lists([0, 2, 3], ["a", None, "c"])}, "column 'text' has 1 empty entries"),
        ({"text": pa.array([["a", "b"], None])}, "column 'text' has 1 empty entries"),
        ({"references": lists([0, 1, 2], ["a", None])}, "a reference of group 'y' is missing"),
        ({"names": ["f", "f"]}, "more than one column is called 'f'"),
        ({"feature": features([0, 2, 9], [0, 1, 2, 3], [0, 1, 1], INDEX)}, "column 'feature'"),
        ({"feature": features([0, 2, 1], [0, 1, 2, 3], [0, 1, 1], INDEX)}, "column 'feature'"),
        ({"feature": features([0, 2, 3], [0, 2, 1, 3], [0, 1, 1], INDEX)}, "column 'feature'"),
        ({"feature": features([0, 2, 3], [0, 1, 2, 99], [0, 1, 1], INDEX)}, "column 'feature'"),
        ({"feature": features([0, 2, 3], [-5, 1, 2, 3], [0, 1, 1], INDEX)}, "column 'feature'"),
        (
            {"feature": features([0, 2, 3], [0, 1, 2, 3], [0, 1, 1], INDEX)},
            "'feature' and 'value' have different numbers",
        ),
        ({"weight": pa.array([1, 2])}, "it has a column 'weight', which Runoff does not know"),
        ({"row": lists([0, 2, 3], [0, 0, 1])}, "the input rows of the candidates are not a permutation"),
        ({"row": lists([0, 2, 3], [0, 1, 99])}, "the input rows of the candidates are not a permutation"),
        ({"stats:bleu": lists([0, 2, 3], [1.0, 2.0, 3.0])}, "column 'stats:bleu' has lists of the type double"),
        ({"columns": -1}, "its metadata cannot be read"),
        ({"columns": "2"}, "its metadata cannot be read"),
        ({"names": ["f"]}, "there are 2 feature columns but 1 feature names"),
        ({"names": [1, 2]}, "its metadata cannot be read"),
        ({"notes": None}, "its metadata cannot be read"),
        ({"version": "one"}, "its metadata cannot be read"),
        ({"version": 99}, "this file has version 99 .* upgrade Runoff"),
    ],
)
def test_damaged_tables_are_refused(changes, message):
    with pytest.raises(DataError, match=f"data.arrow: .*{message}"):
        storage.from_table(changed(**changes), "data.arrow")


def test_a_file_without_missed_answers_opens():
    data = storage.from_table(changed(missed=None))
    assert data.missed is None
    assert data.references.to_pylist() == [["r"], []]


def test_a_description_that_is_no_json():
    table = storage.to_table(example()).replace_schema_metadata({b"runoff": b"{"})
    with pytest.raises(DataError, match="its metadata cannot be read"):
        storage.from_table(table)


def test_columns_that_do_not_exist_are_found_on_opening():
    values = features([0, 2, 3], [0, 1, 2, 4], [1.0, 1.0, 1.0, 1.0], pa.float32())
    for indices in ([0, 1, 7, 1], [0, -1, 1, 1]):
        damaged = changed(feature=features([0, 2, 3], [0, 1, 2, 4], indices, INDEX), value=values)
        with pytest.raises(DataError, match="points at columns that do not exist"):
            storage.from_table(damaged)


def test_values_that_are_not_finite_are_found_on_opening():
    for value in (np.inf, -np.inf):
        damaged = changed(value=features([0, 2, 3], [0, 1, 2, 4], [1.0, value, np.nan, 1.0], pa.float32()))
        with pytest.raises(DataError, match="values that are not finite"):
            storage.from_table(damaged)


class Counted(np.ndarray):
    """An array that counts how much of it was searched."""

    searched = 0

    def max(self, *args: Any, **options: Any) -> Any:
        Counted.searched += self.size
        return super().max(*args, **options)


def test_features_are_checked_once_for_all_slices():
    whole = Features.from_csr([0, 2, 4, 6], [0, 1, 0, 1, 0, 1], None, 2)
    object.__setattr__(whole, "indices", whole.indices.view(Counted))
    Counted.searched = 0
    whole.rows(1, 2).check()
    assert Counted.searched == 2
    whole.rows(1, 2).check()
    assert Counted.searched == 2
    whole.rows(1, 3).check()
    assert Counted.searched == 6
    whole.rows(2, 3).check()
    assert Counted.searched == 6
    whole.check()
    whole.rows(0, 1).check()
    assert Counted.searched == 12


def test_a_table_in_many_pieces_is_put_together():
    table = storage.to_table(example())
    pieces = pa.concat_tables([table.slice(0, 1), table.slice(1, 1)])
    assert fields(storage.from_table(pieces)) == fields(example())
    sliced = storage.to_table(example().replace(rows=None)).slice(1, 1)
    assert fields(storage.from_table(sliced)) == fields(example()[1:])


def test_statistics_without_numbers():
    data = NBest.from_arrays([[1.0]], sizes=[1], stats={"none": np.zeros((1, 0))})
    with pytest.raises(DataError, match="statistics for 'none' have no numbers"):
        storage.to_table(data)


@pytest.mark.parametrize("step", [61, pytest.param(1, marks=pytest.mark.slow)])
def test_every_flipped_byte_of_a_file_reads_or_says_why(tmp_path: Path, step: int):
    """Damage anywhere must end in a `DataError` or in data that can be looked at; a crash would end the child."""
    script = """
import sys
from runoff.errors import DataError
from runoff.formats import read
path, step = sys.argv[1], int(sys.argv[2])
whole = open(path, 'rb').read()
for at in range(0, len(whole), step):
    for flip in (0x01, 0x80, 0xff):
        open(path, 'wb').write(whole[:at] + bytes([whole[at] ^ flip]) + whole[at + 1:])
        try:
            data = read(path)
            data.features.check().to_scipy()
            data[::-1].texts.to_pylist()
            data[::-1].missed and data[::-1].missed.to_pylist()
        except DataError:
            pass
print('done')
"""
    example().save(tmp_path / "data.arrow")
    command = [sys.executable, "-c", script, str(tmp_path / "data.arrow"), str(step)]
    child = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (child.returncode, child.stdout) == (0, "done\n"), child.stderr[-2000:]
