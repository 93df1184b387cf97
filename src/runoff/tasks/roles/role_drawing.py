"""A picture of a sentence and its roles: words in lines, and below them a row of bars for every predicate."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from runoff.pictures import new_canvas, picture_kind, text_font, text_width, write_figure
from runoff.tables import counted
from runoff.tasks.parsing.tree_display import printable
from runoff.tasks.roles.propositions import CONTINUED, PREDICATE, REFERRING
from runoff.tasks.roles.role_rows import DIFFERS, RoleLayout, role_rows, rows_in, said_in_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from runoff.tasks.roles.propositions import RoleSentence
    from runoff.tasks.roles.role_rows import Bar, RoleRow

# Lengths are in points, 72 to the inch.
_WORD, _LABEL, _TITLE = 11.0, 8.5, 9.0  # sizes of letters
_GAP, _PADDING = 7.0, 9.0  # between words; what a label needs on both sides
_ROW, _BAR, _LINE, _BETWEEN = 18.0, 14.0, 24.0, 16.0  # heights: of a row, of its bar, of words; between lines
_APART = 6.0  # between predicates, where there are two rows of each
_MARGIN, _WIDEST = 16.0, 760.0
_LONGEST = 24  # letters of a word
_INK, _SOFT = "#1a1a1a", "#555555"
_LIGHT_LETTERS = "#ffffff"
# Every bar carries its label, so that nothing is told by colour alone; they differ in lightness too.
_FILLS = {PREDICATE: "#33373d", "A0": "#bcd9f2", "A1": "#fbdc9b", "A2": "#c4e5c3", "AM": "#e3dced"}
_OTHER = "#d5dadb"


def draw_roles(sentences: Sequence[RoleSentence], path: str | Path, names: Sequence[str] = ("",)) -> None:
    """Draw one labelling of a sentence, or two of the same one, with the arguments that differ marked.

    Long sentences are drawn in several lines; the picture grows with them. Further pieces of an argument (C-) have a
    dashed edge, words that refer to one (R-) a dotted one. An SVG keeps words as text, and says in words what it
    shows. The same sentences give the same bytes.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from runoff.tasks.roles.propositions import Argument, Proposition, RoleSentence
    >>> left = Proposition(1, "leave", (Argument(0, 1, "A0"), Argument(1, 2, "V")))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     picture = pathlib.Path(folder, "roles.svg")
    ...     draw_roles([RoleSentence(("I", "left"), (left,))], picture)
    ...     "<desc>leave: A0 “I”; V “left”.</desc>" in picture.read_text(encoding="utf-8")
    True
    """
    kind = picture_kind(path)
    words = [_cut(printable(word)) for word in sentences[0].words]
    rows = role_rows(sentences, names)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        figure = _figure(words, rows)
        whole = [printable(word) for word in sentences[0].words]
        title = f"Roles of {counted(len({row.predicate for row in rows}), 'predicates')}: {' '.join(whole)}"
        write_figure(figure, path, text_as_shapes=kind != "svg", described=(title, said_in_words(whole, rows)))


def _cut(text: str) -> str:
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]}…{text[1 - half :]}"


def _figure(words: Sequence[str], rows: Sequence[RoleRow]) -> Any:
    margin = _MARGIN + max((text_width(row.title, _TITLE) + 2 * _GAP for row in rows), default=0.0)
    layout = RoleLayout.of(
        [text_width(word, _WORD) for word in words],
        rows,
        lambda bar: text_width(bar.text, _LABEL, bold=True) + _PADDING,
        _GAP,
        max(_WIDEST - margin, 300.0),
    )
    shown = {
        line: _in_pairs(rows_in(rows, line), len({row.predicate for row in rows}) < len(rows)) for line in layout.lines
    }
    differs = any(bar.differs for row in rows for bar in row.bars)
    notes = [f"{DIFFERS} only one of the two has this argument"] if differs else []
    notes += [] if rows else ["This sentence has no predicates."]
    wide = max((layout.places(line, _GAP)[line[1]] for line in layout.lines), default=0.0)
    wide = max(margin + wide, *(_MARGIN + text_width(note, _TITLE) for note in notes), 120.0) + _MARGIN
    high = (
        sum(_LINE + sum(gap + _ROW for gap, _ in each) + _BETWEEN for each in shown.values())
        + _LINE * len(notes)
        + 2 * _MARGIN
    )
    figure, surface = new_canvas(wide, high)
    top = high - _MARGIN
    for line, each in shown.items():
        places = {at: margin + place for at, place in layout.places(line, _GAP).items()}
        for at in range(*line):
            _write(surface, places[at] + layout.widths[at] / 2, top - _WORD, words[at], _WORD, centred=True)
        top -= _LINE
        for gap, row in each:
            top -= gap
            _write(surface, _MARGIN, top - _BAR + 4.0, row.title, _TITLE, colour=_SOFT)
            for bar in row.bars:
                if bar.is_in(line):
                    _draw_bar(surface, bar, places, line, top)
            top -= _ROW
        top -= _BETWEEN
    for note in notes:
        _write(surface, _MARGIN, top - _WORD, note, _TITLE, colour=_SOFT)
        top -= _LINE
    return figure


def _in_pairs(rows: Sequence[RoleRow], are_pairs: bool) -> list[tuple[float, RoleRow]]:
    """Rows with the gap above each: the rows of one predicate by two labellings stand together."""
    before = [None, *(row.predicate for row in rows)]
    is_next = [
        are_pairs and last is not None and last != row.predicate for last, row in zip(before, rows, strict=False)
    ]
    return [(_APART if starts else 0.0, row) for starts, row in zip(is_next, rows, strict=True)]


def _draw_bar(surface: Any, bar: Bar, places: Mapping[int, float], line: tuple[int, int], top: float) -> None:
    from matplotlib.patches import Rectangle

    left, right = places[max(bar.start, line[0])], places[min(bar.stop, line[1])] - _GAP
    base = bar.label.removeprefix(CONTINUED).removeprefix(REFERRING)
    fill = _FILLS.get(base) or _FILLS.get(base.partition("-")[0]) or _OTHER
    style = "--" if bar.label.startswith(CONTINUED) else ":" if bar.label.startswith(REFERRING) else "-"
    edge = "#9c3413" if bar.differs else _SOFT
    surface.add_patch(
        Rectangle(
            (left, top - _BAR),
            right - left,
            _BAR,
            facecolor=fill,
            edgecolor=edge,
            linewidth=2.0 if bar.differs else 0.8,
            linestyle=style,
            zorder=1,
        )
    )
    whole = f"{'… ' * (bar.start < line[0])}{bar.text}{' …' * (bar.stop > line[1])}"
    text = whole if text_width(whole, _LABEL, bold=True) <= right - left else bar.text
    colour = _LIGHT_LETTERS if base == PREDICATE else _INK
    _write(surface, (left + right) / 2, top - _BAR + 4.0, text, _LABEL, bold=True, centred=True, colour=colour)


def _write(
    surface: Any,
    x: float,
    y: float,
    text: str,
    size: float,
    *,
    bold: bool = False,
    centred: bool = False,
    colour: str = _INK,
) -> None:
    surface.text(
        x,
        y,
        text,
        fontproperties=text_font(size, bold),
        color=colour,
        horizontalalignment="center" if centred else "left",
        verticalalignment="baseline",
        parse_math=False,  # a dollar sign is not math
        usetex=False,
        zorder=2,
    )
