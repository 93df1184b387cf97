"""Lists of several systems joined by id or by input, and what each list has once: input, references, attributes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from runoff.errors import DataError, UsageError, brief
from runoff.nbest.arrow_numbers import numbered
from runoff.nbest.build import REFERENCES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from runoff.arrays import Bools, Ints
    from runoff.nbest import NBest

By = Literal["id", "input"]
Missing = Literal["keep", "drop", "error"]
_TEXT = pa.large_string()


@dataclass(frozen=True)
class JoinedGroups:
    """Ids of the merged lists, and for every system the number of its own list for each of them, -1 where it has none.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> one, two = (NBest.from_arrays(sizes=[0, 0], group_ids=ids) for ids in ("xy", "yz"))
    >>> found = join_groups({"one": one, "two": two})
    >>> found.ids.to_pylist(), [each.tolist() for each in found.places]
    (['x', 'y', 'z'], [[0, 1, -1], [-1, 0, 1]])
    """

    ids: pa.Array
    places: tuple[Ints, ...]
    notes: tuple[str, ...] = ()

    def of(self, column: pa.Array, system: int) -> pa.Array:
        """A system's entries for the merged lists; missing where it has no such list."""
        place = self.places[system]
        return column.take(pa.array(place, mask=place < 0))


def join_groups(systems: Mapping[str, NBest], by: By = "id", missing: Missing = "keep") -> JoinedGroups:
    """Join lists in the order of the first system, then of the others. O(lists)."""
    for name, data in systems.items():
        if not len(data):
            raise DataError(f"{name} has no lists.")
    keys = [_by_id(name, data) if by == "id" else _by_input(name, data) for name, data in systems.items()]
    numbers, texts = numbered(keys)
    places = []
    for number in numbers:
        place = np.full(len(texts), -1, np.int64)
        place[number] = np.arange(number.size)
        places.append(place)
    ids = _ids(systems, places) if by == "input" else texts
    _check_overlap(systems, places, by)
    return _without_gaps(JoinedGroups(ids, tuple(places)), systems, missing)


def _by_id(name: str, data: NBest) -> pa.Array:
    repeated = _repeated(data.group_ids)
    if repeated is not None:
        raise DataError(f"{name} has two lists with the id {brief(repeated)}; ids must differ.")
    return data.group_ids


def _by_input(name: str, data: NBest) -> pa.Array:
    inputs = _trimmed(data.inputs, len(data))
    if inputs.null_count:
        group = data.group_ids[int(inputs.is_null().index(pa.scalar(True)).as_py())].as_py()
        raise DataError(f"list {brief(group)} of {name} has no input, by which lists are to be joined.")
    repeated = _repeated(inputs)
    if repeated is not None:
        groups = data.group_ids.filter(pc.equal(inputs, repeated))[:2].to_pylist()
        both = " and ".join(map(brief, groups))
        raise DataError(f"lists {both} of {name} have the same input; inputs must differ where lists are joined by it.")
    return inputs


def _repeated(texts: pa.Array) -> str | None:
    if len(pc.unique(texts)) == len(texts):
        return None
    counts: Counter[str] = Counter(texts.to_pylist())
    return next(text for text, count in counts.items() if count > 1)


def _trimmed(texts: pa.Array | None, count: int) -> pa.Array:
    """Texts without white space at their ends; missing where nothing is left."""
    if texts is None:
        return pa.nulls(count, _TEXT)
    trimmed = pc.utf8_trim_whitespace(texts)
    return pc.if_else(pc.equal(trimmed, ""), None, trimmed)


def _ids(systems: Mapping[str, NBest], places: Sequence[Ints]) -> pa.Array:
    """The id that the first system with the list gives it, with the system's name before one that is taken."""
    taken: dict[str, None] = {}
    columns = [data.group_ids.to_pylist() for data in systems.values()]
    for row in zip(*places, strict=True):
        system = next(at for at, place in enumerate(row) if place >= 0)
        own = columns[system][row[system]]
        while own in taken:
            own = f"{list(systems)[system]}:{own}"
        taken[own] = None
    return pa.array(list(taken), _TEXT)


def _check_overlap(systems: Mapping[str, NBest], places: Sequence[Ints], by: By) -> None:
    """A system that shares no list with any other was most likely given by mistake, or calls its lists otherwise."""
    has = np.array(places) >= 0
    for at, (name, data) in enumerate(systems.items()):
        if not (has[at] & (has.sum(axis=0) > 1)).any():
            other = next(each for each in systems if each != name)
            theirs = systems[other].group_ids[0].as_py()
            ids = f"{name} has {brief(data.group_ids[0].as_py())}, {other} has {brief(theirs)}"
            hint = " Join them by their inputs if these are the same (by input)." if by == "id" else ""
            raise DataError(f"no list of {name} has the {by} of a list of another system; {ids}.{hint}")


def _without_gaps(joined: JoinedGroups, systems: Mapping[str, NBest], missing: Missing) -> JoinedGroups:
    lacking = np.array(joined.places) < 0
    gaps = lacking.any(axis=0)
    if not gaps.any():
        return joined
    if missing == "error":
        system, group = next((at, int(np.flatnonzero(row)[0])) for at, row in enumerate(lacking) if row.any())
        name, count = list(systems)[system], int(lacking[system].sum())
        raise DataError(
            f"{name} lacks {count:,} list(s) that others have, such as {brief(joined.ids[group].as_py())}; "
            "keep or drop them instead."
        )
    each = ", ".join(f"{name} lacks {row.sum():,}" for name, row in zip(systems, lacking, strict=True) if row.any())
    done = "kept" if missing == "keep" else "left out"
    note = f"Lists that not every system has: {int(gaps.sum()):,} of {gaps.size:,}, {done} ({each})."
    if missing == "keep":
        return JoinedGroups(joined.ids, joined.places, (note,))
    return JoinedGroups(joined.ids.filter(pa.array(~gaps)), tuple(place[~gaps] for place in joined.places), (note,))


# -------------------------------------------------------------------- what lists have once


def common_inputs(systems: Mapping[str, NBest], joined: JoinedGroups) -> pa.Array | None:
    """Inputs, which must agree. White space at the ends does not count."""
    if all(data.inputs is None for data in systems.values()):
        return None
    compared = [_trimmed(data.inputs, len(data)) for data in systems.values()]
    for first, second, group in _differences(joined, compared, list(systems)):
        raise DataError(
            f"list {brief(joined.ids[group].as_py())} has another input in {first} than in {second}; lists with the "
            "same id must have the same input (or join lists by input)."
        )
    given = [pa.nulls(len(data), _TEXT) if data.inputs is None else data.inputs for data in systems.values()]
    return _first_of(joined, given)


def common_references(
    systems: Mapping[str, NBest], joined: JoinedGroups, canonical: Callable[[pa.Array], pa.Array]
) -> pa.Array | None:
    """References, which must agree one by one in their canonical form; a list without any agrees with all."""
    if all(data.references is None for data in systems.values()):
        return None
    kept: list[list[str] | None] = [None] * len(joined.ids)
    known: list[tuple[list[str], str] | None] = [None] * len(joined.ids)
    for at, (name, data) in enumerate(systems.items()):
        if data.references is None:
            continue
        given = joined.of(data.references, at).to_pylist()
        flat = pa.array([text for texts in given for text in texts or ()], _TEXT)
        forms = iter(pc.utf8_trim_whitespace(canonical(flat)).to_pylist())
        for group, texts in enumerate(given):
            if not texts:
                kept[group] = texts if kept[group] is None else kept[group]
                continue
            compared = [next(forms) for _ in texts]
            before = known[group]
            if before is None:
                kept[group], known[group] = texts, (compared, name)
            elif before[0] != compared:
                group_id = brief(joined.ids[group].as_py())
                raise DataError(f"list {group_id} has other references in {name} than in {before[1]}; they must agree.")
    return pa.array(kept, REFERENCES)


def common_attributes(systems: Mapping[str, NBest], joined: JoinedGroups) -> tuple[dict[str, pa.Array], list[str]]:
    """Attributes that agree where several have them, else `NAME:attribute` for each; the names of the latter."""
    found: dict[str, pa.Array] = {}
    differing = []
    for key in dict.fromkeys(key for data in systems.values() for key in data.attributes):
        columns = [data.attributes.get(key, pa.nulls(len(data), _TEXT)) for data in systems.values()]
        if next(_differences(joined, columns, list(systems)), None) is None:
            made = {key: _first_of(joined, columns)}
        else:
            differing.append(key)
            having = [(at, name) for at, (name, data) in enumerate(systems.items()) if key in data.attributes]
            made = {f"{name}:{key}": joined.of(columns[at], at) for at, name in having}
        for name in made.keys() & found.keys():
            raise UsageError(f"there is an attribute {name!r} already; give the systems other names.")
        found |= made
    return found, differing


def common_metric(systems: Mapping[str, NBest]) -> str | None:
    """The metric, which must agree."""
    named = {name: data.metric for name, data in systems.items() if data.metric is not None}
    for (first, one), (second, other) in combinations(named.items(), 2):
        if one != other:
            raise DataError(f"the metric of {first} is {one}, that of {second} is {other}; it must be the same.")
    return next(iter(named.values()), None)


def _differences(
    joined: JoinedGroups, columns: Sequence[pa.Array], names: Sequence[str]
) -> Iterator[tuple[str, str, int]]:
    """Two systems and the first list for which they have different texts; missing ones differ from none."""
    placed = [joined.of(column, at) for at, column in enumerate(columns)]
    for (first, one), (second, other) in combinations(zip(names, placed, strict=True), 2):
        differ: Bools = pc.not_equal(one, other).fill_null(False).to_numpy(zero_copy_only=False)
        if differ.any():
            yield first, second, int(np.flatnonzero(differ)[0])


def _first_of(joined: JoinedGroups, columns: Sequence[pa.Array]) -> pa.Array:
    """Of every list the text of the first system that has one, empty ones last."""
    placed = [joined.of(column, at) for at, column in enumerate(columns)]
    some = [pc.if_else(pc.equal(each, ""), None, each) for each in placed]
    return pc.coalesce(*some, *placed)
