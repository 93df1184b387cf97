"""Roles of a sentence as text for a terminal: words, and below them a row of bars for every predicate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.tables import width
from runoff.tasks.parsing.tree_display import printable
from runoff.tasks.roles.role_rows import DIFFERS, RoleLayout, role_rows, rows_in

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from runoff.tasks.roles.propositions import RoleSentence
    from runoff.tasks.roles.role_rows import Bar

_WIDEST = 100  # columns of a terminal
_GAP = 1


def roles_text(sentences: Sequence[RoleSentence], names: Sequence[str], widest: int = _WIDEST) -> str:
    """Draw one labelling of a sentence, or two; with two, arguments that only one of them has are marked by ≠.

    Examples
    --------
    >>> from runoff.tasks.roles.propositions import Argument, Proposition, RoleSentence
    >>> said = (Argument(0, 2, "A0"), Argument(2, 3, "V"), Argument(3, 4, "A1"))
    >>> print(roles_text([RoleSentence(("The", "man", "said", "so"), (Proposition(2, "say", said, "say.01"),))], ["x"]))
            The man said so
    say.01  [A0---] [V-] [A1]
    """
    words = [printable(word) for word in sentences[0].words]
    rows = role_rows(sentences, names)
    margin = max((width(row.title) for row in rows), default=0)
    layout = RoleLayout.of(
        [width(word) for word in words], rows, lambda bar: width(bar.text) + 2, _GAP, max(widest - margin - 2, 20)
    )
    found: list[str] = []
    for line in layout.lines:
        places = {at: int(place) for at, place in layout.places(line, _GAP).items()}
        spread = [words[at] + " " * (int(layout.widths[at]) - width(words[at]) + _GAP) for at in range(*line)]
        found.append(" " * (margin + 2) + "".join(spread))
        for row in rows_in(rows, line):
            drawn = _drawn([bar for bar in row.bars if bar.is_in(line)], places, line)
            found.append(f"{row.title}{' ' * (margin - width(row.title))}  {drawn}")
        found.append("")
    if any(bar.differs for row in rows for bar in row.bars):
        found.append(f"{DIFFERS} only one of the two has this argument")
    if not rows:
        found.append("This sentence has no predicates.")
    return "\n".join(line.rstrip() for line in found).rstrip("\n")


def _drawn(bars: Sequence[Bar], places: Mapping[int, int], line: tuple[int, int]) -> str:
    """Bars of one row; without a bracket where one goes on in the line before or after."""
    drawn = ""
    for bar in bars:
        left, right = places[max(bar.start, line[0])], places[min(bar.stop, line[1])] - _GAP
        opens, closes = "[" if bar.start >= line[0] else "<", "]" if bar.stop <= line[1] else ">"
        drawn += " " * (left - width(drawn))
        drawn += f"{opens}{bar.text}{'-' * (right - left - 2 - width(bar.text))}{closes}"
    return drawn
