"""Sizes of memory as people write them."""

from __future__ import annotations

import re

from runoff.errors import UsageError

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?\s*", re.IGNORECASE)


def in_bytes(text: str, what: str = "a size") -> int:
    """Number of bytes that a text such as 3GB, 500M or 2GiB says.

    Examples
    --------
    >>> in_bytes("3GB"), in_bytes("1.5k"), in_bytes("2GiB"), in_bytes("4096")
    (3000000000, 1500, 2147483648, 4096)
    >>> in_bytes("much", "--memory")
    Traceback (most recent call last):
    runoff.errors.UsageError: --memory must be a size such as 3GB or 500MB; found 'much'.
    """
    found = _SIZE.fullmatch(text)
    if found is None or not float(found[1]):
        raise UsageError(f"{what} must be a size such as 3GB or 500MB; found {text!r}.")
    units = _BINARY if found[3] else _UNITS
    return int(float(found[1]) * units[found[2].lower()])


def in_words(size: float) -> str:
    """A number of bytes for a sentence.

    Examples
    --------
    >>> in_words(7_123_456_789), in_words(512), in_words(20_000_000)
    ('7.1 GB', '512 bytes', '20 MB')
    """
    for unit, scale in (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= scale:
            shown = f"{size / scale:.1f}".removesuffix(".0")
            return f"{shown} {unit}"
    return f"{int(size)} bytes"
