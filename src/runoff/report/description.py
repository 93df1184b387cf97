"""What is in the data, and what a better choice could gain."""

from __future__ import annotations

import html
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff import tasks
from runoff.combine.fused_choices import systems_in
from runoff.features import missing_counts
from runoff.kernels.column_statistics import row_hashes
from runoff.metrics import Resampling, grade_for, reference_choices, with_statistics
from runoff.ranking import first_round
from runoff.report.baseline_report import BaselineReport, evaluate_baselines
from runoff.report.scored import metrics_for, possible, signature
from runoff.tables import html_table, text_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.arrays import Ints
    from runoff.metrics import Metric
    from runoff.nbest import NBest
    from runoff.report.scored import Asked
    from runoff.tasks import Task

DEPTHS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)


@dataclass(frozen=True)
class Prospect:
    """One metric: the scores of the first round, a random choice and the best possible one."""

    metric: str
    digits: int  # decimals to show
    first: float
    random: float
    oracle: float
    oracle_at: dict[int, float]
    recoverable: float | None  # share of the first round's error that a perfect choice would remove
    signature: str


@dataclass(frozen=True)
class Description:
    """Counts of everything, and the prospects under each metric.

    Examples
    --------
    >>> from runoff import NBest, describe
    >>> found = describe(NBest.from_arrays([[0], [1]], quality=[0, 1], base=[1, 0], sizes=[2]))
    >>> found.candidates, found.prospects[0].first, found.prospects[0].oracle
    (2, 0.0, 1.0)
    """

    groups: int
    candidates: int
    group_sizes: tuple[int, float, int]  # smallest, median, largest
    empty_groups: int
    features: int
    stored_per_candidate: float
    density: float
    missing_values: int
    missing_columns: int  # that have missing values
    has_base: bool
    has_quality: bool
    has_references: bool
    tied_best: int | None  # groups in which several candidates have the best quality
    all_tied: int | None  # groups in which all candidates have the same quality
    duplicates: int | None  # candidates that repeat an earlier one of their group
    duplicates_by: str  # text, or features where there are no texts
    prospects: tuple[Prospect, ...]
    notes: tuple[str, ...]
    task: str = "rows"
    baselines: BaselineReport | None = None  # if the task has any

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        out = asdict(self)
        del out["baselines"]
        if self.baselines is not None:
            out["baselines"] = self.baselines.to_dict()["results"]
        for each in out["prospects"]:
            each["oracle_at"] = {str(k): score for k, score in each["oracle_at"].items()}
        return out

    def _facts(self) -> list[list[str]]:
        smallest, median, largest = self.group_sizes
        facts = [
            ["task", f"{self.task}: {tasks.get(self.task).title}"],
            [
                "groups",
                f"{self.groups:,}" + (f" ({self.empty_groups:,} without candidates)" if self.empty_groups else ""),
            ],
            ["candidates", f"{self.candidates:,} ({smallest:,} to {largest:,} per group, median {median:g})"],
            [
                "features",
                f"{self.features:,} ({self.stored_per_candidate:.1f} per candidate, density {self.density:.2%})",
            ],
            [
                "first round",
                "base scores" if self.has_base else "no base scores: the first candidate is its choice",
            ],
        ]
        if self.missing_values:
            columns = f"{self.missing_columns:,} of {self.features:,} features"
            facts.insert(4, ["missing", f"{self.missing_values:,} values of {columns}"])
        if self.duplicates is not None:
            repeats = f"{self.duplicates:,} candidates repeat an earlier one of their group (by {self.duplicates_by})"
            facts.append(["duplicates", repeats])
        if self.tied_best is not None:
            facts.append(
                [
                    "ties",
                    f"{self.tied_best:,} groups have several best candidates; in {self.all_tied:,} all candidates tie",
                ]
            )
        elif self.has_references:
            facts.append(["quality", "none yet: there are references, so give a metric, such as wer or bleu"])
        else:
            facts.append(["quality", "none: a model can choose from this data, but not be trained or evaluated on it"])
        return facts

    def _outlook(self) -> tuple[list[str], list[list[str]]]:
        depths = list(self.prospects[0].oracle_at)
        header = [
            "metric",
            "first round",
            "random",
            *(f"oracle@{k}" for k in depths),
            "oracle",
            "recoverable",
        ]
        rows = []
        for each in self.prospects:
            scores = [each.first, each.random, *each.oracle_at.values(), each.oracle]
            share = "" if each.recoverable is None else f"{each.recoverable:.1%} of error"
            rows.append([each.metric, *(f"{score:.{each.digits}f}" for score in scores), share])
        return header, rows

    def __str__(self) -> str:
        lines = [f"{name:<12} {value}" for name, value in self._facts()]
        if self.prospects:
            lines += ["", text_table(*self._outlook()), ""]
            if self.baselines is not None:
                lines += [f"{text_table(*table)}\n" for table in self.baselines.tables()] + self.baselines.remarks
            lines.append(f"signature: {self._signature()}")
        return "\n".join([*lines, *self.notes])

    def _repr_html_(self) -> str:
        facts = html_table(["", ""], self._facts(), left=2)
        if not self.prospects:
            return facts
        tables, lines = [self._outlook()], [f"signature: {self._signature()}"]
        if self.baselines is not None:
            tables, lines = [*tables, *self.baselines.tables()], [*self.baselines.remarks, *lines]
        shown = "".join(html_table(*table) for table in tables)
        return facts + shown + "".join(f"<p>{html.escape(line)}</p>" for line in lines)

    def _signature(self) -> str:
        """The signature; numbers with intervals depend on more settings."""
        return self.prospects[0].signature if self.baselines is None else self.baselines.standings[0].signature


def describe(
    data: NBest, metric: Asked = None, *, task: str | None = None, resampling: Resampling | None = None
) -> Description:
    """Summarise the data: first round, random, oracle, oracle@k, ties, duplicates, density, missing values.

    Where the task has baselines (such as voting and minimum Bayes risk for texts), also what they would gain. The task
    is recognised from the data unless it is named. O(stored values + candidates log candidates), times the number of
    depths for each metric, plus the cost of the baselines.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays([[0], [1], [0], [1]], quality=[0, 1, 0, 1], sizes=[2, 2])
    >>> describe(data).prospects[0].oracle
    1.0
    """
    kind = task_for(data, task)
    asked = metrics_for(data, metric)
    data = grade_for(data, asked)
    return description_of(data, ListCounts.of(data), asked, kind, resampling, has_systems=bool(systems_in(data)))


def task_for(data: NBest, task: str | None) -> Task:
    """The task of this name, which must suit the data, or the one that recognises it."""
    kind = tasks.recognise(data) if task is None else tasks.get(task)
    if task is not None:
        kind.check(data)
    return kind


@dataclass(frozen=True)
class ListCounts:
    """What is counted of features and texts, and can be added up."""

    rows: int
    columns: int
    stored: int
    missing: Ints  # values of every column
    duplicates: int | None
    duplicates_by: str

    @classmethod
    def of(cls, data: NBest) -> ListCounts:
        """Count. O(stored values + characters)."""
        features = data.features
        return cls(*features.shape, features.n_stored, missing_counts(features), *_duplicates(data))

    def __add__(self, other: ListCounts) -> ListCounts:
        known = self.duplicates is not None and other.duplicates is not None
        return ListCounts(
            self.rows + other.rows,
            self.columns,
            self.stored + other.stored,
            self.missing + other.missing,
            (self.duplicates or 0) + (other.duplicates or 0) if known else None,
            self.duplicates_by,
        )


def description_of(
    data: NBest,
    counts: ListCounts,
    asked: Sequence[Metric],
    kind: Task,
    resampling: Resampling | None,
    *,
    has_systems: bool,
) -> Description:
    """The description of graded lists; features and texts are not looked at, but for the baselines of the task."""
    resampling = resampling or Resampling()
    judged, sizes, missing = data.quality is not None, data.sizes, counts.missing
    tied, all_tied = _ties(data)
    cells = counts.rows * counts.columns
    return Description(
        groups=len(data),
        candidates=data.n_candidates,
        group_sizes=(int(sizes.min()), float(np.median(sizes)), int(sizes.max())) if len(data) else (0, 0.0, 0),
        empty_groups=int((sizes == 0).sum()),
        features=counts.columns,
        stored_per_candidate=counts.stored / max(data.n_candidates, 1),
        density=counts.stored / cells if cells else 0.0,
        missing_values=int(missing.sum()),
        missing_columns=int((missing > 0).sum()),
        has_base=data.base is not None,
        has_quality=data.quality is not None,
        has_references=data.references is not None,
        tied_best=tied,
        all_tied=all_tied,
        duplicates=counts.duplicates,
        duplicates_by=counts.duplicates_by,
        prospects=tuple(prospect_of(each, data, resampling.seed) for each in asked) if judged else (),
        notes=data.notes,
        task=kind.name,
        baselines=evaluate_baselines(data, asked, task=kind, resampling=resampling)
        if (kind.baseline_names or has_systems) and judged and data.n_candidates
        else None,
    )


def prospect_of(metric: Metric, data: NBest, seed: int) -> Prospect:
    """What a choice could win by one metric."""
    data = with_statistics(data, metric)
    first = float(metric.score(metric.rows(data, first_round(data)).sum(axis=0)))
    oracle = float(metric.score(reference_choices.oracle_rows(metric, data).sum(axis=0)))
    largest = int(data.sizes.max(initial=0))
    depths = [k for k in DEPTHS if k < largest]
    perfect = metric.perfect(data)
    error = None if perfect is None else abs(perfect - first)
    return Prospect(
        metric.label,
        metric.digits,
        first,
        float(metric.score(metric.random_rows(data, seed).sum(axis=0))),
        oracle,
        {k: float(metric.score(reference_choices.oracle_rows(metric, data, k).sum(axis=0))) for k in depths},
        possible(metric, first, oracle) / error if error else None,
        signature(metric, data),
    )


def _ties(data: NBest) -> tuple[int, int] | tuple[None, None]:
    if data.quality is None:
        return None, None
    filled = data.sizes > 0
    starts = data.offsets[:-1][filled]
    if starts.size == 0:
        return 0, 0
    high = np.maximum.reduceat(data.quality, starts)
    sizes = data.sizes[filled]
    at_top = np.add.reduceat((data.quality == np.repeat(high, sizes)).astype(np.int64), starts)
    return int((at_top > 1).sum()), int((at_top == sizes).sum())


def _duplicates(data: NBest) -> tuple[int | None, str]:
    if data.texts is not None:
        code, by = data.texts.dictionary_encode().indices.to_numpy().astype(np.int64), "text"
    elif data.features.n_columns:
        features = data.features.check(missing=True)
        hashes = row_hashes(features.indptr, features.indices, features.values)
        code, by = np.unique(hashes, return_inverse=True)[1], "features"
    else:
        return None, "nothing"
    group = data.group_of
    distinct = len(np.unique(group * (int(code.max(initial=0)) + 1) + code))
    return data.n_candidates - distinct, by
