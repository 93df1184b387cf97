"""Two translations of one sentence in one picture: both aligned to the source, what differs, and what decided."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from runoff.pictures import new_canvas, picture_kind, text_font, text_width, write_figure
from runoff.tables import shorten
from runoff.tasks.translation.contribution_bars import ROW, bars_of, draw_bars
from runoff.tasks.translation.joined_tokens import join
from runoff.tasks.translation.translation_layout import WordRow, panels_of, printable
from runoff.tasks.translation.word_marks import MEANINGS, WordMark

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from runoff.tasks.translation.choice_explanation import MarkedTranslation, TranslationExplanation
    from runoff.tasks.translation.word_links import Link

    Places = dict[int, tuple[float, float]]  # left and right end of every word of a stretch

# Lengths are in points, 72 to the inch.
_WORD, _TITLE, _NAME, _NOTE = 11.0, 11.0, 9.0, 9.0  # sizes of letters
_MARGIN, _GAP, _SPACE = 16.0, 12.0, 5.5  # around all; beside the names of rows; between words
_UP, _DOWN = 12.5, 5.0  # how far a word in its box reaches above and below the line that it stands on
_LINKS, _UNLINKED, _STUB = 60.0, 8.0, 9.0  # heights: of links, of their lack, of links that are cut
_BETWEEN, _LINE = 30.0, 16.0  # between panels; of a line of notes
_WIDEST, _NARROWEST, _LONGEST = 780.0, 620.0, 240.0  # of a row of words, of all, of a word
_INK, _SOFT, _LINK, _TOLD = "#1a1a1a", "#555555", "#c9ced6", "#e2b93b"

# Boxes differ in shape and lightness as well as in colour, so they can be told apart in greyscale.
_BOXES: dict[WordMark, dict[str, Any]] = {
    WordMark.ONLY: {"boxstyle": "square,pad=0", "facecolor": "#fbe8b6", "edgecolor": "#7a5c0c"},
    WordMark.RIGHT: {"boxstyle": "round,pad=0,rounding_size=4", "facecolor": "#dcebf9", "edgecolor": "#174f86"},
    WordMark.WRONG: {"boxstyle": "square,pad=0", "facecolor": "#9c3413", "edgecolor": "#5e1c08"},
}
_LETTERS = {WordMark.ONLY: _INK, WordMark.RIGHT: "#0e3358", WordMark.WRONG: "#ffffff"}


def draw_translations(explanation: TranslationExplanation, path: str | Path) -> None:
    """Draw a decision: the rival above the source, the winner below it, bands for what stands for what, bars for why.

    Words that only one of the two translations has are marked, and so is what they stand for. Long sentences go on in
    further panels; a band that leaves its panel is cut short. An SVG keeps words as text, and says in words what it
    shows. The same explanation gives the same bytes.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from runoff.model import LinearModel
    >>> from runoff.nbest import NBest
    >>> from runoff.tasks.translation.choice_explanation import explain
    >>> candidates = [{"text": text, "features": {"lm": value}} for text, value in (("die Bank", 0), ("das Ufer", 1))]
    >>> data = NBest.from_records([{"id": "a", "input": "the bank", "candidates": candidates}])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     picture = pathlib.Path(folder, "decision.svg")
    ...     draw_translations(explain(LinearModel.of({"lm": 1.0}), data, "a"), picture)
    ...     "the bank; candidate 0, rival and first round" in picture.read_text(encoding="utf-8")
    True
    """
    kind = picture_kind(path)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        figure = _figure(explanation, [])
        figure.canvas.draw()
    lacking = kind != "svg" and any("missing from font" in str(each.message) for each in caught)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        if lacking:
            figure = _figure(explanation, ["Boxes stand for characters that no installed font has; an SVG keeps them."])
        source, sides = join(list(explanation.source)), (explanation.rival, explanation.winner)
        said = "; ".join([source, *(f"{side.title}: {side}" for side in sides)])
        write_figure(
            figure,
            path,
            text_as_shapes=kind != "svg",
            described=(
                printable(f"Two translations of: {source}"),
                printable(f"{said} {explanation.reasons.in_words()}"),
            ),
        )


@dataclass(frozen=True, slots=True)
class _Stretch:
    """A stretch of the source and of both translations, and where their words stand."""

    source: Places
    targets: tuple[Places, Places]

    def is_cut(self, link: Link, target: Places) -> bool:
        return not (
            all(at in self.source for at in range(link.start, link.stop))
            and all(at in target for at in range(link.target_start, link.target_stop))
        )


def _figure(found: TranslationExplanation, notes: list[str]) -> Any:
    sides = (found.rival, found.winner)
    source, *targets = (
        WordRow.of(words, _measure, _SPACE, _LONGEST) for words in (found.source, *(side.words for side in sides))
    )
    names = (_name(found.rival), "source" if found.source else "", _name(found.winner))
    left = _MARGIN + max(text_width(name, _NAME, True) for name in names) + _GAP
    stretches = panels_of(source, targets, [side.links for side in sides], _WIDEST)
    rows = [source, *targets]
    room = max(row.width(*each) for panel in stretches for row, each in zip(rows, panel, strict=True))
    used = {mark for side in sides for mark in side.marks if mark is not None}
    key = [mark for mark in WordMark if mark in used]
    headings = [_heading(side) for side in sides]
    has_links = any(side.links for side in sides)
    if has_links:
        cut = " A band that leaves its part of the sentence is cut short." if len(stretches) > 1 else ""
        notes = [f"Bands join words of the source and of a translation that stand for each other.{cut}", *notes]
    elif found.source:
        notes = ["Neither the lists nor the model say which words stand for each other.", *notes]
    written = [*headings, *notes]
    wide = max(left + room + _MARGIN, _NARROWEST, *(text_width(each, _TITLE, True) + 2 * _MARGIN for each in written))
    panels = [_Stretch(*_places(rows, each, left, left + room)) for each in stretches]
    links_high = _LINKS if has_links else _UNLINKED
    panel_high = 3 * (_UP + _DOWN) + 2 * links_high
    features, families = bars_of(found.reasons)
    bars_high = (2.2 * _LINE + max(len(features), len(families)) * ROW) if features else 1.2 * _LINE
    high = 2 * _MARGIN + 2 * _LINE + len(panels) * (panel_high + _BETWEEN) + (len(key) + len(notes)) * _LINE + bars_high
    figure, surface = new_canvas(wide, high + _BETWEEN)
    top = high + _BETWEEN - _MARGIN
    for heading in headings:
        _write(surface, _MARGIN, top - _TITLE, heading, _TITLE, bold=True)
        top -= _LINE
    top -= _BETWEEN / 2
    told = found.rival.behind_marks() | found.winner.behind_marks()
    for panel in panels:
        _draw_panel(surface, panel, found, (targets[0], source, targets[1]), names, told, top, links_high)
        top -= panel_high + _BETWEEN
    for mark in key:
        _box(surface, _MARGIN, _MARGIN + 20, top - 11.0, mark, pad=0.0)
        _write(surface, _MARGIN + 28, top - 10.0, MEANINGS[mark], _NOTE, colour=_SOFT)
        top -= _LINE
    for note in notes:
        _write(surface, _MARGIN, top - 10.0, note, _NOTE, colour=_SOFT)
        top -= _LINE
    _draw_reasons(surface, found, features, families, top - _BETWEEN / 2, wide)
    return figure


def _places(rows: Sequence[WordRow], stretches: Sequence[tuple[int, int]], left: float, right: float) -> Any:
    source, *targets = (row.places(*each, left, right) for row, each in zip(rows, stretches, strict=True))
    return source, tuple(targets)


def _draw_panel(
    surface: Any,
    panel: _Stretch,
    found: TranslationExplanation,
    rows: Sequence[WordRow],
    names: Sequence[str],
    told: frozenset[int],
    top: float,
    links_high: float,
) -> None:
    step = _UP + _DOWN + links_high
    lines = [top - _UP - step * at for at in range(3)]  # what words stand on
    middle = lines[1]
    for side, target, line, is_above in zip(
        (found.rival, found.winner), panel.targets, (lines[0], lines[2]), (True, False), strict=True
    ):
        ends = (line - _DOWN, middle + _UP) if is_above else (line + _UP, middle - _DOWN)
        for link in side.links:
            _draw_link(surface, link, panel, target, ends, told=any(side.marks[link.target_start : link.target_stop]))
    places = (panel.targets[0], panel.source, panel.targets[1])
    marks: list[dict[int, WordMark | None]] = [
        dict(enumerate(found.rival.marks)),
        {},
        dict(enumerate(found.winner.marks)),
    ]
    for row, where, its, line, name in zip(rows, places, marks, lines, names, strict=True):
        _write(surface, _MARGIN, line, name, _NAME, bold=True, colour=_SOFT)
        for mark, run in groupby(where, key=its.get):
            ends_of = [where[at] for at in run]
            if mark is not None:
                _box(surface, min(low for low, _ in ends_of), max(high for _, high in ends_of), line, mark)
        for at, (low, high) in where.items():
            mark = its.get(at)
            colour = _INK if mark is None else _LETTERS[mark]
            _write(surface, (low + high) / 2, line, row.shown[at], _WORD, centred=True, colour=colour)
            if row is rows[1] and at in told:
                surface.plot([low, high], [line - 3.2] * 2, color=_TOLD, linewidth=1.8, zorder=2)


def _draw_link(
    surface: Any, link: Link, panel: _Stretch, target: Places, ends: tuple[float, float], *, told: bool
) -> None:
    from matplotlib.patches import Polygon

    here = [target[at] for at in range(link.target_start, link.target_stop) if at in target]
    there = [panel.source[at] for at in range(link.start, link.stop) if at in panel.source]
    colour = _TOLD if told else _LINK
    toward = math.copysign(_STUB, ends[1] - ends[0])
    spans = [(min(a for a, _ in each), max(b for _, b in each)) for each in (here, there) if each]
    if here and there:
        (a, b), (c, d) = spans
        corners = [(a, ends[0]), (b, ends[0]), (d, ends[1]), (c, ends[1])]
    elif spans:
        a, b = spans[0]
        edge, inner = (ends[0], ends[0] + toward) if here else (ends[1], ends[1] - toward)
        corners = [(a, edge), (b, edge), ((a + b) / 2, inner)]
    else:
        return
    above = 0.2 * told  # what is told about stands before the rest
    area: dict[str, Any] = {"facecolor": colour, "linewidth": 0.8, "alpha": 0.55, "zorder": 0.5 + above}
    surface.add_patch(Polygon(corners, closed=True, edgecolor=colour, **area))
    surface.add_patch(Polygon(corners, closed=True, fill=False, edgecolor=colour, linewidth=0.9, zorder=0.6 + above))


def _draw_reasons(
    surface: Any,
    found: TranslationExplanation,
    features: list[tuple[str, float]],
    families: list[tuple[str, float]],
    top: float,
    wide: float,
) -> None:
    votes = "" if found.reasons.votes is None else " for the mean of the voters"
    difference = found.reasons.difference
    lead = f"What decided{votes}: the winner {'leads' if difference >= 0 else 'trails'} by {abs(difference):.2f}"
    _write(surface, _MARGIN, top - _TITLE, lead, _TITLE, bold=True)
    if not features:
        return
    top -= 1.1 * _LINE
    room = wide - 2 * _MARGIN
    split = 0.62 if families else 1.0
    _write(
        surface,
        _MARGIN,
        top - 10.0,
        "by feature: to the right for the winner, to the left for the rival",
        _NOTE,
        colour=_SOFT,
    )
    draw_bars(surface, _MARGIN, top - _LINE, split * room - (_BETWEEN if families else 0), features)
    if families:
        _write(surface, _MARGIN + split * room, top - 10.0, "by family", _NOTE, colour=_SOFT)
        draw_bars(surface, _MARGIN + split * room, top - _LINE, (1 - split) * room, families)


def _heading(side: MarkedTranslation) -> str:
    return shorten(side.title[:1].upper() + side.title[1:], 100)


def _name(side: MarkedTranslation) -> str:
    if ", winner" in side.title:
        return "winner"
    return "first round" if "first round's choice" in side.title else "rival"


def _measure(word: str) -> float:
    return text_width(word, _WORD, False)


def _box(surface: Any, left: float, right: float, line: float, mark: WordMark, *, pad: float = 1.6) -> None:
    from matplotlib.patches import FancyBboxPatch

    how = {**_BOXES[mark], "linewidth": 1.1, "zorder": 1.5}
    low = line - 0.7 * _DOWN
    surface.add_patch(FancyBboxPatch((left - pad, low), right - left + 2 * pad, 0.88 * (_UP + _DOWN) - 1.0, **how))


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
        zorder=3,
    )
