"""JSON lines as loss-minimising rerankers write them: each candidate has a `loss` and the `system`'s score.

The dialect of the ReFr toolkit's examples: `{"candidates": [{"features": {...}, "text", "loss", "system"}]}`. Quality
is the negated loss. The system's number is a score (higher is better) in some files and a cost (lower is better) in
others, and nothing in the file says which. Lists are ordered best first, so numbers that rise along the lists are
costs. Everything else is as in Runoff JSON lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runoff.errors import UsageError
from runoff.formats.base import Format, Sample
from runoff.formats.json_reader import build, outline
from runoff.nbest.records import Dialect

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.arrays import Floats
    from runoff.nbest import NBest

_DIALECT = Dialect(base="system", quality="loss", quality_is_loss=True)


def read(path: Path, system: str | None = None) -> NBest:
    """Read a file of groups; `system` is "score" or "cost", by default as the order of the lists tells. O(bytes)."""
    check_system(system)
    return as_scores(build(path, _DIALECT).finish(), system)


def check_system(system: str | None) -> None:
    """Raise unless it is "score", "cost" or None."""
    if system not in (None, "score", "cost"):
        raise UsageError(f"system must be score or cost; found {system!r}.")


def as_scores(data: NBest, system: str | None) -> NBest:
    """The data with scores as base, higher being better, of which a file does not say whether they are costs.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> as_scores(NBest.from_arrays(base=[1.0, 2.0], sizes=[2]), None).base.tolist()
    [-1.0, -2.0]
    """
    if data.base is None or system == "score" or (system is None and not _rises(data, data.base)):
        return data
    note = "The system's numbers rise along the lists, so they were read as costs (lower is better); see option system."
    return data.replace(base=0.0 - data.base, notes=data.notes if system else (*data.notes, note))


def _rises(data: NBest, base: Floats) -> bool:
    """Whether the last candidate has the larger number in nine of ten lists whose ends differ."""
    long = data.sizes > 1
    change = base[data.offsets[1:][long] - 1] - base[data.offsets[:-1][long]]
    moved = np.count_nonzero(change)
    return bool(moved) and bool(np.count_nonzero(change > 0) >= 0.9 * moved)


def recognise(sample: Sample) -> bool:
    """Recognise candidates that have a loss and no quality."""
    seen = outline(sample.head) if sample.first_line[:1] == b"{" else {}
    return ("candidates", "loss") in seen and ("candidates", "quality") not in seen


FORMAT = Format(
    name="loss-jsonl",
    description="JSON lines whose candidates have a loss and the system's score",
    recognise=recognise,
    read=read,
    options=("system",),
)
