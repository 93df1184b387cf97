"""Tasks, one subpackage each, and the registry through which all other code finds them.

>>> import runoff
>>> data = runoff.NBest.from_arrays(texts=["a bat", "a cat"], sizes=[2])
>>> runoff.tasks.recognise(data)
<task text: plain texts>
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Any

from runoff.registry import FEATURIZERS, FORMATS, METRICS, PAPERS, TASKS, recognised
from runoff.tasks.base import CommandGroup, Details, FirstRound, Task

if TYPE_CHECKING:
    from runoff.features.featurizer import Featurizer
    from runoff.model import LinearModel
    from runoff.nbest import NBest

__all__ = [
    "CommandGroup",
    "Details",
    "FirstRound",
    "Task",
    "featurizer_of",
    "get",
    "names",
    "recognise",
    "register",
    "task_of",
]

ROWS = Task()  # the task of data that no other task recognises
TASKS.register(ROWS.name, ROWS)


def register(task: Task) -> None:
    """Register a task with its formats, metrics, featurizers and papers.

    Examples
    --------
    >>> register(get("text"))  # the same task once more changes nothing
    >>> class Proofs(Task):
    ...     name = "text"
    >>> register(Proofs())
    Traceback (most recent call last):
    runoff.errors.UsageError: there is already a task called 'text'; give the new one another name.
    """
    for name, format_ in task.formats.items():
        FORMATS.register(name, format_)
    for name, metric in task.metrics.items():
        METRICS.register(name, metric)
    for name, featurizer in task.featurizers.items():
        FEATURIZERS.register(name, featurizer)
    for name, paper in task.papers.items():
        PAPERS.register(name, paper)
    TASKS.register(task.name, task)


def load_tasks() -> None:
    """Import the subpackages; each registers its task."""
    for found in pkgutil.iter_modules(__path__):
        if found.ispkg:
            importlib.import_module(f"{__name__}.{found.name}.task")


def names() -> list[str]:
    """Names of all tasks.

    Examples
    --------
    >>> sorted(names())
    ['answer-sentences', 'answers', 'parsing', 'roles', 'rows', 'tagging', 'text', 'translation']
    """
    return list(TASKS)


def get(name: str) -> Task:
    """A task by name.

    Examples
    --------
    >>> get("parsing").title
    'trees in brackets'
    """
    return TASKS[name]


def recognise(data: NBest) -> Task:
    """The task of some data: the one with the highest priority of those that recognise it, the latest of equal ones.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> recognise(NBest.from_arrays([[1.0], [2.0]], sizes=[2]))
    <task rows: rows of features>
    """
    return recognised(data)


def task_of(model: LinearModel, data: NBest | None = None) -> Task:
    """The task of the model's featurizer, else the one it was trained for, else the one of the data.

    Examples
    --------
    >>> from runoff.model import LinearModel
    >>> task_of(LinearModel.of({"length": -1.0}))
    <task rows: rows of features>
    """
    steps = {step["step"] for step in model.preparation}
    for each in TASKS.values():
        if steps & each.featurizers.keys() or model.provenance.get("task") == each.name:
            return each
    return ROWS if data is None else recognise(data)


def featurizer_of(model: LinearModel) -> Featurizer | None:
    """The featurizer that a model contains, if any.

    Examples
    --------
    >>> from runoff.model import LinearModel
    >>> featurizer_of(LinearModel.of({"length": -1.0})) is None
    True
    """
    from runoff.features.steps import featurizer_in

    return featurizer_in(model.preparation)


def __getattr__(name: str) -> Any:
    # Subpackages are imported on first use as attributes.
    if name.startswith("_") or name not in {found.name for found in pkgutil.iter_modules(__path__)}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(f"{__name__}.{name}")
