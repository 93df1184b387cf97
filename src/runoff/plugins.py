"""Discovery of tasks: those in `runoff.tasks`, in installed packages, and in files that the user names.

A task registers itself when its module is imported (`runoff.tasks.register`). On the first lookup of any name, these
modules are imported, once:

- the subpackages of `runoff.tasks`;
- the entry points of installed packages in the group `runoff.tasks`;
- the modules or Python files listed in the environment variable RUNOFF_PLUGINS or given by `runoff --plugin`.

Nothing is ever imported because a model or a data file names it.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import sys
from importlib.metadata import entry_points
from pathlib import Path

from runoff.errors import UsageError

VARIABLE = "RUNOFF_PLUGINS"  # names or paths, separated as in PATH
_GROUP = "runoff.tasks"
_state = {"done": False}


def discover() -> None:
    """Import every module that registers tasks; further calls cost nothing."""
    if _state["done"]:
        return
    _state["done"] = True  # tasks look up names while they are imported
    try:
        importlib.import_module("runoff.tasks").load_tasks()
        for entry in entry_points(group=_GROUP):
            entry.load()
        for name in filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)):
            load_plugin(name)
    except BaseException:
        _state["done"] = False
        raise


def load_plugin(name: str) -> None:
    """Import a module by name, or a Python file by its path.

    Examples
    --------
    >>> load_plugin("no_such_module_here")
    Traceback (most recent call last):
    runoff.errors.UsageError: the plugin 'no_such_module_here' cannot be imported: No module named ...
    """
    try:
        if name.endswith(".py"):
            _load_file(Path(name))
        else:
            importlib.import_module(name)
    except (ImportError, OSError, SyntaxError) as error:
        why = error.strerror.lower() if isinstance(error, OSError) and error.strerror else error
        raise UsageError(f"the plugin {name!r} cannot be imported: {why}.") from error


def _load_file(path: Path) -> None:
    path = path.resolve()
    # Two files of one name in different folders are two plugins.
    name = f"runoff_plugin_{path.stem}_{hashlib.blake2b(os.fsencode(path), digest_size=4).hexdigest()}"
    if name in sys.modules:
        return
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
