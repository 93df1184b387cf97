"""What a format is: a name, a way to recognise it, a reader and perhaps a writer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

    from runoff.nbest import NBest


@dataclass(frozen=True)
class Sample:
    """What a format may look at: the file's name (without .gz or .zst) and its first bytes, unpacked."""

    name: str
    head: bytes

    @property
    def first_line(self) -> bytes:
        """First line that is not blank, or as much of it as the sample holds."""
        return self.head.lstrip().split(b"\n", 1)[0]


class Reader(Protocol):
    """Read a file; keyword options are those that the format lists."""

    def __call__(self, path: Path, **options: Any) -> NBest:
        """Give the whole file as one `NBest`."""
        ...


@dataclass(frozen=True)
class Format:
    """One outside format; every module of this package that has a `FORMAT` is found by itself."""

    name: str
    description: str
    recognise: Callable[[Sample], bool]
    read: Reader
    write: Callable[[NBest, Path], None] | None = None
    suffixes: tuple[str, ...] = ()  # for choosing a format to write
    options: tuple[str, ...] = field(default=())  # keyword options of `read`
