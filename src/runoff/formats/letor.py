"""LETOR and SVMlight with query ids: `relevance qid:query 1:value 2:value … # comment`.

Columns are named by their numbers, so that a model trained on one file fits another with other columns. `docid = X` in
the comment of every line gives the candidates their ids (LETOR 4.0). Query ids are text. Zeros are not stored; `NULL`
and `NaN` are missing values. Rows of a query that appears again later in the file join their query.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.errors import DataError
from runoff.formats.base import Format
from runoff.formats.streams import BYTE_ORDER_MARK, read_all
from runoff.nbest import Features, NBest
from runoff.nbest.candidate_ids import RepeatedIdError

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.formats.base import Sample

METRIC = "map,ndcg-letor@1-10"  # training is tuned for the first, which varies least
_LINE = re.compile(rb"[-+]?[\d.][\d.eE+-]*[ \t]+(qid:\S|\d+:\S)")


def recognise(sample: Sample) -> bool:
    """Whether the first line that is not a comment has a number, then `qid:` or a numbered feature."""
    lines = (line.strip() for line in sample.head.split(b"\n"))
    first = next((line for line in lines if line and not line.startswith(b"#")), b"")
    return _LINE.match(first) is not None


def read(path: Path) -> NBest:
    """Read a file of graded documents. O(bytes), one pass over the decompressed text."""
    from runoff.formats._letor_parser import parse, texts

    text = read_all(path)
    if text.startswith(BYTE_ORDER_MARK) or not text.endswith(b"\n"):
        text = text.removeprefix(BYTE_ORDER_MARK) + b"\n"
    rows = parse(text, path)
    if not rows.labels.size:
        raise DataError("the file has no candidates, only blank lines or comments.", path=path)
    starts = np.flatnonzero(rows.spans[:, 5])
    run_ids = texts(text, rows.spans[starts, 1], rows.spans[starts, 2], path)
    has_ids = bool(np.all(rows.spans[:, 3] >= 0))
    encoded = run_ids.dictionary_encode()
    comebacks = len(run_ids) - len(encoded.dictionary)
    run_sizes = np.diff(np.append(starts, rows.labels.size))
    notes = []
    if comebacks:
        notes.append(
            f"A query appeared again after another one {comebacks:,} time(s); its candidates were brought together."
        )
    try:
        return NBest.from_arrays(
            Features.from_csr(
                rows.indptr,
                rows.places,
                None if rows.values.size and bool(np.all(rows.values == 1)) else rows.values,
                rows.columns.size,
                pc.cast(pa.array(rows.columns), pa.large_string()),
            ),
            quality=rows.labels,
            groups=np.repeat(encoded.indices.to_numpy(), run_sizes) if comebacks else None,
            sizes=None if comebacks else run_sizes,
            group_ids=encoded.dictionary,
            candidate_ids=texts(text, rows.spans[:, 3], rows.spans[:, 4], path) if has_ids else None,
            metric=METRIC,
            notes=notes,
        )
    except RepeatedIdError as error:
        line, earlier = rows.spans[[error.row, error.earlier], 0].tolist()
        raise DataError(error.sentence(f"line {earlier}"), path=path, line=line) from error


FORMAT = Format(
    name="letor",
    description="LETOR or SVMlight with query ids: relevance qid:query 1:value 2:value … # comment",
    recognise=recognise,
    read=read,
    keys=("qid:",),
    is_general=True,
)
