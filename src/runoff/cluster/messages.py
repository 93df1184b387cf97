"""Messages between a process and its workers: objects whose arrays travel beside them, as they lie in memory.

Pickle of protocol 5 (PEP 574) takes the buffers of NumPy's and Arrow's arrays out of the stream. They are written and read as
they are; where a message is a file, workers map it and share one copy. Only messages of this program to itself are read:
its files are in a folder that it made for itself alone, its pipes lead to its own workers.
"""

from __future__ import annotations

import mmap
import pickle  # noqa: S403 - messages between processes of one run; nothing is kept, see above
import struct
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_ALIGNED = 64  # bytes; arrays of any kind may begin there
_NUMBER = struct.Struct("<q")


def packed(value: Any) -> list[Any]:
    """A message in parts: lengths, then the object, then its buffers, each begun at a multiple of 64 bytes."""
    buffers: list[pickle.PickleBuffer] = []
    stream = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    parts = [stream, *(each.raw() for each in buffers)]
    lengths = [memoryview(part).nbytes for part in parts]
    head = b"".join(map(_NUMBER.pack, [len(parts), *lengths]))
    found: list[Any] = []
    for part in (head, *parts):
        found += [part, bytes(-memoryview(part).nbytes % _ALIGNED)]
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
        parts.append(memoryview(_exactly(stream, _padded(length)))[:length].toreadonly())
    return pickle.loads(parts[0], buffers=parts[1:])  # noqa: S301 - from our own worker


def mapped(path: Path) -> Any:
    """The message in a file, whose arrays are read from there: workers of one machine have them once."""
    with path.open("rb") as stream:
        whole = memoryview(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
    (count,) = _NUMBER.unpack_from(whole)
    at, parts = _padded(_NUMBER.size * (1 + count)), []
    for number in range(count):
        (length,) = _NUMBER.unpack_from(whole, _NUMBER.size * (1 + number))
        parts.append(whole[at : at + length])
        at += _padded(length)
    return pickle.loads(parts[0], buffers=parts[1:])  # noqa: S301 - in a folder of our own


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
