"""Figures drawn without a display and written atomically, in one visual language.

A title says what was found, in a sentence; the line under the picture names the data and what is drawn. Lines differ
in colour (distinguishable for the colour-blind, after Okabe & Ito), style and mark, so that they do in grey too.
"""

from __future__ import annotations

import html
import textwrap
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runoff.errors import UsageError
from runoff.files import replacing
from runoff.tables import width as columns_of

if TYPE_CHECKING:
    from collections.abc import Sequence

DPI = 130
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#4d4d4d")
STYLES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (3, 3)), "-")
MARKS = ("o", "s", "^", "D", "v", "P", "X")
INK, SOFT, FAINT = "#333333", "#6b6f76", "#c9ccd2"
FOR, AGAINST = COLOURS[:2]  # what speaks for a choice, and against it
_LETTERS = 14.5  # of the line under a picture, to an inch
_BOLD = 9.8  # of a title
# Together these cover most scripts; matplotlib takes each character from the first font that has it.
_FONTS = (
    "DejaVu Sans",
    "Noto Sans",
    "Noto Sans CJK SC",
    "Noto Sans CJK JP",
    "Noto Sans Arabic",
    "Noto Sans Devanagari",
    "WenQuanYi Zen Hei",
    "Arial Unicode MS",
    "Hiragino Sans",
    "PingFang SC",
    "Microsoft YaHei",
    "Yu Gothic",
    "Malgun Gothic",
    "Nirmala UI",
    "Segoe UI",
)


def new_figure(
    panels: int,
    width: float,
    height: float,
    *,
    widths: Sequence[float] | None = None,
    heights: Sequence[float] | None = None,
) -> tuple[Any, Any]:
    """An empty figure with panels side by side; sizes are in inches, no display is needed.

    `widths` are those of the panels, relative to each other; with `heights`, panels stand one above the other.

    Examples
    --------
    >>> figure, axes = new_figure(2, 9.2, 3.0)
    >>> len(axes)
    2
    """
    figure = _figure(width, height, layout="constrained")
    rows, columns = (1, panels) if heights is None else (panels, 1)
    axes = figure.subplots(rows, columns, squeeze=False, width_ratios=widths, height_ratios=heights).ravel()
    for axis in axes:
        axis.spines[["top", "right"]].set_visible(False)
    return figure, axes


def headline(figure: Any, title: str, subtitle: str) -> None:
    """Write the finding in bold over a figure of `new_figure`, and under it what it was found on."""
    inches = float(figure.get_size_inches()[0])
    told = "\n".join(textwrap.wrap(title, int(_BOLD * inches)))
    under = "\n".join(textwrap.wrap(subtitle, int(_LETTERS * inches)))
    figure.suptitle(plain(told), x=0.01, ha="left", fontsize=12, fontweight="bold", color=INK)
    figure.supxlabel(plain(under), x=0.01, ha="left", fontsize=8.5, color=SOFT)


def plain(text: str) -> str:
    """Text that means itself: a dollar sign starts no formula.

    Examples
    --------
    >>> print(plain("5 $"))
    5 \\$
    """
    return text.replace("$", r"\$")


def new_canvas(width: float, height: float) -> tuple[Any, Any]:
    """An empty figure and one surface that covers it, without axes; units are points from the lower left.

    Examples
    --------
    >>> figure, surface = new_canvas(144, 72)
    >>> [float(inches) for inches in figure.get_size_inches()]
    [2.0, 1.0]
    """
    figure = _figure(width / 72, height / 72)
    surface = figure.add_axes((0, 0, 1, 1))
    surface.set_axis_off()
    surface.set_xlim(0, width)
    surface.set_ylim(0, height)
    return figure, surface


def _figure(width: float, height: float, **options: Any) -> Any:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), **options)
    FigureCanvasAgg(figure)
    return figure


def picture_kind(path: str | Path) -> str:
    """The image format that a file extension asks for.

    Examples
    --------
    >>> picture_kind("trees.SVG")
    'svg'
    """
    kind = Path(path).suffix.lower().lstrip(".")
    if kind not in ("png", "svg", "pdf"):
        raise UsageError(f"pictures are written as .png, .svg or .pdf; found {Path(path).name!r}.")
    return kind


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Width of a text in points; at least what its characters would need in a font that is not installed.

    Examples
    --------
    >>> text_width("Wide", 9.0) < text_width("Wide", 9.0, bold=True) < text_width("Wider", 9.0, bold=True)
    True
    """
    from matplotlib.textpath import text_to_path

    measured: float = text_to_path.get_text_width_height_descent(text, text_font(size, bold), False)[0]
    return max(measured, 0.5 * size * columns_of(text))


@cache
def text_font(size: float, bold: bool = False) -> Any:
    """The fonts for texts in any script, as far as they are installed.

    Examples
    --------
    >>> text_font(9.0).get_size()
    9.0
    """
    from matplotlib.font_manager import FontProperties, fontManager

    here = {font.name for font in fontManager.ttflist}
    families = [*(name for name in _FONTS if name in here), "sans-serif"]
    return FontProperties(family=families, size=size, weight="bold" if bold else "normal")


def write_figure(
    figure: Any,
    path: str | Path,
    *,
    dpi: float = DPI,
    text_as_shapes: bool = True,
    described: tuple[str, str] | None = None,
) -> None:
    """Write a figure as PNG, SVG or PDF, by the file extension; the same figure gives the same bytes.

    In SVG, text is drawn as shapes that look the same everywhere, or kept as text that can be searched and copied.
    `described` is a title and a description, for those who hear an SVG instead of seeing it.
    """
    kind = picture_kind(path)
    # SVG and PDF contain a date, and SVG random ids as well.
    metadata = {"Date": None} if kind == "svg" else {"CreationDate": None} if kind == "pdf" else None
    from matplotlib import rc_context

    letters = "path" if text_as_shapes else "none"
    with rc_context({"svg.hashsalt": "runoff", "svg.fonttype": letters}), replacing(path) as temporary:
        figure.savefig(temporary, format=kind, dpi=dpi, metadata=metadata)
        if kind == "svg" and described is not None:
            title, description = (html.escape(text) for text in described)
            head, opening, rest = temporary.read_text(encoding="utf-8").partition("<svg ")
            attributes, _, content = rest.partition(">")
            names = f"<title>{title}</title><desc>{description}</desc>"
            temporary.write_text(f'{head}{opening}role="img" {attributes}>{names}{content}', encoding="utf-8")
