"""Records of any making: JSON lines, an array, or an object with a key for each, with keys of any names.

A record is one candidate, or a group whose text is a list. Keys are found by their usual names (`record_roles`) or
assigned by the option `columns`, as for tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runoff.formats.base import Format, Sample
from runoff.formats.json_records import first_records, open_records
from runoff.formats.record_reader import read_records
from runoff.formats.record_roles import guess_roles
from runoff.formats.record_shape import shape_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from runoff.nbest import NBest


def read(path: Path, columns: Mapping[str, Any] | str | None = None) -> NBest:
    """Read records. O(bytes); JSON lines are streamed, any other file is held in memory."""
    return read_records(open_records(path), columns, path)


def recognise(sample: Sample) -> bool:
    """Recognise records with usual names for the texts and, where a record is one candidate, for the groups."""
    found = first_records(sample)
    return bool(found) and guess_roles(shape_of(found)) is not None


FORMAT = Format(
    name="records",
    description="JSON records with keys of any names: one per candidate, or one per group with a list of texts",
    recognise=recognise,
    read=read,
    options=("columns",),
    is_general=True,
)
