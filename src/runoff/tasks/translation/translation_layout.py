"""Where the words of a source and of its translations stand in a picture: in panels that long sentences go on in."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from runoff.tasks.translation.joined_tokens import JOINER

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from runoff.tasks.translation.word_links import Link

_JOINED = 2.0  # gap between joined words, so that their boxes do not meet
_LONGEST = 60  # letters of a word that are shown at most
_OVERFULL = 1e6  # for a panel that is wider than it should be: worse than any number of links that leave it


@dataclass(frozen=True, slots=True)
class WordRow:
    """The words of one text as they are shown, how wide they are, and the gap before each: a small one where joined.

    Examples
    --------
    >>> row = WordRow.of(["Hunde", "￭,", "Katzen"], lambda text: float(len(text)), gap=2.0, most=4.0)
    >>> row.shown, row.gaps, row.width(0, 3)
    (('Hu…e', ',', 'Ka…n'), (2.0, 2.0, 2.0), 13.0)
    """

    shown: tuple[str, ...]
    widths: tuple[float, ...]
    gaps: tuple[float, ...]
    is_rightward: bool = True  # False for scripts that are written from right to left

    @classmethod
    def of(cls, tokens: Sequence[str], measure: Callable[[str], float], gap: float, most: float) -> WordRow:
        """A row of tokens with joiners; a word that is wider than `most` loses letters in its middle."""
        bare = [token.strip(JOINER) or token for token in tokens]
        shown = [_cut(printable(word), measure, most) for word in bare]
        joined = [
            token.startswith(JOINER) or before.endswith(JOINER)
            for before, token in zip(["", *tokens], tokens, strict=False)
        ]
        sides = [unicodedata.bidirectional(letter) for word in bare for letter in word]
        leftward = sum(side in ("R", "AL") for side in sides)
        return cls(
            tuple(shown),
            tuple(map(measure, shown)),
            tuple(_JOINED if each else gap for each in joined),
            2 * leftward <= sum(side == "L" for side in sides) + leftward,
        )

    def width(self, start: int, stop: int) -> float:
        """Width of a stretch of words."""
        return sum(self.widths[start:stop]) + sum(self.gaps[start + 1 : stop])

    def places(self, start: int, stop: int, left: float, right: float) -> dict[int, tuple[float, float]]:
        """Left and right end of every word of a stretch that is drawn between these two ends."""
        found, at = {}, left if self.is_rightward else right
        sign = 1 if self.is_rightward else -1
        for word in range(start, stop):
            at += sign * self.gaps[word] * (word > start)
            ends = at, at + sign * self.widths[word]
            found[word] = (min(ends), max(ends))
            at = ends[1]
        return found


def panels_of(
    source: WordRow, targets: Sequence[WordRow], links: Sequence[Sequence[Link]], limit: float
) -> list[tuple[tuple[int, int], ...]]:
    """Stretches of the source and of every translation for every panel, none wider than the limit where words allow.

    Few panels, cut where few links are cut. O(words² of the source) time.

    Examples
    --------
    >>> from runoff.tasks.translation.word_links import Link
    >>> row = WordRow.of(["a", "b", "c", "d"], lambda text: 1.0, gap=1.0, most=9.0)
    >>> crossed = [Link(0, 1, 1, 2), Link(1, 2, 0, 1), Link(2, 3, 3, 4), Link(3, 4, 2, 3)]
    >>> panels_of(row, [row], [crossed], 5.0)
    [((0, 2), (0, 2)), ((2, 4), (2, 4))]
    """
    rows = [source, *targets]
    whole = tuple((0, len(row.widths)) for row in rows)
    if all(row.width(*stretch) <= limit for row, stretch in zip(rows, whole, strict=True)):
        return [whole]
    n = len(source.widths)
    if n == 0:
        return _without_source(targets, limit)
    cuts = [_best_cuts(n, len(row.widths), each) for row, each in zip(targets, links, strict=True)]
    costs = [sum(cost[at] for _, cost in cuts) for at in range(n + 1)]
    stops = [(at, *(places[at] for places, _ in cuts)) for at in range(n + 1)]
    best, back = [0.0] + [float("inf")] * n, [0] * (n + 1)
    for stop in range(1, n + 1):
        for start in range(stop):
            ends = zip(rows, stops[start], stops[stop], strict=True)
            beyond = sum(max(row.width(low, high) - limit, 0.0) for row, low, high in ends)
            cost = best[start] + 1.0 + costs[stop] + (_OVERFULL + beyond if beyond else 0.0)
            if cost < best[stop]:
                best[stop], back[stop] = cost, start
    found = []
    stop = n
    while stop > 0:
        start = back[stop]
        found.append(tuple(zip(stops[start], stops[stop], strict=True)))
        stop = start
    return found[::-1]


def _best_cuts(source: int, target: int, links: Sequence[Link]) -> tuple[list[int], list[float]]:
    """For every place of the source, where to cut the translation, and how many links that cuts."""
    before, after = np.zeros((2, source + 1, target + 1))
    for link in links:
        before[link.stop, link.target_stop] += 1
        after[link.start, link.target_start] += 1
    uncut = before.cumsum(0).cumsum(1) + after[::-1, ::-1].cumsum(0).cumsum(1)[::-1, ::-1]
    crossing = len(links) - uncut
    places, costs = [0], [0.0]
    for at in range(1, source):
        middle = abs(np.arange(target + 1) - at * target / source)
        middle[: places[-1]] = np.inf
        row = np.where(np.isfinite(middle), crossing[at], np.inf)
        place = int(np.lexsort((middle, row))[0])
        places.append(place)
        costs.append(float(crossing[at, place]))
    return [*places, target], [*costs, 0.0]


def _without_source(targets: Sequence[WordRow], limit: float) -> list[tuple[tuple[int, int], ...]]:
    """Panels of translations alone."""
    lines = [_lines(row, limit) for row in targets]
    count = max(map(len, lines))
    ends = [[*each, *[(len(row.widths),) * 2] * (count - len(each))] for row, each in zip(targets, lines, strict=True)]
    return [((0, 0), *stretches) for stretches in zip(*ends, strict=True)]


def _lines(row: WordRow, limit: float) -> list[tuple[int, int]]:
    ends = [0, *accumulate(gap + width for gap, width in zip(row.gaps, row.widths, strict=True))]
    found, start = [], 0
    for at in range(1, len(ends)):
        if ends[at] - ends[start] > limit and at - 1 > start:
            found.append((start, at - 1))
            start = at - 1
    return [*found, (start, len(row.widths))]


def printable(text: str) -> str:
    """The text with control characters and the like replaced.

    Examples
    --------
    >>> printable("rain\\x07")
    'rain\ufffd'
    """
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


def _cut(word: str, measure: Callable[[str], float], most: float) -> str:
    if len(word) <= _LONGEST and measure(word) <= most:
        return word
    for keep in range(min(len(word), _LONGEST) - 1, 1, -1):
        cut = f"{word[: (keep + 1) // 2]}…{word[len(word) - keep // 2 :]}"
        if measure(cut) <= most:
            return cut
    return "…"
