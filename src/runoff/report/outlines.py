"""Lists that come block by block, judged as a whole: what a metric needs is kept, features and texts are not.

Of every candidate its scores, its quality and its statistics are kept, and the choices of the task's baselines; of
every list its id, input and references, which tell what is resampled together. That takes about a hundred bytes for a
candidate, and the numbers are those of all lists at once, to the last bit.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from runoff import tasks
from runoff.arrays import frozen
from runoff.combine.fused_choices import systems_in
from runoff.errors import DataError
from runoff.metrics import grade_for, with_statistics
from runoff.nbest import Features
from runoff.nbest.joining import joined
from runoff.ranking import Ranking

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.metrics import Metric
    from runoff.nbest import NBest
    from runoff.tasks import Task


def needs_all(task: Task, block: NBest) -> str:
    """Why lists cannot be judged block by block; empty if they can. `block` has the columns of all."""
    if type(task).tabulate is not tasks.Task.tabulate:
        return f"the table of the task {task.name} looks at all candidates"
    return "fusions of several systems look at the features of all candidates" if systems_in(block) else ""


class Outlines:
    """Collects what judging needs, and the choices of the task's baselines."""

    def __init__(self, task: Task, asked: Sequence[Metric], *, with_baselines: bool = True) -> None:
        self.task, self.asked = task, asked
        self._with_baselines = with_baselines and bool(task.baseline_names)
        self._parts: list[NBest] = []
        self._choices: dict[str, dict[str, list[Ranking]]] = {each.label: {} for each in asked}
        self._trouble = ""

    def add(self, block: NBest) -> NBest:
        """Take a block; returns it with its quality and its statistics."""
        block = grade_for(block, self.asked)
        judged = block.quality is not None or bool(block.stats)
        for metric in self.asked if judged else ():
            block = with_statistics(block, metric)
        if self._with_baselines and judged and not self._trouble:
            self._choose(block)
        self._parts.append(outline(block))
        return block

    def _choose(self, block: NBest) -> None:
        try:
            self.task.check(block)
        except DataError as error:
            self._trouble = str(error)
            return
        for metric in self.asked:
            for name, ranked in self.task.baselines(block, metric).items():
                self._choices[metric.label].setdefault(name, []).append(ranked)

    def data(self) -> NBest:
        """All lists, without features and texts."""
        return joined(lambda: self._parts)

    def judge(self) -> Task:
        """The task, with the choices of its baselines in all blocks."""
        chosen = {
            label: {name: joined_rankings(parts) for name, parts in choices.items()}
            for label, choices in self._choices.items()
        }
        return cast("Task", _ChosenBefore(self.task, chosen, self._trouble))


def outline(block: NBest) -> NBest:
    """The lists without features, texts and ids of candidates."""
    none = Features.from_csr(np.zeros(block.n_candidates + 1, np.int64), np.empty(0, np.int32), None, 0)
    return dataclasses.replace(block, features=none, texts=None, candidate_ids=None, rows=None)


def joined_rankings(parts: Sequence[Ranking]) -> Ranking:
    """Rankings of some blocks as one.

    Examples
    --------
    >>> one = Ranking(np.array([0, 2]), np.array([1, 0]))
    >>> both = joined_rankings([one, one])
    >>> both.offsets.tolist(), both.rows.tolist()
    ([0, 2, 4], [1, 0, 3, 2])
    """
    sizes = [part.rows.size for part in parts]
    starts = np.cumsum([0, *sizes])[:-1].tolist()
    offsets = [part.offsets[1:] + start for part, start in zip(parts, starts, strict=True)]
    tied = None
    if any(part.tied is not None for part in parts):
        tied = np.concatenate([np.zeros(part.rows.size, bool) if part.tied is None else part.tied for part in parts])
    return Ranking(
        frozen(np.concatenate([[0], *offsets]).astype(np.int64)),
        frozen(np.concatenate([part.rows + start for part, start in zip(parts, starts, strict=True)])),
        None if tied is None else frozen(tied),
    )


class _ChosenBefore:
    """A task whose baselines have chosen already."""

    def __init__(self, task: Task, choices: dict[str, dict[str, Ranking]], trouble: str) -> None:
        self._task, self._choices, self._trouble = task, choices, trouble

    def __getattr__(self, name: str) -> Any:
        return getattr(self._task, name)

    def check(self, data: NBest) -> None:  # noqa: ARG002 - it was checked block by block
        if self._trouble:
            raise DataError(self._trouble)

    def baselines(self, data: NBest, metric: Metric) -> dict[str, Ranking]:  # noqa: ARG002 - they have chosen
        return self._choices[metric.label]

    def tabulate(self, data: NBest, choices: Any) -> None:  # noqa: ARG002 - see `needs_all`
        return None
