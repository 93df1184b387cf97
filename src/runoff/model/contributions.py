"""What every feature contributes to the lead of one candidate over another under a linear model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runoff.errors import UsageError
from runoff.features import align
from runoff.model.explanation import BASE, Contribution

if TYPE_CHECKING:
    from runoff.arrays import Ints
    from runoff.model.linear import LinearModel
    from runoff.nbest import NBest


def contributions(model: LinearModel, prepared: NBest, winner: int, rival: int) -> tuple[tuple[Contribution, ...], int]:
    """Contributions in the only group of `prepared`, largest first, and the number of features that are ignored.

    Winner and rival are candidates, by their index.
    """
    names = prepared.features.column_names()
    columns = align(prepared.features, model.names)
    table = prepared.features.to_scipy()
    mine, other = (_row(table, row) for row in (winner, rival))
    parts, ignored = [], 0
    if model.base_weight:
        base = model.base_of(prepared)
        a, b = float(base[winner]), float(base[rival])
        lead = model.base_weight * a - model.base_weight * b
        parts.append(Contribution(BASE, a, b, model.base_weight, lead))
    for column in sorted(mine.keys() | other.keys()):
        if columns[column] < 0:
            ignored += 1
            continue
        weight = float(model.weights[columns[column]])
        a, b = mine.get(column, 0.0), other.get(column, 0.0)
        if weight and a != b:
            parts.append(Contribution(names[column].as_py(), a, b, weight, weight * a - weight * b))
    parts.sort(key=lambda each: -abs(each.amount))
    return tuple(parts), ignored


def _row(table: Any, row: int) -> dict[int, float]:
    """Values by column; a column that the row has twice counts twice, as it does in the score."""
    start, stop = table.indptr[row], table.indptr[row + 1]
    values: dict[int, float] = {}
    for column, value in zip(table.indices[start:stop].tolist(), table.data[start:stop].tolist(), strict=True):
        values[column] = values.get(column, 0.0) + value
    return values


def runner_up(part: NBest, order: Ints) -> int:
    """The best candidate that is no copy of the winner, by the index of its first copy."""
    copies = part.first_copies
    if copies is None:
        return int(order[1])
    others = copies[order][copies[order] != copies[order[0]]]
    if not others.size:
        raise UsageError(
            f"all candidates of group {part.group_ids[0].as_py()!r} have the same text: nothing to compare."
        )
    return int(others[0])


def are_copies(part: NBest, a: int, b: int) -> bool:
    """Whether two candidates of the only group have the same text and quality."""
    return part.first_copies is not None and bool(part.first_copies[a] == part.first_copies[b])


def best_copy(part: NBest, order: Ints, candidate: int) -> int:
    """The copy of a candidate of the only group that comes first in an order: itself where it has none."""
    return int(next(row for row in order if row == candidate or are_copies(part, row, candidate)))


def find_candidate(part: NBest, candidate: str | int) -> int:
    """Index of a candidate in the only group of `part`, by its id (text) or index."""
    if isinstance(candidate, str) and part.candidate_ids is not None:
        ids = part.candidate_ids.to_pylist()
        if candidate in ids:
            return int(ids.index(candidate))
    try:
        return range(part.n_candidates)[int(candidate)]
    except (ValueError, IndexError):
        group = part.group_ids[0].as_py()
        raise UsageError(
            f"group {group!r} has no candidate {candidate!r}; it has {part.n_candidates}, counted from 0."
        ) from None
