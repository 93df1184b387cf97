"""Share of choices whose final answer is the right number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runoff.errors import UsageError
from runoff.metrics.base import ratio
from runoff.metrics.expected_quality import weighted_means
from runoff.metrics.final_number import final_number
from runoff.metrics.text_metric import TextMetric
from runoff.metrics.texts_and_references import texts_and_references

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from decimal import Decimal

    from runoff.arrays import Bools, Floats, Ints
    from runoff.nbest import NBest

_PLAIN_DIGITS = 30  # of a whole number; a longer one is written with an exponent
_FLOAT_DIGITS = 17
_NO_NUMBER = -1
_PAIRS = 1 << 20  # pairs of numbers that are compared at a time


@dataclass(frozen=True, repr=False)
class Numeric(TextMetric):
    """Share (0 to 1) of chosen texts whose final answer is, as a number, that of a reference.

    The final answer is the number that is boxed, or after `####`, or after "answer is", or else the last number of the
    text; `runoff.metrics.final_number` says exactly which. A text without a number is wrong. Texts with the same
    number vote together, which is self-consistency (Wang et al. 2023). About 20 microseconds for 20 words.

    Parameters
    ----------
    tolerance
        Numbers that differ by no more than this share of the larger one are equal. Two whole numbers are equal only
        if they are the same.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> texts = ["6 * 2 = 12. The answer is 12.0 eggs.", "About 12.1"]
    >>> data = NBest.from_arrays(texts=texts, sizes=[2], references=["#### 12"])
    >>> Numeric().quality(data).tolist(), Numeric(tolerance=0.01).quality(data).tolist()
    ([1.0, 0.0], [1.0, 1.0])
    """

    tolerance: float = 1e-6

    name = "numeric"
    limit = 1.0
    columns = ("hit", "choices")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.tolerance < 1:
            raise UsageError(f"numeric[tolerance=…] must be at least 0 and below 1; found {self.tolerance}.")

    @property
    def signature(self) -> str:
        """Where the number is looked for, and what counts as equal."""
        return f"numeric|answer:boxed,####,answer-is,last|tolerance:{self.tolerance:g}|percent:as-number|whole:exact"

    def canonical(self, text: str) -> str:
        """The number in one spelling; without a number, the text with white space normalised.

        Examples
        --------
        >>> Numeric().canonical("so it is $1,200.00"), Numeric().canonical("1/3"), Numeric().canonical(" no   idea ")
        ('1200', '0.333333', 'no idea')
        """
        number = final_number(text)
        return super().canonical(text) if number is None else self._written(number)

    def compute(self, data: NBest) -> Floats:
        """Hit and 1. O(total length of the texts)."""
        texts, references = texts_and_references(data, self.name)
        numbers = _Numbers.of([*texts, *(reference for group in references for reference in group)])
        counts = np.array([len(group) for group in references], np.int64)
        starts = data.n_candidates + np.concatenate([[0], np.cumsum(counts)])
        compared = counts[data.group_of]  # references of every candidate
        row = np.repeat(np.arange(data.n_candidates), compared)
        nth = np.arange(row.size) - np.repeat(np.cumsum(compared) - compared, compared)
        hit = numbers.equal(row, starts[:-1][data.group_of][row] + nth, self.tolerance)
        out = np.ones((data.n_candidates, 2))
        out[:, 0] = np.bincount(row[hit], minlength=data.n_candidates) > 0
        return out

    def expected(self, texts: Sequence[str], offsets: Ints, weights: Floats) -> Floats:
        """Share of its list's weight that has the same number: self-consistency. O(k²) for k different numbers."""
        numbers = _Numbers.of(texts)
        sums = np.zeros(weights.shape)
        for start, stop in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
            _, first, kind = np.unique(numbers.code[start:stop], return_index=True, return_inverse=True)
            weight = np.zeros((first.size, weights.shape[1]))
            np.add.at(weight, kind, weights[start:stop])
            step = max(1, _PAIRS // max(first.size, 1))
            for at in range(0, first.size, step):
                some = first[at : at + step]
                equal = numbers.equal(start + some[:, None], start + first[None, :], self.tolerance)
                same = np.flatnonzero((kind >= at) & (kind < at + step))
                sums[start + same] = (equal @ weight)[kind[same] - at]
        return weighted_means(sums, offsets, weights)

    def quality_of(self, statistics: Floats) -> Floats:
        """1 for a hit, else 0."""
        return statistics[:, 0]

    def score(self, sums: Floats) -> Floats:
        """Share of hits; 0 without choices."""
        return ratio(sums[..., 0], sums[..., 1])

    def _written(self, number: Decimal) -> str:
        if not _is_whole(number):
            digits = _FLOAT_DIGITS if not self.tolerance else max(1, round(-math.log10(self.tolerance)))
            rounded = f"{float(number):.{digits}g}"
            if float(rounded) and math.isfinite(float(rounded)):
                return rounded
        sign, digit, exponent = number.as_tuple()
        found = "".join(map(str, digit)).lstrip("0")
        kept = found.rstrip("0")
        power = int(exponent) + len(found) - len(kept)
        minus = "-" if sign and kept else ""
        if not kept:
            return "0"
        return minus + (kept + "0" * power if 0 <= power <= _PLAIN_DIGITS - len(kept) else f"{kept}e{power}")


@dataclass(frozen=True)
class _Numbers:
    """Final answers of many texts: equal codes are equal numbers, -1 is none."""

    code: Ints
    value: Floats
    whole: Bools

    @classmethod
    def of(cls, texts: Iterable[str]) -> _Numbers:
        texts = list(texts)
        found = {text: final_number(text) for text in dict.fromkeys(texts)}
        number = {value: at for at, value in enumerate(dict.fromkeys(found.values())) if value is not None}
        values = [found[text] for text in texts]
        return cls(
            np.array([_NO_NUMBER if value is None else number[value] for value in values], np.int64),
            np.array([np.nan if value is None else float(value) for value in values], np.float64),
            np.array([value is not None and _is_whole(value) for value in values], np.bool_),
        )

    def equal(self, one: Ints, other: Ints, tolerance: float) -> Bools:
        """Whether the numbers at these indices are equal; a missing number equals nothing."""
        same = (self.code[one] == self.code[other]) & (self.code[one] != _NO_NUMBER)
        a, b = self.value[one], self.value[other]
        with np.errstate(invalid="ignore"):
            near = np.abs(a - b) <= tolerance * np.maximum(np.abs(a), np.abs(b))
        near &= np.isfinite(a) & np.isfinite(b) & ~(self.whole[one] & self.whole[other])
        found: Bools = same | near
        return found


def _is_whole(number: Decimal) -> bool:
    return number == number.to_integral_value()
