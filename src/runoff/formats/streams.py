"""Bytes of a file, plain or compressed; whatever goes wrong becomes a `DataError`."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import shutil
import tempfile
import zlib
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

import pyarrow as pa

from runoff.errors import DataError
from runoff.files import reason, replacing
from runoff.formats.base import Folder, Sample
from runoff.opening.limits import in_words, most_unpacked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from _typeshed import WriteableBuffer

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
SAMPLE_SIZE = 1 << 16
ALWAYS_ALLOWED = 1 << 30  # bytes that any compressed file may grow to
_CHUNK = 1 << 17  # bytes that are decompressed at once
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_SUFFIXES = (".gz", ".zst", ".zstd")
_DEEPEST, _MOST_FILES = 3, 10_000  # of a folder that is recognised


def bare_name(path: str | Path) -> str:
    """File name without a compression suffix, in lower case.

    Examples
    --------
    >>> bare_name("lists/Train.JSONL.gz")
    'train.jsonl'
    """
    path = Path(path)
    return (path.stem if path.suffix.lower() in _SUFFIXES else path.name).lower()


@contextlib.contextmanager
def open_bytes(path: str | Path) -> Iterator[IO[bytes]]:
    """Open for reading, decompressing gzip and zstd, which are recognised by their first bytes."""
    with _in_sentences(path), Path(path).open("rb") as raw:
        magic = raw.read(4)
        raw.seek(0)
        if magic[:2] == _GZIP:
            decompressed: Any = gzip.GzipFile(fileobj=raw)
        elif magic == _ZSTD:
            decompressed = pa.CompressedInputStream(raw, "zstd")
        else:
            yield raw
            return
        most = most_unpacked(os.fstat(raw.fileno()).st_size, ALWAYS_ALLOWED)
        with decompressed, io.BufferedReader(_Bounded(decompressed, most, path), _CHUNK) as stream:
            yield stream


class _Bounded(io.RawIOBase):
    """What a decompressor gives, up to a number of bytes: a small file may be made to fill any memory or disk."""

    def __init__(self, source: Any, most: int, path: str | Path) -> None:
        self._source, self._most, self._path = source, most, path
        # Of a file that was cut off, what comes before the end is read.
        self._readinto = getattr(source, "readinto1", source.readinto)
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        return self._counted(self._readinto(buffer))

    def readall(self) -> bytes:
        whole = io.BytesIO()  # gives its content without a copy
        while chunk := self._source.read(_CHUNK):
            self._counted(whole.write(chunk))
        return whole.getvalue()

    def _counted(self, size: int) -> int:
        self._count += size
        if self._count > self._most:
            raise DataError(
                f"the compressed file unpacks to more than {in_words(self._most)}, which is too much for its size; if "
                "that is meant, decompress it and read the result.",
                path=self._path,
            )
        return size


@contextlib.contextmanager
def spooled(path: str | Path) -> Iterator[Path]:
    """A path that can be read more than once: a pipe, or `-` for standard input, is first written to a file."""
    given = Path("/dev/stdin") if str(path) == "-" else Path(path)
    if given.is_file() or given.is_dir() or not given.exists():
        yield given
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "standard input"
        with given.open("rb") as source, copy.open("wb") as target:
            shutil.copyfileobj(source, target)
        yield copy


def read_all(path: str | Path) -> bytes:
    """Whole content, decompressed."""
    with open_bytes(path) as stream:
        return stream.read()


def lines(path: str | Path, *, indented: bool = False) -> Iterator[tuple[int, bytes]]:
    """Lines that are not blank and their numbers from 1, without byte-order mark and surrounding white space.

    If lines may be `indented`, white space before them is kept, so that columns are those of the file.
    """
    with open_bytes(path) as stream:
        for number, line in enumerate(stream, 1):
            stripped = (line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line).rstrip()
            if stripped:
                yield number, stripped if indented else stripped.lstrip()


def decode(raw: bytes, path: str | Path, line: int) -> str:
    """Decode UTF-8; an error names the line and the byte."""
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise DataError(
            f"the text is not UTF-8 (byte {error.start + 1} of the line is 0x{raw[error.start]:02x}); "
            "convert the file to UTF-8.",
            path=path,
            line=line,
        ) from error


def check_utf8(content: bytes, path: str | Path) -> None:
    """Raise the same error as `decode` unless the whole file is UTF-8."""
    try:
        content.decode()
    except UnicodeDecodeError as error:
        start = content.rfind(b"\n", 0, error.start) + 1
        decode(content[start : error.start + 4].split(b"\n")[0], path, content.count(b"\n", 0, error.start) + 1)


def sample(path: str | Path) -> Sample:
    """First bytes of a file for recognising its format, without a byte-order mark."""
    with open_bytes(path) as stream:
        head = stream.read(SAMPLE_SIZE)
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise DataError("the text is UTF-16; convert the file to UTF-8.", path=path)
    return Sample(bare_name(path), head.removeprefix(BYTE_ORDER_MARK))


def is_recognised(path: Path, recognise: Callable[[Sample], bool]) -> bool:
    """Whether a format recognises a file; an empty or a binary one it does not."""
    try:
        return recognise(sample(path))
    except DataError:
        return False


def folder(path: str | Path) -> Folder:
    """Names of the first files of a folder and of the folders in it, for recognising what wrote it."""
    found: list[str] = []
    for place, folders, files in os.walk(path):
        folders.sort()
        inside = Path(place).relative_to(path)
        found += [(inside / name).as_posix() for name in sorted(files)]
        if len(inside.parts) >= _DEEPEST:
            folders.clear()
        if len(found) >= _MOST_FILES:
            break
    return Folder(Path(path), frozenset(found[:_MOST_FILES]))


@contextlib.contextmanager
def create_bytes(path: str | Path) -> Iterator[IO[bytes]]:
    """Open for writing, compressed if the name says so; the old file stays until the new one is complete."""
    suffix = Path(path).suffix.lower()
    with replacing(path) as temporary:
        if suffix == ".gz":
            # No name and no time in the header: the same data gives the same bytes.
            with temporary.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as compressed:
                yield cast("IO[bytes]", compressed)
        elif suffix in (".zst", ".zstd"):
            with pa.CompressedOutputStream(str(temporary), "zstd") as compressed:
                yield cast("IO[bytes]", compressed)
        else:
            with temporary.open("wb") as raw:
                yield raw


@contextlib.contextmanager
def _in_sentences(path: str | Path) -> Iterator[None]:
    try:
        yield
    except EOFError as error:
        raise DataError(_CUT_OFF, path=path) from error
    except (gzip.BadGzipFile, zlib.error, pa.ArrowException) as error:
        raise DataError(f"the compressed file is damaged ({error}).", path=path) from error
    except OSError as error:
        if error.errno is not None:
            raise DataError(f"the file cannot be read: {reason(error)}.", path=path) from error
        # Errors of Arrow about the content have no errno.
        cut_off = "truncated" in str(error).lower()
        raise DataError(_CUT_OFF if cut_off else f"the compressed file is damaged ({error}).", path=path) from error


_CUT_OFF = "the compressed file ends too early; it was probably truncated while copying."
