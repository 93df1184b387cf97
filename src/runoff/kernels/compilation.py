"""Compiling kernels with numba, and keeping what was compiled on disk until a file changes that it came from.

numba keeps the compiled code of a function for as long as the function's own file stays as it is. But code of other
files is compiled into it: what it calls there, and constants. So the stamp by which numba knows a file is extended
here to the modules of the same package that the file imports, directly or through others.
"""

from __future__ import annotations

import ast
import gc
import hashlib
import re
from functools import cache, partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar, overload

from numba import njit
from numba.core import event

if TYPE_CHECKING:
    from collections.abc import Callable

Function = TypeVar("Function", bound="Callable[..., Any]")
# Whole import statements: parsing these alone is ten times as fast as parsing files. A line of prose that begins like
# one is no Python, or at worst one more file to look at.
_IMPORT = re.compile(r"^[ \t]*((?:from|import)\b[^\n(]*(?:\([^)]*\))?)", re.MULTILINE)


@overload
def compiled(function: Function) -> Function: ...
@overload
def compiled(**options: Any) -> Callable[[Function], Function]: ...
def compiled(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compile a function at its first call with arguments of some types, or load what was compiled before.

    Options are those of `numba.njit`; other threads may run meanwhile. Where the stamp cannot be extended (another
    version of numba, or source that cannot be read), functions of files that import other kernels are compiled anew
    in every process: slow, but never stale.
    """
    if function is None:
        return partial(compiled, **options)
    # No pointer for C is asked for anywhere. The same for all: what kernels share is then compiled once.
    options = {"nogil": True, "no_cfunc_wrapper": True, **options}
    dispatcher = njit(cache=True, **options)(function)
    index: Any = getattr(getattr(dispatcher, "_cache", None), "_cache_file", None)
    stamp = source_stamp(function.__module__)
    if stamp is not None and hasattr(index, "_source_stamp"):
        index._source_stamp = (index._source_stamp, stamp)  # noqa: SLF001 - numba offers no other way
        index._load_index = partial(_readable_index, index._load_index)  # noqa: SLF001
    elif imports(function.__module__) - {__name__}:
        return njit(**options)(function)
    return dispatcher


def _readable_index(load: Callable[[], dict[Any, str]]) -> dict[Any, str]:
    """What is kept on disk; nothing where it was kept by a version whose classes have other names by now.

    numba reads the signatures, which name classes of arguments, before it looks at the stamp.
    """
    try:
        return load()
    except (AttributeError, ImportError):
        return {}


class CollectorPause(event.Listener):
    """Pauses Python's garbage collector while numba compiles, which takes a seventh less time without it.

    Compiling makes millions of small objects that live until it ends. Functions that a function needs are compiled
    within its turn, and turns come one at a time, since the compiler has a lock.
    """

    def __init__(self) -> None:
        self._depth, self._was_enabled = 0, False

    def on_start(self, _: Any) -> None:
        """A function is about to be compiled."""
        if self._depth == 0:
            self._was_enabled = gc.isenabled()
            gc.disable()
        self._depth += 1

    def on_end(self, _: Any) -> None:
        """It has been, or could not be."""
        self._depth -= 1
        if self._depth == 0 and self._was_enabled:
            if gc.get_freeze_count() == 0:  # else a program has frozen objects of its own
                gc.freeze()  # with the next line, all objects count as old without being looked at now
                gc.unfreeze()
            gc.enable()


event.register("numba:compile", CollectorPause())  # type: ignore[no-untyped-call]


@cache
def source_stamp(module: str) -> str | None:
    """Hash of the source of a module and of all that it imports from its package; None where one cannot be read.

    To be asked for while a module is being imported: Python has then just read the same files itself.
    """
    sources: dict[str, str] = {}
    pending = [module]
    while pending:
        name = pending.pop()
        source = _source(name)
        if source is None:
            return None
        sources[name] = source
        pending.extend(imports(name) - sources.keys())
    return hashlib.sha256(repr(sorted(sources.items())).encode()).hexdigest()


@cache
def imports(module: str) -> frozenset[str]:
    """Other modules of its package that the source of a module imports, under whatever condition."""
    package = module.rpartition(".")[0]
    names = []
    for statement in _IMPORT.findall(_source(module) or ""):
        try:
            parsed = ast.parse(statement).body
        except SyntaxError:
            continue
        for node in parsed:
            if isinstance(node, ast.Import):
                names += [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                above = package.rsplit(".", node.level - 1)[0] if node.level else ""
                origin = ".".join(part for part in (above, node.module) if part)
                names += [f"{origin}.{alias.name}" for alias in node.names]
    inside = {name.removeprefix(f"{package}.").partition(".")[0] for name in names if name.startswith(f"{package}.")}
    found = {f"{package}.{name}" for name in inside if find_spec(f"{package}.{name}")}
    return frozenset(found - {module})


@cache
def _source(module: str) -> str | None:
    spec = None if module == "__main__" else find_spec(module)
    read = getattr(spec.loader if spec else None, "get_source", None)  # files and archives alike
    try:
        source: str | None = read(module) if read else None
    except ImportError:
        return None
    return source
