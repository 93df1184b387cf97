"""Would it help to choose without any training? Votes, least Bayes risk and lengths beside the first round."""

from __future__ import annotations

import html
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from runoff.errors import DataError
from runoff.metrics import reference_choices, with_statistics
from runoff.ranking import first_round
from runoff.report.baselines import BEYOND_CHANCE, Rival, best_of, check_texts, rivals_of, seeing, span, standings
from runoff.report.scored import Scored, Settings, judged_by, p_text, possible
from runoff.tables import html_table, text_table

if TYPE_CHECKING:
    from runoff.metrics import Metric
    from runoff.nbest import NBest


@dataclass(frozen=True)
class Standing:
    """One metric: the first round, the choices that need no training, and the best possible one."""

    metric: str
    higher_is_better: bool
    digits: int  # decimals to show
    first: Scored
    oracle: Scored
    possible: float  # what a perfect choice would win
    rivals: tuple[Rival, ...]
    signature: str

    @property
    def verdict(self) -> str:
        """The answer in a sentence: the best choice of those that are better beyond chance, else the best of all."""
        if self.possible == 0:
            return f"{self.metric}: there is nothing to win, no choice would be better than the first round's."
        choices = seeing(self.rivals)
        better = [rival for rival in choices if self.is_better(rival)]
        best = best_of(better or choices)
        p = f"p {p_text(self.corrected(best))} after correction for {len(choices)} choices"
        if better:
            gain = f"{best.gain.delta:.{self.digits}f} ({span(best.gain, self.digits)}, {p})"
            return f"{self.metric}: {best.label} gains {gain} over the first round, without any training."
        return (
            f"{self.metric}: no choice without training is better than the first round beyond chance "
            f"(the best is {best.label}: {best.gain.delta:+.{self.digits}f}, {p})."
        )

    def corrected(self, rival: Rival) -> float:
        """The p of a rival where all but the blind one were looked at, as Bonferroni corrects it."""
        return min(1.0, rival.p * len(seeing(self.rivals)))

    def is_better(self, rival: Rival) -> bool:
        """Whether a rival beats the first round beyond chance, by its corrected p."""
        return rival.gain.delta > 0 and self.corrected(rival) < BEYOND_CHANCE

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON; whether a rival is better goes by its corrected p."""
        rivals = [
            {**rival.to_dict(), "p_corrected": self.corrected(rival), "better": self.is_better(rival)}
            for rival in self.rivals
        ]
        return {**asdict(self), "rivals": rivals, "verdict": self.verdict}


@dataclass(frozen=True)
class Untrained:
    """Choices that need no training, under every metric."""

    standings: tuple[Standing, ...]
    groups: int
    confidence: float
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return {
            "groups": self.groups,
            "confidence": self.confidence,
            "results": [each.to_dict() for each in self.standings],
            "notes": list(self.notes),
        }

    @property
    def remarks(self) -> list[str]:
        """The answers, and what else there is to say."""
        return [*(each.verdict for each in self.standings), *self.notes]

    def tables(self) -> list[tuple[list[str], list[list[str]]]]:
        """A table for every metric."""
        return [standings(each, self.confidence) for each in self.standings]

    def __str__(self) -> str:
        shown = [f"{text_table(*table)}\n" for table in self.tables()]
        return "\n".join([*shown, *self.remarks, f"signature: {self.standings[0].signature}"])

    def _repr_html_(self) -> str:
        lines = [*self.remarks, f"signature: {self.standings[0].signature}"]
        tables = "".join(html_table(*table) for table in self.tables())
        return tables + "".join(f"<p>{html.escape(line)}</p>" for line in lines)


def untrained(
    data: NBest,
    metric: str | Metric | None = None,
    *,
    resamples: int = 1_000,
    confidence: float = 0.95,
    trials: int = 10_000,
    seed: int = 0,
) -> Untrained:
    """Judge the choices of `runoff.tasks.text.baselines` beside the first round's, the best possible and a blind one.

    O(k²) comparisons for lists of k, and O((resamples + trials) x groups) for each choice and metric.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["a bat", "a cat", "a cat"] * 9, sizes=[3] * 9, references=["a cat"] * 9)
    >>> print(untrained(data, "wer").remarks[0].partition(", without")[0])
    wer: minimum Bayes risk gains 50.00 (+50.00 to +50.00, p 0.018 after correction for 4 choices) over the first round
    """
    check_texts(data)
    settings = Settings(resamples, confidence, trials, seed)
    asked, data = judged_by(data, metric)
    if data.n_candidates == 0:
        raise DataError("there is no candidate to judge: the data is empty.")
    return Untrained(tuple(_standing(each, data, settings) for each in asked), len(data), confidence)


def _standing(metric: Metric, data: NBest, settings: Settings) -> Standing:
    data = with_statistics(data, metric)
    first_rows = metric.rows(data, first_round(data))
    first = Scored.of(first_rows, metric, settings)
    oracle = Scored.of(reference_choices.oracle_rows(metric, data), metric, settings)
    return Standing(
        metric.label,
        metric.higher_is_better,
        metric.digits,
        first,
        oracle,
        possible(metric, first.score, oracle.score),
        rivals_of(metric, data, first_rows, settings),
        settings.signature(metric, data),
    )
