"""Tables as text, with a header: comma, tab or semicolon between columns, one candidate per line.

The option `columns` gives the roles of the columns (`"group=qid,quality=label,features=a+b"` or a mapping); roles that
it leaves out are found by their usual names (`column_roles`). All other columns of numbers are features, in which empty
cells are missing values.
"""

from __future__ import annotations

import contextlib
import csv
import io
import re
from itertools import islice
from typing import TYPE_CHECKING, Any, NoReturn

import pyarrow as pa
import pyarrow.csv as pacsv

from runoff.errors import DataError, brief
from runoff.formats.base import Format
from runoff.formats.column_roles import find_roles, usual
from runoff.formats.record_paths import TRUTH
from runoff.formats.streams import BYTE_ORDER_MARK, check_utf8, read_all
from runoff.formats.written_numbers import is_number
from runoff.nbest import NBest
from runoff.nbest.candidate_ids import RepeatedIdError
from runoff.nbest.table_columns import CellError, is_numeric

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from runoff.formats.base import Sample
    from runoff.formats.column_roles import Roles

_DELIMITERS = ("\t", ",", ";")
_TEXT_ROLES = ("group", "text", "id", "input", "reference")
_OPENED = re.compile(rb'(?m)(?:^|\t)"')
# Possessive, so that a long quotation does not fill the memory with backtracking positions.
_QUOTED = re.compile(rb'(?m)(?:^|\t)"(?:[^"]++|"")*+"(?=\t|\r?$)')
_TRUE_WORDS, _FALSE_WORDS = ("true", "True", "TRUE", "1"), ("false", "False", "FALSE", "0")
_LOOKED_AT = 1000  # rows for the first cell of a column
_BLOCK = 1 << 20  # bytes that Arrow parses at once; a longer row needs a larger block
_LARGEST_BLOCK = 2**31 - 1


def recognise(sample: Sample) -> bool:
    """Whether the first line is a header: several names, no numbers, and one that is usual for groups.

    Files named .csv or .tsv may have any column names: the option `columns` can say which is which.
    """
    first = sample.first_line
    if first[:1] in (b"{", b"[", b"#", b"<"):
        return False
    try:
        names = _split(first.decode())
    except UnicodeDecodeError:
        return False
    if len(names) < 2 or any(is_number(name) for name in names):
        return False
    return usual("group", names) is not None or sample.name.endswith((".csv", ".tsv"))


def read(path: Path, columns: Mapping[str, Any] | str | None = None) -> NBest:
    """Read a table of candidates. O(cells)."""
    content = read_all(path).removeprefix(BYTE_ORDER_MARK)
    check_utf8(content, path)
    layout = _Layout(content, path)
    roles = find_roles(layout.names, columns, path)
    table = layout.table(roles)
    try:
        return NBest.from_table(table, **roles.options)
    except CellError as error:
        raise DataError(error.sentence, path=path, line=layout.line_of(error.row)) from error
    except RepeatedIdError as error:
        earlier = f"line {layout.line_of(error.earlier)}"
        raise DataError(error.sentence(earlier), path=path, line=layout.line_of(error.row)) from error


class _Layout:
    """How a text is divided into rows and columns, and where each row begins."""

    def __init__(self, content: bytes, path: Path) -> None:
        self.content, self.path = content, path
        first = content.lstrip().split(b"\n", 1)[0].decode()
        self.delimiter = max(_DELIMITERS, key=lambda delimiter: len(_split(first, delimiter)))
        # Tables with tabs often contain bare quotation marks; they quote only if every opened quote is closed.
        starts = len(_OPENED.findall(content)) if self.delimiter == "\t" else 0
        self.quotes = not starts or starts == len(_QUOTED.findall(content))
        self.names = next(self.rows(), (1, []))[1]
        if any(map(is_number, self.names)):
            shown = brief(self.delimiter.join(self.names))
            raise DataError(f"expected a header with the names of the columns, found {shown}.", path=path, line=1)
        for name in self.names:
            if self.names.count(name) > 1:
                raise DataError(f"the header has more than one column {name!r}.", path=path, line=1)

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Rows that are not blank and the lines where they begin: slow, for the header and for mistakes."""
        reader = csv.reader(
            io.TextIOWrapper(io.BytesIO(self.content), "utf-8", newline=""),
            delimiter=self.delimiter,
            quoting=csv.QUOTE_MINIMAL if self.quotes else csv.QUOTE_NONE,
        )
        line = 1
        try:
            while True:
                with _fields_up_to(len(self.content)):
                    row = next(reader, None)
                if row is None:
                    return
                if row:
                    yield line, row
                line = reader.line_num + 1
        except csv.Error as error:
            raise DataError(f"the table cannot be read: {error}.", path=self.path, line=line) from error

    def line_of(self, row: int) -> int:
        """Line on which a row of the table (from 0, without the header) begins."""
        return next(line for at, (line, _) in enumerate(self.rows(), -1) if at == row)

    def table(self, roles: Roles) -> pa.Table:
        """Read all columns: roles with their types, others with the type that they seem to have."""
        numbers = [name for role, name in roles.columns.items() if role not in _TEXT_ROLES] + (roles.features or [])
        types = dict.fromkeys(numbers, pa.float64())
        types |= dict.fromkeys(self._truth_values(numbers), pa.bool_())
        types |= {name: pa.large_string() for role, name in roles.columns.items() if role in _TEXT_ROLES}
        try:
            try:
                table = self._parsed(types, _BLOCK)
            except pa.ArrowInvalid:
                if len(self.content) <= _BLOCK:
                    raise
                table = self._parsed(types, min(len(self.content), _LARGEST_BLOCK))
        except pa.ArrowException as error:
            self._explain(types, roles.features or [], error)
        if table.num_rows == 0:
            raise DataError("the table has a header but no rows.", path=self.path)
        if roles.features is None:
            self._check_others(table, {*types})
        return table

    def _truth_values(self, numbers: list[str]) -> set[str]:
        """Columns of true and false: those whose first cell that is not empty says so."""
        unseen, found = {name: self.names.index(name) for name in numbers}, set()
        rows = islice(self.rows(), 1, _LOOKED_AT)
        for _, row in rows:
            for name, at in list(unseen.items()):
                cell = row[at].strip() if at < len(row) else ""
                if cell:
                    del unseen[name]
                    if cell.lower() in TRUTH:
                        found.add(name)
            if not unseen:
                break
        return found

    def _parsed(self, types: Mapping[str, pa.DataType], block: int) -> pa.Table:
        return pacsv.read_csv(
            pa.BufferReader(self.content),
            read_options=pacsv.ReadOptions(block_size=block),
            parse_options=pacsv.ParseOptions(
                delimiter=self.delimiter,
                quote_char='"' if self.quotes else False,
                newlines_in_values=self.quotes,
            ),
            convert_options=pacsv.ConvertOptions(
                column_types=dict(types), true_values=_TRUE_WORDS, false_values=_FALSE_WORDS
            ),
        )

    def _explain(self, types: Mapping[str, pa.DataType], features: list[str], error: pa.ArrowException) -> NoReturn:
        """Find the mistake that made the fast reader fail; a feature may be missing."""
        missing = frozenset(pacsv.ConvertOptions().null_values)
        rows = self.rows()
        next(rows)
        for line, row in rows:
            if len(row) != len(self.names):
                raise DataError(
                    f"expected {len(self.names)} columns as in the header, found {len(row)}.",
                    path=self.path,
                    line=line,
                ) from None
            for name, kind in types.items():
                cell = row[self.names.index(name)]
                fits = cell in (*_TRUE_WORDS, *_FALSE_WORDS) if kind == pa.bool_() else is_number(cell)
                if kind != pa.large_string() and not fits and not (name in features and cell in missing):
                    what = "true or false" if kind == pa.bool_() else "a number"
                    raise DataError(
                        f"expected {what} in column {name!r}, found {brief(cell)}.",
                        path=self.path,
                        line=line,
                    )
        raise DataError(f"the table cannot be read: {error}.", path=self.path) from error

    def _check_others(self, table: pa.Table, roles: set[str]) -> None:
        """Treat texts in a column of mostly numbers as a mistake; other texts are ignored."""
        for name in table.column_names:
            if name in roles or is_numeric(table[name].type):
                continue
            cells = table[name].cast(pa.large_string()).to_pylist()
            odd = [row for row, cell in enumerate(cells) if cell is not None and not is_number(cell)]
            if 0 < 2 * len(odd) < len(cells):
                raise DataError(
                    f"expected a number in column {name!r} as in most rows, found {brief(cells[odd[0]])}; "
                    "correct it, or name the columns to use, for instance columns='features=…+…'.",
                    path=self.path,
                    line=self.line_of(odd[0]),
                )


@contextlib.contextmanager
def _fields_up_to(size: int) -> Iterator[None]:
    """Raise the field size limit of Python's CSV reader for a moment; it is global to the process."""
    usual = csv.field_size_limit()
    csv.field_size_limit(max(size, usual))
    try:
        yield
    finally:
        csv.field_size_limit(usual)


def _split(header: str, delimiter: str | None = None) -> list[str]:
    if delimiter is None:
        return max((_split(header, each) for each in _DELIMITERS), key=len)
    try:
        return next(csv.reader([header.strip("\r\n")], delimiter=delimiter), [])
    except csv.Error:  # a line end inside the line: no header of a table
        return []


FORMAT = Format(
    name="table",
    description="CSV or TSV with a header and a column of group ids, one candidate per line",
    recognise=recognise,
    read=read,
    is_general=True,
    options=("columns",),
)
