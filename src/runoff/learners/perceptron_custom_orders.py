"""Custom orders and margins, given as functions of two ranks: tabulated, checked and analysed once."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.errors import UsageError, brief

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.arrays import Bools, Floats, Ints

LARGEST = 8192  # candidates of a group; the table has an entry for every pair of ranks


def margin_table(order: Any, margin: Any, most: int) -> Floats:
    """Margin by the better and the worse rank, 0 where none is required; up to `most`² / 2 calls of a function.

    A named order counts as all pairs here; which ranks it compares is decided in `perceptron_orders`.

    Examples
    --------
    >>> margin_table(lambda better, worse: worse - better > 1, "even", 3)[1, 1:].tolist()
    [0.0, 0.0, 1.0]
    """
    if most > LARGEST:
        raise UsageError(
            f"a function as order or margin is asked about all pairs of ranks, and a group has {most:,} candidates; "
            f"take a named order, or groups of at most {LARGEST:,}."
        )
    better, worse = np.meshgrid(np.arange(1, most + 1), np.arange(1, most + 1), indexing="ij")
    asked: Bools = better < worse
    if callable(order):
        asked = asked & (_values(order, better, worse, asked, "order", "true or false") != 0)
    if callable(margin):
        margins = _values(margin, better, worse, asked, "margin", "a number")
    else:
        margins = 1.0 / better - 1.0 / worse if margin == "uneven" else np.ones(better.shape)
    bad = np.argwhere(asked & ~(np.isfinite(margins) & (margins >= 0)))
    if bad.size:
        p, q = bad[0]
        raise UsageError(
            f"the margin must be a number of at least 0; it is {margins[p, q]} for ranks {p + 1}, {q + 1}."
        )
    table = np.zeros((most + 1, most + 1))
    table[1:, 1:] = np.where(asked, margins, 0.0)
    return table


def limits_of(asked: Bools) -> Ints | None:
    """For every worse rank the last better one, where these are always the first ones and grow; else None.

    Examples
    --------
    >>> limits_of(np.array([[0, 0, 0], [0, 0, 1], [0, 0, 0]], bool)).tolist()
    [0, 0, 1]
    """
    counts = asked.sum(axis=0)
    first_ones = np.arange(asked.shape[0])[:, None] <= counts
    first_ones[0] = False
    return counts if np.array_equal(asked, first_ones) and bool(np.all(np.diff(counts) >= 0)) else None


def separated(table: Floats, *, whole: bool) -> tuple[Floats, float] | None:
    """`φ >= 0` and `c` with `g(p, q) = φ(p) + c - φ(q)` for all required pairs, or None; O(table).

    The order must be one of growing first ranks. `whole`: it asks for more than the zeros of the table allow, so
    that a margin of zero is not the same as none.

    Examples
    --------
    >>> separated(margin_table("ordinal", lambda p, q: 1 / p - 1 / q, 3), whole=True)
    (array([0.66666667, 0.16666667, 0.        ]), 0.0)
    """
    most = table.shape[0] - 1
    margins, asked = table[1:, 1:], table[1:, 1:] > 0
    if most < 2 or not asked.any() or (whole and not asked[np.triu_indices(most, 1)].all()):
        return None
    better, worse = asked.any(axis=1), asked[0]
    phi = np.zeros(most)
    phi[better] = margins[better, -1] - margins[0, -1]  # φ(1) = 0, seen from the worst rank
    both = np.flatnonzero(better & worse)
    shift = phi[both[0]] + margins[0, both[0]] if both.size else margins[0].max()
    only_worse = worse & ~better
    phi[only_worse] = shift - margins[0, only_worse]
    found = phi[:, None] + shift - phi[None, :]
    if np.abs(found - margins)[asked].max() > 1e-12 * margins.max():
        return None
    if abs(shift) < 1e-12 * margins.max():
        shift = 0.0
    return phi - phi.min(), float(shift)


def _values(
    function: Callable[[int, int], Any], better: Ints, worse: Ints, where: Bools, role: str, returns: str
) -> Floats:
    out = np.zeros(better.shape)
    failed = f"asked about all ranks up to {better.shape[0]}, it"
    try:
        found = [function(p, q) for p, q in zip(better[where].tolist(), worse[where].tolist(), strict=True)]
    except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:
        problem = f"{failed} failed: {error}"
    else:
        wrong = [value for value in found if not isinstance(value, (Real, np.bool_))]
        problem = f"{failed} returned {brief(wrong[0])}" if wrong else ""
        if not wrong:
            out[where] = found
    if problem:
        raise UsageError(
            f"the {role} must be a function of two ranks, that of the better candidate and that of the worse one, "
            f"and return {returns}; {problem}."
        )
    return out
