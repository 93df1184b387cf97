"""Does the second round help? First round, chosen, oracle and random side by side, with the proof."""

from __future__ import annotations

import html
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from runoff.errors import DataError, UsageError
from runoff.metrics import RankingMetric, parse, randomisation, reference_choices, with_statistics
from runoff.ranking import first_round
from runoff.report.baselines import BEYOND_CHANCE, Rival, best_of, doubts, plain, rivals_of, standings, versus
from runoff.report.data_warnings import is_for_texts, strange_features
from runoff.report.scored import Scored, Settings, judged_by, lead, model_of, p_text, possible, usual_metric
from runoff.tables import html_table, text_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.learners import Learner
    from runoff.metrics import Difference, Metric
    from runoff.model import LinearModel
    from runoff.nbest import NBest
    from runoff.ranking import Ranking

ALPHA = BEYOND_CHANCE
NO_TEXTS = "Choices that need no training are not shown beside it: the candidates have no texts."


@dataclass(frozen=True)
class Result:
    """One metric: four choices, the gain over the first round and how sure it is."""

    metric: str
    higher_is_better: bool
    digits: int  # decimals to show
    first: Scored
    chosen: Scored
    oracle: Scored
    random: Scored
    possible: float  # what a perfect choice would win
    gain: Difference  # chosen minus first round, positive when chosen is better
    p: float  # approximate randomisation, two-sided
    signature: str
    rivals: tuple[Rival, ...] = ()  # choices that need no training, beside a model for texts

    @property
    def recovered(self) -> float | None:
        """Share of what a perfect choice could win that was won; None where there is nothing to win."""
        return self.gain.delta / self.possible if self.possible > 0 else None

    @property
    def better(self) -> bool:
        """Whether chosen beats the first round beyond chance."""
        return self.gain.delta > 0 and self.p < ALPHA


@dataclass(frozen=True)
class Evaluation:
    """Results for every metric, in the order in which they were asked for."""

    results: tuple[Result, ...]
    groups: int
    changed: int  # groups in which the choice is not the first round's
    has_base: bool
    notes: tuple[str, ...] = ()
    confidence: float = 0.95  # of the intervals

    def __getitem__(self, metric: str) -> Result:
        for each in self.results:
            if each.metric == metric:
                return each
        raise UsageError(f"{metric!r} was not evaluated; there are: {', '.join(each.metric for each in self.results)}.")

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a careful person would want to be told first."""
        out = []
        for each in self.results:
            if each.possible == 0:
                # Nothing to win: no choice could have been better.
                if each.oracle.score == 0 and isinstance(parse(each.metric)[0], RankingMetric):
                    why = "no candidate counts as relevant, for which its quality must be above 0"
                    out.append(f"{each.metric} is 0 for every choice: {why}.")
                continue
            if each.gain.delta < 0 and each.p < ALPHA:
                out.append(f"{each.metric}: chosen is WORSE than the first round beyond chance (p {p_text(each.p)}).")
            elif not each.better:
                out.append(
                    f"{each.metric}: chosen is not better than the first round beyond chance (p {p_text(each.p)})."
                )
            out.extend(doubts(each.metric, each.rivals))
        return tuple(out)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        results = [_plain(each) for each in self.results]
        return {
            "groups": self.groups,
            "changed": self.changed,
            "first_round": self._first_round(),
            "results": results,
            "warnings": list(self.warnings),
            "notes": list(self.notes),
        }

    def _first_round(self) -> str:
        return "highest base score" if self.has_base else "first candidate in the file (the data has no base scores)"

    def _tables(self) -> list[tuple[list[str], list[list[str]]]]:
        """One for each metric where there are rivals, else one for all."""
        if not any(each.rivals for each in self.results):
            return [self._table()]
        return [standings(each, self.confidence, (each.chosen, each.gain, each.p)) for each in self.results]

    def _table(self) -> tuple[list[str], list[list[str]]]:
        rows = []
        for each in self.results:
            choices_ = (each.first, each.chosen, each.oracle, each.random)
            places = each.digits
            gain = f"{each.gain.delta:+.{places}f}"
            rows.append([each.metric, *(f"{choice.score:.{places}f}" for choice in choices_), gain, p_text(each.p)])
            spans = [f"{choice.low:.{places}f}–{choice.high:.{places}f}" for choice in choices_]
            rows.append(["", *spans, f"{each.gain.low:+.{places}f} to {each.gain.high:+.{places}f}", ""])
        return ["metric", "first round", "chosen", "oracle", "random", "gain", "p"], rows

    def _remarks(self) -> list[str]:
        lines = [f"{self.groups:,} groups; the choice differs from the first round in {self.changed:,}."]
        lines.append(f"First round: {self._first_round()}.")
        first = self.results[0]
        if first.recovered is not None:
            lines.append(f"{first.metric}: {first.recovered:.1%} of what a perfect choice could win was won.")
        lines.extend(versus(each.metric, each.digits, best_of(each.rivals)) for each in self.results if each.rivals)
        lines.extend(self.notes)
        lines.extend(f"Warning: {warning}" for warning in self.warnings)
        return lines

    def __str__(self) -> str:
        tables = [line for table in self._tables() for line in (text_table(*table), "")]
        signatures = [f"signature: {each.signature}" for each in self.results]
        return "\n".join([*tables, *self._remarks(), *_common(signatures)])

    def _repr_html_(self) -> str:
        lines = [*self._remarks(), f"signature: {self.results[0].signature}"]
        tables = "".join(html_table(*table) for table in self._tables())
        return tables + "".join(f"<p>{html.escape(line)}</p>" for line in lines)


def _plain(result: Result) -> dict[str, Any]:
    out = {**asdict(result), "gain": plain(result.gain)}
    out["p_randomisation"] = out.pop("p")
    del out["rivals"]
    rivals = {"rivals": [rival.to_dict() for rival in result.rivals]} if result.rivals else {}
    return {**out, "recovered": result.recovered, "better": result.better, **rivals}


def evaluate(
    model: LinearModel | Learner,
    data: NBest,
    metric: str | Metric | None = None,
    *,
    resamples: int = 1_000,
    confidence: float = 0.95,
    trials: int = 10_000,
    seed: int = 0,
) -> Evaluation:
    """Compare a model's choice with the first round's on held-out data.

    Intervals are bootstrap over groups, the p-value is by approximate randomisation (two-sided). The metric
    defaults to what is usual for the data, then to what the model was trained for. Beside a model for texts stand the
    choices that need no training (see `runoff.tasks.text.baselines`). O((resamples + trials) x groups) for each metric.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> from runoff.model import LinearModel
    >>> data = NBest.from_arrays([[0], [1], [0], [1]], quality=[0, 1, 0, 1], sizes=[2, 2])
    >>> evaluate(LinearModel.of({"0": 1.0}), data)["quality"].chosen.score
    1.0
    """
    model = model_of(model)
    _check_some(data)
    notes, for_texts = strange_features(model, data), is_for_texts(model)
    settings, judge = Settings(resamples, confidence, trials, seed), usual_metric(data, metric, model)
    return evaluate_ranking(model.ranking(data), data, judge, settings, notes, with_rivals=for_texts)


def evaluate_ranking(
    ranked: Ranking,
    data: NBest,
    metric: str | Metric | None,
    settings: Settings,
    notes: Sequence[str] = (),
    *,
    with_rivals: bool = False,
) -> Evaluation:
    """Compare any ranking of the data, wherever it comes from, with the first round's.

    With rivals, also with the choices that need no training; these look at texts.
    """
    asked, data = judged_by(data, metric)
    _check_some(data)
    first = first_round(data)
    empty = int((data.sizes == 0).sum())
    if empty:
        notes = [*notes, f"{empty:,} group(s) have no candidates and are left out of every number."]
    if with_rivals and data.texts is None:
        with_rivals, notes = False, [*notes, NO_TEXTS]
    return Evaluation(
        tuple(_result(each, data, ranked, first, settings, with_rivals=with_rivals) for each in asked),
        len(data),
        int((ranked.indices != first.indices).sum()),
        data.base is not None,
        tuple(notes),
        settings.confidence,
    )


def _result(
    metric: Metric, data: NBest, ranked: Ranking, first: Ranking, settings: Settings, *, with_rivals: bool
) -> Result:
    data = with_statistics(data, metric)
    rows, first_rows = metric.rows(data, ranked), metric.rows(data, first)
    first_scored = Scored.of(first_rows, metric, settings)
    oracle = Scored.of(reference_choices.oracle_rows(metric, data), metric, settings)
    return Result(
        metric.label,
        metric.higher_is_better,
        metric.digits,
        first_scored,
        Scored.of(rows, metric, settings),
        oracle,
        Scored.of(metric.random_rows(data, settings.seed), metric, settings),
        possible(metric, first_scored.score, oracle.score),
        lead(rows, first_rows, metric, settings),
        randomisation(rows, first_rows, metric.score, trials=settings.trials, seed=settings.seed),
        settings.signature(metric, data),
        rivals_of(metric, data, first_rows, settings, rows) if with_rivals else (),
    )


def _check_some(data: NBest) -> None:
    if data.n_candidates == 0:
        raise DataError("there is no candidate to judge: the data is empty.")


def _common(signatures: list[str]) -> list[str]:
    """Show the first signature whole, and count the others, which differ in the metric alone."""
    more = [f"({len(signatures) - 1} more in the JSON)"] if len(signatures) > 1 else []
    return [*signatures[:1], *more]
