"""Arrow and Parquet tables that crash whoever trusts them; each is a sentence here."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from helpers.tampered_arrow import FAR, as_file, texts_with_offsets
from runoff import NBest
from runoff.cli import main
from runoff.nbest import storage
from runoff.opening import limits
from runoff.opening.arrow import read_arrow, read_parquet
from runoff.opening.arrow_sizes import unpacked_size
from runoff.opening.limits import DamagedFileError

if TYPE_CHECKING:
    from pathlib import Path


def lists(text: pa.Array) -> bytes:
    return as_file(pa.table({"group": ["a", "a", "b", "b"], "text": text, "quality": [1.0, 0.0, 1.0, 0.0]}))


# Files and not arrays: pytest would show an array of a test that fails, and crash.
BAD_TEXTS = {
    "end far outside": lists(texts_with_offsets([0, 2, FAR, 6, 8])),
    "end far outside, 32 bits": lists(texts_with_offsets([0, 2, FAR, 6, 8], kind=pa.string())),
    "negative": lists(texts_with_offsets([0, 2, -FAR, 6, 8])),
    "not in order": lists(texts_with_offsets([0, 6, 2, 6, 8])),
    "not UTF-8": lists(texts_with_offsets([0, 2, 4, 6, 8], b"ab\xff\xfeefgh")),
}


@pytest.mark.parametrize("content", BAD_TEXTS.values(), ids=BAD_TEXTS)
@pytest.mark.parametrize("command", ["describe", "convert", "split"])
def test_tables_of_others_with_damaged_texts_are_refused(tmp_path: Path, content: bytes, command: str) -> None:
    path = tmp_path / "lists.arrow"
    path.write_bytes(content)
    out = {
        "describe": [],
        "convert": [str(tmp_path / "out.arrow")],
        "split": [f"{tmp_path}/a.arrow=0.5", f"{tmp_path}/b.arrow=0.5"],
    }[command]
    done = CliRunner().invoke(main, [command, str(path), *out])
    assert done.exit_code == 1
    assert f"{path}: the file is damaged or truncated" in done.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["lists.arrow"]


@pytest.mark.parametrize("index", [-1, FAR])
@pytest.mark.parametrize("command", ["describe", "convert", "split"])
def test_lists_of_ours_that_point_at_no_column_are_refused(tmp_path: Path, index: int, command: str) -> None:
    path = tmp_path / "lists.arrow"
    saved = storage.to_table(NBest.from_arrays([[1.0, 2.0], [0.0, 3.0]], quality=[1, 0], sizes=[2]))
    features = pa.LargeListArray.from_arrays(
        pa.array([0, 2], pa.int64()),
        pa.LargeListArray.from_arrays(pa.array([0, 2, 3], pa.int64()), pa.array([0, index, 1], pa.int32())),
    )
    path.write_bytes(as_file(saved.set_column(saved.column_names.index("feature"), "feature", features)))
    out = {
        "describe": [],
        "convert": [str(tmp_path / "out.jsonl")],
        "split": [f"{tmp_path}/a.arrow=0.5", f"{tmp_path}/b.arrow=0.5"],
    }[command]
    done = CliRunner().invoke(main, [command, str(path), *out])
    assert done.exit_code == 1
    assert "points at columns that do not exist" in done.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["lists.arrow"]


def test_indices_of_a_dictionary_are_looked_at() -> None:
    coded = pa.DictionaryArray.from_arrays(pa.array([0, 7], pa.int8()), pa.array(["a", "b"]), safe=False)
    with pytest.raises(DamagedFileError):
        read_arrow(pa.BufferReader(as_file(pa.table({"x": coded}))))


def test_a_small_parquet_file_does_not_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_ALWAYS", 1 << 20)
    pq.write_table(pa.table({"x": np.zeros(1 << 20)}), tmp_path / "bomb.parquet")
    with pytest.raises(DamagedFileError, match=r"unpacks to more than 1\.0 MiB, which is too much for a file of"):
        read_parquet(pa.memory_map(str(tmp_path / "bomb.parquet")))


def test_a_batch_that_is_named_many_times_does_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_ALWAYS", 1 << 10)
    monkeypatch.setattr(limits, "_RATIO", 0)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, pa.schema({"x": pa.float64()})) as writer:
        for _ in range(3):
            writer.write_table(pa.table({"x": np.zeros(100)}))
    with pytest.raises(DamagedFileError, match="unpacks to more than"):
        read_arrow(pa.BufferReader(sink.getvalue()))


@pytest.mark.parametrize("codec", ["zstd", "lz4"])
def test_what_compressed_buffers_claim_is_what_they_unpack_to(codec: str) -> None:
    texts = pa.array(["the same text"] * 5000).dictionary_encode()
    table = pa.table({"x": np.zeros(5000), "y": ["a" * (at % 7) for at in range(5000)], "z": texts})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression=codec)) as writer:
        writer.write_table(table, max_chunksize=1000)
    content = sink.getvalue()
    assert unpacked_size(memoryview(content)) == pytest.approx(5000 * (8 + 4 + 3 + 4), rel=0.05)
    assert unpacked_size(memoryview(as_file(table))) == 0
    assert read_arrow(pa.BufferReader(content)).equals(table)


def test_a_small_compressed_arrow_file_does_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"x": np.zeros(1 << 20)})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(table)
    monkeypatch.setattr(limits, "_ALWAYS", 1 << 20)
    monkeypatch.setattr(pa.ipc, "open_file", None)  # it is refused before Arrow reads it
    with pytest.raises(DamagedFileError, match=r"unpacks to more than 1\.0 MiB"):
        read_arrow(pa.BufferReader(sink.getvalue()))


def test_any_changed_byte_of_a_compressed_file_gives_a_table_or_a_sentence() -> None:
    table = pa.table({"x": np.zeros(100), "y": ["a"] * 100})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
        writer.write_table(table)
    content = sink.getvalue().to_pybytes()
    for at in range(0, len(content), 3):
        for flip in (0x01, 0x80, 0xFF):
            with contextlib.suppress(DamagedFileError):
                unpacked_size(memoryview(content[:at] + bytes([content[at] ^ flip]) + content[at + 1 :]))
