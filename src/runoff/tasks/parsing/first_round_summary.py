"""Summary of a first round: number of candidates, quality of the first choice, and of the oracle."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.tables import counted, text_table
from runoff.tasks.parsing.brackets import Forest
from runoff.tasks.parsing.metric import COLUMNS, Parseval
from runoff.tasks.parsing.parseval import judge

if TYPE_CHECKING:
    from runoff.arrays import Floats
    from runoff.tasks.parsing.first_round import Proposed
    from runoff.tasks.parsing.parse_list import ParseList

DEPTHS = (1, 2, 5, 10, 25, 50, 100, 200, 500)  # of lists, for the oracle scores
_NAMED = 3  # sentences without a parse that are listed by id
_METRIC = Parseval()


def depths_to(k: int) -> tuple[int, ...]:
    """Depths for the oracle scores of lists of up to k candidates; the last is k.

    Examples
    --------
    >>> depths_to(50), depths_to(20)
    ((1, 2, 5, 10, 25, 50), (1, 2, 5, 10, 20))
    """
    return (*(depth for depth in DEPTHS if depth < k), k)


@dataclass
class ProposalCounts:
    """Sums over lists; can be merged and stored as JSON."""

    depths: tuple[int, ...]
    sentences: int = 0
    candidates: int = 0
    distinct: int = 0  # different trees, list by list
    least: int | None = None  # different trees of the list that has the fewest
    empty: int = 0  # without candidates: there was no word
    flat: int = 0
    flat_ids: list[str] = field(default_factory=list)
    backed_off: int = 0
    judged: int = 0
    sums: list[list[float]] = field(default_factory=list)  # PARSEVAL's statistics of the best choice at each depth

    def add(self, proposed: Proposed) -> None:
        """Count a list, and score it if there is a gold tree. About 60 microseconds per candidate."""
        parses = proposed.parses
        distinct = len(set(parses.trees))
        least = [distinct] if parses.trees else []
        flat_ids = [parses.id] if proposed.is_flat else []
        rows = best_rows(parses, self.depths) if parses.gold is not None and parses.trees else None
        self.merge(
            ProposalCounts(
                self.depths,
                sentences=1,
                candidates=len(parses.trees),
                distinct=distinct,
                least=min(least, default=None),
                empty=not parses.trees,
                flat=len(flat_ids),
                flat_ids=flat_ids,
                backed_off=int(proposed.is_backed_off),
                judged=rows is not None,
                sums=[] if rows is None else rows.tolist(),
            )
        )

    def merge(self, other: ProposalCounts) -> None:
        """Add the sums of later lists."""
        for name in ("sentences", "candidates", "distinct", "empty", "flat", "backed_off", "judged"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.least = min((each for each in (self.least, other.least) if each is not None), default=None)
        self.flat_ids = [*self.flat_ids, *other.flat_ids][:_NAMED]
        if other.sums:
            self.sums = (np.array(other.sums) + (self.sums or 0)).tolist()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, found: dict[str, Any], sentences: int, depths: tuple[int, ...]) -> ProposalCounts:
        """Restore what `to_dict` gave for so many sentences; ValueError or TypeError where it cannot be that."""
        counts = cls(**{**found, "depths": depths})
        numbers = [counts.sentences, counts.candidates, counts.distinct, counts.empty, counts.flat, counts.judged]
        if counts.least is not None:
            numbers.append(counts.least)
        sums = np.array(counts.sums, np.float64)
        shape = (len(depths), len(COLUMNS)) if counts.judged else (0,)
        if counts.sentences != sentences or not all(type(each) is int and each >= 0 for each in numbers):
            raise ValueError("counts are not those of the sentences.")
        if sums.shape != shape or not np.isfinite(sums).all():
            raise ValueError("sums are not those of the depths.")
        if not isinstance(counts.flat_ids, list) or not all(isinstance(each, str) for each in counts.flat_ids):
            raise ValueError("sentences without a parse have no ids.")
        return counts


def best_rows(parses: ParseList, depths: tuple[int, ...]) -> Floats:
    """PARSEVAL's statistics of the best of the first candidates, for several depths, one row each.

    Best means highest quality, as for the oracle; ties go to the higher score.

    Examples
    --------
    >>> from runoff.tasks.parsing.parse_list import ParseList
    >>> gold = "(TOP (S (NP (PRP I)) (VP (VBP run))))"
    >>> parses = ParseList("a", gold, [-1.0, -2.0], ["(TOP (S (NP (PRP I)) (NN run)))", gold])
    >>> best_rows(parses, (1, 2))[:, :3].tolist()  # right, gold, found constituents
    [[2.0, 3.0, 2.0], [3.0, 3.0, 3.0]]
    """
    forest = Forest()
    gold = parses.gold_tree(forest)
    if gold is None or not parses.trees:
        return np.zeros((len(depths), len(COLUMNS)))
    rows = judge(gold, [parses.tree(candidate, forest) for candidate in range(len(parses.trees))]).parseval
    order = np.argsort(-np.array(parses.scores), kind="stable")
    worth = _METRIC.quality_of(rows)[order]
    return rows[[order[np.argmax(worth[:depth])] for depth in depths]]


@dataclass(frozen=True)
class FirstRoundSummary:
    """Statistics of a first round. Sentences of an earlier, interrupted run count in everything but the speed."""

    sentences: int
    candidates: int
    empty: int  # sentences without candidates, because they have no words
    flat: int  # sentences without a parse, given a tree without constituents
    flat_ids: tuple[str, ...]  # the first of them
    backed_off: int  # sentences parsed only with more tags for unknown words, or with another beam
    distinct_mean: float | None  # different trees per list, of lists that have any
    distinct_least: int | None
    judged: int  # sentences with gold trees
    f: float | None  # PARSEVAL of the first choice, 0 to 100
    oracle_at: dict[int, float]  # the same of the best among the first k candidates, by k
    seconds: float
    kept: int  # sentences that an earlier run had parsed
    sentences_per_second: float
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, tally: ProposalCounts, seconds: float, *, kept: int = 0, notes: tuple[str, ...] = ()
    ) -> FirstRoundSummary:
        """Compute the statistics from sums."""
        filled = tally.sentences - tally.empty
        scores = _METRIC.score(np.array(tally.sums)).tolist() if tally.judged else []
        oracle_at = dict(zip(tally.depths, scores, strict=False))
        return cls(
            tally.sentences,
            tally.candidates,
            tally.empty,
            tally.flat,
            tuple(tally.flat_ids),
            tally.backed_off,
            tally.distinct / filled if filled else None,
            tally.least,
            tally.judged,
            oracle_at.get(1),
            oracle_at,
            seconds,
            kept,
            (tally.sentences - kept) / max(seconds, 1e-9),
            notes,
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return asdict(self) | {"oracle_at": {str(k): score for k, score in self.oracle_at.items()}}

    def _facts(self) -> list[tuple[str, str]]:
        empty = f" ({self.empty:,} without words or candidates)" if self.empty else ""
        facts = [("sentences", f"{self.sentences:,}{empty}")]
        flat = f"{self.flat:,}"
        if self.flat:
            more = ", …" if self.flat > len(self.flat_ids) else ""
            flat += f" (no parse found; given a tree without constituents): {', '.join(self.flat_ids)}{more}"
        facts.append(("flat", flat))
        if self.backed_off:
            facts.append(
                ("backed off", f"{self.backed_off:,} (parsed with more tags for unknown words, or another beam)")
            )
        spread = "" if self.distinct_mean is None else f" ({self.distinct_mean:.1f} different trees per list, "
        spread += f"at least {self.distinct_least:,})" if spread else ""
        facts.append(("candidates", f"{self.candidates:,}{spread}"))
        speed = f"{self.sentences_per_second:,.1f} sentences per second ({self.seconds:,.1f} s)"
        earlier = f"; {counted(self.kept, 'sentences')} from an earlier run" if self.kept else ""
        return [*facts, ("speed", f"{speed}{earlier}")]

    def __str__(self) -> str:
        lines = [f"{name:<12} {value}" for name, value in self._facts()]
        if self.f is not None:
            some = "" if self.judged == self.sentences else f" ({counted(self.judged, 'sentences')} with gold trees)"
            depths = [depth for depth in self.oracle_at if depth > 1]
            header = [f"parseval{some}", "first choice", *(f"oracle@{depth}" for depth in depths)]
            scores = [self.f, *(self.oracle_at[depth] for depth in depths)]
            lines += ["", text_table(header, [["F", *(f"{score:.{_METRIC.digits}f}" for score in scores)]])]
        return "\n".join(lines)
