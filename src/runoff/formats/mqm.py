"""Human ratings of translations with one row per error, as the MQM annotations of WMT are published.

The table is tab-separated and has a header. Columns: `system`, `doc`, a number of the segment (`seg_id`,
`globalSegId`), `rater`, `source`, `target`, `category`, `severity`; others are not used. A list is a segment, a
candidate a system's translation without the marks `<v>` of the error, its quality the negated mean over raters of the
sum of the errors' weights after Freitag et al. (2021): 25 for a non-translation, 5 for a major error, 1 for a minor
one, 0.1 for minor punctuation, 0 for neutral ones and no error.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from runoff.errors import DataError, brief
from runoff.formats.assembly import Record, assembled
from runoff.formats.base import Format, Sample
from runoff.formats.column_roles import plain_name
from runoff.formats.streams import decode, lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from runoff.nbest import NBest

_SEVERITIES = {"critical": 5.0, "major": 5.0, "minor": 1.0, "neutral": 0.0, "noerror": 0.0}
NON_TRANSLATION, MINOR_PUNCTUATION = 25.0, 0.1
_SEGMENT = ("globalsegid", "segid", "segmentid", "docsegid")  # the first that is there
_NEEDED = ("system", "target", "severity")
_ALSO = ("rater", "source", "category")
_MARK = re.compile(r"</?v>")


@dataclass
class _Translation:
    """A system's translation of a segment, and the errors that each rater found."""

    text: str
    line: int
    errors: dict[str, float] = field(default_factory=dict)


@dataclass
class _Segment:
    """A source with its translations."""

    source: str
    document: str
    line: int
    translations: dict[str, _Translation] = field(default_factory=dict)


def read(path: Path) -> NBest:
    """Read a table of errors. O(rows)."""
    segments: dict[tuple[str, str], _Segment] = {}
    places: dict[str, int] = {}
    changed: Counter[str] = Counter()
    for number, raw in lines(path, indented=True):
        cells = decode(raw, path, number).split("\t")
        if not places:
            places = _places(cells, path, number)
            continue
        if len(cells) <= max(places.values()):
            raise DataError(
                f"expected a column {max(places, key=places.__getitem__)!r}, but the row has only {len(cells)}.",
                path=path,
                line=number,
            )
        row = dict.fromkeys(_ALSO, "") | {name: cells[at].strip() for name, at in places.items()}
        _add(segments, row, changed, path, number)
    notes = []
    if changed["spaces"]:
        notes.append(
            f"{changed['spaces']:,} row(s) spell a translation with other blanks than the first; that was kept."
        )
    return assembled(_records(segments), path, metric="quality", notes=notes)


def _places(header: Sequence[str], path: Path, line: int) -> dict[str, int]:
    named = {plain_name(name): at for at, name in enumerate(header)}
    places = {name: named[name] for name in (*_NEEDED, *_ALSO) if name in named}
    segment = next((name for name in _SEGMENT if name in named), None)
    if segment is None or not places.keys() >= set(_NEEDED):
        wanted = [*(name for name in _NEEDED if name not in places), *([] if segment else ["seg_id"])]
        raise DataError(f"the header lacks the column(s) {', '.join(wanted)}.", path=path, line=line)
    return places | {"segment": named[segment], "document": named.get("doc", named[segment])}


def _add(
    segments: dict[tuple[str, str], _Segment], row: dict[str, str], changed: Counter[str], path: Path, line: int
) -> None:
    key = row["document"], row["segment"]
    segment = segments.setdefault(key, _Segment(_MARK.sub("", row["source"]), row["document"], line))
    text = _MARK.sub("", row["target"])
    known = segment.translations.setdefault(row["system"], _Translation(text, line))
    if known.text != text:
        if known.text.split() != text.split():
            raise DataError(
                f"system {row['system']!r} has another translation of this segment on line {known.line}.",
                path=path,
                line=line,
            )
        changed["spaces"] += 1
    weight = _weight(row["category"], row["severity"], path, line)
    known.errors[row["rater"]] = known.errors.get(row["rater"], 0.0) + weight


def _weight(category: str, severity: str, path: Path, line: int) -> float:
    what = plain_name(category)
    if what.startswith("nontranslation"):
        return NON_TRANSLATION
    weight = _SEVERITIES.get(plain_name(severity))
    if weight is None:
        raise DataError(
            f"expected a severity such as Major, Minor, Neutral or No-error, found {brief(severity)}.",
            path=path,
            line=line,
        )
    if what.startswith("source"):  # the mistake is in the source
        return 0.0
    return MINOR_PUNCTUATION if weight == 1.0 and what == "fluencypunctuation" else weight


def _records(segments: dict[tuple[str, str], _Segment]) -> Iterator[tuple[int, Record]]:
    often = Counter(number for _, number in segments)
    for (document, number), segment in segments.items():
        candidates = [
            {"id": system, "text": each.text, "quality": 0.0 - sum(each.errors.values()) / len(each.errors)}
            for system, each in segment.translations.items()
        ]
        name = number if often[number] == 1 else f"{document}:{number}"
        record: Record = {"id": name, "doc": document, "candidates": candidates}
        yield segment.line, record | ({"input": segment.source} if segment.source else {})


def recognise(sample: Sample) -> bool:
    """Recognise a header with the columns of errors."""
    names = {plain_name(name) for name in sample.first_line.decode(errors="replace").split("\t")}
    return set(_NEEDED) <= names and not names.isdisjoint(_SEGMENT)


FORMAT = Format(
    name="mqm",
    description="MQM ratings of translations: a table with one row per error",
    recognise=recognise,
    read=read,
)
