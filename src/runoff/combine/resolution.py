"""From parts with probabilities to the set of them that becomes the winner."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np

from runoff.kernels.nested_spans import resolve_nested
from runoff.kernels.span_resolution import resolve_spans

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from runoff.combine.parts import Part, PartReader

_MOST_ONCE = 10  # labels that the exact search counts; 2^n states
_EVEN = 0.5


def resolve(reader: PartReader, parts: Sequence[Part], probabilities: Sequence[float], price: float = 1.0) -> list[int]:
    """Places of the parts that are kept: those with the highest sum of `2p - price` that may stand together.

    With the F1 of the best choice as the price, this sum is highest where the expected F1 is (Dinkelbach 1967); a price
    of 1 keeps what is rather right than wrong, and so expects most right decisions. Exact for every shape: a dynamic
    programme over positions and the labels that may occur once (flat), over brackets (nested), or the most probable
    part at every position (slots, whatever the price). Flat: O(positions + parts) times two for every label that may
    occur once and is proposed more than once. Nested: O(ends^3).

    Examples
    --------
    >>> from runoff.combine.parts import Part, PartReader
    >>> class Spans(PartReader):
    ...     once = frozenset(["A0"])
    ...     def split(self, texts):
    ...         return []
    ...     def join(self, parts, texts):
    ...         return ""
    >>> parts = [Part(0, 2, "A0"), Part(1, 3, "A1"), Part(3, 4, "A0")]
    >>> resolve(Spans(), parts, [0.9, 0.6, 0.7]), resolve(Spans(), parts, [0.9, 0.6, 0.95])
    ([0], [1, 2])
    """
    if reader.shape == "slots":
        return _best_of_slots(parts, probabilities)
    gains = [2 * probability - price for probability in probabilities]
    worth = [at for at, gain in enumerate(gains) if gain > 0]
    if not worth:
        return []
    if reader.shape == "nested":
        return _nested(worth, parts, gains)
    return _flat(worth, parts, gains, reader.once)


def resolve_greedily(
    reader: PartReader, parts: Sequence[Part], confidences: Sequence[float], least: float = _EVEN
) -> list[int]:
    """Places of the parts that are kept: one after the other by confidence, unless it cannot stand beside a kept one.

    The conflict resolution of Màrquez, Surdeanu, Comas & Turmo (2005); of equal confidences the first in the order of
    spans. O(parts^2).
    """
    if reader.shape == "slots":
        return _best_of_slots(parts, confidences)
    order = sorted(range(len(parts)), key=lambda at: (-confidences[at], at))
    return greedy(reader, parts, (at for at in order if confidences[at] >= least))


def greedy(reader: PartReader, parts: Sequence[Part], order: Iterable[int]) -> list[int]:
    """Places of the parts that are kept in this order, each unless it cannot stand beside one that was kept before.

    Examples
    --------
    >>> from runoff.combine.parts import Part, PartReader
    >>> class Spans(PartReader):
    ...     def split(self, texts):
    ...         return []
    ...     def join(self, parts, texts):
    ...         return ""
    >>> greedy(Spans(), [Part(0, 2, "A0"), Part(1, 3, "A1"), Part(3, 4, "A0")], [1, 0, 2])
    [1, 2]
    """
    conflict: Callable[[Part, Part], bool] = _cross if reader.shape == "nested" else _overlap
    kept: list[int] = []
    used: set[str] = set()
    for at in order:
        part = parts[at]
        if part.label in used or any(conflict(part, parts[other]) for other in kept):
            continue
        kept.append(at)
        if part.label in reader.once:
            used.add(part.label)
    return sorted(kept)


def _overlap(one: Part, two: Part) -> bool:
    return one.start < two.stop and two.start < one.stop


def _cross(one: Part, two: Part) -> bool:
    return one.start < two.start < one.stop < two.stop or two.start < one.start < two.stop < one.stop


def _best_of_slots(parts: Sequence[Part], probabilities: Sequence[float]) -> list[int]:
    best: dict[int, int] = {}
    for at, part in enumerate(parts):
        if part.start not in best or probabilities[at] > probabilities[best[part.start]]:
            best[part.start] = at
    return sorted(best.values())


def _flat(worth: Sequence[int], parts: Sequence[Part], gains: Sequence[float], once: Collection[str]) -> list[int]:
    order = sorted(worth, key=lambda at: (parts[at].stop, parts[at].start, parts[at].label))
    counts = Counter(parts[at].label for at in order)
    repeated = sorted((label for label in once if counts[label] > 1), key=lambda label: (-counts[label], label))
    for label in repeated[_MOST_ONCE:]:  # of labels beyond those that the search can count, the best part
        best = max((at for at in order if parts[at].label == label), key=gains.__getitem__)
        order = [at for at in order if parts[at].label != label or at == best]
    number = {label: at for at, label in enumerate(repeated[:_MOST_ONCE])}
    starts, stops, codes = (
        np.array(values, np.int32)
        for values in zip(
            *((parts[at].start, parts[at].stop, number.get(parts[at].label, -1)) for at in order), strict=True
        )
    )
    totals, chosen = np.zeros(1), np.zeros((1, len(order)), np.bool_)
    worths = np.array([gains[at] for at in order])
    resolve_spans(int(stops[-1]), starts, stops, codes, worths, len(number), 1, totals, chosen)
    return sorted(order[at] for at in np.flatnonzero(chosen[0]).tolist())


def _nested(worth: Sequence[int], parts: Sequence[Part], gains: Sequence[float]) -> list[int]:
    by_span: dict[tuple[int, int], list[int]] = defaultdict(list)
    for at in worth:
        by_span[parts[at].start, parts[at].stop].append(at)
    cuts = sorted({cut for span in by_span for cut in span})
    place = {cut: at for at, cut in enumerate(cuts)}
    spans = [span for span in by_span if span[0] < span[1]]
    chosen = np.zeros(len(spans), np.bool_)
    resolve_nested(
        len(cuts),
        np.array([place[start] for start, _ in spans], np.int64),
        np.array([place[stop] for _, stop in spans], np.int64),
        np.array([sum(gains[at] for at in by_span[span]) for span in spans]),
        chosen,
    )
    return sorted(at for span, kept in zip(spans, chosen.tolist(), strict=True) if kept for at in by_span[span])
