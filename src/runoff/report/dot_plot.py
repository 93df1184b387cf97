"""Values with intervals, one under the other: an axis that shows differences need not begin at zero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from runoff.pictures import COLOURS, FAINT, INK

if TYPE_CHECKING:
    from collections.abc import Sequence

_ROOM = 0.09  # of what is shown, at either end
_FAR = 1.5  # times what the other dots span: a dot so far from them is noted at the edge


@dataclass(frozen=True)
class Dot:
    """A value with its interval, and what a paper has."""

    label: str
    value: float
    low: float | None = None
    high: float | None = None
    published: float | None = None
    colour: str = COLOURS[0]
    may_be_outside: bool = False  # noted at the edge, rather than pressing the others together

    @property
    def span(self) -> tuple[float, ...]:
        """All places on the axis."""
        return tuple(each for each in (self.value, self.low, self.high, self.published) if each is not None)


def dot_rows(axis: Any, dots: Sequence[Dot], unit: str, *, digits: int = 2, reference: Dot | None = None) -> None:
    """Draw the dots of one panel; a dashed line goes through `reference`."""
    shown = [place for dot in dots if not dot.may_be_outside for place in dot.span]
    low, high = min(shown), max(shown)
    inner = (high - low) or abs(high) or 1.0
    near = [place for dot in dots for place in dot.span if low - _FAR * inner <= place <= high + _FAR * inner]
    low, high = min(near), max(near)
    room = _ROOM * ((high - low) or abs(high) or 1.0)
    axis.set_xlim(low - room, high + room)
    if reference is not None:
        axis.axvline(reference.value, color=INK, linewidth=0.9, linestyle=(0, (2, 2)), zorder=0)
    for at, dot in enumerate(dots):
        y, told = len(dots) - at, f"{dot.value:.{digits}f}"
        if not low <= dot.value <= high:
            is_left = dot.value < low
            edge, text, side = (low - room, f"◂ {told}", "left") if is_left else (high + room, f"{told} ▸", "right")
            axis.annotate(text, (edge, y), ha=side, va="center", fontsize=8.5, color=dot.colour)
            continue
        if dot.low is not None and dot.high is not None:
            axis.plot([dot.low, dot.high], [y, y], color=dot.colour, linewidth=2.6, alpha=0.45, solid_capstyle="butt")
        axis.plot(dot.value, y, "o", color=dot.colour, markersize=7, zorder=3)
        axis.annotate(
            told, (dot.value, y), (0, 6), textcoords="offset points", ha="center", fontsize=8.5, color=INK, zorder=2,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.3},
        )  # fmt: skip
        if dot.published is not None:
            axis.plot(dot.published, y, "D", color=COLOURS[1], fillstyle="none", markersize=6, zorder=2)
    axis.set_yticks(range(len(dots), 0, -1), [dot.label for dot in dots])
    axis.set_ylim(0.4, len(dots) + 0.8)
    axis.grid(axis="x", color=FAINT, linewidth=0.5, alpha=0.7)
    axis.tick_params(axis="y", length=0)
    axis.set_xlabel(unit)
