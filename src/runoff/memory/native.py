"""What numpy calls for memory, and what looks after it, compiled: neither may wait for the interpreter.

All numbers are addresses, sizes or words of a table (`Words`), which Python shares with what is compiled.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = mmap.PAGESIZE
WORD = 8
MOST_MAPS = 1 << 14  # Linux allows a process 65,530
BEFORE = 4 * WORD  # bytes of the words before an array: two marks, its length, the address of its place in the table
_LEAVE = 4  # MADV_DONTNEED


class Words:
    """Places of words in the table."""

    LEAST = 0  # bytes from which on an array is mapped
    LOCK = 1  # 1 while a map is being removed, or its pages are leaving
    STOP = 2  # 1 to end the watcher
    TRIGGER = 3  # resident pages of files from which on they leave
    PAUSE = 4  # microseconds between looks
    SIZES = 5  # handle of /proc/self/statm
    TEXT = 6  # address of 128 bytes for what it says
    RELEASES = 7  # how often pages have left
    MAPS = 8  # from here: address and length of every map; zeros where there is none
    COUNT = MAPS + 2 * MOST_MAPS


class Functions(NamedTuple):
    """Compiled functions for C; each has an `address`."""

    malloc: Any
    calloc: Any
    realloc: Any
    free: Any
    watch: Any


def compiled_functions(make_map: Any, marks: tuple[int, int]) -> Functions:
    """Compile them, which takes a second; `make_map` is called with a size, and gives an address or 0."""
    from numba import cfunc, types

    libc, (mark, other_mark), page, before = c_library(), marks, PAGE, BEFORE
    malloc, calloc, realloc, free = libc.malloc, libc.calloc, libc.realloc, libc.free
    usable, copy, unmap, advise = libc.malloc_usable_size, libc.memcpy, libc.munmap, libc.madvise
    sleep, read = libc.usleep, libc.pread
    word, byte, store, swapped = _intrinsics()
    lock, places, leave = WORD * Words.LOCK, MOST_MAPS, _LEAVE
    stop, trigger, pause = (WORD * at for at in (Words.STOP, Words.TRIGGER, Words.PAUSE))
    sizes, text, releases, maps = (WORD * at for at in (Words.SIZES, Words.TEXT, Words.RELEASES, Words.MAPS))
    size = types.intp

    @cfunc(size(size, size))
    def of_size(table: int, wanted: int) -> Any:
        return malloc(wanted) if wanted < word(table) else make_map(wanted)

    @cfunc(size(size, size, size))
    def of_zeros(table: int, count: int, each: int) -> Any:
        return calloc(count, each) if count * each < word(table) else make_map(count * each)

    @cfunc(types.void(size, size, size))
    def freed(table: int, at: int, _: int) -> None:
        if at != 0 and at & (page - 1) == 0 and word(at - before) == mark and word(at - before + 8) == other_mark:
            while swapped(table + lock, 1) != 0:
                sleep(20)
            store(word(at - before + 24), 0)
            unmap(at - page, word(at - before + 16))
            swapped(table + lock, 0)
        else:
            free(at)

    @cfunc(size(size, size, size))
    def resized(table: int, at: int, wanted: int) -> Any:
        mapped = at != 0 and at & (page - 1) == 0 and word(at - before) == mark and word(at - before + 8) == other_mark
        if not mapped and wanted < word(table):
            return realloc(at, wanted)
        fresh = make_map(wanted)
        if fresh == 0 or at == 0:
            return fresh
        had = word(at - before + 16) - page if mapped else usable(at)
        copy(fresh, at, min(had, wanted))
        if mapped:
            while swapped(table + lock, 1) != 0:
                sleep(20)
            store(word(at - before + 24), 0)
            unmap(at - page, word(at - before + 16))
            swapped(table + lock, 0)
        else:
            free(at)
        return fresh

    @cfunc(size(size))
    def watch(table: int) -> int:
        while word(table + stop) == 0:
            sleep(word(table + pause))
            said = read(word(table + sizes), word(table + text), 128, 0)
            field = of_files = 0
            for at in range(said):
                letter = byte(word(table + text) + at)
                if letter == 32:
                    field += 1
                elif field == 2:
                    of_files = 10 * of_files + letter - 48
            if of_files > word(table + trigger):
                for place in range(places):
                    if word(table + maps + 16 * place) == 0:
                        continue
                    while swapped(table + lock, 1) != 0:
                        sleep(20)
                    if word(table + maps + 16 * place) != 0:  # still
                        advise(word(table + maps + 16 * place), word(table + maps + 16 * place + 8), leave)
                    swapped(table + lock, 0)
                store(table + releases, word(table + releases) + 1)
        return 0

    return Functions(of_size, of_zeros, resized, freed, watch)


@functools.cache
def c_library() -> Any:
    """The functions of C that are used, with their types; addresses are whole numbers."""
    return _typed(ctypes.CDLL(None, use_errno=True))


@functools.cache
def c_library_locked() -> Any:
    """The same, called with the interpreter's lock: meanwhile no array is made or freed."""
    return _typed(ctypes.PyDLL(None))


def _typed(libc: Any) -> Any:
    size, whole = ctypes.c_ssize_t, ctypes.c_int
    for name, result, arguments in (
        ("malloc", size, (size,)),
        ("calloc", size, (size, size)),
        ("realloc", size, (size, size)),
        ("free", None, (size,)),
        ("malloc_usable_size", size, (size,)),
        ("memcpy", size, (size, size, size)),
        ("munmap", whole, (size, size)),
        ("madvise", whole, (size, size, whole)),
        ("usleep", whole, (ctypes.c_uint,)),
        ("pread", size, (whole, size, size, ctypes.c_long)),
        ("mmap", size, (size, size, whole, whole, whole, ctypes.c_long)),
        ("pthread_create", whole, (size, size, size, size)),
        ("pthread_join", whole, (size, size)),
    ):
        function = getattr(libc, name)
        function.restype, function.argtypes = result, list(arguments)
    return libc


def _intrinsics() -> tuple[Callable[..., Any], ...]:
    """Functions that read a word and a byte of memory, write a word, and exchange one without being interrupted."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    word_type = ir.IntType(64)

    def pointer(builder: Any, address: Any, width: int = 64) -> Any:
        return builder.inttoptr(address, ir.IntType(width).as_pointer())

    def word(_: Any, address: Any) -> Any:  # noqa: ARG001 - numba reads its name
        return types.intp(types.intp), lambda _, builder, __, values: builder.load(pointer(builder, values[0]))

    def byte(_: Any, address: Any) -> Any:  # noqa: ARG001 - as above
        def load(_: Any, builder: Any, __: Any, values: Any) -> Any:
            return builder.zext(builder.load(pointer(builder, values[0], 8)), word_type)

        return types.intp(types.intp), load

    def store(_: Any, address: Any, value: Any) -> Any:  # noqa: ARG001 - as above
        def write(context: Any, builder: Any, _: Any, values: Any) -> Any:
            builder.store(values[1], pointer(builder, values[0]))
            return context.get_dummy_value()

        return types.void(types.intp, types.intp), write

    def swapped(_: Any, address: Any, value: Any) -> Any:  # noqa: ARG001 - as above
        def exchange(_: Any, builder: Any, __: Any, values: Any) -> Any:
            return builder.atomic_rmw("xchg", pointer(builder, values[0]), values[1], "seq_cst")

        return types.intp(types.intp, types.intp), exchange

    return tuple(intrinsic(each) for each in (word, byte, store, swapped))
