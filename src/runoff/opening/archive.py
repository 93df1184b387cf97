"""What Runoff keeps: one zip file with a JSON header and arrays; nothing in it can run code.

A member is plain or deflated, has one name, and all of them together unpack to a bounded size; what is written here can
always be read here. The arrays of a file that is not compressed begin at multiples of 64 bytes, so that they can be
mapped into memory instead of being read.
"""

from __future__ import annotations

import contextlib
import mmap
import struct
import zipfile
import zlib
from functools import cached_property
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
_ALIGNMENT = 64  # bytes, as within npy
_LOCAL_HEADER, _ZIP64_FIELD = struct.Struct("<4s22xHH"), 20
_END, _END_MARK = struct.Struct("<4s6xH10x"), b"PK\x05\x06"  # of the directory, with the number of members
_PADDING = 0xD935  # the field of a header that only aligns what comes after it, as Android's tools write it
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


class _Shared:
    """What all folders of an open archive have together: the bytes that may still be unpacked, and the file's map."""

    def __init__(self, archive: zipfile.ZipFile, size: int) -> None:
        self.left = most_unpacked(size)
        self._archive = archive

    @cached_property
    def content(self) -> memoryview:
        """The whole file, mapped into memory for reading; arrays keep the map open."""
        if self._archive.fp is None:
            raise DamagedFileError("it has been closed")
        return memoryview(mmap.mmap(self._archive.fp.fileno(), 0, access=mmap.ACCESS_READ))


class Archive:
    """A zip file that was opened for reading; everything that it gives has been validated as what it is."""

    def __init__(self, archive: zipfile.ZipFile, size: int, prefix: str = "", shared: _Shared | None = None) -> None:
        self._archive, self._size, self._prefix = archive, size, prefix
        self._shared = _Shared(archive, size) if shared is None else shared
        names = [member.filename for member in archive.infolist()]
        if len(set(names)) < len(names):
            raise DamagedFileError("it has two members of the same name")
        self.names = frozenset(name.removeprefix(prefix) for name in names if name.startswith(prefix))

    def folder(self, name: str) -> Archive:
        """The members whose names begin with this one and a slash, by the rest of their names."""
        return Archive(self._archive, self._size, f"{self._prefix}{name}/", self._shared)

    def json(self, name: str) -> Any:
        """A member as JSON."""
        content = self._read(name, max(_HEADER_ALWAYS, _HEADER_RATIO * self._size))
        try:
            return orjson.loads(content)
        except orjson.JSONDecodeError as error:
            raise DamagedFileError(f"{name} is not JSON") from error

    def array(self, name: str, *, mapped: bool = False) -> NDArray[Any]:
        """A member as a numpy array of plain numbers, read-only.

        A `mapped` one is read when it is used, and again after the system needed its memory, as long as the file is
        not written over in place. Here it is looked at once, for its checksum. What is compressed is read now.
        """
        content = (self._mapped(name) if mapped else None) or self._read(name)
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

    def _mapped(self, name: str) -> memoryview | None:
        """The bytes of a member, mapped; None where it is compressed or not aligned."""
        name = self._prefix + name
        try:
            member = self._archive.getinfo(name)
            if member.compress_type != zipfile.ZIP_STORED:
                return None
            self._archive.open(member).close()  # zipfile's own checks of the local header
            header = self._shared.content[member.header_offset : member.header_offset + _LOCAL_HEADER.size]
            _, name_length, extra_length = _LOCAL_HEADER.unpack(header)
        except _DAMAGE as error:
            raise DamagedFileError(f"{name} is missing or damaged") from error
        start = member.header_offset + _LOCAL_HEADER.size + name_length + extra_length
        if start % _ALIGNMENT:
            return None
        content = self._shared.content[start : start + member.file_size]
        if len(content) != member.file_size or member.compress_size != member.file_size:
            raise DamagedFileError(f"{name} is shorter than it should be")
        if zlib.crc32(content) != member.CRC:
            raise DamagedFileError(f"{name} is missing or damaged")
        return content

    def _read(self, name: str, limit: int | None = None) -> bytes:
        name = self._prefix + name
        try:
            member = self._archive.getinfo(name)
            if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise DamagedFileError(f"{name} is compressed in a way that Runoff does not use")
            limit = min(self._shared.left, limit or self._shared.left)
            if member.file_size > limit:
                raise DamagedFileError(
                    f"{name} unpacks to {in_words(member.file_size)}, and a file of {in_words(self._size)} may unpack "
                    f"to {in_words(limit)} there"
                )
            self._shared.left -= member.file_size
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
        _check_count(archive)
        yield Archive(archive, Path(path).stat().st_size)


def _check_count(archive: zipfile.ZipFile) -> None:
    """Raise unless the directory has as many members as its end says; a damaged length can swallow some of them.

    zipfile does not look, and what may be there or not would be missing in silence.
    """
    file = archive.fp
    if file is None:
        raise DamagedFileError("it has been closed")
    file.seek(-_END.size - len(archive.comment), 2)
    mark, count = _END.unpack(file.read(_END.size))
    if mark != _END_MARK or count != min(len(archive.infolist()), zipfile.ZIP_FILECOUNT_LIMIT):
        raise DamagedFileError("its directory is damaged")


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
        self._add(name, write_npy(array), is_aligned=True)

    def add_table(self, name: str, table: pa.Table) -> None:
        """Add an Arrow table."""
        sink = pa.BufferOutputStream()
        with pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
        self._add(name, sink.getvalue().to_pybytes())

    def _add(self, name: str, content: bytes, ratio: int = _ARRAY_RATIO, *, is_aligned: bool = False) -> None:
        member = zipfile.ZipInfo(self._prefix + name, _THE_SAME_TIME)
        member.compress_type, member.external_attr = self._method, 0o644 << 16
        # A member that shrinks by more than readers allow is kept as it is, so that it can be read.
        is_packed = self._method == zipfile.ZIP_DEFLATED and len(content) > _SURELY_WITHIN
        if is_packed and len(zlib.compress(content)) * ratio < len(content):
            member.compress_type = zipfile.ZIP_STORED
        if is_aligned and self._method == zipfile.ZIP_STORED:
            self._align(member, len(content))
        self._archive.writestr(member, content)

    def _align(self, member: zipfile.ZipInfo, size: int) -> None:
        """Lengthen the header of the next member so that its content begins at a multiple of 64 bytes."""
        is_large = size * 1.05 > zipfile.ZIP64_LIMIT  # as zipfile decides
        length = _LOCAL_HEADER.size + len(member.filename.encode()) + (_ZIP64_FIELD if is_large else 0)
        field = struct.Struct("<HH")
        padding = -(self._archive.start_dir + length + field.size) % _ALIGNMENT
        member.extra = field.pack(_PADDING, padding) + bytes(padding)


@contextlib.contextmanager
def write_archive(path: str | Path, *, compressed: bool = True) -> Iterator[ArchiveWriter]:
    """Write a zip file; it takes the place of `path` when the block succeeds."""
    method = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with replacing(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        yield ArchiveWriter(archive, method)
