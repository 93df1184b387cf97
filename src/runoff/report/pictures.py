"""Pictures of evaluations and decisions."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from runoff.metrics import get
from runoff.pictures import (
    AGAINST,
    COLOURS,
    FAINT,
    FOR,
    INK,
    SOFT,
    headline,
    new_figure,
    plain,
    text_font,
    text_width,
    write_figure,
)
from runoff.report.baselines import RANDOM
from runoff.report.combination import LIMIT, UNION, VOTE
from runoff.report.dot_plot import Dot, dot_rows
from runoff.report.findings import COMBINED, decided, gained, trusted, united
from runoff.tables import shorten
from runoff.word_diff import changed_words

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from runoff.model import Explanation
    from runoff.report.combination import CombinationReport
    from runoff.report.evaluation import Evaluation, Result
    from runoff.report.reliability import Reliability

CHOICES = {RANDOM: SOFT, "first round": INK, "chosen": COLOURS[0], "oracle": COLOURS[2]}
_UNTRAINED = COLOURS[3]
_MOST_PANELS = 4
_SHORT = 0.08  # of the axis: a shorter way needs no arrow
_TITLE = 46  # letters of a line over a panel
_LINE = 80  # letters of a candidate that are shown
_SIZE, _FIRST = 9.5, 62.0  # of a line with words that stand out, in points: its letters, and where the words begin


def draw_evaluation(evaluation: Evaluation, path: str | Path, data: str = "") -> int:
    """Draw every choice with its interval, a panel per metric, and the reliability of the confidence, if there is one.

    `data` is the name of the lists. Returns how many metrics were left out.
    """
    results = evaluation.results[:_MOST_PANELS]
    more = max(len(result.baselines) for result in results)  # rows besides the usual ones
    panels = len(results) + (evaluation.reliability is not None)
    figure, axes = new_figure(panels, max(6.4, 4.9 * panels), 3.4 + 0.3 * more)
    for at, (axis, result) in enumerate(zip(axes, results, strict=False)):
        _choices(axis, result)
        if at:
            _title(axis, gained(result))
    if evaluation.reliability is not None:
        _reliability(axes[-1], evaluation.reliability)
    headline(figure, gained(results[0]), _made_on(evaluation, data))
    write_figure(figure, path)
    return len(evaluation.results) - len(results)


def draw_demo(evaluation: Evaluation, explanation: Explanation, path: str | Path, data: str, what: str) -> None:
    """Draw the first metric over one explained decision; `what` was chosen."""
    figure, (top, bottom) = new_figure(2, 8.4, 6.6, heights=(1, 1.15))
    _choices(top, evaluation.results[0])
    _reasons(bottom, explanation, 6)
    headline(figure, gained(evaluation.results[0], what), _made_on(evaluation, data))
    write_figure(figure, path)


def draw_combination(report: CombinationReport, path: str | Path, data: str = "") -> None:
    """Draw systems, what needs no training, the combination and its upper limit, by the first metric."""
    metric = report.metrics[0]
    colours = {COMBINED: COLOURS[0], report.best: INK, LIMIT: COLOURS[2], **dict.fromkeys((UNION, VOTE), _UNTRAINED)}
    rows = sorted(report.rows.items(), key=lambda row: row[1][0].score, reverse=metric.higher_is_better)
    dots = {
        name: Dot(name, scores[0].score, scores[0].low, scores[0].high, colour=colours.get(name, SOFT))
        for name, scores in rows
    }
    figure, (axis,) = new_figure(1, 7.2, 1.9 + 0.36 * len(dots))
    better = "higher" if metric.higher_is_better else "lower"
    unit = f"{metric.unit} ({better} is better)"
    dot_rows(axis, list(dots.values()), unit, digits=metric.digits, reference=dots[report.best])
    of = f"{data}. " if data else ""
    under = "Dots: scores with intervals over lists; dashed: the best system; perfect filter: the upper limit."
    headline(figure, united(report), f"{of}{under}")
    write_figure(figure, path)


def _made_on(evaluation: Evaluation, data: str) -> str:
    """The line under a picture: data, number of lists, intervals."""
    of, first = f"{data}: " if data else "", evaluation.results[0]
    gain, low, high = (f"{each:+.{first.digits}f}" for each in (first.gain.delta, first.gain.low, first.gain.high))
    return (
        f"{of}{evaluation.groups:,} lists, gain over the first round {gain} ({low} to {high}). Dots: scores with "
        f"{evaluation.confidence:.0%} bootstrap intervals over lists; dashed: the first round; oracle: the best "
        "candidate of every list."
    )


def _choices(axis: Any, result: Result) -> None:
    untrained = {each.label: (each.scored, _UNTRAINED) for each in result.baselines if each.name != RANDOM}
    own = {"first round": result.first, "chosen": result.chosen, "oracle": result.oracle, RANDOM: result.random}
    rows = {name: (scored, CHOICES[name]) for name, scored in own.items()}
    order = ["oracle", "chosen", "first round", *untrained, RANDOM]
    background = {*untrained, RANDOM}
    rows |= untrained
    dots = {
        name: Dot(name, scored.score, scored.low, scored.high, colour=colour, may_be_outside=name in background)
        for name, (scored, colour) in ((each, rows[each]) for each in order)
    }
    better = "higher" if result.higher_is_better else "lower"
    unit = f"{get(result.metric).unit} ({better} is better)"
    dot_rows(axis, list(dots.values()), unit, digits=result.digits, reference=dots["first round"])
    place, ends = len(dots) - order.index("chosen"), (result.first.score, result.chosen.score)
    if abs(ends[1] - ends[0]) > _SHORT * (axis.get_xlim()[1] - axis.get_xlim()[0]):
        arrow = {"arrowstyle": "-|>", "color": COLOURS[4], "linewidth": 2, "shrinkA": 2, "shrinkB": 7}
        axis.annotate("", (ends[1], place), (ends[0], place), arrowprops=arrow, zorder=0)


def _title(axis: Any, told: str) -> None:
    axis.set_title(plain("\n".join(textwrap.wrap(told, _TITLE))), fontsize=9.5, loc="left", color=INK)


def _reliability(axis: Any, found: Reliability) -> None:
    """Accuracy by confidence: on the diagonal the confidence means what it says; the larger a dot, the more choices."""
    sizes = [20 + 380 * each.choices / found.choices for each in found.bins]
    confidences, accuracies = (
        [100 * getattr(each, name) for each in found.bins] for name in ("confidence", "accuracy")
    )
    axis.plot(confidences, accuracies, color=COLOURS[0], linewidth=0.9, alpha=0.5)
    axis.scatter(confidences, accuracies, s=sizes, color=COLOURS[0], alpha=0.7, linewidths=0)
    least = 10 * max(0, int(min(*confidences, *accuracies) // 10) - 1)  # what lies below is empty
    axis.plot([least, 100], [least, 100], color=INK, linewidth=0.9, linestyle=(0, (2, 2)))
    room = 0.05 * (100 - least)
    axis.set_xlim(least - room, 100 + room)
    axis.set_ylim(least - room, 100 + 1.5 * room)
    axis.grid(color=FAINT, linewidth=0.5, alpha=0.7)
    axis.set_xlabel("confidence, per cent (larger dots: more choices)")
    axis.set_ylabel(f"choices that are {found.means}, %")
    _title(axis, trusted(found))


def _reasons(axis: Any, explanation: Explanation, most: int) -> None:
    """What spoke for the winner and against it, under both texts."""
    worth = [each for each in explanation.contributions if abs(each.amount) >= 0.005]  # what rounds to zero is no bar
    shown = worth[:most][::-1]
    amounts = [each.amount for each in shown]
    axis.barh(range(len(shown)), amounts, color=[FOR if each > 0 else AGAINST for each in amounts], height=0.66)
    for at, amount in enumerate(amounts):
        side = 1 if amount > 0 else -1
        axis.annotate(
            f"{amount:+.2f}", (amount, at), (4 * side, 0), textcoords="offset points", va="center", fontsize=8.5,
            ha="left" if side > 0 else "right", color=INK,
        )  # fmt: skip
    names = [plain(shorten(each.name.replace("_", " ").replace(":", ": ", 1), 40)) for each in shown]
    axis.set_yticks(range(len(shown)), names, fontsize=9)
    axis.tick_params(axis="y", length=0)
    axis.axvline(0, color=INK, linewidth=0.8)
    axis.margins(x=0.14)
    axis.set_xlabel("adds to the winner's lead in score (blue: for it, orange: against it)")
    winner, rival = (each.text or f"candidate {each.index}" for each in (explanation.winner, explanation.rival))
    axis.set_title(plain(f"One decision. {decided(explanation)}"), fontsize=9.5, loc="left", color=INK, pad=44)
    marks = changed_words(winner, rival) if max(len(winner), len(rival)) <= _LINE else ((), ())
    _words(axis, "first round", rival, marks[1], AGAINST, 25)
    _words(axis, "chosen", winner, marks[0], FOR, 9)


def _words(axis: Any, name: str, text: str, marked: Sequence[int], colour: str, above: float) -> None:
    """A line of text over the panel, in which some words stand out."""
    words = [f"{name}:", *(text.split() if marked else [shorten(text, _LINE)])]
    x = 0.0
    for at, word in enumerate(words, -1):
        stands_out = at in marked
        looks = {"fontsize": _SIZE, "color": SOFT if at < 0 else colour if stands_out else INK, "va": "baseline"}
        font = text_font(_SIZE, stands_out)
        axis.annotate(
            plain(word), (0, 1), (x, above), "axes fraction", "offset points", annotation_clip=False,
            **{**looks, "fontproperties": font},
        )  # fmt: skip
        x = _FIRST if at < 0 else x + text_width(word, _SIZE, stands_out) + text_width(" ", _SIZE)
