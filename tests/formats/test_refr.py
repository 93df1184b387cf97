"""Candidate sets of ReFr, encoded here by the rules of Protocol Buffers and of ReFr's data.proto and model.proto.

What is read must equal what ReFr's JSON, which has the same fields, is read as.
"""

from __future__ import annotations

import base64
import json
import struct
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from runoff.errors import DataError, UsageError
from runoff.formats import protobuf, read, recognise
from runoff.formats.streams import read_all

if TYPE_CHECKING:
    from pathlib import Path


def varint(value: int) -> bytes:
    more, value = value & 127, value >> 7
    return bytes([more]) if not value else bytes([more | 128]) + varint(value)


def part(field: int, content: bytes | str) -> bytes:
    content = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(content)) + content


def score(kind: int, value: float) -> bytes:
    return part(4, varint(1 << 3) + varint(kind) + varint(2 << 3 | 1) + struct.pack("<d", value))


def candidate(entry: dict[str, Any]) -> bytes:
    features = b"".join(
        part(1, part(1, name) + varint(4 << 3 | 5) + struct.pack("<f", value))
        for name, value in entry["features"].items()
    )
    return part(4, part(2, entry["text"]) + part(3, features) + score(0, entry["loss"]) + score(1, entry["system"]))


def message(record: dict[str, Any]) -> bytes:
    head = part(1, record["id"]) + part(3, record.get("reference", ""))
    tail = varint(5 << 3) + varint(0) + varint(6 << 3) + varint(2**64 - 1)  # gold_index, best_scoring_index -1
    return head + b"".join(map(candidate, record["candidates"])) + tail


RECORDS = [
    {
        "id": f"utt-{at}",
        "reference": "so it is",
        "candidates": [
            {"text": "so it is", "loss": 0.0, "system": 10.5 + at, "features": {"a": 1.0, "é": 2.5}},
            {"text": "so is it", "loss": 0.5, "system": 11.5 + at, "features": {"a": 3.0}},
        ],
    }
    for at in range(3)
]
WITHOUT_NUMBER = RECORDS[0] | {"candidates": [RECORDS[0]["candidates"][0] | {"loss": float("nan")}]}
BASE64 = b"".join(base64.b64encode(message(record)) + b"\n" for record in RECORDS)
DELIMITED = b"".join(varint(len(message(record))) + message(record) for record in RECORDS)
BINARY = b"".join(str(len(message(record))).encode() + message(record) for record in RECORDS)


def same_as_json(ours: Path, records: list[dict[str, Any]]) -> None:
    other = ours.with_suffix(".jsonl")
    other.write_text("".join(json.dumps(record) + "\n" for record in records))
    data, expected = read(ours), read(other, "loss-jsonl")
    for name in ("group_ids", "texts", "references"):
        theirs = getattr(expected, name)
        assert getattr(data, name).to_pylist() == (theirs.to_pylist() if theirs is not None else None)
    assert np.array_equal(data.base, expected.base)
    assert np.array_equal(data.quality, expected.quality)
    assert data.features.column_names().to_pylist() == expected.features.column_names().to_pylist()
    assert (data.features.to_scipy() != expected.features.to_scipy()).nnz == 0
    assert data.notes == expected.notes


@pytest.mark.parametrize("content", [BASE64, BINARY, DELIMITED], ids=["base64", "digits", "varints"])
def test_the_same_as_json(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "lists.bin"
    path.write_bytes(content)
    assert recognise(path).name == "refr"
    same_as_json(path, RECORDS)
    assert read(path).base.tolist()[:2] == [-10.5, -11.5]  # they rise: costs
    assert read(path, system="score").base.tolist()[:2] == [10.5, 11.5]


def test_real_lists_are_the_same_as_in_json(shared_data: Path, tmp_path: Path) -> None:
    found = sorted(shared_data.glob("speech/*.jsonl.gz"))
    if not found:
        pytest.skip(f"there are no lists with losses in {shared_data / 'speech'}")
    records = [json.loads(line) for line in read_all(found[0]).splitlines()]
    records = [
        {"id": str(at), "reference": "x", "candidates": record["candidates"]} for at, record in enumerate(records)
    ]
    path = tmp_path / "lists.bin"
    path.write_bytes(b"".join(base64.b64encode(message(record)) + b"\n" for record in records))
    same_as_json(path, records)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (BASE64 + b"no base64!\n", "line 4: expected a message in base64, found"),
        (BASE64 + base64.b64encode(message(RECORDS[0])[:40]) + b"\n", "line 4: the message is damaged: field"),
        (
            BASE64 + base64.b64encode(part(4, part(2, b"\xff"))) + b"\n",
            "line 4: the message is damaged: a text is not UTF-8",
        ),
        (
            base64.b64encode(message(WITHOUT_NUMBER)) + b"\n",
            "line 1: expected a finite number for 'quality' of .*, found nan",
        ),
        (BINARY[:-5], "message 3 has .* bytes, but only .* follow; the file is truncated"),
        (BINARY + b"99999999999\n", "message 4: expected its length, found"),
        (BINARY + b"\xff\xfe", "message 4: expected its length, found"),
    ],
)
def test_errors_say_which_message(tmp_path: Path, content: bytes, complaint: str) -> None:
    path = tmp_path / "lists"
    path.write_bytes(content)
    with pytest.raises(DataError, match=complaint):
        read(path, "refr")


def test_the_option_system(tmp_path: Path) -> None:
    (tmp_path / "lists").write_bytes(BASE64)
    with pytest.raises(UsageError, match="system must be score or cost; found 'loss'"):
        read(tmp_path / "lists", system="loss")


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (b"\x0a", "it ends within a number"),
        (b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "a number has more than ten bytes"),
        (b"\x0b", "field 1 has the unknown type 3"),  # a group, which nobody writes
        (b"\x02\x00", "there is no field 0"),
        (b"\x09\x00\x00", "field 1 has 8 bytes, but only 2 follow"),
        (b"\x0a\x80\x80\x80\x80\x10a", "field 1 has 4294967296 bytes, but only 1 follow"),
    ],
)
def test_damaged_messages_are_refused(broken: bytes, complaint: str) -> None:
    with pytest.raises(protobuf.MessageError, match=complaint):
        list(protobuf.fields(broken))
