"""How much a file may unpack to: a small file that fills the memory is an attack, or damaged."""

from __future__ import annotations

from runoff.errors import RunoffError

_ALWAYS = 1 << 28  # bytes that any file may unpack to
_RATIO = 100  # and so many times its own size; texts grow ten times, and rarely fifty


class DamagedFileError(RunoffError):
    """What is wrong with a file, as the end of a sentence; who opens it knows what the file should have been."""


def most_unpacked(packed: int, always: int | None = None) -> int:
    """Bytes that a file of so many bytes may unpack to; `always` are allowed to any.

    Examples
    --------
    >>> most_unpacked(1_000), most_unpacked(1_000_000_000)
    (268435456, 100000000000)
    """
    return max(_ALWAYS if always is None else always, _RATIO * packed)


def in_words(size: int) -> str:
    """A number of bytes for people.

    Examples
    --------
    >>> in_words(512), in_words(4 << 30), in_words(4_200_000)
    ('512 bytes', '4.0 GiB', '4.0 MiB')
    """
    for unit, power in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if size >= 1 << power:
            return f"{size / (1 << power):,.1f} {unit}"
    return f"{size} bytes"
