"""Two trees of one sentence in one picture, with their differences marked."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from runoff.errors import DataError
from runoff.pictures import DPI, new_canvas, picture_kind, text_font, text_width, write_figure
from runoff.tables import counted, shorten
from runoff.tasks.parsing.tree_diff import Mark, marks
from runoff.tasks.parsing.tree_display import printable, shown_label, shown_word
from runoff.tasks.parsing.tree_layout import Layout, lay_out
from runoff.tasks.parsing.trees import plain

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from runoff.tasks.parsing.trees import Tree

# Lengths are in points, 72 to the inch.
_LABEL, _WORD, _TITLE = 9.0, 9.5, 12.0  # sizes of letters
_LEVEL, _TAG = 30.0, 16.0  # from level to level, from word to tag
_GAP = 8.0  # between neighbours; what a box needs on both sides, and some air
_UP, _DOWN = 10.5, 4.5  # how far a label in its box reaches above and below the line that it stands on
_FLATTEST = 240.0  # children farther apart than this hang from a bar
_MARGIN, _BETWEEN, _LINE = 16.0, 48.0, 17.0
_WIDEST = 1000.0  # of two trees next to each other; wider ones are drawn one above the other
_LONGEST = 24  # letters of a word
_MOST_PIXELS, _LONGEST_SIDE = 60e6, 32_000.0  # what common viewers open
_INK, _SOFT, _EDGE = "#1a1a1a", "#555555", "#8a8f98"

# Boxes differ in shape and lightness as well as in colour, so they can be told apart in greyscale.
_BOXES: dict[Mark, dict[str, Any]] = {
    Mark.ONLY: {"boxstyle": "square,pad=0.22", "facecolor": "#fbe8b6", "edgecolor": "#7a5c0c", "linewidth": 1.3},
    Mark.RIGHT: {"boxstyle": "round,pad=0.22", "facecolor": "#dcebf9", "edgecolor": "#174f86", "linewidth": 1.3},
    Mark.WRONG: {"boxstyle": "square,pad=0.22", "facecolor": "#9c3413", "edgecolor": "#5e1c08", "linewidth": 1.3},
}
_LETTERS = {Mark.ONLY: _INK, Mark.RIGHT: "#0e3358", Mark.WRONG: "#ffffff"}
_MEANINGS = {
    Mark.ONLY: "only in this tree",
    Mark.RIGHT: "only in this tree, and right",
    Mark.WRONG: "only in this tree, and wrong",
}


def draw_trees(
    left: Tree,
    right: Tree,
    path: str | Path,
    titles: tuple[str, str] = ("first choice", "winner"),
    *,
    gold: Tree | None = None,
) -> None:
    """Draw two trees of one sentence, and mark the constituents and tags that only one of them has.

    Small trees are drawn next to each other, larger ones one above the other; the picture grows with the sentence.
    With a gold tree, the marks distinguish right from wrong. Traces and function tags are not drawn. An SVG keeps
    words as text; a PNG of hundreds of words is scaled down to a size that viewers can open. The same trees give the
    same bytes. About one millisecond per node.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from runoff.tasks.parsing.brackets import parse_tree
    >>> left, right = parse_tree("(S (NP (PRP I)) (VP (VBP run)))"), parse_tree("(S (NP (PRP I)) (NP (NN run)))")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     picture = pathlib.Path(folder, "trees.svg")
    ...     draw_trees(left, right, picture, gold=left)
    ...     "1 constituent only here (0 right, 1 wrong)" in picture.read_text()
    True
    """
    kind = picture_kind(path)
    trees = _plain(left, f"the tree {titles[0]!r}"), _plain(right, f"the tree {titles[1]!r}")
    truth = None if gold is None else _plain(gold, "the gold tree")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        panels = [
            _panel(tree, marked, title, truth is not None)
            for tree, marked, title in zip(trees, marks(*trees, truth), titles, strict=True)
        ]
    lacking = any("missing from font" in str(each.message) for each in caught)
    notes = (
        ["Boxes stand for characters that no installed font has; an SVG keeps them."]
        if lacking and kind != "svg"
        else []
    )
    figure = _figure(panels, [Mark.ONLY] if truth is None else [Mark.RIGHT, Mark.WRONG], notes)
    inches = figure.get_size_inches()
    dpi = min(DPI, (_MOST_PIXELS / inches.prod()) ** 0.5, _LONGEST_SIDE / inches.max())
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        write_figure(figure, path, dpi=dpi, text_as_shapes=False)


def _plain(tree: Tree, what: str) -> Tree:
    found = plain(tree)
    if found is None:
        raise DataError(f"{what} has no words, only traces.")
    return found


@dataclass(frozen=True, slots=True)
class _Panel:
    """A tree with its layout, its marks and its heading."""

    layout: Layout
    marked: Mapping[Tree, Mark]
    title: str
    counts: str

    @property
    def width(self) -> float:
        written = (text_width(self.title, _TITLE, True), text_width(self.counts, _LABEL, False))
        return max(self.layout.width, *written)

    @property
    def height(self) -> float:
        return _TAG + (self.layout.levels - 1) * _LEVEL + _UP

    def draw(self, surface: Any, x: float, words: float, titles: float) -> None:
        """Draw from `x` to the right, with these baselines for words and titles."""
        _write(surface, x, titles, self.title, _TITLE, bold=True)
        _write(surface, x, titles - _LINE, self.counts, _LABEL, colour=_SOFT)
        x += (self.width - self.layout.width) / 2 if self.layout.width < self.width else 0
        tags = words + _TAG
        lines = self.layout.edges(_LEVEL, _UP, _DOWN, _FLATTEST)
        surface.add_collection(
            _lines([[(x + across, tags + up) for across, up in line] for line in lines]), autolim=False
        )
        for node, at in self.layout.x.items():
            mark, middle = self.marked.get(node), x + at
            soft = _SOFT if node.is_leaf else _INK
            line_at = tags + self.layout.level[node] * _LEVEL
            _write(surface, middle, line_at, _label(node), _LABEL, centred=True, mark=mark, colour=soft)
            if node.is_leaf:
                _write(surface, middle, words, _word(node), _WORD, centred=True)


def _panel(tree: Tree, marked: Mapping[Tree, Mark], title: str, judged: bool) -> _Panel:
    layout = lay_out(tree, _node_width, _GAP)
    constituents = [mark for node, mark in marked.items() if not node.is_leaf]
    tags = [mark for node, mark in marked.items() if node.is_leaf]
    counts = [_count(constituents, "constituents", judged)]
    if tags:
        counts.append(_count(tags, "tags", judged))
    return _Panel(layout, marked, printable(shorten(title, 80)), "; ".join(counts))


def _count(found: list[Mark], things: str, judged: bool) -> str:
    right, wrong = found.count(Mark.RIGHT), found.count(Mark.WRONG)
    return f"{counted(len(found), things)} only here" + (f" ({right} right, {wrong} wrong)" if judged and found else "")


def _figure(panels: list[_Panel], key: list[Mark], notes: list[str]) -> Any:
    first, second = panels
    beside = first.width + _BETWEEN + second.width <= _WIDEST
    head = 2.6 * _LINE  # title and counts, above a tree
    if beside:
        wide, high = first.width + _BETWEEN + second.width, head + max(first.height, second.height)
    else:
        wide, high = max(first.width, second.width), 2 * head + first.height + second.height + 0.5 * _BETWEEN
    written = [*(_MEANINGS[mark] for mark in key), *notes]
    wide = max(wide, *(text_width(text, _LABEL, False) + 3 * _MARGIN for text in written))
    below = (len(written) + 0.6) * _LINE
    figure, surface = new_canvas(wide + 2 * _MARGIN, high + below + 2 * _MARGIN)
    top = high + below + _MARGIN - _TITLE
    words = top + _TITLE - head - first.height
    if beside:
        words = min(words, top + _TITLE - head - second.height)
        first.draw(surface, _MARGIN, words, top)
        second.draw(surface, _MARGIN + first.width + _BETWEEN, words, top)
    else:
        first.draw(surface, _MARGIN, words, top)
        top = words - 0.5 * _BETWEEN - _TITLE
        second.draw(surface, _MARGIN, top + _TITLE - head - second.height, top)
    line = _MARGIN + (len(written) - 1) * _LINE
    for mark, meaning in zip(key, written, strict=False):
        _write(surface, _MARGIN + 10, line, "XP", _LABEL, centred=True, mark=mark)
        _write(surface, _MARGIN + 26, line, meaning, _LABEL, colour=_SOFT)
        line -= _LINE
    for note in notes:
        _write(surface, _MARGIN, line, note, _LABEL, colour=_SOFT)
    return figure


def _label(node: Tree) -> str:
    return _cut(shown_label(node))


def _word(node: Tree) -> str:
    return _cut(shown_word(node))


def _cut(text: str) -> str:
    """Shorten a long text in the middle: addresses and numbers differ near their ends."""
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]}…{text[1 - half :]}"


def _node_width(node: Tree) -> float:
    label = text_width(_label(node), _LABEL, True)
    return max(label, text_width(_word(node), _WORD, False)) if node.is_leaf else label


def _lines(lines: list[list[tuple[float, float]]]) -> Any:
    from matplotlib.collections import LineCollection

    return LineCollection(lines, colors=_EDGE, linewidths=0.8, capstyle="projecting", joinstyle="round", zorder=1)


def _write(
    surface: Any,
    x: float,
    y: float,
    text: str,
    size: float,
    *,
    bold: bool = False,
    centred: bool = False,
    mark: Mark | None = None,
    colour: str = _INK,
) -> None:
    surface.text(
        x,
        y,
        text,
        fontproperties=text_font(size, bold or mark is not None),
        color=colour if mark is None else _LETTERS[mark],
        bbox=None if mark is None else _BOXES[mark],
        horizontalalignment="center" if centred else "left",
        verticalalignment="baseline",
        parse_math=False,  # a dollar sign is not math
        usetex=False,
        zorder=2,
    )
