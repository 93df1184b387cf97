"""What a combination could reach at most, and which system contributes what to it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from runoff.combine.combiner import reader_of
from runoff.combine.pool import pools
from runoff.combine.resolution import resolve
from runoff.combine.systems import Systems
from runoff.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.nbest import NBest


@dataclass(frozen=True)
class Contributions:
    """Of the right parts with every label, how many were found by so many systems, and by each of them alone.

    Table 11 of Màrquez, Surdeanu, Comas & Turmo (2005).

    Examples
    --------
    >>> found = Contributions(("one", "two"), {"A0": {"2 systems": 3, "one": 1}})
    >>> found.table()[1]
    [['A0', '4', '75.00', '25.00', '0.00']]
    """

    systems: tuple[str, ...]
    counts: Mapping[str, Mapping[str, int]]  # label -> "3 systems", "2 systems", … and names of systems -> parts

    @property
    def columns(self) -> list[str]:
        """All systems first, then fewer, then each alone."""
        n = len(self.systems)
        return [*(f"{many} systems" for many in range(n, 1, -1)), *self.systems]

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Shares in per cent, most frequent labels first."""
        rows = []
        for label, counts in sorted(self.counts.items(), key=lambda each: (-sum(each[1].values()), each[0])):
            total = sum(counts.values())
            shares = (f"{100 * counts.get(column, 0) / total:.2f}" for column in self.columns)
            rows.append([label or "(none)", f"{total:,}", *shares])
        return ["label", "right", *(f"by {column}" for column in self.columns)], rows


def perfect_filter(data: NBest, task: str, *, solutions: bool = True) -> list[str | None]:
    """What a filter that makes no mistake would assemble, from the systems' first choices or from all candidates.

    None for a group without candidates; where there is no reference, nothing is known to be right. Right parts that
    exclude each other are resolved exactly, by their number.

    Examples
    --------
    >>> from runoff import NBest, merge
    >>> texts, right = ("a cat mat", "the cat sat"), ["a cat sat"]
    >>> one, two = (NBest.from_arrays(texts=[text], sizes=[1], references=right) for text in texts)
    >>> both = merge({"one": one, "two": two})
    >>> perfect_filter(both.replace(metric="wer"), "text")
    ['a cat sat']
    """
    references = _references(data)
    reader, systems = reader_of(task, data.metric), Systems.of(data)
    found: list[str | None] = []
    for pool, gold in zip(pools(data, reader, systems), references, strict=True):
        if not pool.texts:
            found.append(None)
            continue
        right = reader.right(pool.parts, pool.texts, gold) if gold else [False] * len(pool.parts)
        if solutions:
            own = {at for first in pool.firsts if first >= 0 for at in pool.members[first]}
            right = [there and at in own for at, there in enumerate(right)]
        if reader.shape == "slots":  # where no part is right, what the first candidate has must stand
            first = set(pool.members[pool.firsts[0]])
            chances = [float(there) + 0.5 * (at in first) for at, there in enumerate(right)]
        else:
            chances = [float(there) for there in right]
        kept = resolve(reader, pool.parts, chances)
        found.append(reader.join([pool.parts[at] for at in kept], pool.best_first))
    return found


def contributions(data: NBest, task: str) -> Contributions:
    """Who found the right parts, in the systems' first choices.

    Examples
    --------
    >>> from runoff.nbest import NBest
    >>> columns = [f"{name}:{kind}" for name in "ab" for kind in ("found", "score", "rank")]
    >>> texts, rows = ["B-A0 B-V B-A1", "B-A0 B-V O"], [[1, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 1]]
    >>> gold = ["B-A0 B-V B-A1"]
    >>> data = NBest.from_arrays(rows, texts=texts, sizes=[2], feature_names=columns, references=gold)
    >>> contributions(data, "roles").counts
    {'A0': {'2 systems': 1}, 'A1': {'a': 1}}
    """
    reader, systems = reader_of(task, data.metric), Systems.of(data)
    counts: dict[str, dict[str, int]] = defaultdict(dict)
    for pool, gold in zip(pools(data, reader, systems), _references(data), strict=True):
        if not gold or not pool.texts:
            continue
        solutions = [set(pool.members[first]) if first >= 0 else set() for first in pool.firsts]
        for at, right in enumerate(reader.right(pool.parts, pool.texts, gold)):
            own = [name for name, has in zip(systems.names, solutions, strict=True) if at in has]
            if right and own:
                key = own[0] if len(own) == 1 else f"{len(own)} systems"
                of_label = counts[pool.parts[at].label]
                of_label[key] = of_label.get(key, 0) + 1
    return Contributions(systems.names, {label: dict(own) for label, own in sorted(counts.items())})


def _references(data: NBest) -> list[list[str] | None]:
    if data.references is None:
        raise DataError("what is right is told by references, and these lists have none.")
    found: list[list[str] | None] = data.references.to_pylist()
    return found
