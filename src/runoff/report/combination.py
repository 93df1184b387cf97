"""What a combination is worth: systems, baselines, the combination and its upper limit, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from runoff import metrics
from runoff.combine.baselines import first_choices, union, vote
from runoff.combine.combiner import reader_of
from runoff.combine.limits import Contributions, contributions, perfect_filter
from runoff.combine.training import as_single
from runoff.metrics import Resampling
from runoff.ranking import first_round
from runoff.report.baselines import difference_to_dict
from runoff.report.findings import COMBINED
from runoff.report.scored import Scored, p_text, signature
from runoff.tables import html_table, text_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from runoff.arrays import Floats
    from runoff.combine import Combiner
    from runoff.metrics import Difference, Metric
    from runoff.nbest import NBest
    from runoff.report.scored import Asked

UNION, VOTE, LIMIT = "union", "vote", "perfect filter"


@dataclass(frozen=True)
class CombinationReport:
    """Scores of every row by every metric, and how the combination compares with the best system and the baselines."""

    rows: Mapping[str, tuple[Scored, ...]]  # by name; one score per metric
    metrics: tuple[Metric, ...]
    best: str  # the best system by the first metric
    differences: Mapping[str, tuple[Difference, float]]  # combination minus that row, by the first metric; p
    contributions: Contributions
    signature: str
    notes: tuple[str, ...] = ()

    def table(self) -> tuple[list[str], list[list[str]]]:
        """One row for each system, baseline, the combination and the limit."""
        header = ["", *(each.label for each in self.metrics), "combined minus this", "p"]
        first, rows = self.metrics[0], []
        for name, scores in self.rows.items():
            cells = [
                f"{scores[0].score:.{first.digits}f} "
                f"({scores[0].low:.{first.digits}f}–{scores[0].high:.{first.digits}f})"
            ]
            cells += [
                f"{each.score:.{metric.digits}f}" for each, metric in zip(scores[1:], self.metrics[1:], strict=True)
            ]
            lead = self.differences.get(name)
            if lead is not None:
                by, p = lead
                cells.append(
                    f"{by.delta:+.{first.digits}f} ({by.low:+.{first.digits}f} to {by.high:+.{first.digits}f})"
                )
                cells.append(p_text(p))
            rows.append([name, *cells, *[""] * (len(header) - 1 - len(cells))])
        return header, rows

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return {
            "rows": {
                name: {
                    metric.label: {"score": each.score, "low": each.low, "high": each.high}
                    for metric, each in zip(self.metrics, scores, strict=True)
                }
                for name, scores in self.rows.items()
            },
            "best": self.best,
            "differences": {
                name: {**difference_to_dict(by), "p_randomisation": p} for name, (by, p) in self.differences.items()
            },
            "contributions": {label: dict(own) for label, own in self.contributions.counts.items()},
            "signature": self.signature,
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        lines = [text_table(*self.table())]
        if self.contributions.counts:
            lines += [
                "",
                "Right parts of the systems' solutions, in per cent:",
                text_table(*self.contributions.table()),
            ]
        lines += [f"note: {note}" for note in self.notes]
        return "\n".join([*lines, f"signature: {self.signature}"])

    def _repr_html_(self) -> str:
        return html_table(*self.table()) + html_table(*self.contributions.table())


def evaluate_combination(
    data: NBest,
    combiner: Combiner | None = None,
    *,
    task: str | None = None,
    metric: Asked = None,
    resampling: Resampling | None = None,
    worth: Mapping[str, float] | None = None,
    verbose: bool = False,
) -> CombinationReport:
    """Compare a combination of merged lists with the systems' own choices, with baselines and with its upper limit.

    Rows: the first choice of every system; the union of these by agreement, length and `worth` of the systems; the
    vote of all candidates by their probability; what the combiner assembles; what a perfect filter of the systems'
    solutions would. Intervals are bootstrap over groups, p-values by approximate randomisation.

    Parameters
    ----------
    data
        Merged lists with references.
    combiner
        The combiner; without one, systems, baselines and limit alone.
    task
        The task of the data, where there is no combiner.
    metric
        Default: what the task's reader of parts reports, else the data's own.
    resampling
        Settings of intervals and tests.
    worth
        F1 of the systems on other lists, for the union; see `runoff.combine.system_worth`.
    verbose
        Show progress.

    Examples
    --------
    >>> evaluate_combination(test, combiner)  # doctest: +SKIP
    """
    name = combiner.task if combiner is not None else task or ""
    if combiner is not None:
        data, combiner = combiner.with_rerankers(data)
    reader = reader_of(name, data.metric)
    asked = metrics.metrics_of(data, metric or _reported(reader.reported, data))
    resampling = (resampling or Resampling()).over(data)
    texts: dict[str, list[str | None]] = dict(first_choices(data))
    systems = list(texts)
    if reader.shape != "slots":
        texts[UNION] = union(data, name, worth)
    texts[VOTE] = vote(data, name)
    if combiner is not None:
        texts[COMBINED] = combiner.texts(data, verbose=verbose)
    texts[LIMIT] = perfect_filter(data, name)
    statistics = {row: _statistics(data, own, asked) for row, own in texts.items()}
    scored = {
        row: tuple(Scored.of(rows, each, resampling) for rows, each in zip(own, asked, strict=True))
        for row, own in statistics.items()
    }
    best = max(systems, key=lambda row: asked[0].signed(statistics[row][0].sum(axis=0)))
    differences = {}
    if combiner is not None:
        mine = statistics[COMBINED][0]
        for row in (*systems, *(each for each in (UNION, VOTE) if each in texts)):
            other = statistics[row][0]
            differences[row] = (
                resampling.difference(mine, other, asked[0]),
                resampling.p_value(mine, other, asked[0]),
            )
    notes = tuple(data.notes)
    found = contributions(data, name)
    return CombinationReport(
        scored, tuple(asked), best, differences, found, signature(asked[0], data, resampling), notes
    )


def _reported(labels: str | None, data: NBest) -> str | None:
    """The reader's metrics, if the data's own is one of them."""
    own = (data.metric or "").partition("[")[0].partition("@")[0]
    return labels if labels is not None and own in labels else None


def _statistics(data: NBest, texts: Sequence[str | None], asked: Sequence[Metric]) -> list[Floats]:
    single = as_single(data, [text or "" for text in texts])
    for each in asked:
        single = metrics.with_statistics(single, each)
    return [each.rows(single, first_round(single)) for each in asked]
