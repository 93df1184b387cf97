"""How much the compressed buffers of an Arrow file unpack to, by what they say themselves, before any is unpacked.

Arrow makes room for whatever a buffer claims. The layout is that of Arrow's Message.fbs and File.fbs: a footer lists
where record batches are, a batch lists its buffers, and a compressed buffer begins with its size.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from runoff.opening.limits import DamagedFileError

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAGIC = b"ARROW1"
_BLOCK, _BUFFER = 24, 16  # bytes of an entry that says where a batch or a buffer is
# Fields of flat tables are numbered by their place in the table of offsets: 4, 6, 8, …
_DICTIONARIES, _BATCHES = 8, 10  # of the footer
_HEADER_TYPE, _HEADER = 6, 8  # of a message
_DATA = 6  # of a dictionary
_BUFFERS, _COMPRESSION = 8, 10  # of a batch
_IS_DICTIONARY = 2


def unpacked_size(content: memoryview) -> int:
    """Sum of the sizes that compressed buffers claim; 0 where nothing is compressed. O(batches + buffers).

    Examples
    --------
    >>> import pyarrow as pa
    >>> sink = pa.BufferOutputStream()
    >>> table = pa.table({"x": pa.array([0.0] * 1000)})
    >>> with pa.ipc.new_file(sink, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
    ...     writer.write_table(table)
    >>> unpacked_size(memoryview(sink.getvalue()))
    8000
    """
    try:
        end = len(content) - len(_MAGIC) - 4
        footer = content[end - _read("<i", content, end) : end]
        root = _read("<I", footer, 0)
        places = [place for field in (_DICTIONARIES, _BATCHES) for place in _entries(footer, root, field, _BLOCK)]
        return sum(_batch_size(content, *struct.unpack_from("<qi4xq", footer, place)) for place in places)
    except (struct.error, IndexError) as error:
        raise DamagedFileError("its footer or a batch cannot be read") from error


def _batch_size(content: memoryview, start: int, before_body: int, body_size: int) -> int:
    marked = _read("<I", content, start) == 0xFFFFFFFF  # files of before 2019 have no mark
    message = content[start + (8 if marked else 4) : start + before_body]
    body = content[start + before_body : start + before_body + body_size]
    root = _read("<I", message, 0)
    kind, batch = _field(message, root, _HEADER_TYPE), _table(message, root, _HEADER)
    if kind is not None and message[kind] == _IS_DICTIONARY:
        batch = _table(message, batch, _DATA)
    if _field(message, batch, _COMPRESSION) is None:
        return 0
    size = 0
    for place in _entries(message, batch, _BUFFERS, _BUFFER):
        at, length = struct.unpack_from("<qq", message, place)
        if length >= 8:
            claimed = _read("<q", body, at)
            size += length if claimed < 0 else claimed  # -1: this one is not compressed
    return size


def _field(view: memoryview, table: int, number: int) -> int | None:
    """Place of a field of a flat table; None where it has its default."""
    offsets = table - _read("<i", view, table)
    found = _read("<H", view, offsets + number) if number < _read("<H", view, offsets) else 0
    return table + found if found else None


def _table(view: memoryview, table: int, number: int) -> int:
    place = _field(view, table, number)
    if place is None:
        raise IndexError(number)
    return place + int(_read("<I", view, place))


def _entries(view: memoryview, table: int, number: int, size: int) -> Iterator[int]:
    """Places of the entries of a vector."""
    if _field(view, table, number) is None:
        return
    vector = _table(view, table, number)
    for at in range(_read("<I", view, vector)):
        place = vector + 4 + at * size
        if place + size > len(view):
            raise IndexError(at)
        yield place


def _read(kind: str, view: memoryview, at: int) -> Any:
    if at < 0:
        raise IndexError(at)  # else it would count from the end
    return struct.unpack_from(kind, view, at)[0]
