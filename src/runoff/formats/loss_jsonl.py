"""JSON lines as loss-minimising rerankers write them: each candidate has a `loss` and the `system`'s score.

The dialect of the ReFr toolkit's examples: `{"candidates": [{"features": {...}, "text", "loss", "system"}]}`.
Quality is the loss with the other sign; the system's score is the first round's, higher is better.
Everything else is as in Runoff JSON lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.formats.base import Format, Sample
from runoff.formats.json_text import build, outline
from runoff.nbest.records import Dialect

if TYPE_CHECKING:
    from pathlib import Path

    from runoff.nbest import NBest

_DIALECT = Dialect(base="system", quality="loss", quality_is_loss=True)


def read(path: Path) -> NBest:
    """Read a file of groups; about the time of parsing it."""
    return build(path, _DIALECT).finish()


def recognise(sample: Sample) -> bool:
    """Recognise candidates that have a loss and no quality."""
    seen = outline(sample.head) if sample.first_line[:1] == b"{" else {}
    return ("candidates", "loss") in seen and ("candidates", "quality") not in seen


FORMAT = Format(
    name="loss-jsonl",
    description="JSON lines whose candidates have a loss and the system's score",
    recognise=recognise,
    read=read,
)
