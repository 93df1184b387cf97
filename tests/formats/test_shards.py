"""A folder of shards is the same data as one file, however it was cut; and what is wrong with it is told."""

from __future__ import annotations

import errno
import json
import signal
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helpers.processes import start_python
from runoff import read, write
from runoff.errors import DataError, RunoffError, UsageError
from runoff.formats import json_reader, jsonl, read_blocks, recognise
from runoff.formats.shard_set import ShardSet
from runoff.formats.shard_writer import ShardPlan, writing_shards
from runoff.nbest import NBest
from runoff.nbest.storage import to_table

if TYPE_CHECKING:
    from pathlib import Path

GROUPS, COLUMNS = 60, 12
CUTS = {1: [60], 3: [11, 11, 60], 7: [1, 2, 20, 33, 34, 59, 60]}  # the second of three shards is empty


def lists(names: list[str] | None = None, **changes: Any) -> NBest:
    rng = np.random.default_rng(0)
    sizes = rng.integers(0, 6, GROUPS)
    n = int(sizes.sum())
    table = (rng.random((n, COLUMNS)) < 0.3) * rng.integers(1, 4, (n, COLUMNS))
    return NBest.from_arrays(
        table,
        quality=rng.random(n),
        base=rng.random(n),
        sizes=sizes,
        texts=[f"tëxt {at % 50}" for at in range(n)],
        inputs=[None if at % 3 == 0 else f"input {at // 2}" for at in range(GROUPS)],
        references=[[f"r{at}"] * (at % 3) for at in range(GROUPS)],
        missed=[[0.5] * (at % 2) for at in range(GROUPS)],
        attributes={"doc": [f"d{at // 5}" for at in range(GROUPS)]},
        stats={"wer": rng.random((n, 4))},
        feature_names=[f"f{at}" for at in range(COLUMNS)] if names is None else names,
        group_ids=[f"g{at}" for at in range(GROUPS)],
        metric="wer",
        **changes,
    )


def cut(data: NBest, folder: Path, ends: list[int]) -> Path:
    """Shards of both kinds, as a job of somebody else would leave them."""
    folder.mkdir()
    for at, (start, stop) in enumerate(zip([0, *ends], ends, strict=False)):
        data[start:stop].save(folder / f"part-{at:03}.{'parquet' if at % 2 else 'arrow'}")
    (folder / "_SUCCESS").touch()
    return folder


def same(a: NBest, b: NBest) -> bool:
    one, two = to_table(a), to_table(b)
    return one.equals(two) and one.schema.metadata == two.schema.metadata


@pytest.mark.parametrize("shards", CUTS)
def test_a_folder_is_the_same_data_as_one_file(tmp_path: Path, shards: int) -> None:
    data = lists()
    folder = cut(data, tmp_path / "set", CUTS[shards])
    assert recognise(folder).name == "shards"
    assert same(read(folder), data)


def test_blocks_do_not_depend_on_how_the_set_was_cut(tmp_path: Path) -> None:
    data, found = lists(), []
    for shards, ends in CUTS.items():
        blocks = list(ShardSet(cut(data, tmp_path / str(shards), ends)).blocks(20, 90))
        assert all(block.n_candidates <= 20 and block.features.n_stored <= 90 for block in blocks)
        found.append(blocks)
    assert len(found[0]) > 5
    for blocks in found[1:]:
        assert all(same(one, other) for one, other in zip(found[0], blocks, strict=True))
    assert same(list(ShardSet(tmp_path / "3").blocks(1, 1))[7], data[7])  # one list, larger than asked for


def test_columns_are_matched_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    folder.mkdir()
    one = NBest.from_arrays([[1.0, 2.0]], sizes=[1], feature_names=["a", "b"], group_ids=["x"])
    two = NBest.from_arrays([[3.0, 4.0, 5.0]], sizes=[1], feature_names=["c", "b", "a"], group_ids=["y"])
    one.save(folder / "1.arrow")
    two.save(folder / "2.arrow")
    whole = read(folder)
    assert whole.features.column_names().to_pylist() == ["a", "b", "c"]
    assert whole.features.to_scipy().toarray().tolist() == [[1, 2, 0], [5, 4, 3]]
    assert whole.features.indices.tolist() == [0, 1, 0, 1, 2]  # sorted in every row
    assert [block.features.n_columns for block in ShardSet(folder).blocks(1)] == [3, 3]


def test_tables_of_other_programs(tmp_path: Path) -> None:
    for at, group in enumerate(["x", "y"]):
        pq.write_table(
            pa.table({"q": [group] * 2, "score": [1.0, 2.0], "new" * at or "old": [at, 3]}), tmp_path / f"{at}.parquet"
        )
    whole = read(tmp_path, columns="group=q,base=score")
    assert whole.group_ids.to_pylist() == ["x", "y"]
    assert whole.features.to_scipy().toarray().tolist() == [[0, 0], [3, 0], [0, 1], [0, 3]]
    assert whole.features.column_names().to_pylist() == ["old", "new"]


@pytest.mark.parametrize(
    "plan", [None, ShardPlan(ends=[20, 21, 60]), ShardPlan("parquet", 900), ShardPlan(most_bytes=1)]
)
def test_what_is_written_is_read(tmp_path: Path, plan: ShardPlan | None) -> None:
    data = lists()
    with writing_shards(tmp_path / "set", plan) as shards:
        for start in range(0, GROUPS, 13):
            shards.add(data[start : start + 13])
    assert same(read(tmp_path / "set"), data)
    said = json.loads((tmp_path / "set" / "shards.json").read_text())
    assert said["groups"] == GROUPS
    assert [each["name"] for each in said["shards"]] == sorted(
        each.name for each in (tmp_path / "set").iterdir() if each.name != "shards.json"
    )
    if plan is not None and plan.ends is not None:
        assert [each["groups"] for each in said["shards"]] == [20, 1, 39]


def test_a_name_that_ends_in_a_slash_is_a_folder(tmp_path: Path) -> None:
    write(lists(), f"{tmp_path}/set/")
    assert (tmp_path / "set" / "shards.json").is_file()
    assert same(read(tmp_path / "set"), lists())


def test_json_lines_become_the_same_shards_block_by_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(lists(), tmp_path / "lists.jsonl")
    whole = read(tmp_path / "lists.jsonl")
    monkeypatch.setattr(jsonl, "_BLOCK", 2_000)
    monkeypatch.setattr(json_reader, "_BLOCK_BYTES", 500)
    blocks = list(read_blocks(tmp_path / "lists.jsonl"))
    assert len(blocks) > 5
    with writing_shards(tmp_path / "set", ShardPlan(most_bytes=2_000)) as shards:
        for block in blocks:
            shards.add(block)
    assert same(read(tmp_path / "set").replace(notes=()), whole.replace(notes=()))  # notes count per block


def test_a_set_without_lists(tmp_path: Path) -> None:
    with writing_shards(tmp_path / "set") as shards:
        shards.add(lists()[:0])
    assert len(read(tmp_path / "set")) == 0
    assert [len(block) for block in read_blocks(tmp_path / "set")] == [0]


# -------------------------------------------------------------------- what can be wrong


@pytest.fixture
def written(tmp_path: Path) -> Path:
    with writing_shards(tmp_path / "set", ShardPlan(ends=[20, 40, 60])) as shards:
        shards.add(lists())
    return tmp_path / "set"


def test_a_missing_shard_is_told(written: Path) -> None:
    (written / "00001.arrow").unlink()
    with pytest.raises(DataError, match=r"00001\.arrow: the set is not complete: shards.json lists 00001.arrow"):
        read(written)


def test_a_truncated_shard_is_told(written: Path) -> None:
    content = (written / "00001.arrow").read_bytes()
    (written / "00001.arrow").write_bytes(content[:-10])
    with pytest.raises(DataError, match=r"00001\.arrow: the file has [\d,]+ bytes and shards.json says"):
        read(written)
    (written / "shards.json").unlink()
    with pytest.raises(DataError, match=r"00001\.arrow: the file is damaged or truncated"):
        read(written)


def test_bytes_that_changed_are_told(written: Path) -> None:
    path = written / "00001.arrow"
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 600] = b"\xff" * 600
    path.write_bytes(bytes(content))
    with pytest.raises(DataError, match=r"00001\.arrow"):
        read(written)


def test_a_file_of_another_set_is_told(written: Path) -> None:
    lists().save(written / "00007.arrow")
    with pytest.raises(DataError, match=r"00007\.arrow: shards.json does not list this file"):
        read(written)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{", "is damaged, or it is not Runoff's"),
        (b"[]", "is damaged, or it is not Runoff's"),
        (b'{"format": "runoff shards", "version": 9, "shards": []}', "reads 1; upgrade"),
        (b'{"format": "runoff shards", "version": 1, "shards": [{"name": "../x.arrow"}]}', "is damaged"),
        (
            b'{"format": "runoff shards", "version": 1, "shards": '
            b'[{"name": "../x.arrow", "bytes": 1, "groups": 1, "candidates": 1, "stored": 1}]}',
            "is damaged",
        ),
    ],
)
def test_a_damaged_manifest_is_told(written: Path, content: bytes, said: str) -> None:
    (written / "shards.json").write_bytes(content)
    with pytest.raises(DataError, match=said):
        read(written)


def test_a_file_that_is_no_shard_is_told(tmp_path: Path) -> None:
    cut(lists(), tmp_path / "set", [30, 60])
    (tmp_path / "set" / "part-9.arrow").write_text("no table")
    with pytest.raises(DataError, match=r"part-9\.arrow: the file is neither Arrow nor Parquet"):
        read(tmp_path / "set")


def test_an_id_in_two_shards_is_told(tmp_path: Path) -> None:
    data = lists()
    folder = cut(data, tmp_path / "set", [30, 60])
    data[5].save(folder / "part-9.arrow")
    for reading in (read, lambda path: list(read_blocks(path))):
        with pytest.raises(DataError, match=r"part-9\.arrow: group 'g5' is also in part-000\.arrow"):
            reading(folder)


def test_parts_that_only_some_files_have_are_told(tmp_path: Path) -> None:
    folder = cut(lists(), tmp_path / "set", [60])
    bare = NBest.from_arrays([[1.0]], sizes=[1], group_ids=["new"])
    bare.save(folder / "z.arrow")
    with pytest.raises(DataError, match=r"z\.arrow: part-000\.arrow has base and z\.arrow has none"):
        read(folder)

    def write_both() -> None:
        with writing_shards(tmp_path / "new") as shards:
            shards.add(lists())
            shards.add(bare)

    with pytest.raises(DataError, match="some lists have base and others have none"):
        write_both()
    assert not (tmp_path / "new").exists()


def test_a_full_disk_leaves_the_older_set(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def write_again() -> None:
        with writing_shards(written) as shards:
            shards.add(lists()[:5])

    monkeypatch.setattr("runoff.nbest.storage.pa.OSFile", full)
    with pytest.raises(
        RunoffError, match=r"set was not written: the disk is full\. What was there before is unchanged"
    ):
        write_again()
    assert len(read(written)) == GROUPS
    assert [each.name for each in written.parent.iterdir()] == ["set"]


KILLED = """
import os, signal
from runoff.formats.shard_writer import ShardPlan, writing_shards
from runoff.nbest import NBest
with writing_shards({path!r}, ShardPlan(ends=[1, 2, 3])) as shards:
    shards.add(NBest.from_arrays([[1.0], [2.0]], sizes=[1, 1]))
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_kill_leaves_the_older_set_and_the_next_writer_removes_the_rest(written: Path) -> None:
    for path, before in ((written, True), (written.parent / "new", False)):
        process = start_python(KILLED.format(path=str(path)))
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        left = [each.name for each in path.parent.iterdir() if each.name.startswith(f".{path.name}.")]
        assert len(left) == 1
        assert path.exists() == before
        with writing_shards(path) as shards:
            shards.add(lists()[:3])
        assert len(read(path)) == 3
        assert not [each for each in path.parent.iterdir() if each.name.startswith(f".{path.name}.")]


def test_a_folder_with_other_files_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").touch()
    for path, said in ((tmp_path / "mine", "other files than shards"), (tmp_path / "mine" / "notes.txt", "is a file")):
        with pytest.raises(UsageError, match=said), writing_shards(path):
            pass
    assert [each.name for each in (tmp_path / "mine").iterdir()] == ["notes.txt"]


def test_a_file_is_no_folder_of_shards(tmp_path: Path) -> None:
    (tmp_path / "lists").write_text("{}")
    with pytest.raises(DataError, match="lists: expected a folder of shards, and this is a file"):
        read(tmp_path / "lists", "shards")
