"""Two models on the same data, and whether one is significantly better."""

from __future__ import annotations

import html
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from runoff import tasks
from runoff.metrics import Resampling, grade_for, with_statistics
from runoff.report.baselines import ALPHA
from runoff.report.scored import (
    Scored,
    check_judgeable,
    leads,
    metrics_for,
    model_of,
    p_text,
    signature,
    with_model_statistics,
)
from runoff.tables import html_table, text_table

if TYPE_CHECKING:
    from runoff.learners import Learner
    from runoff.metrics import Difference
    from runoff.model import LinearModel
    from runoff.nbest import NBest
    from runoff.report.scored import Asked


@dataclass(frozen=True)
class Duel:
    """One metric: both models, and A's lead over B (positive when A is better)."""

    metric: str
    digits: int  # decimals to show
    a: Scored
    b: Scored
    lead: Difference
    p: float
    signature: str


@dataclass(frozen=True)
class Comparison:
    """The comparison under every metric; `differ` counts groups in which the models choose differently.

    Examples
    --------
    >>> from runoff import LinearModel, NBest, compare
    >>> data = NBest.from_arrays([[0], [1]] * 20, quality=[0, 1] * 20, sizes=[2] * 20)
    >>> found = compare(LinearModel.of({"0": 1.0}), LinearModel.of({"0": -1.0}), data)
    >>> found.differ, found.wins_a, found.verdict
    (20, 20, 'A is significantly better in quality (p < 0.001).')
    """

    duels: tuple[Duel, ...]
    groups: int
    differ: int
    wins_a: int  # groups in which A is better by the first metric
    wins_b: int
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """The answer in a sentence, by the first metric."""
        duel = self.duels[0]
        if duel.p >= ALPHA:
            return f"No significant difference in {duel.metric} (p {p_text(duel.p)})."
        return f"{'A' if duel.lead.delta > 0 else 'B'} is significantly better in {duel.metric} (p {p_text(duel.p)})."

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return {**asdict(self), "verdict": self.verdict}

    def _table(self) -> tuple[list[str], list[list[str]]]:
        rows = []
        for each in self.duels:
            places = each.digits
            lead = f"{each.lead.delta:+.{places}f}"
            rows.append(
                [
                    each.metric,
                    f"{each.a.score:.{places}f}",
                    f"{each.b.score:.{places}f}",
                    lead,
                    p_text(each.p),
                ]
            )
            spans = [f"{side.low:.{places}f}–{side.high:.{places}f}" for side in (each.a, each.b)]
            rows.append(["", *spans, f"{each.lead.low:+.{places}f} to {each.lead.high:+.{places}f}", ""])
        return ["metric", "A", "B", "A's lead", "p"], rows

    def __str__(self) -> str:
        counts = (
            f"{self.groups:,} groups; the models choose differently in {self.differ:,}. "
            f"By {self.duels[0].metric}, A is better in {self.wins_a:,} groups and B in {self.wins_b:,}."
        )
        signature = f"signature: {self.duels[0].signature}"
        return "\n".join([text_table(*self._table()), "", counts, self.verdict, *self.notes, signature])

    def _repr_html_(self) -> str:
        lines = (self.verdict, *self.notes, f"signature: {self.duels[0].signature}")
        return html_table(*self._table()) + "".join(f"<p>{html.escape(line)}</p>" for line in lines)


def compare(
    model_a: LinearModel | Learner,
    model_b: LinearModel | Learner,
    data: NBest,
    metric: Asked = None,
    *,
    resampling: Resampling | None = None,
) -> Comparison:
    """Compare the choices of two models: paired bootstrap for the interval, randomisation for the p-value.

    As in `evaluate`, groups that belong together are drawn and swapped as a whole.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> from runoff.model import LinearModel
    >>> data = NBest.from_arrays([[0], [1], [0], [1]], quality=[0, 1, 0, 1], sizes=[2, 2])
    >>> compare(LinearModel.of({"0": 1.0}), LinearModel.of({"0": -1.0}), data).wins_a
    2
    """
    resampling = (resampling or Resampling()).over(data)
    model_a, model_b = model_of(model_a), model_of(model_b)
    check_judgeable(data)
    a, b = model_a.ranking(data), model_b.ranking(data)
    unseen = (("A", model_a.unseen(data)), ("B", model_b.unseen(data)))
    data = with_model_statistics(model_a, data)
    asked = metrics_for(data, metric, model_a, tasks.task_of(model_a, data))
    data = grade_for(data, asked)
    duels = []
    for each in asked:
        data = with_statistics(data, each)
        rows_a, rows_b = each.rows(data, a), each.rows(data, b)
        duels.append(
            Duel(
                each.label,
                each.digits,
                Scored.of(rows_a, each, resampling),
                Scored.of(rows_b, each, resampling),
                resampling.difference(rows_a, rows_b, each),
                resampling.p_value(rows_a, rows_b, each),
                signature(each, data, resampling),
            )
        )
    by_group = leads(asked[0], data, a, b)
    return Comparison(
        tuple(duels),
        len(data),
        int((a.top != b.top).sum()),
        int((by_group > 0).sum()),
        int((by_group < 0).sum()),
        tuple(f"{name}: {found}" for name, found in unseen if found.columns),
    )
