"""Work cut into pieces whose number depends only on the data, so that results do not depend on the threads."""

from __future__ import annotations

import contextlib
import functools
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
from threadpoolctl import ThreadpoolController

from runoff.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from runoff.arrays import Ints

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def cores() -> int:
    """Number of cores that this process may use; the environment variable RUNOFF_THREADS overrides it."""
    asked = os.environ.get("RUNOFF_THREADS", "")
    if asked:
        if not asked.isdecimal() or int(asked) == 0:
            raise UsageError(f"RUNOFF_THREADS must be a whole number of at least 1; found {asked!r}.")
        return int(asked)
    # Only Linux says which cores a process may use; elsewhere it is all of them.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def even_cuts(work: Ints, pieces: int) -> Ints:
    """Boundaries that cut items with cumulative work `work` (starting at 0) into pieces of about equal work.

    Examples
    --------
    >>> even_cuts(np.array([0, 10, 10, 20, 40]), 2).tolist()
    [0, 3, 4]
    """
    targets = np.linspace(work[0], work[-1], pieces + 1)
    cuts = np.searchsorted(work, targets)
    cuts[0], cuts[-1] = 0, work.size - 1
    return np.unique(cuts)


def in_threads(function: Callable[[Piece], Result], pieces: Sequence[Piece]) -> list[Result]:
    """Apply a function that releases the interpreter lock to every piece; results in the order of the pieces."""
    if len(pieces) < 2 or cores() == 1:
        return [function(piece) for piece in pieces]
    with ThreadPoolExecutor(min(cores(), len(pieces))) as pool:
        return list(pool.map(function, pieces))


class Apply(Protocol):
    """Applies a function to every piece, as `in_threads` does."""

    def __call__(self, function: Callable[[Piece], Result], pieces: Sequence[Piece]) -> list[Result]:
        """Results in the order of the pieces."""


@contextlib.contextmanager
def one_pool(*, threads: bool = True, most: int | None = None) -> Iterator[Apply]:
    """`in_threads` for many calls in a row, whose threads are started once; without threads, one piece after the other.

    There are as many threads as cores, or `most` of them.

    Examples
    --------
    >>> with one_pool() as apply:
    ...     apply(abs, [-1, 2])
    [1, 2]
    """
    number = most or cores()
    if not threads or number == 1:
        yield one_by_one
        return
    with ThreadPoolExecutor(number) as pool:

        def apply(function: Callable[[Piece], Result], pieces: Sequence[Piece]) -> list[Result]:
            # The last piece is done here: with one piece there is nothing to wait for.
            others = [pool.submit(function, piece) for piece in pieces[:-1]]
            last = [function(piece) for piece in pieces[-1:]]
            return [other.result() for other in others] + last

        yield apply


def one_by_one(function: Callable[[Piece], Result], pieces: Sequence[Piece]) -> list[Result]:
    """Apply a function to every piece in this thread."""
    return [function(piece) for piece in pieces]


def one_blas_thread() -> AbstractContextManager[object]:
    """Let BLAS use one thread in the block: the order in which it sums depends on its threads.

    The limit holds for the whole process, so set it around threads and not in each of them.
    """
    limited: AbstractContextManager[object] = _blas().limit(limits=1, user_api="blas")
    return limited


@functools.cache
def _blas() -> ThreadpoolController:
    """All BLAS libraries of this process; looking for them takes milliseconds."""
    import scipy.linalg  # noqa: F401 - its BLAS need not be numpy's

    return ThreadpoolController()
