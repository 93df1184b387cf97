"""The page as Markdown, with its pictures beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


def markdown_page(page: dict[str, Any]) -> str:
    """Tables, figures and claims as Markdown; text of the data cannot make markup."""
    data = page["data"]
    parts = [f"# {page['paper']}", plain(page["citation"])]
    if data["synthetic"]:
        parts.append("Synthetic data at a small scale: it shows that everything runs, not what the paper found.")
    parts.append(f"**{plain(data['name'])}**: {plain(data['about'])}")
    parts += [f"Left out: {plain(note)}" for note in page["left_out"]]
    parts.append(f"```sh\n{page['command']}\n```")
    for table in page["tables"]:
        parts += [f"## {heading(table)}", markdown_table(table["header"], table["rows"])]
        if table["note"]:
            parts.append(plain(table["note"]))
    for figure in page["figures"]:
        title = plain(figure["title"])
        parts += [f"## {figure['name'].replace('-', ' ').capitalize()}", f"![{title}]({figure['file']})"]
        parts += [title, plain(figure["caption"])]
    parts += ["## What the paper claims, and what was found"]
    rows = [[f"**{each['verdict']}**", f"{each['claim']} ({each['where']})", each["reason"]] for each in page["claims"]]
    parts += [markdown_table(["", "claim", "why"], rows, left=3), plain(page["rule"])]
    if page["commands"]:
        lines = "\n".join(f"# {title}\n{command}" for title, command in page["commands"].items())
        parts += ["## One by one", "What single lines would be by hand:", f"```sh\n{lines}\n```"]
    parts.append(f"`{page['signature']}`")
    return "\n\n".join(parts) + "\n"


def heading(table: dict[str, Any]) -> str:
    """A table's name and title."""
    return f"{table['name'].replace('-', ' ').capitalize()}: {plain(table['title'])}"


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """A table in Markdown; the first columns are left-aligned.

    Examples
    --------
    >>> print(markdown_table(["", "F"], [["a|b", "1"]]))
    |  | F |
    |---|---:|
    | a\\|b | 1 |
    """

    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(plain(cell) for cell in cells)} |"

    rule = "|".join("---" if at < left else "---:" for at in range(len(header)))
    return "\n".join([line(header), f"|{rule}|", *map(line, rows)])


def plain(text: str) -> str:
    """Text that means itself."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
