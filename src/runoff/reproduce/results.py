"""The facts of finished experiments: cells of tables, and comparisons in pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from runoff.errors import UsageError
from runoff.metrics import Resampling, get

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from runoff.arrays import Floats, Ints
    from runoff.metrics import Difference

Facts: TypeAlias = dict[str, Any]
RESAMPLES, TRIALS = 1_000, 10_000


def cell(value: float, low: float | None = None, high: float | None = None) -> list[float | None]:
    """A value with the bounds of its interval, where it has one.

    Examples
    --------
    >>> cell(0.5)
    [0.5, None, None]
    """
    return [float(value), None if low is None else float(low), None if high is None else float(high)]


def measured(
    rows: Floats, metric: str, *, seed: int, factor: float = 1.0, blocks: Ints | None = None
) -> list[float | None]:
    """The cell of a metric's score of these groups, with its bootstrap interval, multiplied by a factor."""
    found = get(metric)
    sure = Resampling(resamples=RESAMPLES, seed=seed, blocks=blocks).interval(rows, found)
    return cell(factor * float(found.score(rows.sum(axis=0))), factor * sure.low, factor * sure.high)


def kept_rows(rows: Floats, metric: str, blocks: Ints | Sequence[int] | None = None, label: str | None = None) -> Facts:
    """Statistics of every group, as facts keep them; groups of one block are drawn and swapped together."""
    return {
        "metric": metric,
        "label": label or get(metric).label,
        "values": [[float(value) for value in row] for row in np.asarray(rows, np.float64)],
        "blocks": None if blocks is None else [int(each) for each in blocks],
    }


@dataclass(frozen=True)
class Compared:
    """How much better one line is than another, on the same groups."""

    first: str
    second: str
    metric: str
    difference: Difference
    p: float
    groups: int


@dataclass(frozen=True)
class Results:
    """Facts by the name of the experiment.

    Examples
    --------
    >>> results = Results({"half": {"cells": {"value": [0.5, None, None]}}})
    >>> results.value("half", "value"), "third" in results
    (0.5, False)
    """

    facts: Mapping[str, Facts]
    seed: int = 0

    def __contains__(self, name: object) -> bool:
        return name in self.facts

    def __getitem__(self, name: str) -> Facts:
        if name not in self.facts:
            raise UsageError(f"there is no experiment {name!r}; there are: {', '.join(self.facts)}.")
        return self.facts[name]

    def cell(self, name: str, column: str) -> list[float | None] | None:
        """A cell; None where the experiment or the column is missing. `name/part`: of one of its own lines."""
        name, _, part = name.partition("/")
        facts = self.facts.get(name, {})
        cells = facts.get("lines", {}).get(part, {}) if part else facts.get("cells", {})
        found: list[float | None] | None = cells.get(column)
        return found

    def value(self, name: str, column: str) -> float:
        """The value of a cell that is there."""
        found = self.cell(name, column)
        if found is None or found[0] is None:
            raise UsageError(f"the experiment {name!r} has no value for {column!r}.")
        return found[0]

    def compare(
        self,
        first: str,
        second: str,
        labels: tuple[str, str] | None = None,
        *,
        what: str = "rows",
        metric: str | None = None,
    ) -> Compared:
        """How much better the first is than the second: paired bootstrap and randomisation test over the groups.

        `what` names the rows; another `metric` with the same statistics may judge them.
        """
        one, two = self[first][what], self[second][what]
        if one["metric"] != two["metric"]:
            raise UsageError(f"{first} and {second} were judged by {one['metric']} and {two['metric']}.")
        judge = get(metric or one["metric"])
        ours, others = (np.array(each["values"], np.float64) for each in (one, two))
        blocks = None if one["blocks"] is None else np.array(one["blocks"], np.int64)
        resampling = Resampling(resamples=RESAMPLES, trials=TRIALS, seed=self.seed, blocks=blocks)
        return Compared(
            *(labels or (first, second)),
            one["label"] if metric is None else judge.label,
            resampling.difference(ours, others, judge),
            resampling.p_value(ours, others, judge),
            len(ours),
        )
