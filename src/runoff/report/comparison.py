"""Two models on the same data: which one chooses better, beyond chance."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from runoff.metrics import randomisation, with_statistics
from runoff.report.evaluation import ALPHA
from runoff.report.scored import Scored, Settings, chosen_metrics, graded, lead, p_text
from runoff.tables import html_table, text_table

if TYPE_CHECKING:
    from runoff.metrics import Difference, Metric
    from runoff.model import LinearModel
    from runoff.nbest import NBest


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
    """Duels under every metric; `differ` counts groups in which the models choose differently."""

    duels: tuple[Duel, ...]
    groups: int
    differ: int
    wins_a: int  # of those, by quality
    wins_b: int

    @property
    def verdict(self) -> str:
        """The answer in a sentence, by the first metric."""
        duel = self.duels[0]
        if duel.p >= ALPHA:
            return f"No difference beyond chance in {duel.metric} (p {p_text(duel.p)})."
        return f"{'A' if duel.lead.delta > 0 else 'B'} is better in {duel.metric} (p {p_text(duel.p)})."

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
            f"{self.groups:,} groups; the models choose differently in {self.differ:,}: "
            f"A better in {self.wins_a:,}, B better in {self.wins_b:,}."
        )
        return "\n".join(
            [text_table(*self._table()), "", counts, self.verdict, f"signature: {self.duels[0].signature}"]
        )

    def _repr_html_(self) -> str:
        return html_table(*self._table()) + f"<p>{self.verdict}</p>"


def compare(
    model_a: LinearModel,
    model_b: LinearModel,
    data: NBest,
    metric: str | Metric | None = None,
    *,
    resamples: int = 1_000,
    confidence: float = 0.95,
    trials: int = 10_000,
    seed: int = 0,
) -> Comparison:
    """Compare the choices of two models: paired bootstrap for the interval, randomisation for the p-value.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> from runoff.model import LinearModel
    >>> data = NBest.from_arrays([[0], [1], [0], [1]], quality=[0, 1, 0, 1], sizes=[2, 2])
    >>> compare(LinearModel.of({"0": 1.0}), LinearModel.of({"0": -1.0}), data).wins_a
    2
    """
    settings = Settings(resamples, confidence, trials, seed)
    asked = chosen_metrics(data, metric or data.metric or model_a.metric)
    data = graded(data, asked[0])
    a, b = model_a.ranking(data), model_b.ranking(data)
    duels = []
    for each in asked:
        judged = with_statistics(data, each)
        rows_a, rows_b = each.rows(judged, a), each.rows(judged, b)
        duels.append(
            Duel(
                each.label,
                each.digits,
                Scored.of(rows_a, each, settings),
                Scored.of(rows_b, each, settings),
                lead(rows_a, rows_b, each, settings),
                randomisation(rows_a, rows_b, each.score, trials=trials, seed=seed),
                settings.signature(each, len(data)),
            )
        )
    quality = asked[0].quality(data)
    lead_by_group = quality[a.top] - quality[b.top]
    return Comparison(
        tuple(duels),
        len(data),
        int((a.top != b.top).sum()),
        int((lead_by_group > 0).sum()),
        int((lead_by_group < 0).sum()),
    )
