"""Messages between a process and its workers: objects whose arrays travel beside them, as they lie in memory.

Pickle of protocol 5 (PEP 574) takes the buffers of NumPy's and Arrow's arrays out of the stream. They are written and
read as they are; where a message is a file, workers map it and share one copy. Only messages of this program to itself
are read: its files are in a folder that it made for itself alone, its pipes lead to its own workers.
"""

from __future__ import annotations

import mmap
import pickle
import struct
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_ALIGNED = 64  # bytes; arrays of any kind may begin there
_NUMBER = struct.Struct("<q")


def taken_apart(value: Any) -> list[memoryview]:
    """The object, then its buffers; those of arrays that nobody may write to are read-only."""
    buffers: list[pickle.PickleBuffer] = []
    stream = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    return [memoryview(stream), *(each.raw() for each in buffers)]


def put_together(stream: Any, buffers: Iterable[tuple[Any, bool]]) -> Any:
    """The object from its buffers and whether it may write to them: to a copy, for others read them too."""
    owned = [bytearray(each) if is_writable else each for each, is_writable in buffers]
    return pickle.loads(stream, buffers=owned)  # noqa: S301 - from this program, see above


def packed(value: Any) -> list[Any]:
    """A message in parts: lengths (`~length` where one may write) and what they are of, at multiples of 64 bytes."""
    parts = taken_apart(value)
    lengths = [part.nbytes if part.readonly else ~part.nbytes for part in parts]
    head = b"".join(map(_NUMBER.pack, [len(parts), *lengths]))
    found: list[Any] = []
    for part in (memoryview(head), *parts):
        found += [part, bytes(-part.nbytes % _ALIGNED)]
    return found


def write(stream: IO[bytes], parts: Iterable[Any]) -> None:
    """Write a message."""
    for part in parts:
        stream.write(part)
    stream.flush()


def read(stream: IO[bytes]) -> Any:
    """The next message of a pipe; raises EOFError where there is none, or not all of it."""
    first = _exactly(stream, _NUMBER.size)
    (count,) = _NUMBER.unpack(first)
    rest = _exactly(stream, _padded(_NUMBER.size * (1 + count)) - _NUMBER.size)
    parts = []
    for at in range(count):
        (length,) = _NUMBER.unpack_from(rest, _NUMBER.size * at)
        size = ~length if length < 0 else length
        whole = memoryview(_exactly(stream, _padded(size)))[:size]
        parts.append(whole if length < 0 else whole.toreadonly())
    return put_together(parts[0], ((each, False) for each in parts[1:]))  # nobody else has it


def mapped(path: Path) -> Any:
    """The message in a file, whose arrays are read from there: workers of one machine have them once."""
    with path.open("rb") as stream:
        whole = memoryview(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
    (count,) = _NUMBER.unpack_from(whole)
    at, parts = _padded(_NUMBER.size * (1 + count)), []
    for number in range(count):
        (length,) = _NUMBER.unpack_from(whole, _NUMBER.size * (1 + number))
        size = ~length if length < 0 else length
        parts.append((whole[at : at + size], length < 0))
        at += _padded(size)
    return put_together(parts[0][0], parts[1:])


def _padded(length: int) -> int:
    return -(-length // _ALIGNED) * _ALIGNED


def _exactly(stream: IO[bytes], length: int) -> bytearray:
    found, at = bytearray(length), 0
    view = memoryview(found)
    while at < length:
        count = stream.readinto(view[at:])  # type: ignore[attr-defined]
        if not count:
            raise EOFError
        at += count
    return found
