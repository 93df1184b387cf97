"""What a picture of roles shows: rows of labelled bars, lines of words, and how wide every word must be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from runoff.tasks.roles.propositions import Proposition, RoleSentence

DIFFERS = "≠"


class Bar(NamedTuple):
    """An argument, and whether another labelling has it not."""

    start: int
    stop: int
    label: str
    differs: bool = False

    def is_in(self, line: tuple[int, int]) -> bool:
        """Whether some of its words are in a line of words."""
        return self.start < line[1] and self.stop > line[0]

    @property
    def text(self) -> str:
        """What is written on it."""
        return f"{DIFFERS} {self.label}" if self.differs else self.label


@dataclass(frozen=True, slots=True)
class RoleRow:
    """The arguments of one predicate by one labelling."""

    title: str  # the predicate, and the labelling where there are several
    predicate: int
    bars: tuple[Bar, ...]

    def is_in(self, line: tuple[int, int]) -> bool:
        """Whether it has something in a line of words: a bar, or its predicate."""
        first, stop = line
        return first <= self.predicate < stop or any(bar.is_in(line) for bar in self.bars)


def rows_in(rows: Sequence[RoleRow], line: tuple[int, int]) -> list[RoleRow]:
    """Rows of the predicates that have something in a line of words, by one labelling or the other.

    Examples
    --------
    >>> one, other = RoleRow("say · a", 0, (Bar(2, 3, "A1"),)), RoleRow("say · b", 0, ())
    >>> [row.title for row in rows_in([one, other], (2, 3))]
    ['say · a', 'say · b']
    """
    seen = {row.predicate for row in rows if row.is_in(line)}
    return [row for row in rows if row.predicate in seen]


def role_rows(sentences: Sequence[RoleSentence], names: Sequence[str]) -> list[RoleRow]:
    """A row for every predicate of one labelling, or one of each of two for every predicate that either has.

    Examples
    --------
    >>> from runoff.tasks.roles.propositions import Argument, Proposition, RoleSentence
    >>> left = Proposition(1, "leave", (Argument(0, 1, "A0"), Argument(1, 2, "V")), "leave.01")
    >>> for row in role_rows([RoleSentence(("I", "left"), (left,)), RoleSentence(("I", "left"))], ["gold", "other"]):
    ...     row.title, [bar.text for bar in row.bars]
    ('leave.01 · gold', ['≠ A0', '≠ V'])
    ('leave.01 · other', [])
    """
    known = [{each.predicate: each for each in sentence.propositions} for sentence in sentences]
    rows = []
    for at in sorted({at for each in known for at in each}):
        found = [each.get(at) for each in known]
        there = [each for each in found if each is not None]
        title = next((each.roleset for each in there if each.roleset), there[0].lemma)
        for place, (mine, name) in enumerate(zip(found, names, strict=True)):
            others = [*found[:place], *found[place + 1 :]]
            rows.append(RoleRow(title if len(known) == 1 else f"{title} · {name}", at, _bars(mine, others)))
    return rows


def _bars(mine: Proposition | None, others: Sequence[Proposition | None]) -> tuple[Bar, ...]:
    if mine is None:
        return ()
    theirs = [set() if other is None else set(other.arguments) for other in others]
    return tuple(Bar(*each, differs=any(each not in some for some in theirs)) for each in mine.arguments)


@dataclass(frozen=True, slots=True)
class RoleLayout:
    """Lines of words, and how wide every word is so that each bar has room for its label."""

    widths: tuple[float, ...]
    lines: tuple[tuple[int, int], ...]  # first word and stop of every line

    @classmethod
    def of(
        cls,
        words: Sequence[float],
        rows: Sequence[RoleRow],
        label_width: Callable[[Bar], float],
        gap: float,
        limit: float,
    ) -> RoleLayout:
        """Lay out words of these widths in lines of about this limit. O(words bars).

        Examples
        --------
        >>> RoleLayout.of([3, 3, 3, 1], [RoleRow("say", 0, (Bar(3, 4, "AM"),))], lambda bar: len(bar.text), 1, 7)
        RoleLayout(widths=(3, 3, 3, 2), lines=((0, 2), (2, 4)))
        """
        widths = list(words)
        _widen(widths, (0, len(widths)), rows, label_width, gap)
        lines = _broken(widths, gap, limit)
        for line in lines:  # what goes on in the next line is labelled there too
            _widen(widths, line, rows, label_width, gap)
        return cls(tuple(widths), tuple(lines))

    def places(self, line: tuple[int, int], gap: float) -> dict[int, float]:
        """Where every word of a line starts, and where one after it would."""
        found = {line[0]: 0.0}
        for at in range(*line):
            found[at + 1] = found[at] + self.widths[at] + gap
        return found


def _widen(
    widths: list[float],
    line: tuple[int, int],
    rows: Sequence[RoleRow],
    label_width: Callable[[Bar], float],
    gap: float,
) -> None:
    for bar in (bar for row in rows for bar in row.bars):
        start, stop = max(bar.start, line[0]), min(bar.stop, line[1])
        if start < stop:
            room = sum(widths[start:stop]) + gap * (stop - start - 1)
            widths[stop - 1] += max(label_width(bar) - room, 0)


def _broken(widths: Sequence[float], gap: float, limit: float) -> list[tuple[int, int]]:
    """First word and stop of every line; a word that is wider than the limit has a line of its own."""
    lines: list[tuple[int, int]] = []
    first, used = 0, 0.0
    for at, width in enumerate(widths):
        if at > first and used + gap + width > limit:
            lines.append((first, at))
            first, used = at, 0.0
        used += width + (gap if at > first else 0)
    return [*lines, (first, len(widths))] if widths else []


def said_in_words(words: Sequence[str], rows: Sequence[RoleRow]) -> str:
    """Everything that a picture shows, for those who cannot see it.

    Examples
    --------
    >>> said_in_words(["I", "left"], [RoleRow("leave.01", 1, (Bar(0, 1, "A0"), Bar(1, 2, "V", True)))])
    'leave.01: A0 “I”; V “left” (differs).'
    """
    parts = []
    for row in rows:
        bars = [
            f"{bar.label} “{' '.join(words[bar.start : bar.stop])}”{' (differs)' * bar.differs}" for bar in row.bars
        ]
        parts.append(f"{row.title}: {'; '.join(bars) or 'nothing'}.")
    return " ".join(parts) or "No predicates."
