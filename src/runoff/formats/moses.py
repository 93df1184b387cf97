"""Moses n-best lists: `id ||| text ||| features ||| total`, one candidate per line.

Features are `name: v v v` (old Moses), `name= v v v` (new Moses) or `name=v` (Joshua, cdec). A name with several
values makes columns `name:1`, `name:2`…; numbers before any name make `f1`, `f2`…; sparse features may be
missing on some lines. Further fields (alignments, segmentations) are not used, nor are those
that Marian writes between the text and the features: alignments, and scores of words.
"""

from __future__ import annotations

import contextlib
import re
from array import array
from collections import Counter
from dataclasses import dataclass
from itertools import compress, groupby
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from scipy import sparse

from runoff.errors import DataError, brief
from runoff.formats.base import Format, Sample
from runoff.formats.moses_references import aligned
from runoff.formats.moses_writer import write
from runoff.formats.streams import decode, lines
from runoff.nbest import Features, NBest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

_EXPECTED = "id ||| text ||| features ||| total"
_MARIAN = re.compile(r"\s*(?:WordScores=.*|\d+-\d+(?:\s+\d+-\d+)*)?\s*", re.DOTALL)
_LINE = re.compile(rb"\s*[^\s|]+\s*\|\|\|.*\|\|\|.*\|\|\|", re.DOTALL)


def read(path: Path, references: str | Path | Sequence[str | Path] | None = None) -> NBest:
    """Read an n-best list and, if given, the reference translations.

    Parameters
    ----------
    path
        The n-best list.
    references
        One file, several files, or several names separated by commas: line i is a reference for sentence id i, from 0.

    Notes
    -----
    The base score is the total. Lines of one id belong together wherever they are. A few microseconds per line.
    """
    rows = _Rows(path)
    for number, line in lines(path):
        rows.add(number, line)
    if not rows.ids:
        raise DataError("the file is empty.", path=path)
    data = NBest.from_arrays(
        rows.features(), groups=pa.array(rows.ids), base=rows.base(), texts=rows.texts, metric="bleu"
    )
    notes = list(rows.notes())
    if references is not None:
        found, more = aligned(data.group_ids.to_pylist(), references, path)
        data, notes = data.replace(references=found), notes + more
    return data.replace(notes=(*data.notes, *notes))


@dataclass(frozen=True)
class _Template:
    """Which words of a features field are names and which values, and the columns of the values."""

    is_name: list[bool]
    is_value: list[bool]
    names: list[str]
    columns: list[int]


class _Rows:
    """Parsed lines; most have the same names in the same places as the line before, which is quick to check."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.ids: list[str] = []
        self.texts: list[str] = []
        self._lines = array("q")
        self._totals = array("d")
        self._values = array("d")
        self._templates: list[_Template] = []
        self._template_of = array("q")  # one per row
        self._columns: dict[str, int] = {}
        self._counts: dict[str, tuple[int, int]] = {}  # name -> number of values, line where that was seen
        self._more_fields = 0

    def add(self, number: int, raw: bytes) -> None:
        """Take one line."""
        line = decode(raw, self.path, number)
        fields = line.split("|||")
        name = fields[0].strip()
        if len(fields) < 4 or not name:
            found = f"{len(fields)} field(s)" if name else "no id"
            raise self._error(f"expected {_EXPECTED}, found {found}: {brief(line)}.", number)
        more = len(fields) - 4
        while len(fields) > 4 and not _is_number(fields[3]) and _MARIAN.fullmatch(fields[2]):
            del fields[2]
        values = self._parse(fields[2].split(), number)
        try:
            self._totals.extend(_floats([fields[3].strip()]))
        except ValueError:
            raise self._error(f"expected a number as the total, found {brief(fields[3].strip())}.", number) from None
        self._values.extend(values)
        self._template_of.append(len(self._templates) - 1)
        self._lines.append(number)
        self.ids.append(name)
        self.texts.append(fields[1].strip())
        self._more_fields += more > 0

    def _parse(self, words: list[str], line: int) -> list[float]:
        if self._templates:
            last = self._templates[-1]
            if len(words) == len(last.is_name) and list(compress(words, last.is_name)) == last.names:
                # A name where the line before had a number is valid, so this does not fail yet.
                with contextlib.suppress(ValueError):
                    return _floats(compress(words, last.is_value))
        separate = [part for word in words for part in self._parts(word, line)]
        template = self._template(separate, line)
        self._templates.append(template)
        return _floats(compress(separate, template.is_value))

    def _parts(self, word: str, line: int) -> tuple[str, ...]:
        """A name or a number alone, or both from `name=number`."""
        if _is_number(word) or (len(word) > 1 and word[-1] in ":="):
            return (word,)
        for mark in "=:":
            name, _, value = word.rpartition(mark)
            if name and _is_number(value):
                return name + mark, value
        raise self._error(f"expected a feature as `name= numbers` or `name: numbers`, found {brief(word)}.", line)

    def _template(self, words: list[str], line: int) -> _Template:
        is_name = [word[-1] in ":=" for word in words]
        names = list(compress(words, is_name))
        owners, owner = [], ""
        for word in words:
            if word[-1] in ":=":
                owner = word[:-1]
            else:
                owners.append(owner)
        counts = Counter(owners)
        for name in names:
            if not counts[name[:-1]]:
                raise self._error(f"the feature {name[:-1]!r} has no value.", line)
        for name, count in counts.items():
            usual, first = self._counts.setdefault(name, (count, line))
            if count != usual:
                what = f"the feature {name!r}" if name else "the part without names"
                raise self._error(f"{what} has {count} value(s) here and {usual} on line {first}.", line)
        seen: Counter[str] = Counter()
        columns = []
        for name in owners:
            seen[name] += 1
            column = f"{name}:{seen[name]}" if counts[name] > 1 else name
            column = column if name else f"f{seen[name]}"
            columns.append(self._columns.setdefault(column, len(self._columns)))
        if len(set(columns)) < len(columns):
            raise self._error("two features have the same name; names must differ.", line)
        return _Template(is_name, [not each for each in is_name], names, columns)

    def features(self) -> Features:
        """Sparse rows of all lines."""
        columns = [np.array(template.columns, np.int32) for template in self._templates]
        per_row = [columns[at] for at in self._template_of]
        indptr = np.zeros(len(per_row) + 1, np.int64)
        np.cumsum(list(map(len, per_row)), out=indptr[1:])
        indices = np.concatenate(per_row)
        doubles = np.frombuffer(self._values) if self._values else np.empty(0)
        with np.errstate(over="ignore"):
            values = doubles.astype(np.float32)
        wrong = np.flatnonzero(~np.isfinite(values))
        if wrong.size:
            row = int(np.searchsorted(indptr, wrong[0], side="right")) - 1
            name = list(self._columns)[indices[wrong[0]]]
            raise self._error(
                f"expected a finite number for the feature {name!r}, found {doubles[wrong[0]]}.", self._lines[row]
            )
        matrix = sparse.csr_array((values, indices, indptr), shape=(len(per_row), len(self._columns)))
        matrix.eliminate_zeros()
        return Features.of(matrix, list(self._columns))

    def base(self) -> Any:
        """Totals."""
        totals = np.frombuffer(self._totals)
        wrong = np.flatnonzero(~np.isfinite(totals))
        if wrong.size:
            raise self._error(
                f"expected a finite number as the total, found {totals[wrong[0]]}.", self._lines[int(wrong[0])]
            )
        return totals

    def notes(self) -> Iterator[str]:
        """What was left out or brought together."""
        if self._more_fields:
            yield f"Fields besides id, text, features and total were ignored on {self._more_fields:,} line(s)."
        pieces = Counter(name for name, _ in groupby(self.ids))
        back = sum(count > 1 for count in pieces.values())
        if back:
            yield f"The lines of {back:,} id(s) were not contiguous; they were brought together."

    def _error(self, message: str, line: int) -> DataError:
        return DataError(message, path=self.path, line=line)


def _floats(words: Iterable[str]) -> list[float]:
    written = list(words)
    if "_" in "".join(written):  # Python reads 1_000 as a number, other programs do not
        raise ValueError
    return list(map(float, written))


def _is_number(word: str) -> bool:
    try:
        _floats([word])
    except ValueError:
        return False
    return True


def recognise(sample: Sample) -> bool:
    """Recognise a first line with four fields between `|||`."""
    return sample.first_line[:1] not in (b"{", b"[", b"#") and _LINE.match(sample.first_line) is not None


FORMAT = Format(
    name="moses",
    description="Moses n-best list: id ||| text ||| features ||| total; references by the option references",
    recognise=recognise,
    read=read,
    write=write,
    suffixes=(".nbest",),
    options=("references",),
    keys=("|||",),
)
