"""A file format: a name, a way to recognise it, a reader and perhaps a writer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from runoff.nbest import NBest


@dataclass(frozen=True)
class Sample:
    """What a format is recognised by: the file's name (without .gz or .zst) and its first bytes, decompressed.

    Examples
    --------
    >>> Sample("lists.jsonl", b"\\n{}\\n[]").first_line
    b'{}'
    """

    name: str
    head: bytes

    @property
    def first_line(self) -> bytes:
        """First line that is not blank, or as much of it as the sample holds."""
        return self.head.lstrip().split(b"\n", 1)[0]


@dataclass(frozen=True)
class Folder:
    """What a folder that a tool wrote is recognised by: relative paths of its first files, with `/`.

    Examples
    --------
    >>> from pathlib import Path
    >>> "1best_recog/text" in Folder(Path("exp"), frozenset({"1best_recog/text"})).files
    True
    """

    path: Path
    files: frozenset[str]


@dataclass(frozen=True)
class Format:
    """One outside format; every module of this package that has a `FORMAT` is found by itself.

    Examples
    --------
    >>> from runoff.formats import formats
    >>> letor = formats()["letor"]
    >>> letor.recognise(Sample("train.txt", b"2 qid:1 1:0.5 2:0.1")), letor.suffixes
    (True, ())
    """

    name: str
    description: str
    recognise: Callable[[Sample], bool]
    read: Callable[..., NBest]  # the path, and the options below by keyword
    write: Callable[[NBest, Path], None] | None = None
    suffixes: tuple[str, ...] = ()  # for choosing a format to write
    options: tuple[str, ...] = field(default=())  # keyword options of `read`
    is_general: bool = False  # taken only where no other format fits
    keys: tuple[str, ...] = ()  # of its JSON objects, or marks of its lines, by which the nearest format is found
    recognise_folder: Callable[[Folder], bool] | None = None  # where the tool writes a folder, which `read` then gets
    # Like `read` and `write`, with whole lists block by block, in memory that does not grow with the data.
    read_blocks: Callable[..., Iterator[NBest]] | None = None
    write_blocks: Callable[[Iterable[NBest], Path], None] | None = None
