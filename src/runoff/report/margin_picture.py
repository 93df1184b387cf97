"""The picture of margins: their distribution in every data set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.pictures import new_figure, write_figure
from runoff.report.margin_report import in_unit

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.arrays import Floats
    from runoff.report.margin_report import Margins

# Lines differ in style as well as in colour, so that they can be distinguished in grey; twenty sets before one repeats.
_COLOURS = ("#174f86", "#d0693f", "#3fa37a", "#6b7a90", "#b08a2e")
_STYLES = ("-", "--", "-.", ":")
_INK, _FAINT = "#333333", "#b8bcc4"
_EDGES = 0.5, 99.5  # percentiles of the margins of a set at the edges of the picture
_BINS = 12, 48  # fewest and most
_HEIGHT = 0.86  # of the tallest column, where sets are one apart
_LONGEST = 30  # letters of a name


def draw_margins(margins: Margins, path: str | Path) -> None:
    """Draw the cumulative share of groups by margin and, next to it, a histogram per data set.

    Margins are in units of the spread of scores within groups. Groups far out at either end are not drawn; their number
    is given under the picture.
    """
    named = {each.name: in_unit(each.values[~np.isnan(each.values)], each.spread) for each in margins.sets}
    low, high = _edges(list(named.values()))
    figure, (left, right) = new_figure(2, 11.5, 4.2 + 0.35 * max(0, len(named) - 4))
    for axis in (left, right):
        axis.set_xlim(low, high)
        axis.axvline(0, color=_INK, linewidth=0.9, zorder=0)
        axis.xaxis.set_major_formatter(lambda value, _: "0" if value == 0 else f"{value:+g}")
    _cumulative(left, named)
    _histograms(right, named, low, high)
    figure.legend(*left.get_legend_handles_labels(), loc="outside upper left", ncols=3, frameon=False, handlelength=3)
    all_values = np.concatenate(list(named.values()))
    beyond = int(np.count_nonzero((all_values < low) | (all_values > high)))
    more = f"; {beyond:,} of {all_values.size:,} groups are outside" if beyond else ""
    figure.supxlabel(f"margin, in standard deviations of the scores within a group{more}", fontsize=10)
    write_figure(figure, path)


def _short(name: str) -> str:
    """A name cut in the middle, because file names often differ near the end; a dollar sign starts no formula."""
    shown = name if len(name) <= _LONGEST else f"{name[:8]}…{name[9 - _LONGEST :]}"
    return shown.replace("$", r"\$")


def _edges(sets: list[Floats]) -> tuple[float, float]:
    """Left and right edge of the picture, around zero."""
    found = [np.percentile(values, _EDGES) for values in sets]
    low, high = min(0.0, *(each[0] for each in found)), max(0.0, *(each[1] for each in found))
    room = 0.06 * (high - low) or 1.0
    return low - room, high + room


def _cumulative(axis: Any, named: dict[str, Floats]) -> None:
    for at, (name, values) in enumerate(named.items()):
        colour, style = _COLOURS[at % len(_COLOURS)], _STYLES[at % len(_STYLES)]
        label = f"{np.mean(values > 0):.1%} right in {_short(name)}"
        axis.ecdf(values, color=colour, linestyle=style, linewidth=1.6, label=label)
    axis.set_ylim(0, 1)
    axis.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axis.set_title("share of groups with at most this margin", fontsize=11)
    axis.grid(axis="y", color=_FAINT, linewidth=0.5, alpha=0.6)


def _histograms(axis: Any, named: dict[str, Floats], low: float, high: float) -> None:
    """One histogram per set: wrong groups pale, right ones full, tied ones a thin dark bar at zero."""
    smallest = min(values.size for values in named.values())
    width = (high - low) / np.clip(2 * np.sqrt(smallest), *_BINS)
    bins = width * np.arange(np.floor(low / width), np.ceil(high / width) + 1)  # zero is between two
    shares = {
        name: [np.histogram(side, bins)[0] / values.size for side in (values[values < 0], values[values > 0])]
        for name, values in named.items()
    }
    tied = {name: float(np.mean(values == 0)) for name, values in named.items()}
    tallest = max(*tied.values(), *(float(side.max()) for sides in shares.values() for side in sides))
    for at, name in enumerate(named):
        colour, floor = _COLOURS[at % len(_COLOURS)], float(len(named) - 1 - at)
        for side, opacity in zip(shares[name], (0.35, 1.0), strict=True):
            heights = _HEIGHT * side / tallest
            axis.bar(bins[:-1], heights, width, floor, align="edge", color=colour, alpha=opacity, linewidth=0)
        axis.bar(0, _HEIGHT * tied[name] / tallest, 0.4 * width, floor, color=_INK)
        axis.axhline(floor, color=_FAINT, linewidth=0.8)
    axis.set_ylim(-0.02, len(named))
    axis.set_yticks(np.arange(len(named)) + 0.25, [_short(name) for name in named][::-1])
    axis.tick_params(axis="y", length=0)
    axis.spines["left"].set_visible(False)
    kinds = "wrong (pale), right (full)" + (", tied (black)" if any(tied.values()) else "")
    axis.set_title(f"groups by margin: {kinds}", fontsize=11)
