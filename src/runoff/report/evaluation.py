"""Does the second round help? First round, chosen, oracle and random side by side, with a significance test."""

from __future__ import annotations

import html
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from runoff import tasks
from runoff.errors import DataError, UsageError
from runoff.metrics import RankingMetric, Resampling, get, grade_for, reference_choices, with_statistics
from runoff.ranking import first_round
from runoff.report.baselines import (
    ALPHA,
    BaselineResult,
    baseline_results,
    baseline_warnings,
    choice_table,
    compare_with_baseline,
    difference_to_dict,
)
from runoff.report.data_warnings import data_warnings
from runoff.report.reliability import reliability
from runoff.report.scored import (
    Scored,
    check_judgeable,
    leads,
    metrics_for,
    model_of,
    p_text,
    possible,
    signature,
    with_model_statistics,
)
from runoff.tables import html_table, text_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.learners import Learner
    from runoff.metrics import Difference, Metric
    from runoff.model import LinearModel
    from runoff.nbest import NBest
    from runoff.ranking import Ranking
    from runoff.report.reliability import Reliability
    from runoff.report.scored import Asked
    from runoff.tasks import Details, Task


@dataclass(frozen=True)
class Result:
    """One metric: four choices, the gain over the first round and its significance."""

    metric: str
    higher_is_better: bool
    digits: int  # decimals to show
    first: Scored
    chosen: Scored
    oracle: Scored
    random: Scored
    possible: float  # gain of the best possible choice
    gain: Difference  # chosen minus first round, positive when chosen is better
    p: float  # approximate randomisation, two-sided
    signature: str
    missing: float | None = None  # distance of the first round from a perfect score
    baselines: tuple[BaselineResult, ...] = ()  # if the task has any

    @property
    def recovered(self) -> float | None:
        """Share of the possible gain that was achieved; None if no gain is possible."""
        return self.gain.delta / self.possible if self.possible > 0 else None

    @property
    def error_reduction(self) -> float | None:
        """Share of the first round's error that was removed; None if it has none or the best score is unknown."""
        return self.gain.delta / self.missing if self.missing else None

    @property
    def better(self) -> bool:
        """Whether chosen is significantly better than the first round."""
        return self.gain.delta > 0 and self.p < ALPHA


@dataclass(frozen=True)
class Evaluation:
    """Results for every metric, in the order of the request.

    Examples
    --------
    >>> from runoff import LinearModel, NBest, evaluate
    >>> data = NBest.from_arrays([[0], [1]] * 20, quality=[0, 1] * 20, sizes=[2] * 20)
    >>> found = evaluate(LinearModel.of({"0": 1.0}), data)
    >>> found["quality"].gain.delta, found.wins, found.losses
    (1.0, 20, 0)
    """

    results: tuple[Result, ...]
    groups: int
    changed: int  # groups in which the choice differs from the first round's
    wins: int  # groups in which it is better, by the first metric
    losses: int
    has_base: bool
    notes: tuple[str, ...] = ()
    confidence: float = 0.95  # of the intervals
    details: Details | None = None  # the task's own numbers
    reliability: Reliability | None = None  # of the confidence, where the model has one

    def __getitem__(self, metric: str) -> Result:
        for each in self.results:
            if each.metric == metric:
                return each
        raise UsageError(f"{metric!r} was not evaluated; there are: {', '.join(each.metric for each in self.results)}.")

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before trusting the result."""
        out = []
        for each in self.results:
            if each.possible == 0:
                # No choice could have been better.
                if each.oracle.score == 0 and isinstance(get(each.metric), RankingMetric):
                    why = "no candidate has a quality above 0, so none counts as relevant"
                    out.append(f"{each.metric} is 0 for every choice: {why}.")
                continue
            if each.gain.delta < 0 and each.p < ALPHA:
                out.append(f"{each.metric}: chosen is significantly WORSE than the first round (p {p_text(each.p)}).")
            elif not each.better:
                out.append(
                    f"{each.metric}: chosen is not significantly better than the first round (p {p_text(each.p)})."
                )
            out.extend(baseline_warnings(each.metric, each.baselines))
        return tuple(out)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        results = [_plain(each) for each in self.results]
        return {
            "groups": self.groups,
            "changed": self.changed,
            "better": self.wins,
            "worse": self.losses,
            "first_round": self._first_round(),
            "results": results,
            **({} if self.details is None else {"details": self.details.to_dict()}),
            **({} if self.reliability is None else {"confidence": self.reliability.to_dict()}),
            "warnings": list(self.warnings),
            "notes": list(self.notes),
        }

    def _first_round(self) -> str:
        return "highest base score" if self.has_base else "first candidate in the file (there are no base scores)"

    def _tables(self) -> list[tuple[list[str], list[list[str]]]]:
        """One per metric if there are baselines, else one for all."""
        if not any(each.baselines for each in self.results):
            return [self._table()]
        return [choice_table(each, self.confidence, (each.chosen, each.gain, each.p)) for each in self.results]

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
        same = self.changed - self.wins - self.losses
        lines = [
            f"{self.groups:,} groups; the choice differs from the first round in {self.changed:,}: better in "
            f"{self.wins:,}, worse in {self.losses:,}, equal in {same:,}."
        ]
        lines.append(f"First round: {self._first_round()}.")
        first = self.results[0]
        if first.recovered is not None:
            errors = first.error_reduction
            removed = "" if errors is None else f", which removes {errors:.1%} of the first round's error"
            lines.append(f"{first.metric}: {first.recovered:.1%} of the possible gain was achieved{removed}.")
        lines.extend(
            compare_with_baseline(each.metric, each.digits, each.baselines, each.gain, each.p)
            for each in self.results
            if each.baselines
        )
        lines.extend([] if self.reliability is None else self.reliability.lines())
        lines.extend(self.notes)
        lines.extend(f"Warning: {warning}" for warning in self.warnings)
        return lines

    def __str__(self) -> str:
        tables = [line for table in self._tables() for line in (text_table(*table), "")]
        if self.details is not None:
            tables += [str(self.details), ""]
        more = len(self.results) - 1  # their signatures differ only in the metric
        signatures = [f"signature: {self.results[0].signature}", *([f"({more} more in the JSON)"] if more else [])]
        return "\n".join([*tables, *self._remarks(), *signatures])

    def _repr_html_(self) -> str:
        lines = [*self._remarks(), f"signature: {self.results[0].signature}"]
        tables = "".join(html_table(*table) for table in self._tables())
        if self.details is not None:
            tables += f"<pre>{html.escape(str(self.details))}</pre>"
        return tables + "".join(f"<p>{html.escape(line)}</p>" for line in lines)


def _plain(result: Result) -> dict[str, Any]:
    out = {**asdict(result), "gain": difference_to_dict(result.gain)}
    out["p_randomisation"] = out.pop("p")
    del out["baselines"], out["missing"]
    shares = {"recovered": result.recovered, "error_reduction": result.error_reduction, "better": result.better}
    baselines = {"baselines": [each.to_dict() for each in result.baselines]} if result.baselines else {}
    return {**out, **shares, **baselines}


def evaluate(
    model: LinearModel | Learner, data: NBest, metric: Asked = None, *, resampling: Resampling | None = None
) -> Evaluation:
    """Compare a model's choice with the first round's on held-out data.

    Intervals are bootstrap over groups, the p-value is by approximate randomisation (two-sided); groups that share a
    reference or an input, or what `resampling.group_by` names, are drawn and swapped as a whole. The metric
    defaults to what the task reports, then to the data's usual one, then to the one the model was trained for.
    Includes the task's baselines, and how far the model's confidence can be trusted.
    O((resamples + trials) x groups) for each metric.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> from runoff.model import LinearModel
    >>> data = NBest.from_arrays([[0], [1], [0], [1]], quality=[0, 1, 0, 1], sizes=[2, 2])
    >>> evaluate(LinearModel.of({"0": 1.0}), data)["quality"].chosen.score
    1.0
    """
    model = model_of(model)
    check_judgeable(data)
    task = tasks.task_of(model, data)
    ranked, notes = model.ranking(data), data_warnings(model, data)
    known, data = reliability(model, data), with_model_statistics(model, data)
    found = evaluate_ranking(ranked, data, metrics_for(data, metric, model, task), resampling, notes, task=task)
    return replace(found, reliability=known)


def evaluate_ranking(
    ranked: Ranking,
    data: NBest,
    metric: Asked,
    resampling: Resampling | None = None,
    notes: Sequence[str] = (),
    *,
    task: Task | None = None,
) -> Evaluation:
    """Compare any ranking of the data with the first round's.

    With a task, also with its baselines, and with the task's own numbers.
    """
    resampling, asked = (resampling or Resampling()).over(data), metrics_for(data, metric)
    data = grade_for(data, asked)
    check_judgeable(data)
    for each in asked:
        data = with_statistics(data, each)
    first, notes = first_round(data), list(notes)
    empty = int((data.sizes == 0).sum())
    if empty:
        notes.append(f"{empty:,} group(s) have no candidates and are left out of every number.")
    with_baselines = task
    if task is not None and task.baseline_names:
        try:
            task.check(data)
        except DataError as error:
            with_baselines = None
            notes.append(f"Baselines are not shown: {error}")
    by_group = leads(asked[0], data, ranked, first)
    choices = {"first round": first, "chosen": ranked}
    return Evaluation(
        tuple(_result(each, data, ranked, first, resampling, with_baselines) for each in asked),
        len(data),
        int((ranked.indices != first.indices).sum()),
        int((by_group > 0).sum()),
        int((by_group < 0).sum()),
        data.base is not None,
        tuple(notes),
        resampling.confidence,
        None if task is None else task.tabulate(data, choices),
    )


def _result(
    metric: Metric, data: NBest, ranked: Ranking, first: Ranking, resampling: Resampling, task: Task | None
) -> Result:
    rows, first_rows = metric.rows(data, ranked), metric.rows(data, first)
    first_scored = Scored.of(first_rows, metric, resampling)
    oracle = Scored.of(reference_choices.oracle_rows(metric, data), metric, resampling)
    perfect = metric.perfect(data)
    return Result(
        metric.label,
        metric.higher_is_better,
        metric.digits,
        first_scored,
        Scored.of(rows, metric, resampling),
        oracle,
        Scored.of(metric.random_rows(data, resampling.seed), metric, resampling),
        possible(metric, first_scored.score, oracle.score),
        resampling.difference(rows, first_rows, metric),
        resampling.p_value(rows, first_rows, metric),
        signature(metric, data, resampling),
        None if perfect is None else abs(perfect - first_scored.score),
        baseline_results(task, metric, data, first_rows, resampling, rows),
    )
