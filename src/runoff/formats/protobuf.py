"""The wire format of Protocol Buffers as far as lists of candidates need it, bounded and checked."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

Value = int | bytes | float
_VARINT, _DOUBLE, _BYTES, _FLOAT = 0, 1, 2, 5
_LONGEST_VARINT = 10  # bytes
_WIDTHS = {_DOUBLE: "<d", _FLOAT: "<f"}


class MessageError(Exception):
    """What is wrong with a message, without its place in the file."""


def fields(message: bytes) -> Iterator[tuple[int, Value]]:
    """Number and value of every field: an integer, a double or float, or the bytes of a text or message. O(bytes).

    Examples
    --------
    >>> list(fields(b"\\x0a\\x02hi\\x28\\x96\\x01"))
    [(1, b'hi'), (5, 150)]
    >>> list(fields(b"\\x0a\\x05hi"))
    Traceback (most recent call last):
    runoff.formats.protobuf.MessageError: field 1 has 5 bytes, but only 2 follow
    """
    at = 0
    while at < len(message):
        tag, at = varint(message, at)
        number, kind = tag >> 3, tag & 7
        if not 0 < number < 1 << 29:
            raise MessageError(f"there is no field {number}")
        if kind == _VARINT:
            value, at = varint(message, at)
            yield number, value
        elif kind in _WIDTHS:
            width = struct.calcsize(_WIDTHS[kind])
            if at + width > len(message):
                raise MessageError(f"field {number} has {width} bytes, but only {len(message) - at} follow")
            yield number, float(struct.unpack_from(_WIDTHS[kind], message, at)[0])
            at += width
        elif kind == _BYTES:
            size, at = varint(message, at)
            if size > len(message) - at:
                raise MessageError(f"field {number} has {size} bytes, but only {len(message) - at} follow")
            yield number, message[at : at + size]
            at += size
        else:
            raise MessageError(f"field {number} has the unknown type {kind}")


def integer(value: Value, bits: int = 32) -> int:
    """A signed integer of a varint.

    Examples
    --------
    >>> integer(2**64 - 1), integer(7)
    (-1, 7)
    """
    if not isinstance(value, int):
        raise MessageError("a field that should be an integer is none")
    low = value & ((1 << bits) - 1)
    return low - (1 << bits) if low >> (bits - 1) else low


def text(value: Value) -> str:
    """A text; raises if it is not UTF-8.

    Examples
    --------
    >>> text(b"so it is")
    'so it is'
    """
    try:
        return part(value).decode()
    except UnicodeDecodeError as error:
        raise MessageError("a text is not UTF-8") from error


def part(value: Value) -> bytes:
    """A message within a message.

    Examples
    --------
    >>> part(b"\\x08\\x01")
    b'\\x08\\x01'
    """
    if not isinstance(value, bytes):
        raise MessageError("a field that should be a text or a message is a number")
    return value


def number(value: Value) -> float:
    """A double or float.

    Examples
    --------
    >>> number(0.5)
    0.5
    """
    if not isinstance(value, float):
        raise MessageError("a field that should be a floating-point number is none")
    return value


def varint(message: bytes, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, and where it ends.

    Examples
    --------
    >>> varint(b"\\x96\\x01", 0)
    (150, 2)
    """
    value = 0
    for place in range(_LONGEST_VARINT):
        if at + place >= len(message):
            raise MessageError("it ends within a number")
        byte = message[at + place]
        value |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return value & (2**64 - 1), at + place + 1
    raise MessageError("a number has more than ten bytes")
