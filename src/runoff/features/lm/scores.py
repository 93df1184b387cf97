"""Scores of texts by a language model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runoff.arrays import Floats, Ints


@dataclass(frozen=True, eq=False)
class Scores:
    """One entry per text: log10 probability including the end, number of unknown words, and lowest word score.

    `lowest` is the lowest log10 probability of any word or of the end.
    """

    total: Floats
    unknown: Ints
    lowest: Floats
