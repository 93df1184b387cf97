"""Large numpy arrays in files: numpy is given an allocator (NEP 49) that maps a file for every array above a size.

So whatever makes an array, a learner or numpy itself, makes it on disk where it is large, and nothing that computes
knows of it: the same code gives the same bits. Every file is removed as soon as it is open, so that nothing is left
behind however the process ends, and its room on disk is reserved before it is used, so that a full disk is an error
and not a crash.

numpy calls the allocator for every array, small ones too, so its functions are compiled (see `native`); they ask Python
for large arrays only. Before an array in a file lies a page that says so: two random words by which `free` knows it,
its length, and its place in the table of maps.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import os
from collections import deque
from pathlib import Path
from typing import Any

from runoff.memory.native import BEFORE, MOST_MAPS, PAGE, WORD, Words, c_library, compiled_functions

_SET_HANDLER = 304  # place of PyDataMem_SetHandler in numpy's table of functions, which never moves
_NEVER = 2**62  # bytes


class Allocator:
    """An allocator for numpy; arrays that it makes may live longer than it is in use."""

    def __init__(self) -> None:
        self.folder = Path()
        self.failure: OSError | None = None  # of the last array that found no room
        self.mapped = 0  # bytes that arrays in files have taken in all
        self.words = (ctypes.c_int64 * Words.COUNT)()
        self.words[Words.LEAST] = _NEVER
        self._marks = int.from_bytes(os.urandom(7)), int.from_bytes(os.urandom(7))
        self._free_places = deque(range(MOST_MAPS))
        self._in_use: Any = None  # the allocator before, while this one is used
        make_map = ctypes.CFUNCTYPE(ctypes.c_ssize_t, ctypes.c_ssize_t)(self.map)
        self.functions = compiled_functions(make_map, self._marks)
        first_four = self.functions[:4]
        handler = _Handler(b"runoff", 1, _Functions(self.table, *(each.address for each in first_four)))
        name = ctypes.create_string_buffer(b"mem_handler")
        self._capsule = _new_capsule(ctypes.addressof(handler), ctypes.addressof(name), None)
        for each in (make_map, self.functions, handler, name, self._capsule, self):
            # Arrays may outlive everything else, so what frees them is never freed.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(each))
        os.register_at_fork(after_in_child=self._forget_the_watcher)

    @property
    def table(self) -> int:
        """Address of the words."""
        return ctypes.addressof(self.words)

    def use(self, folder: Path, least: int) -> None:
        """Make arrays of at least so many bytes in files of this folder from now on, in this thread."""
        self.folder, self.words[Words.LEAST] = folder, max(least, 1)
        if self._in_use is None:
            self._in_use = _set_handler(self._capsule)

    def stop(self) -> None:
        """Make all further arrays in memory again."""
        self.words[Words.LEAST] = _NEVER
        if self._in_use is not None:
            _set_handler(self._in_use)
            self._in_use = None

    def maps(self) -> list[tuple[int, int]]:
        """Address and length of every array that is in a file."""
        table = self.words[Words.MAPS :]
        return [(at, length) for at, length in zip(table[::2], table[1::2], strict=True) if at]

    def map(self, size: int) -> int:
        """Address of an array of zeros in a file; 0 where there is no room for it."""
        try:
            return self._map(size)
        except OSError as error:
            self.failure = error
            return 0

    def _map(self, size: int) -> int:
        place = Words.MAPS + 2 * self._place()
        total = -(-(size + PAGE) // PAGE) * PAGE
        handle = os.open(self.folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            os.posix_fallocate(handle, 0, total)
            at = int(c_library().mmap(0, total, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_SHARED, handle, 0))
        finally:
            os.close(handle)
        if at == -1:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(self.folder))
        said = (ctypes.c_int64 * 4).from_address(at + PAGE - BEFORE)
        said[:] = [*self._marks, total, self.table + WORD * place]
        self.words[place + 1] = total
        self.words[place] = at  # last: from here on its pages may leave
        self.mapped += total
        return at + PAGE

    def _place(self) -> int:
        """A free place of the table; those that were freed are looked for once all have been used."""
        if not self._free_places:
            # Without numpy, which would ask for memory here while it asks for memory.
            table = self.words[Words.MAPS :: 2]
            self._free_places.extend(place for place, at in enumerate(table) if not at)
        if not self._free_places:
            raise OSError(12, "too many large arrays")
        return self._free_places.popleft()

    def _forget_the_watcher(self) -> None:
        """Threads do not live on in a forked process, and what they held must not stay locked."""
        self.words[Words.LOCK] = 0


@functools.cache
def allocator() -> Allocator:
    """The allocator of this process."""
    return Allocator()


class _Functions(ctypes.Structure):
    """PyDataMemAllocator."""

    _fields_ = (
        ("ctx", ctypes.c_size_t),
        ("malloc", ctypes.c_size_t),
        ("calloc", ctypes.c_size_t),
        ("realloc", ctypes.c_size_t),
        ("free", ctypes.c_size_t),
    )


class _Handler(ctypes.Structure):
    """PyDataMem_Handler."""

    _fields_ = (("name", ctypes.c_char * 127), ("version", ctypes.c_uint8), ("functions", _Functions))


_new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi)
)
_in_capsule = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


def _set_handler(capsule: Any) -> Any:
    """Let numpy use another allocator, in this context of this thread; the one before."""
    from numpy._core import _multiarray_umath as numpy_in_c  # type: ignore[attr-defined]

    api = _in_capsule(numpy_in_c._ARRAY_API, None)  # noqa: SLF001 - numpy's table for extensions
    table = ctypes.cast(api, ctypes.POINTER(ctypes.c_void_p))
    return ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(table[_SET_HANDLER])(capsule)
