"""Candidates of several systems joined into one list for every input: who has them, with which score and rank."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.arrays import frozen
from runoff.errors import DataError, brief
from runoff.nbest.arrow_numbers import numbered

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from runoff.arrays import Bools, Floats, Ints
    from runoff.combine.joined_groups import JoinedGroups
    from runoff.nbest import NBest


@dataclass(frozen=True)
class JoinedCandidates:
    """Merged candidates: cut points of their lists, and what each system says of every candidate.

    `rows` has a system's row of every merged candidate, -1 where it lacks it; of copies in one of its lists, the one
    with the highest score. `merged` has the merged candidate of every row of a system, -1 where the list is left out.
    """

    systems: Mapping[str, NBest]
    groups: JoinedGroups
    offsets: Ints
    rows: tuple[Ints, ...]
    merged: tuple[Ints, ...]

    @property
    def count(self) -> int:
        """Number of merged candidates."""
        return int(self.offsets[-1])

    @cached_property
    def found(self) -> tuple[Bools, ...]:
        """Whether each system has the candidate."""
        return tuple(frozen(rows >= 0) for rows in self.rows)

    @cached_property
    def group_of(self) -> Ints:
        """Number of the list of every candidate."""
        return frozen(np.repeat(np.arange(self.offsets.size - 1), np.diff(self.offsets)))

    @cached_property
    def owner(self) -> Ints:
        """Number of the first system that has the candidate."""
        return frozen(np.argmax(self.found, axis=0))

    def disagreement(self, name: str, row: int, what: str) -> DataError:
        """The error for a row of a system that says something else of a candidate than the owner."""
        at = int(self.merged[list(self.systems).index(name)][row])
        first = list(self.systems)[int(self.owner[at])]
        data = self.systems[name]
        told: Any = data.texts if data.candidate_ids is None else data.candidate_ids
        group = brief(self.groups.ids[int(self.group_of[at])].as_py())
        which = f"candidate {brief(told[row].as_py())} of list {group}"
        if first != name:
            return DataError(f"{which} has another {what} in {name} than in {first}; they must agree.")
        return DataError(
            f"{which} is there twice in {name}, with a different {what}. If these are different candidates, give them "
            "ids and join candidates by id."
        )


def join_candidates(
    systems: Mapping[str, NBest], groups: JoinedGroups, keys: Sequence[pa.Array], leader: int = 0
) -> JoinedCandidates:
    """Join candidates with equal keys: those of the leading system in its order, then those that others add.

    O(candidates log candidates) time, O(candidates) memory.
    """
    codes, texts = numbered(keys)
    numbers = [_merged_groups(data, place) for data, place in zip(systems.values(), groups.places, strict=True)]
    turn = [leader, *(at for at in range(len(codes)) if at != leader)]
    group, code = (np.concatenate([each[at] for at in turn]) for each in (numbers, codes))
    order = np.argsort(group, kind="stable")
    order = order[np.count_nonzero(group < 0) :]  # those of lists that are left out come first
    pairs = group[order] * max(1, len(texts)) + code[order]
    _, first, inverse = np.unique(pairs, return_index=True, return_inverse=True)
    number = np.empty(first.size, np.int64)
    number[np.argsort(first)] = np.arange(first.size)
    merged = np.full(group.size, -1, np.int64)
    merged[order] = number[inverse]
    cuts = np.cumsum([0, *(codes[at].size for at in turn)])
    of_system = {at: frozen(merged[start:stop]) for at, start, stop in zip(turn, cuts[:-1], cuts[1:], strict=True)}
    offsets = np.zeros(len(groups.ids) + 1, np.int64)
    np.cumsum(np.bincount(group[order][first], minlength=len(groups.ids)), out=offsets[1:])
    whose = tuple(of_system[at] for at in range(len(turn)))
    rows = [_best_rows(data, of, first.size) for data, of in zip(systems.values(), whose, strict=True)]
    return JoinedCandidates(systems, groups, frozen(offsets), tuple(rows), whose)


def _merged_groups(data: NBest, place: Ints) -> Ints:
    """Number of the merged list of every row, -1 where that is left out."""
    number = np.full(len(data), -1, np.int64)
    number[place[place >= 0]] = np.flatnonzero(place >= 0)
    return number[data.group_of]


def _best_rows(data: NBest, merged: Ints, count: int) -> Ints:
    kept = np.flatnonzero(merged >= 0)
    rows = np.full(count, -1, np.int64)
    base = np.zeros(merged.size) if data.base is None else data.base
    order = kept[np.lexsort((-kept, base[kept]))]  # the best is written last, of equal ones the earliest
    rows[merged[order]] = order
    return frozen(rows)


def reciprocal_ranks(joined: JoinedCandidates, system: int) -> Floats:
    """One over the candidate's place in the system's list by score, copies counted once; 0 where it is absent."""
    found = np.flatnonzero(joined.found[system])
    rows, group = joined.rows[system][found], joined.group_of[found]
    base = list(joined.systems.values())[system].base
    order = np.lexsort((rows, np.zeros(rows.size) if base is None else -base[rows], group))
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    place = np.arange(order.size) - np.repeat(starts, np.diff(np.append(starts, order.size)))
    ranks = np.zeros(joined.count)
    ranks[found[order]] = 1.0 / (place + 1)
    return ranks


def scores(joined: JoinedCandidates, system: int, base: Floats, absent: float | None = None) -> Floats:
    """The system's scores; where it lacks a candidate `absent`, or the lowest score of its list, 0 without a list."""
    rows, found = joined.rows[system], joined.found[system]
    lowest = np.full(joined.offsets.size - 1, np.inf)
    np.minimum.at(lowest, joined.group_of[found], base[rows[found]])
    lowest[np.isinf(lowest)] = 0.0
    values = lowest[joined.group_of] if absent is None else np.full(rows.size, absent)
    values[found] = base[rows[found]]
    return values
