"""The picture of margins: their distribution in every data set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.pictures import COLOURS, FAINT, INK, STYLES, headline, new_figure, plain, write_figure
from runoff.report.margin_report import in_unit

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.arrays import Floats
    from runoff.report.margin_report import Margins

_EDGES = 0.5, 99.5  # percentiles of the margins of a set at the edges of the picture
_BINS = 12, 48  # fewest and most
_HEIGHT = 0.86  # of the tallest column, where sets are one apart
_LONGEST = 30  # letters of a name
_NAMED = 3  # sets in the title
_UNIT = "margin, in standard deviations of the scores within a list"


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
        axis.axvline(0, color=INK, linewidth=0.9, zorder=0)
        axis.xaxis.set_major_formatter(lambda value, _: "0" if value == 0 else f"{value:+g}")
    _cumulative(left, named)
    _histograms(right, named, low, high)
    left.legend(loc="upper left", frameon=False, handlelength=3, fontsize=9)
    all_values = np.concatenate(list(named.values()))
    beyond = int(np.count_nonzero((all_values < low) | (all_values > high)))
    more = f" {beyond:,} of {all_values.size:,} lists are outside." if beyond else ""
    shares = [f"{np.mean(each > 0):.1%} of the {each.size:,} lists of {_short(name)}" for name, each in named.items()]
    told = f"{', '.join(shares[:_NAMED])}{' …' if len(shares) > _NAMED else ''}"
    under = "Margin: the score of the best candidate less that of the strongest worse one; above zero it is chosen."
    headline(figure, f"The best candidate wins in {told}", under + more)
    write_figure(figure, path)


def _short(name: str) -> str:
    """A name cut in the middle, because file names often differ near the end."""
    return name if len(name) <= _LONGEST else f"{name[:8]}…{name[9 - _LONGEST :]}"


def _edges(sets: list[Floats]) -> tuple[float, float]:
    """Left and right edge of the picture, around zero."""
    found = [np.percentile(values, _EDGES) for values in sets]
    low, high = min(0.0, *(each[0] for each in found)), max(0.0, *(each[1] for each in found))
    room = 0.06 * (high - low) or 1.0
    return low - room, high + room


def _cumulative(axis: Any, named: dict[str, Floats]) -> None:
    for at, (name, values) in enumerate(named.items()):
        colour, style = COLOURS[at % len(COLOURS)], STYLES[at % len(STYLES)]
        label = plain(f"{np.mean(values > 0):.1%} right in {_short(name)}")
        axis.ecdf(values, color=colour, linestyle=style, linewidth=1.6, label=label)
    axis.set_ylim(0, 1)
    axis.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axis.set_ylabel("lists with at most this margin")
    axis.set_xlabel(_UNIT)
    axis.grid(axis="y", color=FAINT, linewidth=0.5, alpha=0.6)


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
        colour, floor = COLOURS[at % len(COLOURS)], float(len(named) - 1 - at)
        for side, opacity in zip(shares[name], (0.35, 1.0), strict=True):
            heights = _HEIGHT * side / tallest
            axis.bar(bins[:-1], heights, width, floor, align="edge", color=colour, alpha=opacity, linewidth=0)
        axis.bar(0, _HEIGHT * tied[name] / tallest, 0.4 * width, floor, color=INK)
        axis.axhline(floor, color=FAINT, linewidth=0.8)
    axis.set_ylim(-0.02, len(named))
    axis.set_yticks(np.arange(len(named)) + 0.25, [plain(_short(name)) for name in named][::-1])
    axis.tick_params(axis="y", length=0)
    axis.spines["left"].set_visible(False)
    kinds = "wrong (pale), right (full)" + (", tied (black)" if any(tied.values()) else "")
    axis.set_title(f"lists by margin: {kinds}", fontsize=9.5, loc="left")
    axis.set_xlabel(_UNIT)
