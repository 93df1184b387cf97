"""The result on test: random, first round, chosen and oracle, as text, Markdown and plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from runoff.metrics import Resampling, resolve
from runoff.report import describe, evaluate
from runoff.report.scored import p_text
from runoff.tables import counted, text_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from runoff.model import LinearModel
    from runoff.nbest import NBest
    from runoff.report import Evaluation
    from runoff.report.scored import Scored

_ROLES = (("random", "random"), ("first round", "first"), ("chosen", "chosen"), ("oracle", "oracle"))


@dataclass(frozen=True)
class PipelineResult:
    """The evaluation on test, with the oracle of the first k candidates; the first metric is the main one."""

    learner: str
    unit: str  # noun for the number of lists
    evaluation: Evaluation
    oracle_at: Mapping[str, Mapping[int, float]]  # by metric

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        at = {metric: {str(k): score for k, score in found.items()} for metric, found in self.oracle_at.items()}
        return {"learner": self.learner, **self.evaluation.to_dict(), "oracle_at": at}

    def to_text(self) -> str:
        """Format for a terminal."""
        return "\n".join([text_table(self._header(), self._rows()), "", *self._remarks()])

    def to_markdown(self) -> str:
        """Format as Markdown."""
        header = self._header()
        lines = [header, ["---", *["---:"] * (len(header) - 1)], *self._rows()]
        table = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
        return "\n".join([table, "", *(f"{remark}  " for remark in self._remarks())]) + "\n"

    def _header(self) -> list[str]:
        interval = f"{100 * self.evaluation.confidence:.4g}% interval"
        return ["", *(cell for each in self.evaluation.results for cell in (each.metric, interval))]

    def _rows(self) -> list[list[str]]:
        results, rows = self.evaluation.results, []
        for name, role in _ROLES:
            if role == "oracle":
                depths = [k for k in self.oracle_at[results[0].metric] if k > 1]
                rows += [[f"oracle of {k}", *self._at(k)] for k in depths]
            title = f"{name} ({self.learner})" if role == "chosen" else name
            rows.append([title, *(cell for each in results for cell in _cells(getattr(each, role), each.digits))])
        return rows

    def _at(self, k: int) -> list[str]:
        return [
            cell
            for each in self.evaluation.results
            for cell in (f"{self.oracle_at[each.metric][k]:.{each.digits}f}", "")
        ]

    def _remarks(self) -> list[str]:
        found, first = self.evaluation, self.evaluation.results[0]
        parts = [
            "" if first.error_reduction is None else f"{first.error_reduction:.1%} of the first round's error",
            "" if first.recovered is None else f"{first.recovered:.1%} of the possible gain",
        ]
        of = f": {', '.join(filter(None, parts))}" if any(parts) else ""
        same, digits = found.changed - found.wins - found.losses, first.digits
        return [
            f"Gain in {first.metric} {first.gain.delta:+.{digits}f} ({first.gain.low:+.{digits}f} to "
            f"{first.gain.high:+.{digits}f}, p {p_text(first.p)}){of}.",
            f"{counted(found.groups, self.unit)}; the choice differs from the first round in {found.changed:,}: "
            f"better in {found.wins:,}, worse in {found.losses:,}, equal in {same:,}.",
            *found.notes,
            *(f"Warning: {warning}" for warning in found.warnings if warning.startswith(f"{first.metric}:")),
            f"signature: {first.signature}",
        ]


def evaluate_choice(
    model: LinearModel, test: NBest, learner: str, metrics: Sequence[str], *, unit: str = "groups", seed: int = 0
) -> PipelineResult:
    """Evaluate a model's choice on held-out lists by several metrics.

    Examples
    --------
    >>> from runoff.model import LinearModel
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays([[0], [1], [0], [1]], quality=[0, 1, 0, 1], sizes=[2, 2])
    >>> found = evaluate_choice(LinearModel.of({"0": 1.0}), data, "by hand", ["quality"])
    >>> print(found.to_text().partition("Gain")[2].partition("\\n")[0])
     in quality +1.0000 (+1.0000 to +1.0000, p 0.502): 100.0% of the first round's error, 100.0% of the possible gain.
    """
    resampling, asked = Resampling(seed=seed), resolve(metrics)
    prospects = describe(test, asked, task="rows", resampling=resampling).prospects
    at = {each.metric: each.oracle_at for each in prospects}
    return PipelineResult(learner, unit, evaluate(model, test, asked, resampling=resampling), at)


def _cells(scored: Scored, digits: int) -> list[str]:
    return [f"{scored.score:.{digits}f}", f"{scored.low:.{digits}f}–{scored.high:.{digits}f}"]
