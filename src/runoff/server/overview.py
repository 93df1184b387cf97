"""The first page of a viewer as plain values: what was won, what could be, and what would change it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from runoff import tasks
from runoff.metrics import reference_choices
from runoff.nbest import Features
from runoff.report import compare, evaluate
from runoff.report.baselines import RANDOM, baseline_results, baseline_warnings
from runoff.report.description import prospect_of
from runoff.report.scored import Scored, signature
from runoff.server.family_scores import family_shares
from runoff.server.study import OUTCOMES
from runoff.server.training_curves import training_curves

if TYPE_CHECKING:
    from runoff.metrics import Metric
    from runoff.model import LinearModel
    from runoff.report.baselines import BaselineResult
    from runoff.server.study import Study
    from runoff.tasks import Task

_NO_METRIC = "There are references: name a metric, such as --metric wer or bleu, by which choices are judged."
_CUTS = 60  # points of the curve of thresholds
_MOST_FOR_BASELINES = 200_000  # candidates that are compared with one another


def overview(study: Study) -> dict[str, Any]:
    """What the first page shows. Costs what `runoff eval` does.

    Examples
    --------
    >>> from runoff.model import LinearModel
    >>> from runoff.nbest import NBest
    >>> from runoff.server.study import Study
    >>> data = NBest.from_arrays([[0], [1]], quality=[0, 1], sizes=[2], feature_names=["lm"])
    >>> [(each["name"], each["score"]) for each in overview(Study(data, LinearModel.of({"lm": 1.0})))["choices"]]
    [('first round', 0.0), ('chosen', 1.0), ('oracle', 1.0), ('random', 0.5)]
    """
    data, metric = study.data, study.metric
    notes = [*data.notes, *study.notes, *([_NO_METRIC] if not study.is_judged and data.references is not None else [])]
    out: dict[str, Any] = {
        "name": study.name,
        "task": study.task.title,
        "groups": len(data),
        "candidates": data.n_candidates,
        "model": None if study.model is None else repr(study.model),
        "other": None if study.other is None else study.other.name,
        "first_round": "highest base score" if data.base is not None else "first candidate",
        "outcomes": {name: int(np.sum(study.outcomes == code)) for code, name in enumerate(OUTCOMES)},
        "families": [] if study.families is None else [{"name": name} for name in study.families.names],
        "training": training_curves(study),
        "notes": notes,
        "metric": None,
    }
    if metric is None or not data.n_candidates:
        return out
    prospect = prospect_of(metric, data, study.resampling.seed)
    out["metric"] = {
        "name": metric.label,
        "higher_is_better": metric.higher_is_better,
        "digits": metric.digits,
        "signature": signature(metric, data, study.resampling.over(data)),
    }
    largest = int(data.sizes.max(initial=0))
    out["oracle_at"] = [*([k, score] for k, score in prospect.oracle_at.items()), [largest, prospect.oracle]]
    if study.model is None:
        first = metric.rows(data, study.first)
        named = {
            "first round": first,
            "oracle": reference_choices.oracle_rows(metric, data),
            RANDOM: metric.random_rows(data, study.resampling.seed),
        }
        resampling = study.resampling.over(data)
        scores = {name: Scored.of(rows, metric, resampling) for name, rows in named.items()}
        baselines = _baselines(study, metric, notes)
        out["choices"] = _choices(scores.pop("first round"), baselines, scores)
        return out
    return {**out, **_judged(study, study.model, metric, notes)}


def thresholds(study: Study) -> list[dict[str, float]]:
    """What a threshold on the lead would give: the score, and in how many lists the first choice is left."""
    if study.metric is None:
        return []
    chosen, first = (study.metric.rows(study.data, each) for each in (study.chosen, study.first))
    switched = np.flatnonzero(~np.isin(study.outcomes, [OUTCOMES.index(name) for name in ("kept", "empty")]))
    order = switched[np.argsort(-study.leads[switched], kind="stable")]
    steps = np.cumsum((chosen - first)[order], axis=0)
    start = first.sum(axis=0)
    out = []
    for count in np.unique(np.linspace(0, order.size, _CUTS + 1).astype(int)).tolist():
        sums = start + steps[count - 1] if count else start
        lead = float(study.leads[order[count - 1]]) if count else float("inf")
        out.append({"lead": lead, "switched": count, "score": float(study.metric.score(sums))})
    return out


def _judged(study: Study, model: LinearModel, metric: Metric, notes: list[str]) -> dict[str, Any]:
    found = evaluate(model, study.data, metric, resampling=study.resampling)
    result = found.results[0]
    baselines, warnings = result.baselines, list(found.warnings)
    if not baselines:
        baselines = _baselines(study, metric, notes)
        warnings += baseline_warnings(metric.label, baselines)
    scores = {"chosen": result.chosen, "oracle": result.oracle, RANDOM: result.random}
    comparison = _comparison(study, model, metric)
    if comparison is not None and study.other is not None:
        scores = {"chosen": result.chosen, study.other.name: comparison.pop("scored"), **scores}
    families = [] if study.families is None else _families(study)
    return {
        "choices": _choices(result.first, baselines, scores),
        "gain": {"delta": result.gain.delta, "low": result.gain.low, "high": result.gain.high, "p": result.p},
        "recovered": result.recovered,
        "warnings": warnings,
        "reliability": None if found.reliability is None else found.reliability.to_dict(),
        "thresholds": thresholds(study),
        "families": families,
        "comparison": comparison,
    }


def _families(study: Study) -> list[dict[str, Any]]:
    families, filled = study.families, study.chosen.filled
    if families is None:
        return []
    better, worse = (study.outcomes[filled] == OUTCOMES.index(name) for name in ("better", "worse"))
    return family_shares(families, study.chosen.top, study.first.top, better, worse)


def _choices(first: Scored, baselines: tuple[BaselineResult, ...], scores: dict[str, Scored]) -> list[dict[str, Any]]:
    named = {"first round": first}
    named |= {each.label: each.scored for each in baselines if each.name != RANDOM}
    named |= scores
    return [{"name": name, "score": each.score, "low": each.low, "high": each.high} for name, each in named.items()]


def _baselines(study: Study, metric: Metric, notes: list[str]) -> tuple[BaselineResult, ...]:
    """Choices without training, such as voting and minimum Bayes risk, also of texts that come with features."""
    data = study.data
    if data.n_candidates > _MOST_FOR_BASELINES:
        notes.append(
            f"Choices without training are left out over {_MOST_FOR_BASELINES:,} candidates; see runoff describe."
        )
        return ()
    task: Task | None = study.task
    if task is not None and not task.baseline_names:
        task = tasks.recognise(data.replace(features=Features.none(data.n_candidates)))
    if task is not None and not task.baseline_names:
        task = None
    first = metric.rows(data, study.first)
    chosen = None if study.model is None else metric.rows(data, study.chosen)
    return baseline_results(task, metric, data, first, study.resampling.over(data), chosen)


def _comparison(study: Study, model: LinearModel, metric: Metric) -> dict[str, Any] | None:
    """How the other model's choices compare, paired."""
    other = study.other
    if other is None or other.model is None:
        return None
    found = compare(model, other.model, study.data, metric, resampling=study.resampling)
    duel = found.duels[0]
    return {
        "scored": duel.b,
        "name": other.name,
        "lead": {"delta": duel.lead.delta, "low": duel.lead.low, "high": duel.lead.high, "p": duel.p},
        "differ": found.differ,
        "wins": found.wins_a,
        "losses": found.wins_b,
    }
