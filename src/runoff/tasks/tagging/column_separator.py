"""What separates the columns of a file: tabs, or blanks and tabs alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.tasks.tagging.sentence_comments import SentenceMarks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

TAB, BLANKS = "\t", " "


def by_tabs(line: str) -> list[str]:
    """Fields between tabs; blanks may be inside a field."""
    return line.rstrip(" ").split("\t")


def by_blanks(line: str) -> list[str]:
    """Fields between blanks and tabs, any number of them."""
    fields = line.replace("\t", " ").split(" ")
    return [field for field in fields if field] if "" in fields else fields


SPLIT: dict[str, Callable[[str], list[str]]] = {TAB: by_tabs, BLANKS: by_blanks}


def is_blank(line: str) -> bool:
    """Whether a line has nothing but blanks, tabs and carriage returns."""
    return not line.strip(" \t\r")


def separator_of(lines: Sequence[str], width: int | None = None) -> str:
    r"""The separator of a file's lines.

    Tabs, if all lines of tokens have as many of them; but where the last field, which is a tag, then has blanks inside
    while blanks and tabs together give all lines the same number of fields, both separate. Where lines have differing
    numbers of tabs, both separate if that gives all the same number of fields; else the first line decides. A given
    number of columns goes before all of this. O(characters).

    Examples
    --------
    >>> separator_of(["New York\tB-LOC", "is\tO"]), separator_of(["a DT  B-NP", "cat NN\tI-NP"])
    ('\t', ' ')
    """
    tokens = [line for line in lines if line[:1] != "#" and not is_blank(line)]
    tokens = [line for line in tokens if line[0] != "-" or not SentenceMarks.is_document_start(line)]
    tokens = tokens or [line for line in lines if not is_blank(line) and not SentenceMarks.is_known(line)]
    tabs = {line.count("\t") for line in tokens}
    if width is not None and tabs == {width - 1}:
        return TAB
    if not tabs or tabs == {0}:
        return BLANKS
    if len(tabs) == 1 and width is None and not any(" " in line.rstrip(" ").rpartition("\t")[2] for line in tokens):
        return TAB
    fields = {len(by_blanks(line)) for line in tokens}
    if fields == {width} or (width is None and len(fields) == 1):
        return BLANKS
    return TAB if len(tabs) == 1 or "\t" in tokens[0] else BLANKS
