"""The figures of papers: curves, values with intervals, bars around zero, shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.pictures import COLOURS, FAINT, INK, MARKS, STYLES, headline, new_figure, write_figure
from runoff.report.dot_plot import Dot, dot_rows
from runoff.reproduce.paper import Figure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from runoff.reproduce.results import Results

_FEW, _MARKED = 10, 40  # places of a curve that each have a tick; that have a mark
_ASIDE = 0.02  # of the axis, between whiskers
_ROOM = 6  # per cent of a bar in which a number fits
_HATCHES = ("", "//", "..", "xx", "\\\\", "++", "")


def above(lead: float, unit: str) -> str:
    """How far something lies above or below what is named next.

    Examples
    --------
    >>> above(-0.5, "F"), above(0.001, "F")
    ('0.50 F below', 'level with')
    """
    if f"{abs(lead):.2f}" == "0.00":
        return "level with"
    return f"{abs(lead):.2f} {unit} {'above' if lead >= 0 else 'below'}"


@dataclass(frozen=True)
class Curve:
    """A line of a diagram, with the bounds of its intervals where it has any."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    is_published: bool = False  # numbers of the paper are drawn pale


@dataclass(frozen=True)
class Panel:
    """A diagram of curves: its axes, whether they are logarithmic, and the level that things are compared with."""

    curves: Sequence[Curve]
    x: str
    y: str
    title: str = ""
    log_x: bool = False
    log_y: bool = False
    reference: tuple[str, float] | None = None


def found_dot(results: Results, name: str, column: str, published: float | None = None) -> Dot:
    """A cell of a table as a dot; zero where it is missing."""
    value, low, high = results.cell(name, column) or (0.0, None, None)
    return Dot(name, float(value or 0.0), low, high, published)


def draw_panels(path: Path, title: str, subtitle: str, panels: Sequence[Panel], *, width: float = 5.4) -> None:
    """Draw diagrams of curves side by side."""
    figure, axes = new_figure(len(panels), width * len(panels) + 1.0, 4.2)
    for axis, panel in zip(axes, panels, strict=True):
        _curves(axis, panel)
    headline(figure, title, subtitle)
    write_figure(figure, path)


def _curves(axis: Any, panel: Panel) -> None:
    if panel.reference is not None:
        name, level = panel.reference
        axis.axhline(level, color=INK, linewidth=0.9, linestyle=(0, (1, 2)), label=name)
    places = sorted({float(value) for curve in panel.curves for value in curve.x})
    are_few = len(places) <= _FEW
    for at, curve in enumerate(panel.curves):
        colour, x = FAINT if curve.is_published else COLOURS[at % len(COLOURS)], np.asarray(curve.x, float)
        style = {"color": colour, "linestyle": STYLES[at % len(STYLES)], "linewidth": 1.6, "label": curve.label}
        mark = {"marker": MARKS[at % len(MARKS)] if x.size <= _MARKED else None, "markersize": 4.5}
        if curve.low is not None and curve.high is not None and are_few:
            # Whiskers of several curves stand side by side.
            step = _ASIDE * (at - (len(panel.curves) - 1) / 2)
            aside = x * (1 + 2 * step) if panel.log_x else x + step * (places[-1] - places[0] or 1.0)
            y = np.asarray(curve.y, float)
            whiskers = np.maximum([y - np.asarray(curve.low), np.asarray(curve.high) - y], 0.0)
            axis.errorbar(aside, y, whiskers, elinewidth=1.0, capsize=2, **style, **mark)
            continue
        axis.plot(x, curve.y, **style, **mark)
        if curve.low is not None and curve.high is not None:
            axis.fill_between(x, curve.low, curve.high, color=colour, alpha=0.13, linewidth=0)
    if panel.log_x:
        axis.set_xscale("log")
        axis.xaxis.set_major_formatter(_plain)
    if panel.log_y:
        axis.set_yscale("log")
        axis.yaxis.set_major_formatter(_plain)
    if are_few and all(value.is_integer() for value in places):
        axis.set_xticks(places, [_plain(value) for value in places])
        axis.minorticks_off()
    elif not panel.log_x and all(value.is_integer() for value in places):
        axis.locator_params(axis="x", integer=True)
    axis.set_xlabel(panel.x)
    axis.set_ylabel(panel.y)
    if panel.title:
        axis.set_title(panel.title, fontsize=10, loc="left")
    axis.grid(color=FAINT, linewidth=0.5, alpha=0.7)
    axis.legend(frameon=False, fontsize=8, handlelength=3)


def _plain(value: float, _: Any = None) -> str:
    """A number of an axis as one writes it."""
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def draw_dots(
    path: Path, title: str, subtitle: str, groups: Mapping[str, Sequence[Dot]], unit: str, *, digits: int = 2
) -> None:
    """Draw values with intervals, one under the other, a panel for every group; hollow marks are the paper's."""
    rows = max(len(dots) for dots in groups.values())
    figure, axes = new_figure(len(groups), max(6.8, 4.4 * len(groups)), 1.7 + 0.3 * rows)
    for at, (axis, (name, dots)) in enumerate(zip(axes, groups.items(), strict=True)):
        dot_rows(axis, dots, unit, digits=digits)
        if len(groups) > 1:
            axis.set_title(name, fontsize=10, loc="left")
        if at and [dot.label for dot in dots] == [dot.label for dot in next(iter(groups.values()))]:
            axis.set_yticklabels([])
    has_published = any(dot.published is not None for dots in groups.values() for dot in dots)
    marks = "dots with 95% intervals: here" + ("; hollow diamonds: the paper, on its own data" if has_published else "")
    headline(figure, title, f"{subtitle}; {marks}")
    write_figure(figure, path)


def draw_bars(
    path: Path, title: str, subtitle: str, panels: Mapping[str, Sequence[float]], ticks: Sequence[str], x: str, y: str
) -> None:
    """Draw small panels of bars around zero on one scale."""
    figure, axes = new_figure(len(panels), 2.3 * len(panels) + 0.6, 3.2)
    most = max(abs(value) for values in panels.values() for value in values) * 1.15
    for at, (axis, (name, values)) in enumerate(zip(axes, panels.items(), strict=True)):
        places = np.arange(len(values))
        colours = [COLOURS[0] if value >= 0 else COLOURS[1] for value in values]
        axis.bar(places, values, color=colours, width=0.7)
        for bar, value in zip(places, values, strict=True):
            axis.annotate(
                f"{value:.2f}", (bar, value), (0, 2 if value >= 0 else -9), textcoords="offset points",
                ha="center", fontsize=7,
            )  # fmt: skip
        axis.axhline(0, color=INK, linewidth=0.8)
        axis.set_ylim(-most, most)
        axis.set_xticks(places, ticks, fontsize=7)
        axis.set_title(name, fontsize=10)
        axis.set_xlabel(x, fontsize=8)
        if at:
            axis.set_yticklabels([])
        else:
            axis.set_ylabel(y)
    headline(figure, title, subtitle)
    write_figure(figure, path)


def diagram(name: str, title: str, caption: str, under: str, panels: Sequence[Panel]) -> Figure:
    """A figure of diagrams of curves."""
    return Figure(name, title, caption, lambda path: draw_panels(path, title, under, panels))


def dots(
    name: str,
    title: str,
    caption: str,
    under: str,
    groups: Mapping[str, Sequence[Dot]],
    unit: str,
    *,
    digits: int = 2,
) -> Figure:
    """A figure of values with intervals."""
    return Figure(name, title, caption, lambda path: draw_dots(path, title, under, groups, unit, digits=digits))


def stacked(
    name: str, title: str, caption: str, under: str, bars: Mapping[str, Mapping[str, float]], unit: str
) -> Figure:
    """A figure of shares: a bar for every label, cut into the same pieces; pieces differ in colour and hatching."""

    def draw(path: Path) -> None:
        figure, (axis,) = new_figure(1, 8.4, 1.9 + 0.38 * len(bars))
        pieces = list(next(iter(bars.values())))
        starts = np.zeros(len(bars))
        places = np.arange(len(bars), 0, -1)
        for at, piece in enumerate(pieces):
            values = np.array([shares[piece] for shares in bars.values()])
            colour = COLOURS[at % len(COLOURS)]
            axis.barh(places, values, 0.72, starts, color=colour, edgecolor="white", hatch=_HATCHES[at], label=piece)
            for place, start, value in zip(places, starts, values, strict=True):
                if value > _ROOM:
                    axis.annotate(
                        f"{value:.0f}", (start + value / 2, place), ha="center", va="center", fontsize=8,
                        color="white", bbox={"facecolor": colour, "edgecolor": "none", "pad": 1.0},
                    )  # fmt: skip
            starts += values
        axis.set_yticks(places, list(bars))
        axis.tick_params(axis="y", length=0)
        axis.set_xlim(0, 100)
        axis.set_xlabel(unit)
        axis.legend(ncols=len(pieces), frameon=False, fontsize=8, loc="lower left", bbox_to_anchor=(0, 1))
        headline(figure, title, under)
        write_figure(figure, path)

    return Figure(name, title, caption, draw)
