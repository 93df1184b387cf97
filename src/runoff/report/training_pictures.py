"""Pictures of trainings: the curve on dev data, and what recipes won on held-out lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runoff.pictures import AGAINST, COLOURS, FAINT, INK, SOFT, headline, new_figure, write_figure
from runoff.report.dot_plot import Dot, dot_rows
from runoff.report.findings import kept
from runoff.tables import counted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from runoff.learners import Learner
    from runoff.metrics import Metric


def draw_training(learner: Learner, path: str | Path, data: str = "") -> None:
    """Draw the training curve: the score on dev data by step, if there was any, and the loss (or violated pairs).

    The dev curve is that of Collins & Koo's (2005) figure 5; their Work(n) and Savings(n) are drawn by `runoff
    reproduce collins-koo-2005`.
    """
    has_dev = bool(learner.history) and "dev" in learner.history[0]
    figure, axes = new_figure(1 + has_dev, 6.4 + 4.2 * has_dev, 3.8, widths=(1.5, 1) if has_dev else None)
    if has_dev:
        title = _dev(axes[0], learner)
    training = _training(axes[-1], learner)
    if not has_dev:
        title = training
    headline(figure, title, f"{data}: training of {type(learner).__name__}" if data else type(learner).__name__)
    write_figure(figure, path)


def draw_recipes(provenance: Mapping[str, Any], metric: Metric, path: str | Path, data: str = "") -> None:
    """Draw the held-out gain of every recipe with its standard error; the one kept is highlighted."""
    threshold = provenance["threshold"]
    none = threshold is not None and threshold["keeps_first_choice"]
    dots = []
    for name, found in provenance["recipes"].items():
        gain = found["gain_without_threshold"] if threshold is None else found["gain"]
        aside = None if threshold is None else abs(gain - found["gain_low"])
        low, high = (None, None) if aside is None else (gain - aside, gain + aside)
        is_kept = name == provenance["recipe"] and not none
        label = f"{name} (kept)" if is_kept else name
        dots.append(Dot(label, gain, low, high, colour=COLOURS[0] if is_kept else SOFT))
    dots.sort(key=lambda dot: -dot.value)
    figure, (axis,) = new_figure(1, 7.2, 1.9 + 0.34 * len(dots))
    unit = f"gain in {metric.unit} over the first round" if metric.higher_is_better else f"fewer {metric.unit}"
    dot_rows(axis, dots, unit, digits=metric.digits, reference=Dot("first round", 0.0))
    axis.set_xlim(min(0.0, axis.get_xlim()[0]), max(0.0, axis.get_xlim()[1]))
    of = f"{data}: " if data else ""
    lines = "; lines: one standard error to either side" if threshold is not None else ""
    stays = any(found["keeps_first_choice"] for found in provenance["recipes"].values()) and threshold is not None
    at_zero = "; at 0 no lead is sure, so that the first choice would stay" if stays else ""
    under = f"{of}gains on {provenance['judged_on']}{lines}; dashed: the first round{at_zero}"
    headline(figure, kept(provenance, metric), under)
    write_figure(figure, path)


def _training(axis: Any, learner: Any) -> str:
    has_loss = not learner.history or "loss" in learner.history[0]
    what, title = ("loss", "loss on the training data") if has_loss else ("mistakes", "violated pairs in training")
    values = [entry[what] for entry in learner.history]
    _line(axis, learner, values, title, COLOURS[4])
    if values and min(values) > 0 and max(values) > 10 * min(values):
        axis.set_yscale("log")
    if not values:
        return "There was nothing to learn"
    return (
        f"The {title} went from {values[0]:,.4g} to {values[-1]:,.4g} in {counted(len(values), _step(learner) + 's')}"
    )


def _dev(axis: Any, learner: Any) -> str:
    """Draw the score on dev data; returns what it shows."""
    provenance, unit = learner.model.provenance, f"{_step(learner)}s"
    metric = provenance["dev"]["metric"].split("|")[0]
    scores = [entry["dev"] for entry in learner.history]
    _line(axis, learner, scores, f"{metric} on the dev data", COLOURS[0])
    first = provenance["dev"].get("first_round")
    chosen = provenance.get(unit) if provenance.get("parameters", {}).get(unit) == "auto" else None
    after, score = (len(scores), scores[-1]) if not chosen else (chosen, scores[chosen - 1])
    before = "" if first is None else f" from {first:,.4g} in the first round"
    told = f"{counted(after, unit)} bring {metric} on the dev data{before} to {score:,.4g}"
    if chosen is not None:
        axis.axvline(chosen, color=AGAINST, linewidth=1, linestyle="--", label=f"{counted(chosen, unit)} chosen")
        told = (
            told
            if chosen
            else f"No {_step(learner)} is better on the dev data than the first round: {metric} {first:,.4g}"
        )
    if first is not None:
        axis.axhline(first, color=INK, linewidth=0.9, linestyle=(0, (2, 2)), label="first round")
    if first is not None or chosen is not None:
        axis.margins(y=0.15)  # room for the legend
        axis.legend(loc="best", fontsize=8, frameon=False)
    return told


def _step(learner: Learner) -> str:
    """The learner's name for a step: round, epoch or step."""
    return next(iter(learner.history[0]), "step") if learner.history else "step"


def _line(axis: Any, learner: Learner, values: Any, name: str, colour: str) -> None:
    from matplotlib.ticker import MaxNLocator

    seen_alone = "o" if len(values) == 1 else ""  # a line through one point is invisible
    axis.plot(range(1, len(values) + 1), values, color=colour, linewidth=1.6, marker=seen_alone)
    axis.set_ylabel(name)
    axis.set_xlabel(f"{_step(learner)}s")
    axis.grid(color=FAINT, linewidth=0.5, alpha=0.7)
    axis.xaxis.set_major_locator(MaxNLocator(5, integer=True, min_n_ticks=1))
    axis.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
