"""Small tables: as text for a terminal, as HTML for a notebook."""

from __future__ import annotations

import html
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Format a table as text: the first `left` columns are left-aligned, the others right-aligned.

    Examples
    --------
    >>> print(text_table(["choice", "wer"], [["first", "15.4"], ["oracle", "9.1"]]))
    choice   wer
    ------------
    first   15.4
    oracle   9.1
    """
    widths = [max(width(row[at]) for row in [header, *rows]) for at in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        parts = []
        for at, cell in enumerate(cells):
            padding = " " * (widths[at] - width(cell))
            parts.append(cell + padding if at < left else padding + cell)
        return "  ".join(parts).rstrip()

    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    return "\n".join([line(header), rule, *map(line, rows)])


def html_table(header: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Format the same table as HTML."""

    def line(cells: Sequence[str], tag: str) -> str:
        parts = []
        for at, cell in enumerate(cells):
            side = "left" if at < left else "right"
            parts.append(f'<{tag} style="text-align:{side}">{html.escape(cell)}</{tag}>')
        return f"<tr>{''.join(parts)}</tr>"

    body = "".join(line(row, "td") for row in rows)
    return f"<table><thead>{line(header, 'th')}</thead><tbody>{body}</tbody></table>"


def html_bars(rows: Sequence[tuple[str, float]], header: Sequence[str] = ("feature", "weight")) -> str:
    """Names with numbers and a bar for each, to the right for positive ones and to the left for others.

    Examples
    --------
    >>> html_bars([("<lm>", -2.0)]).count("&lt;lm&gt;")
    1
    """
    most = max((abs(value) for _, value in rows), default=0.0) or 1.0
    parts = []
    for name, value in rows:
        width = 50 * abs(value) / most
        left, colour = (50 - width, "#d55e00") if value < 0 else (50.0, "#0072b2")
        bar = f'<div style="margin-left:{left:.1f}%;width:{width:.1f}%;height:.8em;background:{colour}"></div>'
        parts.append(
            f'<tr><td style="text-align:left">{html.escape(name)}</td><td style="text-align:right">{value:+.4f}</td>'
            f'<td style="width:16em">{bar}</td></tr>'
        )
    head = "".join(f"<th>{html.escape(each)}</th>" for each in (*header, ""))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(parts)}</tbody></table>"


def width(text: str) -> int:
    """Terminal columns that a text takes."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def shorten(text: str, limit: int) -> str:
    """Cut a long text for display, with an ellipsis; line breaks and tabs become spaces."""
    text = " ".join(text.split())
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def counted(number: int, things: str) -> str:
    """A number and its noun, in the singular for 1.

    Examples
    --------
    >>> counted(1, "epochs"), counted(1200, "rounds")
    ('1 epoch', '1,200 rounds')
    """
    return f"{number:,} {things[:-1] if number == 1 else things}"
