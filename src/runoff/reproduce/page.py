"""Everything that a run found, as plain values: what Markdown, HTML, JSON and the terminal show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runoff.reproduce.results import RESAMPLES, TRIALS
from runoff.reproduce.verdicts import OPEN, RULE
from runoff.tables import text_table
from runoff.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runoff.reproduce.paper import Experiment, Figure, Paper, PaperData, PaperTable
    from runoff.reproduce.results import Results

Page = dict[str, Any]
NONE = "–"


def page_of(
    paper: Paper,
    material: PaperData,
    results: Results,
    figures: Sequence[Figure],
    experiments: Sequence[Experiment],
    command: str,
) -> Page:
    """Tables with the published numbers beside those found, figures, and a verdict for every claim."""
    found = paper.judge(material, results)
    claims = []
    for claim in paper.claims:
        outcome = found.get(claim.key)
        claims.append(
            {
                "claim": claim.text,
                "where": claim.where,
                "verdict": OPEN if outcome is None else outcome.verdict,
                "reason": "the data lacks what it is about" if outcome is None else outcome.reason,
            }
        )
    return {
        "paper": paper.name,
        "citation": paper.citation,
        "data": {"name": material.name, "about": material.about, "synthetic": material.is_quick},
        "left_out": list(material.left_out),
        "command": command,
        "commands": {each.title: each.command for each in experiments if each.command},
        "tables": [_table(layout, results) for layout in paper.tables(material)],
        "figures": [
            {"name": each.name, "file": f"{each.name}.png", "title": each.title, "caption": each.caption}
            for each in figures
        ],
        "claims": claims,
        "rule": RULE,
        "signature": f"runoff {__version__}|seed:{results.seed}|bootstrap:{RESAMPLES}|randomisation:{TRIALS}",
    }


def _table(layout: PaperTable, results: Results) -> dict[str, Any]:
    has_published = any(line.published for line in layout.lines)
    lines: list[dict[str, Any]] = []
    for line in layout.lines:
        ours = [results.cell(line.experiment, column) for column in layout.columns]
        published = [*line.published, *[None] * (len(layout.columns) - len(line.published))]
        lines.append({"label": line.label, "here": ours, "paper": published})
    header, rows = [""], [[line["label"]] for line in lines]
    several = layout.digits if isinstance(layout.digits, tuple) else (layout.digits,) * len(layout.columns)
    for at, (column, digits) in enumerate(zip(layout.columns, several, strict=True)):
        shown = [_shown(line["here"][at], digits) for line in lines]
        told = [NONE if line["paper"][at] is None else f"{line['paper'][at]:,.{digits}f}" for line in lines]
        header.append(column)
        for row, cell in zip(rows, shown, strict=True):
            row.append(cell)
        if has_published and any(cell != NONE for cell in told):
            header.append("paper")
            for row, cell in zip(rows, told, strict=True):
                row.append(cell)
    return {
        "name": layout.name,
        "title": layout.title,
        "columns": list(layout.columns),
        "lines": lines,
        "header": header,
        "rows": rows,
        "note": layout.note,
    }


def _shown(cell: list[float | None] | None, digits: int) -> str:
    if cell is None or cell[0] is None:
        return NONE
    value, low, high = cell
    if low is None or high is None:
        return f"{value:,.{digits}f}"
    return f"{value:.{digits}f} ({low:.{digits}f}–{high:.{digits}f})"


def page_text(page: Page) -> str:
    """The page for a terminal."""
    parts = []
    for table in page["tables"]:
        parts.append(f"{table['name']}: {table['title']}\n\n{text_table(table['header'], table['rows'])}")
        if table["note"]:
            parts.append(table["note"])
    parts += [f"{figure['file']}: {figure['title']}" for figure in page["figures"]]
    parts.append("What the paper claims, and what was found")
    parts += [f"[{each['verdict']}] {each['claim']} ({each['where']})\n    {each['reason']}" for each in page["claims"]]
    return "\n\n".join(parts)
