"""Pictures of evaluations, trainings and decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.pictures import new_figure, write_figure
from runoff.report.baselines import RANDOM
from runoff.report.scored import p_text
from runoff.tables import counted, shorten

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from runoff.learners import Learner
    from runoff.metrics import Metric
    from runoff.model import Explanation
    from runoff.report.evaluation import Evaluation, Result
    from runoff.report.reliability import Reliability

COLOURS = {"random": "#b8bcc4", "first round": "#6b7a90", "chosen": "#1f77b4", "oracle": "#d9c27c"}
FOR, AGAINST = "#2a8f5c", "#c4553b"
_MOST_PANELS = 4


def draw_evaluation(evaluation: Evaluation, path: str | Path) -> int:
    """Draw every choice with its interval, a panel per metric, and the reliability of the confidence, if there is one.

    Returns how many metrics were left out.
    """
    results = evaluation.results[:_MOST_PANELS]
    more = max(len(result.baselines) for result in results)  # rows besides the usual ones
    panels = len(results) + (evaluation.reliability is not None)
    figure, axes = new_figure(panels, 4.6 * panels, 3.0 + 0.4 * more)
    for axis, result in zip(axes, results, strict=False):
        _choices(axis, result)
    if evaluation.reliability is not None:
        _reliability(axes[-1], evaluation.reliability)
    write_figure(figure, path)
    return len(evaluation.results) - len(results)


def draw_demo(evaluation: Evaluation, explanation: Explanation, path: str | Path) -> None:
    """Draw the first metric next to one explained decision."""
    figure, (left, right) = new_figure(2, 12.5, 4.2)
    _choices(left, evaluation.results[0])
    _reasons(right, explanation)
    write_figure(figure, path)


def draw_training(learner: Learner, path: str | Path) -> None:
    """Draw training curves: loss (or violated pairs) and dev score by step, and the work of boosting.

    The dev curve is that of Collins & Koo's (2005) figure 5, Work(n) and Savings(n) those of figures 8 and 9, with the
    savings within the intervals of their section 5.4.3.
    """
    work = getattr(learner, "work", None)
    drawn = [_training]
    if learner.history and "dev" in learner.history[0]:
        drawn.append(_dev)
    if work is not None and work.additions.size:
        drawn += [_work, _savings]
    figure, axes = new_figure(len(drawn), 4.4 * len(drawn), 3.4)
    for axis, draw in zip(axes, drawn, strict=True):
        draw(axis, learner)
    write_figure(figure, path)


def draw_recipes(provenance: Mapping[str, Any], metric: Metric, path: str | Path) -> None:
    """Draw the held-out gain of every recipe, with a threshold and without; the one kept is highlighted."""
    recipes = dict(reversed(provenance["recipes"].items()))
    figure, (axis,) = new_figure(1, 6.4, 1.2 + 0.36 * len(recipes))
    threshold, kept = provenance["threshold"], provenance["recipe"]
    if threshold is not None and threshold["keeps_first_choice"]:
        kept, said = None, "none, the first choice stays"
    else:
        said = kept if provenance["fallback"] is None else f"{kept}, which needs no training"
    for at, (name, found) in enumerate(recipes.items()):
        gain = found["gain_without_threshold"] if threshold is None else found["gain"]
        axis.barh(at, gain, color=COLOURS["chosen" if name == kept else "first round"], height=0.62)
        axis.plot(found["gain_without_threshold"], at, marker="D", markersize=5, color=AGAINST, linestyle="none")
    axis.axvline(0, color="#333333", linewidth=0.8)
    axis.set_yticks(range(len(recipes)), list(recipes))
    axis.set_xlabel(f"gain in {metric.label} over the first round (diamond: without a threshold)")
    axis.set_title(f"kept: {said}", fontsize=11)
    write_figure(figure, path)


def _training(axis: Any, learner: Any) -> None:
    has_loss = not learner.history or "loss" in learner.history[0]
    what, title = ("loss", "loss on the training data") if has_loss else ("mistakes", "violated pairs in training")
    values = [entry[what] for entry in learner.history]
    _line(axis, learner, values, title, "#6b7a90")
    if values and min(values) > 0 and max(values) > 10 * min(values):
        axis.set_yscale("log")


def _dev(axis: Any, learner: Any) -> None:
    provenance, unit = learner.model.provenance, f"{_step(learner)}s"
    metric = provenance["dev"]["metric"].split("|")[0]
    scores = [entry["dev"] for entry in learner.history]
    _line(axis, learner, scores, f"{metric} on the dev data", COLOURS["chosen"])
    first = provenance["dev"].get("first_round")
    chosen = provenance.get(unit) if provenance.get("parameters", {}).get(unit) == "auto" else None
    if first is not None:
        axis.axhline(first, color=COLOURS["first round"], linewidth=1, linestyle="--", label="first round")
    if chosen is not None:
        axis.axvline(chosen, color=AGAINST, linewidth=1, linestyle="--", label=f"{counted(chosen, unit)} chosen")
    if first is not None or chosen is not None:
        axis.margins(y=0.15)  # room for the legend
        axis.legend(loc="best", fontsize=8, frameon=False)


def _work(axis: Any, learner: Any) -> None:
    _line(axis, learner, learner.work.curve, "Work(n): additions in naive passes", FOR)


def _savings(axis: Any, learner: Any) -> None:
    curve = learner.work.curve
    savings = [at / max(work, 1e-300) for at, work in enumerate(curve, 1)]
    _line(axis, learner, savings, "Savings(n): naive additions over ours", FOR)
    intervals = learner.work.intervals()
    for interval, within in intervals.items():
        first, last = map(int, interval.split("-"))
        axis.plot([first, last], [within, within], color=AGAINST, linewidth=1.4)
        axis.annotate(
            f"{within:,.1f}",
            (float(np.sqrt(first * last)), within),
            xytext=(0, 2),
            textcoords="offset points",
            fontsize=8,
            color=AGAINST,
            ha="center",
            va="bottom",
        )
    axis.set_xscale("log")
    axis.set_ylim(0, 1.3 * max(*savings, *intervals.values()))  # room for the legend
    axis.lines[0].set_label("from round 1 to n")
    axis.lines[-1].set_label("within the paper's intervals")
    axis.legend(loc="upper left", fontsize=8, frameon=False)


def _step(learner: Learner) -> str:
    """The learner's name for a step: round, epoch or step."""
    return next(iter(learner.history[0]), "step") if learner.history else "step"


def _line(axis: Any, learner: Learner, values: Any, title: str, colour: str) -> None:
    from matplotlib.ticker import MaxNLocator

    seen_alone = "o" if len(values) == 1 else ""  # a line through one point is invisible
    axis.plot(range(1, len(values) + 1), values, color=colour, linewidth=1.4, marker=seen_alone)
    axis.set_title(title, fontsize=11)
    axis.set_xlabel(_step(learner))
    axis.xaxis.set_major_locator(MaxNLocator(5, integer=True, min_n_ticks=1))
    axis.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")


def _choices(axis: Any, result: Result) -> None:
    untrained = {baseline.label: baseline.scored for baseline in result.baselines if baseline.name != RANDOM}
    bars = {
        "random": result.random,
        **untrained,
        "first round": result.first,
        "chosen": result.chosen,
        "oracle": result.oracle,
    }
    places = result.digits
    for at, (name, each) in enumerate(bars.items()):
        axis.barh(at, each.score, color=COLOURS.get(name, COLOURS["random"]), height=0.62)
        spread = [[max(each.score - each.low, 0)], [max(each.high - each.score, 0)]]
        axis.errorbar(each.score, at, xerr=spread, color="#333333", capsize=3, linewidth=1)
        axis.annotate(
            f"{each.score:.{places}f}",
            (max(each.high, each.score), at),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
        )
    axis.set_yticks(range(len(bars)), list(bars))
    scores = [value for each in bars.values() for value in (each.low, each.high, 0.0)]
    axis.set_xlim(min(scores) * 1.08, max(scores) * 1.18 or 1)
    better = "higher" if result.higher_is_better else "lower"
    axis.set_title(
        f"{result.metric} ({better} is better)\ngain {result.gain.delta:+.{places}f}, p {p_text(result.p)}",
        fontsize=11,
    )


def _reliability(axis: Any, found: Reliability) -> None:
    """Accuracy by confidence: on the diagonal the confidence means what it says; the larger a dot, the more choices."""
    axis.plot([0, 1], [0, 1], color=COLOURS["first round"], linewidth=1, linestyle="--")
    sizes = [20 + 380 * each.choices / found.choices for each in found.bins]
    confidences, accuracies = ([getattr(each, name) for each in found.bins] for name in ("confidence", "accuracy"))
    axis.plot(confidences, accuracies, color=COLOURS["chosen"], linewidth=1)
    axis.scatter(confidences, accuracies, s=sizes, color=COLOURS["chosen"], alpha=0.7, linewidths=0)
    axis.set_xlim(-0.03, 1.03)
    axis.set_ylim(-0.05, 1.08)
    axis.set_xlabel("confidence")
    axis.set_ylabel(f"share of choices that are {found.means}")
    axis.set_title(
        f"confidence {found.confidence:.1%}, {found.means} {found.accuracy:.1%}\n"
        f"expected calibration error {found.error:.1%}",
        fontsize=11,
    )


def _reasons(axis: Any, explanation: Explanation, most: int = 8) -> None:
    shown = explanation.contributions[:most][::-1]
    axis.barh(
        range(len(shown)),
        [each.amount for each in shown],
        color=[FOR if each.amount > 0 else AGAINST for each in shown],
    )
    axis.set_yticks(range(len(shown)), [shorten(each.name, 42) for each in shown], fontsize=9)
    axis.axvline(0, color="#333333", linewidth=0.8)
    axis.set_xlabel("adds to the winner's lead")
    winner, baseline = (
        shorten(each.text or f"candidate {each.index}", 74) for each in (explanation.winner, explanation.rival)
    )
    axis.set_title(f"winner: {winner}\nfirst round: {baseline}", fontsize=9, loc="left")
