"""What speaks for and against a part: table 7 of Màrquez, Surdeanu, Comas & Turmo (2005), and confidences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from runoff.combine.parts import Part, PartReader, Shape
    from runoff.combine.pool import Pool

Kind: TypeAlias = Literal["solutions", "all"]
KINDS = ("solutions", "all")
Row: TypeAlias = "list[tuple[str, float]]"

_LEAST = 0.002  # of a probability in a logarithm
_BINS = 10
_MOST_LENGTH = 12


def evidence(pool: Pool, reader: PartReader, systems: Sequence[str], kind: Kind = "all") -> list[Row]:
    """Names and values of the features of every part of a pool. O(parts squared) for a group.

    "solutions" sees the first choice of every system alone, exactly as the paper's table 7: the label; how many systems
    have the part, which, and the labels of their whole solutions; how many and which have another label for the span,
    and parts inside, around and across it. "all" adds how probable the part is by every system's list or its own
    probabilities, the most probable rival, length, and what the reader knows of candidates (`PartReader.clues`).

    Examples
    --------
    >>> from runoff.combine.parts import Part, PartReader
    >>> from runoff.combine.pool import Pool
    >>> class Spans(PartReader):
    ...     def split(self, texts):
    ...         return []
    ...     def join(self, parts, texts):
    ...         return ""
    >>> parts = [Part(0, 2, "A0"), Part(0, 2, "A1")]
    >>> pool = Pool(["x", "y"], parts, [[0], [1]], [0, 1], [[1.0, 0.0], [0.0, 1.0]], None, {})
    >>> [name for name, _ in evidence(pool, Spans(), ["a", "b"], "solutions")[0]]
    ['label:A0', 'agree:1', 'by:a', 'sequence:A0', 'same:1', 'same:b']
    """
    solutions = [set(pool.members[first]) if first >= 0 else set() for first in pool.firsts]
    outlines = [
        None if first < 0 else reader.outline([pool.parts[at] for at in pool.members[first]], pool.texts[first])
        for first in pool.firsts
    ]
    has = [[at in own for own in solutions] for at in range(len(pool.parts))]
    rows = [_agreement(part, own, systems, outlines) for part, own in zip(pool.parts, has, strict=True)]
    relations: list[dict[tuple[str, int], None]] = [{} for _ in pool.parts]
    rivals: list[list[int]] = [[] for _ in pool.parts]
    for one, two, relation in related(pool.parts):
        for at, other, name in ((one, two, relation), (two, one, _OTHER_WAY[relation])):
            if name in _SHOWN[reader.shape]:
                for system, there in enumerate(has[other]):
                    if there:
                        relations[at][name, system] = None
            if name in _CONFLICTS[reader.shape]:
                rivals[at].append(other)
    for row, found in zip(rows, relations, strict=True):
        for name in _SHOWN[reader.shape]:
            own_systems = sorted(system for relation, system in found if relation == name)
            if own_systems:
                row.append((f"{name}:{len(own_systems)}", 1.0))
                row.extend((f"{name}:{systems[system]}", 1.0) for system in own_systems)
    if kind == "all":
        _add_confidences(rows, pool, systems, rivals)
        clues = reader.clues(pool.parts, pool.best_first, pool.given, pool.attributes)
        for row, own_clues in zip(rows, clues, strict=True):
            row.extend((clue, 1.0) for clue in own_clues)
    return rows


_OTHER_WAY = {"same": "same", "inside": "around", "around": "inside", "across": "across"}
_SHOWN: dict[Shape, tuple[str, ...]] = {
    "flat": ("same", "inside", "around", "across"),
    "nested": ("same", "across"),
    "slots": ("same",),
}
_CONFLICTS: dict[Shape, frozenset[str]] = {
    "flat": frozenset(_OTHER_WAY),
    "nested": frozenset(["across"]),
    "slots": frozenset(["same"]),
}


def related(parts: Sequence[Part]) -> Iterator[tuple[int, int, str]]:
    """Pairs of parts that share a position, and where the second of them lies, seen from the first.

    The parts are in the order of their spans. O(parts squared) at most.

    Examples
    --------
    >>> from runoff.combine.parts import Part
    >>> spans = [(0, 2), (0, 3), (1, 2), (1, 4), (4, 5)]
    >>> list(related([Part(*span, "x") for span in spans]))
    [(0, 1, 'around'), (0, 2, 'inside'), (0, 3, 'across'), (1, 2, 'inside'), (1, 3, 'across'), (2, 3, 'around')]
    """
    for one, (start, stop, _) in enumerate(parts):
        for two in range(one + 1, len(parts)):
            other_start, other_stop, _ = parts[two]
            if other_start >= stop:
                break
            if other_start == start:
                yield one, two, "same" if other_stop == stop else "around" if other_stop > stop else "inside"
            else:
                yield one, two, "inside" if other_stop <= stop else "across"


def _agreement(part: Part, has: Sequence[bool], systems: Sequence[str], outlines: Sequence[str | None]) -> Row:
    row = [(f"label:{part.label}", 1.0), (f"agree:{sum(has)}", 1.0)]
    for system, outline, there in zip(systems, outlines, has, strict=True):
        if there:
            row.append((f"by:{system}", 1.0))
            if outline is not None:
                row.append((f"sequence:{outline}", 1.0))
    return list(dict.fromkeys(row))


def _add_confidences(rows: list[Row], pool: Pool, systems: Sequence[str], rivals: Sequence[Sequence[int]]) -> None:
    n = len(systems)
    means = [sum(column) / n for column in zip(*pool.masses, strict=True)] if pool.parts else []
    for at, (row, part) in enumerate(zip(rows, pool.parts, strict=True)):
        strongest = max((means[rival] for rival in rivals[at]), default=0.0)
        for system, mass in zip(systems, pool.masses, strict=True):
            value = mass[at]
            row += [(f"p:{system}", value), (f"logit:{system}", log_odds(value))]
            row.append((f"p:{system} {min(int(value * _BINS), _BINS - 1)}", 1.0))
        row += [("p:mean", means[at]), ("logit:mean", log_odds(means[at]))]
        row += [(f"logit:mean {part.label}", log_odds(means[at])), ("rival", strongest)]
        row.append(("logit:rival", log_odds(strongest)))
        row.append((f"length:{min(part.stop - part.start, _MOST_LENGTH)}", 1.0))


def log_odds(probability: float) -> float:
    """Logarithm of the odds, bounded.

    Examples
    --------
    >>> round(log_odds(0.5), 3), round(log_odds(0.0), 3), round(log_odds(1.0), 3)
    (0.0, -6.213, 6.213)
    """
    kept = min(max(probability, _LEAST), 1 - _LEAST)
    return math.log(kept / (1 - kept))
