"""Files that are mapped into memory, and whose pages can be given back."""

from __future__ import annotations

import mmap
from pathlib import Path
from weakref import WeakSet

import pyarrow as pa

_maps: WeakSet[mmap.mmap] = WeakSet()


def open_mapped(path: str | Path) -> pa.NativeFile:
    """A file with content as a source of Arrow's readers, whose arrays are the file's own pages."""
    with Path(path).open("rb") as file:
        pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    _maps.add(pages)
    return pa.BufferReader(pa.py_buffer(pages))


def release_pages() -> None:
    """Give back the memory of all mapped files; what is asked for again is read again, mostly from the system's cache.

    Does nothing on systems without `madvise`.
    """
    if hasattr(mmap, "MADV_DONTNEED"):
        for pages in list(_maps):
            pages.madvise(mmap.MADV_DONTNEED)
