"""Combinations that need no training: votes, and the union of the systems' solutions by agreement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runoff.combine.combiner import reader_of
from runoff.combine.pool import pools
from runoff.combine.resolution import greedy, resolve
from runoff.combine.systems import Systems
from runoff.errors import DataError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from runoff.combine.parts import PartReader
    from runoff.combine.pool import Pool
    from runoff.nbest import NBest


def vote(data: NBest, task: str, *, weights: Mapping[str, float] | None = None, price: float = 1.0) -> list[str | None]:
    """A candidate of the parts that more than half of the votes are for; None for a group without candidates.

    Votes are the probabilities of a part by the systems' lists (Henderson & Brill 1999 for constituents; ROVER, Fiscus
    1997, for words): the mean over systems, or weighted. With another `price`, parts with more than `price / 2`.
    O(parts of all candidates), and the resolution.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> texts = ["B-A0 B-V O", "B-A0 B-V B-A1", "O B-V B-A1"]
    >>> columns = [f"{name}:{kind}" for name in "abc" for kind in ("found", "score", "rank")]
    >>> rows = [[0] * 3 * at + [1, 0, 1] + [0] * 3 * (2 - at) for at in range(3)]
    >>> vote(NBest.from_arrays(rows, texts=texts, sizes=[3], feature_names=columns), "roles")
    ['B-A0 B-V B-A1']
    """
    reader, systems = reader_of(task, data.metric), Systems.of(data)
    shares = _shares(systems.names, weights)
    found: list[str | None] = []
    for pool in pools(data, reader, systems):
        masses = [
            sum(share * mass for share, mass in zip(shares, column, strict=True))
            for column in zip(*pool.masses, strict=True)
        ]
        found.append(_joined(reader, pool, resolve(reader, pool.parts, masses, price)))
    return found


def union(data: NBest, task: str, worth: Mapping[str, float] | None = None) -> list[str | None]:
    """A candidate of the parts of all systems' first choices; None for a group without candidates.

    The baseline of Màrquez, Surdeanu, Comas & Turmo (2005): parts are taken in the order of the number of systems that
    agree on them, then of their length, then of the worth of the best of these systems (its F1; by default the first
    system is the best), each unless it cannot stand beside a part that was taken before. O(parts^2) for a group.

    Examples
    --------
    >>> from runoff import NBest, merge
    >>> trees = ["(S (NP (DT the) (NN cat)) (VP (VBZ sits)))", "(S (NP (DT the)) (VP (NN cat) (VBZ sits)))"]
    >>> one, two = (NBest.from_arrays(texts=[tree], sizes=[1], inputs=["the cat sits"]) for tree in trees)
    >>> union(merge({"one": one, "two": two}, task="parsing"), "parsing")  # all constituents that do not cross
    ['(TOP (S (NP (NP (DT the)) (NN cat)) (VP (VBZ sits))))']
    """
    reader, systems = reader_of(task, data.metric), Systems.of(data)
    if reader.shape == "slots":
        raise UsageError(f"{reader.unit} at the same position exclude each other, so that their union is a vote.")
    names = systems.names
    value = {name: -float(at) for at, name in enumerate(names)} if worth is None else _known(worth, names, "worth")
    found: list[str | None] = []
    for pool in pools(data, reader, systems):
        solutions = [set(pool.members[first]) if first >= 0 else set() for first in pool.firsts]
        has = [
            [value[name] for name, own in zip(names, solutions, strict=True) if at in own]
            for at in range(len(pool.parts))
        ]
        keys = {
            at: (-len(own), pool.parts[at].start - pool.parts[at].stop, -max(own), at)
            for at, own in enumerate(has)
            if own
        }
        found.append(_joined(reader, pool, greedy(reader, pool.parts, sorted(keys, key=keys.__getitem__))))
    return found


def system_worth(data: NBest, task: str) -> dict[str, float]:
    """F1 of the parts of every system's first choices, for `union`; take lists that are not to be combined.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> data = NBest.from_arrays(texts=["B-A0 B-V O"], sizes=[1], references=["B-A0 B-V B-A1"])
    >>> system_worth(data, "roles")
    {'1': 0.6666666666666666}
    """
    if data.references is None:
        raise DataError("what a system is worth is told by references, and these lists have none.")
    reader, systems = reader_of(task, data.metric), Systems.of(data)
    right, found, gold = ([0] * len(systems.names) for _ in range(3))
    for pool, references in zip(pools(data, reader, systems), data.references.to_pylist(), strict=True):
        if not references or not pool.texts:
            continue
        correct = reader.right(pool.parts, pool.texts, references)
        total = reader.size(pool.texts, references)
        for at, first in enumerate(pool.firsts):
            own = pool.members[first] if first >= 0 else []
            right[at] += sum(correct[part] for part in own)
            found[at] += len(own)
            gold[at] += total
    return {
        name: 2 * right[at] / (found[at] + gold[at]) if found[at] + gold[at] else 0.0
        for at, name in enumerate(systems.names)
    }


def first_choices(data: NBest) -> dict[str, list[str | None]]:
    """Every system's own first choices; where a system has none, that of the first system that has one.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> first_choices(NBest.from_arrays(texts=["a", "b"], base=[0.0, 1.0], sizes=[2]))
    {'1': ['b']}
    """
    if data.texts is None:
        raise DataError("a combination takes parts from texts of candidates, and this data has no texts.")
    systems, texts = Systems.of(data), data.texts.to_pylist()
    found: dict[str, list[str | None]] = {}
    for at, name in enumerate(systems.names):
        own: list[str | None] = []
        for start, stop in zip(data.offsets[:-1].tolist(), data.offsets[1:].tolist(), strict=True):
            ranks = systems.ranks[start:stop]
            if not ranks.size:
                own.append(None)
                continue
            has = ranks[:, at] if ranks[:, at].any() else ranks[:, int(ranks.any(axis=0).argmax())]
            own.append(texts[start + int(has.argmax())])
        found[name] = own
    return found


def _joined(reader: PartReader, pool: Pool, kept: Sequence[int]) -> str | None:
    return reader.join([pool.parts[at] for at in kept], pool.best_first) if pool.texts else None


def _shares(names: Sequence[str], weights: Mapping[str, float] | None) -> list[float]:
    if weights is None:
        return [1 / len(names)] * len(names)
    known = _known(weights, names, "weight")
    total = sum(known[name] for name in names)
    if min(known[name] for name in names) < 0 or not total > 0:
        raise UsageError("weights of systems must not be negative, and one of them must be above 0.")
    return [known[name] / total for name in names]


def _known(values: Mapping[str, float], names: Sequence[str], what: str) -> Mapping[str, float]:
    for name in names:
        if name not in values:
            raise UsageError(f"there is no {what} for the system {name!r}; there are: {', '.join(values) or 'none'}.")
    return values
