"""Which candidates must beat which, and by how much (Shen & Joshi 2004, 2005)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff import ranking
from runoff.arrays import frozen
from runoff.errors import DataError, UsageError
from runoff.kernels.perceptron import FASTEST, MANY, TABLE, Order, pairs_in_table
from runoff.learners.perceptron_custom_orders import limits_of, margin_table, separated

if TYPE_CHECKING:
    from collections.abc import Callable

    from runoff.arrays import Floats, Ints
    from runoff.nbest import NBest

# The orders by name, and the margin that the papers take with each.
MARGIN_OF = {
    "best-vs-rest": "even",
    "splitting": "even",
    "gap": "uneven",
    "ordinal": "even",
    "insensitive": "even",
    "orum": "uneven",
    "mt": "uneven",
}
_PACKED = 62  # bits of a whole number that hold a count and a sum
_FINEST = 40  # bits of a margin; more would not survive the conversion of a sum to a float


@dataclass(frozen=True)
class OrderRule:
    """An order and a margin over ranks (1 is best; ties share the lowest), with the numbers that they need.

    `top` and `bottom` are ranks (whole numbers) or shares of the list (fractions); `top` may be "tied": all that
    tie for best. None leaves the choice to the order.
    """

    order: str | Callable[[int, int], bool] = "orum"
    margin: str | Callable[[int, int], float] = "auto"
    top: float | str | None = None
    bottom: float | None = None
    epsilon: float = 0.0

    @property
    def margins(self) -> str | Callable[[int, int], float]:
        """The margin, where "auto" is what the papers take with the order."""
        if self.margin != "auto":
            return self.margin
        return MARGIN_OF[self.order] if isinstance(self.order, str) else "even"

    @property
    def name(self) -> str:
        """Order and margin in words."""
        return ", ".join(
            each if isinstance(each, str) else getattr(each, "__name__", "custom")
            for each in (self.order, self.margins)
        )


@dataclass(frozen=True, eq=False)
class CompiledOrder:
    """The order as compiled loops take it, the groups in which it requires pairs, and how violated pairs are found."""

    order: Order
    groups: Ints
    way: int
    pairs_of_group: Ints
    inverted: int  # groups so large that violated pairs are counted as inversions

    @property
    def pairs(self) -> int:
        """Pairs that are required in all groups."""
        return int(self.pairs_of_group.sum())

    @property
    def search_method(self) -> str:
        """How violated pairs are found, in words."""
        if self.way == TABLE:
            return "comparing all pairs, O(k²), as the margin or order does not allow sorting"
        small = self.groups.size - self.inverted
        if self.inverted == 0:
            return f"comparing all pairs: the {small:,} groups are small"
        sorting = f"sorting, O(k log k), in {self.inverted:,} groups"
        return f"{sorting}, and comparing all pairs in {small:,} small ones" if small else sorting


def compile_order(data: NBest, rule: OrderRule) -> CompiledOrder:
    """Compile once which pairs the rule requires in every group.

    Inversions serve margins of the form `φ(j) + c - φ(l)` over orders whose better side only grows with the rank of
    the worse one; a custom function is tested for that form. O(n log n), and O(K²) calls of a function for
    groups of up to K candidates.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays([[1], [2], [3]], quality=[1, 3, 2], sizes=[3])
    >>> compiled = compile_order(data, OrderRule("ordinal"))
    >>> compiled.order.rows.tolist(), compiled.order.prefix.tolist(), compiled.pairs  # each must lose to all before
    ([1, 2, 0], [0, 1, 2], 3)
    """
    if data.quality is None:
        raise DataError("an order of candidates needs their quality.")
    rows = ranking.by_score(data, data.quality).rows
    ranks = ranking.ranks(data)[rows]
    most = int(data.sizes.max(initial=0))
    custom = callable(rule.order) or callable(rule.margins)
    table = margin_table(rule.order, rule.margins, most) if custom else np.zeros((0, 0))
    prefix, monotone = _prefixes(data, rule, ranks, table)
    if custom:
        form = separated(table, whole=not callable(rule.order)) if monotone else None
    else:
        form = (1.0 / np.arange(1, most + 1), 0.0) if rule.margins == "uneven" else (np.zeros(most), 1.0)
    order = _packed(rows, ranks, prefix, table, form, most)
    if form is None:
        pairs_of_group = pairs_in_table(data.offsets, order.ranks, order.prefix, order.table)
    else:
        pairs_of_group = np.bincount(data.group_of, prefix, minlength=len(data)).astype(np.int64)
    groups = np.flatnonzero(pairs_of_group)
    inverted = 0 if form is None else int(np.count_nonzero(pairs_of_group > MANY * data.sizes))
    way = TABLE if form is None else FASTEST
    return CompiledOrder(order, frozen(groups), way, frozen(pairs_of_group), inverted)


def _packed(
    rows: Ints, ranks: Ints, prefix: Ints, table: Floats, form: tuple[Floats, float] | None, most: int
) -> Order:
    """Margins as integers, as fine as sums over a group allow."""
    phi, shift = form if form is not None else (np.zeros(most), 0.0)
    bits = int(most).bit_length()
    unit = max(float(phi.max(initial=0.0)), abs(shift), float(table.max(initial=0.0)))
    # A power of two: amounts are then exact as floats too, and features that should cancel do.
    scale = 2.0 ** (min(_FINEST, _PACKED - 2 * bits) - int(np.frexp(unit)[1]))
    margins = np.round((table.T if form is None else table[:0, :0]) * scale).astype(np.int64, order="C")
    if form is None and bool(np.any((margins == 0) & (table.T > 0))):
        raise UsageError(
            f"the smallest margin, {table[table > 0].min():.3g}, is too small beside the largest, {unit:.3g}, to be "
            f"told from none in a group of {most:,}; make them more even."
        )
    return Order(
        frozen(rows),
        frozen(ranks),
        frozen(prefix),
        frozen(np.round(np.append(0.0, phi) * scale).astype(np.int64)[ranks]),
        round(shift * scale),
        frozen(margins),
        bits,
        scale,
    )


def _prefixes(data: NBest, rule: OrderRule, ranks: Ints, table: Floats) -> tuple[Ints, bool]:
    """For every candidate in rank order, how many of the first it must lose to; and whether that is the whole order."""
    if rule.order == "best-vs-rest":  # one of those that tie for best; the others take no part
        return np.where(ranks > 1, 1, 0), True
    group, sizes = data.group_of, data.sizes
    if callable(rule.order):
        limits = limits_of(table > 0)
        highest, monotone = ranks - 1 if limits is None else limits[ranks], limits is not None
    else:
        highest, monotone = _highest(rule, ranks, sizes[group]), True
    # Ranks ascend within a group, so one search over all groups counts those up to a rank.
    width = int(ranks.max(initial=0)) + 1
    upto = np.searchsorted(group * width + ranks, group * width + highest, side="right")
    return upto - data.offsets[:-1][group], monotone


def _highest(rule: OrderRule, ranks: Ints, sizes: Ints) -> Ints:
    """The highest rank that a candidate of each rank must lose to; 0 for none."""
    worse = ranks.astype(np.float64)
    if rule.order in ("splitting", "gap"):
        top, bottom = rule.top, rule.bottom
        if rule.order == "gap":  # the paper's 300 and 700 of 1,000
            top, bottom = 0.3 if top is None else top, 0.7 if bottom is None else bottom
        first = np.ones_like(ranks) if top in (None, "tied") else _rank_at(top, sizes)
        last = first + 1 if bottom is None else np.maximum(_rank_at(bottom, sizes), first + 1)
        return np.where(ranks >= last, first, 0)
    if rule.order == "insensitive":
        highest = np.ceil(worse - rule.epsilon) - 1  # y_l - y_j > ε
    elif rule.order == "mt":
        highest = np.minimum(np.ceil(worse / 2) - 1, worse - 21)  # 2 y_j < y_l and y_j + 20 < y_l
    elif rule.order == "orum" and rule.epsilon > 0:
        # 1/y_j - 1/y_l > ε. Rounding may miss the last whole rank by one, so the bound itself is checked again.
        highest = np.ceil(1.0 / (1.0 / worse + rule.epsilon))
        for _ in range(2):
            fails = 1.0 / np.maximum(highest, 1.0) - 1.0 / worse <= rule.epsilon
            highest = np.where(fails, highest - 1, highest)
    else:
        highest = worse - 1
    whole: Ints = np.clip(highest, 0, worse - 1).astype(np.int64)
    return whole


def _rank_at(limit: Any, sizes: Ints) -> Ints:
    """A rank, or the rank at a share of the list, at least 1."""
    if isinstance(limit, float) and limit < 1:
        # Products such as 0.29 * 100 come out a little low.
        ranks: Ints = np.maximum(np.floor(limit * sizes + 1e-9).astype(np.int64), 1)
        return ranks
    return np.full(sizes.size, int(limit))
