"""Choices among parses in all parts of PARSEVAL: the table of parsing papers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from runoff.metrics import get, reference_choices, with_statistics
from runoff.tables import text_table
from runoff.tasks.parsing.metric import SENTENCES
from runoff.tasks.parsing.tree_scores import EXPLAINED, METRICS, PARTS, cells, parts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.arrays import Floats
    from runoff.nbest import NBest
    from runoff.ranking import Ranking


@dataclass(frozen=True)
class PartsTable:
    """Summed statistics of every choice, for evalb and parseval, with and without the usual cut-off."""

    sums: dict[str, dict[str, Floats]]  # by metric and choice
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, data: NBest, ranked: Mapping[str, Ranking]) -> PartsTable:
        """Sum the statistics of these choices and of the oracle; the data needs gold trees.

        Examples
        --------
        >>> from runoff.ranking import first_round
        >>> from runoff.tasks.parsing import ParseList, extract
        >>> trees = ["(S (NP (PRP I)) (ADVP (RB run)))", "(S (NP (PRP I)) (VP (VBP run)))"]
        >>> data = extract([ParseList("a", trees[1], [-1.0, -2.0], trees)], families=["rule"], min_lists=1)
        >>> table = PartsTable.of(data, {"first round": first_round(data)})
        >>> {choice: parts["exact"] for choice, parts in table.to_dict()["evalb"].items()}
        {'first round': 0.0, 'oracle': 100.0}
        """
        sums: dict[str, dict[str, Floats]] = {}
        notes: list[str] = []
        for name in METRICS:
            metric = get(name)
            judged = with_statistics(data, metric)
            rows = {choice: metric.rows(judged, ranking) for choice, ranking in ranked.items()}
            if name == "parseval":
                first = next(iter(rows.values()))
                missing = int(((data.sizes > 0) & (first[:, SENTENCES] == 0)).sum())
                notes = [f"Lists without a gold tree, not counted in this table: {missing:,}."] if missing else []
            rows["oracle"] = reference_choices.oracle_rows(metric, judged)
            sums[name] = {choice: each.sum(axis=0) for choice, each in rows.items()}
        return cls(sums, tuple(notes))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return {
            name: {choice: {"sentences": int(sums[SENTENCES]), **parts(sums)} for choice, sums in by_choice.items()}
            for name, by_choice in self.sums.items()
        }

    def __str__(self) -> str:
        rows: list[list[str]] = []
        for name, title in METRICS.items():
            rows.append([title, *[""] * (1 + len(PARTS))])
            rows.extend(
                [f"  {choice}", f"{sums[SENTENCES]:,.0f}", *cells(sums)] for choice, sums in self.sums[name].items()
            )
        return "\n".join([text_table(["", "sentences", *PARTS.values()], rows), EXPLAINED, *self.notes])
