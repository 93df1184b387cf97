"""Formats, metrics, featurizers, learners and tasks by name, each imported when it is first looked up."""

from __future__ import annotations

import difflib
import importlib
import sys
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from runoff.errors import UsageError
from runoff.plugins import discover

if TYPE_CHECKING:
    from collections.abc import Iterator

    from runoff.features.featurizer import Featurizer
    from runoff.formats import Format
    from runoff.learners import Learner
    from runoff.metrics import Metric
    from runoff.nbest import NBest
    from runoff.reproduce.paper import Paper
    from runoff.tasks import Task

Thing = TypeVar("Thing")


class Registry(Generic[Thing]):
    """Things of one kind by name. What is registered as "module:attribute" is imported on first use.

    Tasks add to registries, so every lookup first makes sure that all tasks are known (`runoff.plugins.discover`).

    Examples
    --------
    >>> colours = Registry[str]("colour")
    >>> colours.register("red", "#c00", replace=True)
    Traceback (most recent call last):
    ValueError: expected 'module:attribute' or an object; found '#c00'.
    >>> numbers = Registry[float]("number")
    >>> numbers.register("pi", "math:pi")
    >>> numbers["pi"] > 3, list(numbers)
    (True, ['pi'])
    >>> numbers["phi"]
    Traceback (most recent call last):
    runoff.errors.UsageError: there is no number 'phi'; did you mean pi? There are: pi.
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._entries: dict[str, Thing | str] = {}  # as they were registered
        self._loaded: dict[str, Thing] = {}

    def register(self, name: str, thing: Thing | str, *, replace: bool = False) -> None:
        """Add an object, or the "module:attribute" where it is; a name that is taken is an error unless `replace`."""
        if isinstance(thing, str) and thing.count(":") != 1:
            raise ValueError(f"expected 'module:attribute' or an object; found {thing!r}.")
        if not replace and self._entries.get(name, thing) != thing:
            raise UsageError(f"there is already a {self.kind} called {name!r}; give the new one another name.")
        self._entries[name] = thing
        self._loaded.pop(name, None)

    def __getitem__(self, name: str) -> Thing:
        discover()
        if name not in self._entries:
            raise UsageError(self.unknown(name))
        found = self._loaded.get(name, self._entries[name])
        if isinstance(found, str):
            module, _, attribute = found.partition(":")
            found = self._loaded[name] = cast("Thing", getattr(importlib.import_module(module), attribute))
        return found

    def unknown(self, name: str) -> str:
        """The error message for a name that is not registered."""
        near = difflib.get_close_matches(name, self._entries, n=1, cutoff=0.5)
        hint = f"; did you mean {near[0]}?" if near else ";"
        return f"there is no {self.kind} {name!r}{hint} {'There' if near else 'there'} are: {', '.join(sorted(self))}."

    def __contains__(self, name: object) -> bool:
        discover()
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        discover()
        return iter(self._entries)

    def __len__(self) -> int:
        discover()
        return len(self._entries)

    def keys(self) -> list[str]:
        """Names in the order of registration."""
        return list(self)

    def values(self) -> list[Thing]:
        """All objects, imported, in the order of registration."""
        return [self[name] for name in self]

    def items(self) -> list[tuple[str, Thing]]:
        """Names with their objects."""
        return [(name, self[name]) for name in self]

    def __repr__(self) -> str:
        return f"Registry({self.kind}: {', '.join(self._entries)})"


FORMATS: Registry[Format] = Registry("format")
METRICS: Registry[type[Metric]] = Registry("metric")
FEATURIZERS: Registry[type[Featurizer]] = Registry("featurizer")  # by the name of their step in a model file
LEARNERS: Registry[type[Learner]] = Registry("learner")
TASKS: Registry[Task] = Registry("task")
PAPERS: Registry[Paper] = Registry("paper")
ROWS = "rows"  # the task of data that no other recognises


def recognised(data: NBest) -> Task:
    """The task of some data: the one with the highest priority of those that recognise it, the latest of equal ones.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> recognised(NBest.from_arrays([[1.0], [2.0]], sizes=[2]))
    <task rows: rows of features>
    """
    found = [each for each in reversed(TASKS.values()) if each.name != ROWS and each.recognises(data)]
    return max(found, key=lambda each: each.priority, default=TASKS[ROWS])


def recognised_texts(data: NBest) -> Task:
    """The task of the candidates themselves, whatever columns they bring.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> recognised_texts(NBest.from_records([{"candidates": [{"text": "a cat", "features": {"lm": 1}}]}]))
    <task text: plain texts>
    """
    return recognised(data.replace(features=data.features.none(data.n_candidates)))


def lazily(home: str, names: dict[str, tuple[str, ...]]) -> Any:
    """A module's `__getattr__` that imports public names from their modules on first use.

    Examples
    --------
    >>> find = lazily("runoff.example", {"math": ("pi",)})
    >>> find("pi") > 3
    True
    """
    module_of = {name: module for module, several in names.items() for name in several}

    def find(name: str) -> Any:
        if name not in module_of:
            raise AttributeError(f"module {home!r} has no attribute {name!r}")
        found = getattr(importlib.import_module(module_of[name]), name)
        if home in sys.modules:
            setattr(sys.modules[home], name, found)  # so that the next look costs nothing
        return found

    return find
