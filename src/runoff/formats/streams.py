"""Bytes of a file, plain or compressed, with every way of being broken said in a sentence."""

from __future__ import annotations

import contextlib
import gzip
import zlib
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

import pyarrow as pa

from runoff.errors import DataError
from runoff.files import reason, replacing
from runoff.formats.base import Sample

if TYPE_CHECKING:
    from collections.abc import Iterator

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_SUFFIXES = (".gz", ".zst", ".zstd")
SAMPLE_SIZE = 1 << 16


def bare_name(path: str | Path) -> str:
    """File name without a compression suffix, in lower case."""
    path = Path(path)
    return (path.stem if path.suffix.lower() in _SUFFIXES else path.name).lower()


@contextlib.contextmanager
def open_bytes(path: str | Path) -> Iterator[IO[bytes]]:
    """Open for reading, unpacking gzip and zstd by their first bytes; trouble becomes a `DataError`."""
    try:
        with Path(path).open("rb") as raw:
            magic = raw.read(4)
            raw.seek(0)
            if magic[:2] == _GZIP:
                with gzip.open(raw, "rb") as unpacked:
                    yield cast("IO[bytes]", unpacked)
            elif magic == _ZSTD:
                with pa.CompressedInputStream(raw, "zstd") as unpacked:
                    yield cast("IO[bytes]", unpacked)
            else:
                yield raw
    except EOFError as error:
        raise DataError("the compressed file ends too early; it was probably cut off while copying.", path=path) from error
    except (gzip.BadGzipFile, zlib.error, pa.ArrowInvalid) as error:
        raise DataError(f"the compressed file is damaged ({error}).", path=path) from error
    except OSError as error:
        raise DataError(f"the file cannot be read: {reason(error)}.", path=path) from error


def read_all(path: str | Path) -> bytes:
    """Whole content, unpacked."""
    with open_bytes(path) as stream:
        return stream.read()


def lines(path: str | Path) -> Iterator[tuple[int, bytes]]:
    """Lines that are not blank, with their numbers from 1; line ends and a byte-order mark are taken off."""
    with open_bytes(path) as stream:
        for number, line in enumerate(stream, 1):
            stripped = line.strip()
            if number == 1:
                stripped = stripped.removeprefix(b"\xef\xbb\xbf")
            if stripped:
                yield number, stripped


def decode(raw: bytes, path: str | Path, line: int) -> str:
    """UTF-8 text, or a sentence that names the line and the byte."""
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise DataError(
            f"the text is not UTF-8 (byte {error.start + 1} of the line is 0x{raw[error.start]:02x}); convert the file to UTF-8.",
            path=path,
            line=line,
        ) from error


def sample(path: str | Path) -> Sample:
    """First bytes of a file for recognising its format."""
    with open_bytes(path) as stream:
        return Sample(bare_name(path), stream.read(SAMPLE_SIZE))


@contextlib.contextmanager
def create_bytes(path: str | Path) -> Iterator[IO[bytes]]:
    """Open for writing, packed if the name says so; the old file stays until the new one is whole."""
    suffix = Path(path).suffix.lower()
    with replacing(path) as temporary:
        if suffix == ".gz":
            # No name and no time in the header: the same data gives the same bytes.
            with temporary.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
                yield cast("IO[bytes]", packed)
        elif suffix in (".zst", ".zstd"):
            with pa.CompressedOutputStream(str(temporary), "zstd") as packed:
                yield cast("IO[bytes]", packed)
        else:
            with temporary.open("wb") as raw:
                yield raw
