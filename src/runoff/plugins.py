"""Finding tasks: Runoff's own rooms, those of installed packages, and files that a person names.

A task registers itself when its module is imported (`runoff.tasks.register`). Imported are, once and when the first
name is looked up:

- the rooms of `runoff.tasks`;
- modules that installed packages name under the entry point group `runoff.tasks`;
- what the environment variable RUNOFF_PLUGINS or the option `runoff --plugin` names: modules, or paths of Python files.

Nothing is ever imported because a model or a data file names it.
"""

from __future__ import annotations

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
    """Import everything that registers tasks; the second call costs nothing."""
    if _state["done"]:
        return
    _state["done"] = True  # rooms look names up while they are imported
    try:
        importlib.import_module("runoff.tasks").load_rooms()
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
        raise UsageError(f"the plugin {name!r} cannot be imported: {error}.") from error


def _load_file(path: Path) -> None:
    name = f"runoff_plugin_{path.stem}"
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
