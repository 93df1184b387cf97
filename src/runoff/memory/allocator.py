"""Large numpy arrays in files: numpy is given an allocator (NEP 49) that maps a file for every array above a size.

So whatever makes an array, a learner or numpy itself, makes it on disk where it is large, and nothing that computes
knows of it: the same code gives the same bits. Every file is removed as soon as it is open, so that nothing is left
behind however the process ends, and its room on disk is reserved before it is used, so that a full disk is an error
and not a crash.

numpy calls the allocator for every array, small ones too, so its functions are compiled; they ask Python for large
arrays only. Before an array in a file lies a page that says so: two random words by which `free` knows it, its length,
and its place in the table of maps, which other threads read while they hold the interpreter's lock (as numpy does when
it makes and frees arrays).
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import os
from collections import deque
from pathlib import Path
from typing import Any

PAGE = mmap.PAGESIZE
_MOST_MAPS = 1 << 14  # Linux allows a process 65,530
_SET_HANDLER = 304  # place of PyDataMem_SetHandler in numpy's table of functions, which never moves
_WORD = ctypes.c_uint64
_BEFORE = 4 * ctypes.sizeof(_WORD)  # bytes of the words before an array


class Allocator:
    """An allocator for numpy; arrays that it makes may live longer than it is in use."""

    def __init__(self) -> None:
        self.folder = Path()
        self.failure: OSError | None = None  # of the last array that found no room
        self.mapped = 0  # bytes that arrays in files have taken in all
        self._free_places = deque(range(_MOST_MAPS))
        self._maps = (_WORD * (2 * _MOST_MAPS))()  # address and length of every map; zero where it is free
        self._least = (_WORD * 1)(2**63)
        self._handler, self._before = _handler(self), None

    def use(self, folder: Path, least: int) -> None:
        """Make arrays of at least so many bytes in files of this folder from now on, in this thread."""
        self.folder, self._least[0] = folder, max(least, 1)
        if self._before is None:
            self._before = _set_handler(self._handler)

    def stop(self) -> None:
        """Make all further arrays in memory again."""
        self._least[0] = 2**63
        if self._before is not None:
            _set_handler(self._before)
            self._before = None

    def maps(self) -> list[tuple[int, int]]:
        """Address and length of every array that is in a file. Only true while the interpreter's lock is held."""
        table = self._maps[:]
        return [(at, length) for at, length in zip(table[::2], table[1::2], strict=True) if at]

    def map(self, size: int) -> int:
        """Address of an array of zeros in a file; 0 where there is no room for it."""
        try:
            return self._map(size)
        except OSError as error:
            self.failure = error
            return 0

    def _map(self, size: int) -> int:
        place = self._place()
        total = -(-(size + PAGE) // PAGE) * PAGE
        handle = os.open(self.folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            os.posix_fallocate(handle, 0, total)
            at = _libc().mmap(0, total, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_SHARED, handle, 0)
        finally:
            os.close(handle)
        if at == 2**64 - 1:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(self.folder))
        words = (_WORD * 4).from_address(at + PAGE - _BEFORE)
        words[:] = [*_marks(), total, ctypes.addressof(self._maps) + 2 * place * ctypes.sizeof(_WORD)]
        self._maps[2 * place], self._maps[2 * place + 1] = at, total
        self.mapped += total
        return int(at) + PAGE

    def _place(self) -> int:
        """A free place of the table; those that were freed are looked for once all have been used."""
        if not self._free_places:
            # Without numpy, which would ask for memory here while it asks for memory.
            self._free_places.extend(place for place, at in enumerate(self._maps[::2]) if not at)
        if not self._free_places:
            raise OSError(12, "too many large arrays")
        return self._free_places.popleft()


@functools.cache
def allocator() -> Allocator:
    """The allocator of this process."""
    return Allocator()


@functools.cache
def _marks() -> tuple[int, int]:
    return int.from_bytes(os.urandom(8)), int.from_bytes(os.urandom(8))


@functools.cache
def _libc() -> Any:
    libc, size = ctypes.CDLL(None, use_errno=True), ctypes.c_size_t
    whole = ctypes.c_int
    for name, result, arguments in (
        ("malloc", size, (size,)),
        ("calloc", size, (size, size)),
        ("realloc", size, (size, size)),
        ("free", None, (size,)),
        ("malloc_usable_size", size, (size,)),
        ("memcpy", size, (size, size, size)),
        ("munmap", whole, (size, size)),
        ("mmap", size, (size, size, whole, whole, whole, ctypes.c_long)),
    ):
        function = getattr(libc, name)
        function.restype, function.argtypes = result, list(arguments)
    return libc


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


_kept: list[Any] = []  # arrays may outlive everything else, so what frees them is never freed


def _handler(owner: Allocator) -> Any:
    """The capsule that numpy takes; compiles its functions, which takes half a second."""
    make_map = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_size_t)(owner.map)
    functions = _compiled_functions(make_map)
    least = ctypes.addressof(owner._least)  # noqa: SLF001 - its own
    handler = _Handler(b"runoff", 1, _Functions(least, *(each.address for each in functions)))
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p] * 3
    name = ctypes.create_string_buffer(b"mem_handler")
    capsule = new(ctypes.addressof(handler), ctypes.addressof(name), None)
    _kept.extend([make_map, functions, handler, name, capsule, owner])
    for each in _kept:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(each))
    return capsule


def _compiled_functions(make_map: Any) -> tuple[Any, ...]:
    """What numpy calls: malloc, calloc, realloc and free."""
    from llvmlite import ir
    from numba import cfunc, types
    from numba.extending import intrinsic

    libc, (mark, other_mark), page, before = _libc(), _marks(), PAGE, _BEFORE
    malloc, calloc, realloc, free = libc.malloc, libc.calloc, libc.realloc, libc.free
    usable, copy, unmap = libc.malloc_usable_size, libc.memcpy, libc.munmap
    size, nothing = types.uintp, types.void

    @intrinsic  # type: ignore[untyped-decorator]
    def word(_: Any, address: Any) -> Any:  # noqa: ARG001 - numba reads its name
        def load(context: Any, builder: Any, signature: Any, values: Any) -> Any:  # noqa: ARG001 - numba's signature
            return builder.load(builder.inttoptr(values[0], ir.IntType(64).as_pointer()))

        return types.uint64(types.uintp), load

    @intrinsic  # type: ignore[untyped-decorator]
    def clear(_: Any, address: Any) -> Any:  # noqa: ARG001 - as above
        def store(context: Any, builder: Any, signature: Any, values: Any) -> Any:  # noqa: ARG001 - as above
            pointer = builder.inttoptr(values[0], ir.IntType(64).as_pointer())
            builder.store(ir.Constant(ir.IntType(64), 0), pointer)
            return context.get_dummy_value()

        return types.void(types.uintp), store

    @cfunc(size(size, size))
    def of_size(least: int, wanted: int) -> int:
        return malloc(wanted) if wanted < word(least) else make_map(wanted)  # type: ignore[no-any-return]

    @cfunc(size(size, size, size))
    def of_zeros(least: int, count: int, each: int) -> int:
        wanted = count * each
        return calloc(count, each) if wanted < word(least) else make_map(wanted)  # type: ignore[no-any-return]

    @cfunc(nothing(size, size, size))
    def freed(_: int, at: int, __: int) -> None:
        if at != 0 and at & (page - 1) == 0 and word(at - before) == mark and word(at - before + 8) == other_mark:
            clear(word(at - before + 24))
            unmap(at - page, word(at - before + 16))
        else:
            free(at)

    @cfunc(size(size, size, size))
    def resized(least: int, at: int, wanted: int) -> int:
        mapped = at != 0 and at & (page - 1) == 0 and word(at - before) == mark and word(at - before + 8) == other_mark
        if not mapped and wanted < word(least):
            return realloc(at, wanted)  # type: ignore[no-any-return]
        fresh = make_map(wanted)
        if fresh == 0 or at == 0:
            return fresh  # type: ignore[no-any-return]
        had = word(at - before + 16) - page if mapped else usable(at)
        copy(fresh, at, min(had, wanted))
        if mapped:
            clear(word(at - before + 24))
            unmap(at - page, word(at - before + 16))
        else:
            free(at)
        return fresh  # type: ignore[no-any-return]

    return of_size, of_zeros, resized, freed


@functools.cache
def _set_handler_function() -> Any:
    from numpy._core import _multiarray_umath

    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    api = pointer(_multiarray_umath._ARRAY_API, None)  # noqa: SLF001 - numpy's table for extensions
    table = ctypes.cast(api, ctypes.POINTER(ctypes.c_void_p))
    return ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(table[_SET_HANDLER])


def _set_handler(capsule: Any) -> Any:
    """Let numpy use another allocator, in this context of this thread; the one before."""
    return _set_handler_function()(capsule)
