"""How the lines of a file are cut into columns, and which of them are comments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from runoff.errors import DataError, brief
from runoff.tasks.tagging.column_choice import ColumnChoice
from runoff.tasks.tagging.column_separator import SPLIT, TAB, is_blank, separator_of
from runoff.tasks.tagging.sentence_comments import SentenceMarks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


@dataclass(frozen=True)
class ColumnLayout:
    """Separator, number of columns, and which are read; `layout_of` finds it."""

    path: str | Path
    choice: ColumnChoice
    separator: str
    width: int  # of every line, unless they are ragged
    width_line: int  # where it was seen; 0 if it was given
    ragged: bool

    @property
    def split(self) -> Callable[[str], list[str]]:
        """Cuts a line into fields."""
        return SPLIT[self.separator]

    def is_comment(self, line: str, fields: int) -> bool:
        """Whether a line before a sentence that starts with # is a comment."""
        if self.separator == TAB and self.width > 1:
            return "\t" not in line
        if SentenceMarks.is_known(line):
            return True
        return line.startswith("# ") and (fields < self.choice.least if self.ragged else fields != self.width)

    def check(self, fields: list[str], number: int) -> None:
        """Refuse a line with another number of columns than was expected."""
        found = len(fields)
        if found >= self.choice.least if self.ragged else found == self.width:
            return
        if self.ragged:
            wanted = f"at least {self.choice.least} columns"
        else:
            origin = f"as in line {self.width_line}" if self.width_line else "as many as are named"
            wanted = f"{self.width} column{'s' * (self.width != 1)}, {origin}"
        kind = "tabs" if self.separator == TAB else "blanks"
        text = brief(" ".join(fields))
        raise DataError(f"expected {wanted} (between {kind}); found {found}: {text}.", path=self.path, line=number)


def layout_of(
    lines: Sequence[str], path: str | Path, choice: ColumnChoice | None, separator: str | None, *, ragged: bool = False
) -> ColumnLayout:
    """The layout of a file; the first line that cannot be a comment says how many columns there are. O(characters).

    Examples
    --------
    >>> layout = layout_of(["# one comment more", "# # O", "a DT B-NP", ""], "a.txt", None, None)
    >>> layout.width, layout.choice.names, layout.is_comment("# # O", 3), layout.is_comment("# one comment more", 4)
    (3, ('word', '2', 'tag'), False, True)
    """
    first, named = _first_token(lines)
    if choice is None and named is not None:
        choice = ColumnChoice.of(named)
    given = None if ragged or choice is None else choice.width
    separator = separator or separator_of(lines, given)
    found = len(SPLIT[separator](lines[first - 1])) if first else 1
    if choice is None:
        choice = ColumnChoice.numbered(found)
    elif first and given is None and found < choice.least:
        raise DataError(
            f"expected at least {choice.least} columns, as those that are read say; found {found}: "
            f"{brief(lines[first - 1])}.",
            path=path,
            line=first,
        )
    return ColumnLayout(path, choice, separator, given or found, 0 if given else first, ragged)


def _first_token(lines: Sequence[str]) -> tuple[int, list[str] | None]:
    """Number of the first line of a token, which is preferably none that starts with #, and the names of columns."""
    marks = SentenceMarks()
    perhaps = 0
    for number, line in enumerate(lines, 1):
        if is_blank(line) or marks.is_document_start(line):
            continue
        if line[0] != "#":
            return number, marks.columns
        if marks.is_known(line):
            marks.take(line)
        else:
            perhaps = perhaps or number
    return perhaps, marks.columns
