"""Sentences of a file of columns: blocks of lines with as many fields each, and where every field stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from runoff.errors import DataError, brief
from runoff.formats.text_file import text_of
from runoff.tasks.tagging.column_separator import BLANKS, SPLIT, is_blank

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class FieldColumn:
    """One column of one sentence: its fields, and what an error must say of its place.

    Examples
    --------
    >>> print(FieldColumn(("(A0*", "*"), "a.conll", 7, 9, "roles of 'get'").error(1, "a bracket to close A0"))
    a.conll, line 8: expected a bracket to close A0 in column 9 (roles of 'get'); found '*'.
    """

    fields: Sequence[str]
    path: str | Path
    line: int  # of the first field
    number: int  # of the column, from 1
    name: str

    def error(self, at: int, wanted: str) -> DataError:
        """What was expected of the field `at` instead of what it is."""
        found = brief(self.fields[at])
        message = f"expected {wanted} in column {self.number} ({self.name}); found {found}."
        return DataError(message, path=self.path, line=self.line + at)

    def one(self) -> str:
        """The field that all tokens have in common; raises a `DataError` where they differ."""
        first = self.fields[0]
        for at, field in enumerate(self.fields):
            if field != first:
                raise self.error(at, f"{brief(first)}, as for all tokens of the sentence,")
        return first


@dataclass(frozen=True, slots=True)
class SentenceBlock:
    """The lines of one sentence, which have the same number of fields.

    Examples
    --------
    >>> block = SentenceBlock([["a", "DT"], ["cat", "NN"]], "a.conll", 1)
    >>> block.width, block.column(-1, "part of speech").fields
    (2, ('DT', 'NN'))
    """

    rows: list[list[str]]
    path: str | Path
    line: int  # of its first token

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.rows[0])

    def column(self, place: int, name: str) -> FieldColumn:
        """A column by its place from 0; negative ones count from the end."""
        number = (place if place >= 0 else self.width + place) + 1
        return FieldColumn(tuple(row[place] for row in self.rows), self.path, self.line, number, name)

    def error(self, message: str, at: int = 0) -> DataError:
        """An error in the line of a token."""
        return DataError(message, path=self.path, line=self.line + at)


def sentence_blocks(
    path: str | Path, separator: str = BLANKS, is_mark: Callable[[str], bool] | None = None
) -> Iterator[SentenceBlock]:
    """Sentences of a file of columns, plain, gzip or zstd. O(characters).

    Raises a `DataError` where the lines of a sentence have differing numbers of fields.

    Parameters
    ----------
    path
        One token per line; blank lines end a sentence.
    separator
        A tab, where the first token's line has one, else blanks; or blanks, for blanks and tabs alike.
    is_mark
        Tells lines between sentences that are no tokens.
    """
    lines = text_of(path).split("\n")
    rows: list[list[str]] = []
    split = None
    for number, line in enumerate([*lines, ""], 1):
        if is_blank(line) or (is_mark is not None and is_mark(line)):
            if rows:
                yield SentenceBlock(rows, path, number - len(rows))
                rows = []
            continue
        if split is None:
            split = SPLIT[separator if separator in line else BLANKS]
        fields = split(line)
        if rows and len(fields) != len(rows[0]):
            raise DataError(
                f"expected {len(rows[0])} columns, as in line {number - len(rows)} of the same sentence; "
                f"found {len(fields)}: {brief(line)}.",
                path=path,
                line=number,
            )
        rows.append(fields)
