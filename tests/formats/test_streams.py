from __future__ import annotations

import gzip
import os
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from runoff.errors import DataError, RunoffError
from runoff.formats import streams
from runoff.formats.streams import (
    bare_name,
    check_utf8,
    create_bytes,
    decode,
    lines,
    open_bytes,
    read_all,
    sample,
)

if TYPE_CHECKING:
    from pathlib import Path

# Numbers do not compress well, so that damage hits the compressed data.
TEXT = b"".join(f"{number * 7919 % 100_003} {number}\n".encode() for number in range(20_000))


COMPRESS = {
    "plain": bytes,
    "gzip": gzip.compress,
    "zstd": lambda content: pa.compress(content, "zstd", asbytes=True),
}


@pytest.fixture(params=COMPRESS)
def compress(request):
    return COMPRESS[request.param]


def test_all_compressions_give_the_same_bytes_and_lines(tmp_path, compress):
    path = tmp_path / "data"
    path.write_bytes(compress(TEXT))
    assert read_all(path) == TEXT
    with open_bytes(path) as stream:
        assert stream.read() == TEXT
    assert list(lines(path)) == list(enumerate(TEXT.splitlines(), 1))
    assert sample(path).head == TEXT[: 1 << 16]


def test_compressed_in_several_pieces(tmp_path):
    for packer in (gzip.compress, COMPRESS["zstd"]):
        path = tmp_path / "data"
        path.write_bytes(packer(TEXT) + packer(b"more\n"))
        assert read_all(path) == TEXT + b"more\n"
        assert list(lines(path))[-1] == (20_001, b"more")


def test_blank_lines_are_counted_but_not_given(tmp_path):
    (tmp_path / "data").write_bytes(b"\xef\xbb\xbf one \r\n\r\n \t\ntwo")
    assert list(lines(tmp_path / "data")) == [(1, b"one"), (4, b"two")]
    assert sample(tmp_path / "data").first_line == b"one \r"


def test_a_line_of_fifty_megabytes(tmp_path, compress):
    path = tmp_path / "data"
    path.write_bytes(compress(b"first\n" + b"x" * 50_000_000 + b"\nlast"))
    assert [(number, len(line)) for number, line in lines(path)] == [(1, 5), (2, 50_000_000), (3, 4)]


@pytest.mark.parametrize("compression", ["gzip", "zstd"])
def test_a_small_file_that_grows_without_end(tmp_path, monkeypatch, compression):
    path, size = tmp_path / "data", 4_000_000
    path.write_bytes(COMPRESS[compression]((b"x" * 99 + b"\n") * 40_000))
    monkeypatch.setattr(streams, "ALWAYS_ALLOWED", size)
    assert len(read_all(path)) == size
    monkeypatch.setattr(streams, "ALWAYS_ALLOWED", size - 1)
    assert len(sample(path).head) == 1 << 16
    for consume in (read_all, lambda path: list(lines(path))):
        with pytest.raises(DataError, match="data: the compressed file grows to more than 3,999,999 bytes, at least"):
            consume(path)
    monkeypatch.setattr(streams, "MOST_GROWTH", size // path.stat().st_size + 1)
    assert len(read_all(path)) == size


@pytest.mark.parametrize("compression", ["gzip", "zstd"])
def test_files_that_were_cut_off(tmp_path, compression):
    compressed = COMPRESS[compression](TEXT)
    path = tmp_path / "data"
    for size in (12, len(compressed) // 2, len(compressed) - 3):
        path.write_bytes(compressed[:size])
        for consume in (read_all, lambda path: list(lines(path))):
            with pytest.raises(DataError, match="data: the compressed file ends too early"):
                consume(path)


@pytest.mark.parametrize("compression", ["gzip", "zstd"])
def test_damaged_files(tmp_path, compression):
    compressed = bytearray(COMPRESS[compression](TEXT))
    # Arrow writes zstd without checksums, so only damage to the structure, here at its beginning, shows.
    place = len(compressed) // 2 if compression == "gzip" else 8
    compressed[place : place + 64] = b"\xff" * 64
    path = tmp_path / "data"
    path.write_bytes(compressed)
    for consume in (read_all, lambda path: list(lines(path))):
        with pytest.raises(DataError, match="data: the compressed file is damaged"):
            consume(path)


def test_trailing_rubbish_after_gzip(tmp_path):
    (tmp_path / "data").write_bytes(gzip.compress(TEXT) + b"rubbish")
    with pytest.raises(DataError, match="the compressed file is damaged"):
        read_all(tmp_path / "data")


@pytest.mark.parametrize("consume", [read_all, sample, lambda path: list(lines(path))])
def test_what_cannot_be_opened(tmp_path, consume):
    with pytest.raises(DataError, match=r"missing\.txt: the file cannot be read: no such file or directory\."):
        consume(tmp_path / "missing.txt")
    with pytest.raises(DataError, match=r"the file cannot be read: is a directory\."):
        consume(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_no_permission(tmp_path):
    path = tmp_path / "secret"
    path.write_bytes(b"x")
    path.chmod(0)
    with pytest.raises(DataError, match=r"secret: the file cannot be read: permission denied\."):
        read_all(path)


def test_text_that_is_not_utf8():
    with pytest.raises(DataError, match=r"a\.txt, line 7: the text is not UTF-8 \(byte 4 of the line is 0xe9\)"):
        decode(b"caf\xe9", "a.txt", 7)
    with pytest.raises(DataError, match=r"a\.txt, line 3: the text is not UTF-8 \(byte 3 of the line is 0xff\)"):
        check_utf8("é\n\nab".encode() + b"\xffcd\n", "a.txt")
    with pytest.raises(DataError, match=r"line 1: the text is not UTF-8 \(byte 1 of the line is 0xc3\)"):
        check_utf8(b"\xc3\nab\n", "a.txt")
    check_utf8("häßlich 語".encode(), "a.txt")


def test_utf16_is_recognised(tmp_path):
    (tmp_path / "data").write_bytes("1 qid:1 1:1\n".encode("utf-16"))
    with pytest.raises(DataError, match="the text is UTF-16; convert the file to UTF-8"):
        sample(tmp_path / "data")


def test_bare_name():
    assert [bare_name(name) for name in ("A.JSONL.GZ", "b.tsv.zst", "c.csv", "d.zstd")] == [
        "a.jsonl",
        "b.tsv",
        "c.csv",
        "d",
    ]


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz", "a.txt.zst"])
def test_written_as_the_name_says_and_the_same_every_time(tmp_path: Path, name: str):
    for _ in range(2):
        with create_bytes(tmp_path / name) as stream:
            stream.write(TEXT)
        assert read_all(tmp_path / name) == TEXT
    first = (tmp_path / name).read_bytes()
    assert (first[:2] == b"\x1f\x8b") == name.endswith(".gz")
    assert (first[:4] == b"\x28\xb5\x2f\xfd") == name.endswith(".zst")
    with create_bytes(tmp_path / name) as stream:
        stream.write(TEXT)
    assert (tmp_path / name).read_bytes() == first


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz", "a.txt.zst"])
def test_the_old_file_stays_until_the_new_one_is_whole(tmp_path: Path, name: str):
    with create_bytes(tmp_path / name) as stream:
        stream.write(b"old")

    def fail() -> None:
        with create_bytes(tmp_path / name) as stream:
            stream.write(b"new")
            raise RunoffError("something else went wrong")

    with pytest.raises(RunoffError, match="something else"):
        fail()
    assert read_all(tmp_path / name) == b"old"
    assert [path.name for path in tmp_path.iterdir()] == [name]
