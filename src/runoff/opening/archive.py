"""What Runoff keeps: one zip file with a JSON header and arrays; nothing in it can run code.

A member is plain or deflated, has one name, and all of them together unpack to a bounded size; what is written here can
always be read here.
"""

from __future__ import annotations

import contextlib
import struct
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
import pyarrow as pa

from runoff.files import replacing
from runoff.opening.arrow import read_arrow
from runoff.opening.limits import DamagedFileError, in_words, most_unpacked
from runoff.opening.npy import read_npy, write_npy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

_THE_SAME_TIME = (1980, 1, 1, 0, 0, 0)  # the same content gives the same bytes
# A header becomes objects, which take far more memory than its text.
_HEADER_ALWAYS, _HEADER_RATIO = 1 << 24, 10
_ARRAY_RATIO = 50
_SURELY_WITHIN = 1 << 20  # bytes of a member that need no bound
# What zipfile and zlib raise on bytes that are not what they should be (RuntimeError: encrypted; a method unknown).
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    KeyError,
    ValueError,
    RuntimeError,
    OverflowError,
    MemoryError,
)


class Archive:
    """A zip file that was opened for reading; everything that it gives has been validated as what it is."""

    def __init__(self, archive: zipfile.ZipFile, size: int, prefix: str = "", left: list[int] | None = None) -> None:
        self._archive, self._size, self._prefix = archive, size, prefix
        self._left = [most_unpacked(size)] if left is None else left  # one number for all folders
        names = [member.filename for member in archive.infolist()]
        if len(set(names)) < len(names):
            raise DamagedFileError("it has two members of the same name")
        self.names = frozenset(name.removeprefix(prefix) for name in names if name.startswith(prefix))

    def folder(self, name: str) -> Archive:
        """The members whose names begin with this one and a slash, by the rest of their names."""
        return Archive(self._archive, self._size, f"{self._prefix}{name}/", self._left)

    def json(self, name: str) -> Any:
        """A member as JSON."""
        content = self._read(name, max(_HEADER_ALWAYS, _HEADER_RATIO * self._size))
        try:
            return orjson.loads(content)
        except orjson.JSONDecodeError as error:
            raise DamagedFileError(f"{name} is not JSON") from error

    def array(self, name: str) -> NDArray[Any]:
        """A member as a numpy array of plain numbers, read-only."""
        content = self._read(name)
        try:
            return read_npy(content)
        except DamagedFileError as error:
            raise DamagedFileError(f"{name}: {error}") from error

    def table(self, name: str) -> pa.Table:
        """A member as an Arrow table."""
        content = self._read(name)
        try:
            return read_arrow(pa.BufferReader(content))
        except DamagedFileError as error:
            raise DamagedFileError(f"{name}: {error}") from error

    def _read(self, name: str, limit: int | None = None) -> bytes:
        name = self._prefix + name
        try:
            member = self._archive.getinfo(name)
            if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise DamagedFileError(f"{name} is compressed in a way that Runoff does not use")
            limit = min(self._left[0], limit or self._left[0])
            if member.file_size > limit:
                raise DamagedFileError(
                    f"{name} unpacks to {in_words(member.file_size)}, and a file of {in_words(self._size)} may unpack "
                    f"to {in_words(limit)} there"
                )
            self._left[0] -= member.file_size
            with self._archive.open(member) as stream:
                # With the size as a limit: without one, zipfile unpacks all that there is and then cuts it off.
                content = stream.read(member.file_size + 1)
        except _DAMAGE as error:
            raise DamagedFileError(f"{name} is missing or damaged") from error
        if len(content) != member.file_size:
            raise DamagedFileError(f"{name} is shorter than it should be")
        return content


@contextlib.contextmanager
def open_archive(path: str | Path) -> Iterator[Archive]:
    """Open a file that `write_archive` wrote; a `DamagedFileError` says what is wrong with it."""
    try:
        archive = zipfile.ZipFile(path)
    except _DAMAGE as error:
        raise DamagedFileError("it is no zip file") from error
    with archive:
        yield Archive(archive, Path(path).stat().st_size)


class ArchiveWriter:
    """A zip file that is being written."""

    def __init__(self, archive: zipfile.ZipFile, method: int, prefix: str = "") -> None:
        self._archive, self._method, self._prefix = archive, method, prefix

    def folder(self, name: str) -> ArchiveWriter:
        """A writer whose members' names begin with this one and a slash."""
        return ArchiveWriter(self._archive, self._method, f"{self._prefix}{name}/")

    def add_json(self, name: str, value: Any, *, indent: bool = False) -> None:
        """Add JSON; numbers and arrays of numpy are written as JSON's."""
        option = orjson.OPT_SERIALIZE_NUMPY | (orjson.OPT_INDENT_2 if indent else 0)
        self._add(name, orjson.dumps(value, option=option), _HEADER_RATIO)

    def add_array(self, name: str, array: NDArray[Any]) -> None:
        """Add a numpy array of plain numbers."""
        self._add(name, write_npy(array))

    def add_table(self, name: str, table: pa.Table) -> None:
        """Add an Arrow table."""
        sink = pa.BufferOutputStream()
        with pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
        self._add(name, sink.getvalue().to_pybytes())

    def _add(self, name: str, content: bytes, ratio: int = _ARRAY_RATIO) -> None:
        member = zipfile.ZipInfo(self._prefix + name, _THE_SAME_TIME)
        member.compress_type, member.external_attr = self._method, 0o644 << 16
        # A member that shrinks by more than readers allow is kept as it is, so that it can be read.
        is_packed = self._method == zipfile.ZIP_DEFLATED and len(content) > _SURELY_WITHIN
        if is_packed and len(zlib.compress(content)) * ratio < len(content):
            member.compress_type = zipfile.ZIP_STORED
        self._archive.writestr(member, content)


@contextlib.contextmanager
def write_archive(path: str | Path, *, compressed: bool = True) -> Iterator[ArchiveWriter]:
    """Write a zip file; it takes the place of `path` when the block succeeds."""
    method = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with replacing(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        yield ArchiveWriter(archive, method)
