"""Bars for what speaks for one of two candidates and what for the other, drawn to a surface in points."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from runoff.pictures import AGAINST, FOR, text_font, text_width
from runoff.tasks.translation.translation_layout import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.model import Explanation

SIZE, ROW = 8.5, 15.0  # of letters; from bar to bar
_BAR, _GAP, _LEAST = 9.0, 6.0, 0.6  # how high a bar is; between name, bar and number; the shortest bar
_FEATURES, _FAMILIES = 10, 8  # that have a bar
_INK, _SOFT, _AXIS = "#1a1a1a", "#555555", "#8a8f98"


def bars_of(reasons: Explanation) -> tuple[list[tuple[str, float]], list[tuple[str, float]]]:
    """Rows of bars: the strongest features with the sum of the others, and families, where they say more."""
    contributions = reasons.contributions
    features = [(each.name, each.amount) for each in contributions[:_FEATURES]]
    if len(contributions) > _FEATURES:
        rest = math.fsum(each.amount for each in contributions[_FEATURES:])
        features.append((f"{len(contributions) - _FEATURES:,} more", rest))
    families = list(reasons.families.items())
    return features, families[:_FAMILIES] if len(families) < len(contributions) else []


def draw_bars(surface: Any, left: float, top: float, width: float, rows: Sequence[tuple[str, float]]) -> float:
    """Draw rows of a name and an amount between `left` and `left + width`, from `top` down; returns where they end.

    A bar to the right speaks for the winner, one to the left against it; the number stands at its end. Names that are
    too long lose letters in their middle.

    Examples
    --------
    >>> from runoff.pictures import new_canvas
    >>> draw_bars(new_canvas(300, 100)[1], 0, 100, 300, [("lm", 0.5), ("words", -0.2)])
    70.0
    """
    if not rows:
        return top
    names = [_fitting(name, 0.46 * width) for name, _ in rows]
    numbers = [f"{amount:+.2f}" for _, amount in rows]
    room = max(text_width(name, SIZE) for name in names)
    number = max(text_width(each, SIZE) for each in numbers) + _GAP
    least, most = min(0.0, *(amount for _, amount in rows)), max(0.0, *(amount for _, amount in rows))
    sides = (number if least < 0 else 0.0), (number if most > 0 or least == most else 0.0)
    start = left + room + _GAP + sides[0]
    scale = max(width - (start - left) - sides[1], 10.0) / ((most - least) or 1.0)
    zero = start - least * scale
    for at, ((_, amount), name, written) in enumerate(zip(rows, names, numbers, strict=True)):
        baseline = top - at * ROW - 11.0
        _write(surface, left + room, baseline, name, "right", _INK)
        end = zero + amount * scale
        end = end if abs(end - zero) >= _LEAST else zero + (_LEAST if amount >= 0 else -_LEAST)
        _rectangle(surface, min(zero, end), baseline - 1.2, abs(end - zero), FOR if amount >= 0 else AGAINST)
        beside = end + (_GAP / 2 if amount >= 0 else -_GAP / 2)
        _write(surface, beside, baseline, written, "left" if amount >= 0 else "right", _SOFT)
    surface.plot([zero, zero], [top - 1, top - len(rows) * ROW - 1], color=_AXIS, linewidth=0.8, zorder=1)
    return top - len(rows) * ROW


def _fitting(name: str, most: float) -> str:
    """A name without letters in its middle, where it is too wide."""
    name = printable(" ".join(name.split()))
    if text_width(name, SIZE) <= most:
        return name
    for keep in range(min(len(name), 120) - 1, 2, -1):
        cut = f"{name[: (keep + 1) // 2]}…{name[len(name) - keep // 2 :]}"
        if text_width(cut, SIZE) <= most:
            return cut
    return "…"


def _rectangle(surface: Any, x: float, y: float, width: float, colour: str) -> None:
    from matplotlib.patches import Rectangle

    surface.add_patch(Rectangle((x, y), width, _BAR, facecolor=colour, edgecolor="none", zorder=2))


def _write(surface: Any, x: float, y: float, text: str, side: str, colour: str) -> None:
    surface.text(
        x,
        y,
        text,
        fontproperties=text_font(SIZE),
        color=colour,
        horizontalalignment=side,
        verticalalignment="baseline",
        parse_math=False,  # a dollar sign is not math
        usetex=False,
        zorder=3,
    )
