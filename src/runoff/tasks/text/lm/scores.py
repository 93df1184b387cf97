"""What a language model says of texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints


@dataclass(frozen=True, eq=False)
class Scores:
    """One entry per text: log10 probability with its end, number of unknown words, and the worst place.

    `lowest` is the lowest log10 probability of any of its words or of its end; an empty text has its end alone.
    """

    total: Floats
    unknown: Ints
    lowest: Floats
