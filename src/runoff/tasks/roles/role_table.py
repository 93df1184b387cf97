"""Choices among roles in the numbers of srl-eval.pl, by label and side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from runoff.tables import text_table
from runoff.tasks.roles.role_scores import PARTS, label_scores, part_of
from runoff.tasks.roles.role_statistics import COLUMNS, RoleStatistics, role_statistics

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.nbest import NBest
    from runoff.ranking import Ranking

_NOTHING = (0, 0, 0)


@dataclass(frozen=True)
class RoleTable:
    """Precision, recall and F of every label, for every choice."""

    found: Mapping[str, RoleStatistics]  # by choice

    @classmethod
    def of(cls, data: NBest, choices: Mapping[str, Ranking], metric: str = "srl-eval") -> RoleTable:
        """Compare what was chosen with the gold tags, which the data must have.

        Examples
        --------
        >>> from runoff.nbest import NBest
        >>> from runoff.ranking import first_round
        >>> data = NBest.from_arrays(texts=["B-A0 B-V", "O B-V"], sizes=[2], references=["B-A1 B-V"])
        >>> print(RoleTable.of(data, {"first round": first_round(data)}))
             gold  first round: found  precision  recall       F
        --------------------------------------------------------
        all     1                   1       0.00    0.00    0.00
        A0      0                   1       0.00    0.00    0.00
        A1      1                   0       0.00    0.00    0.00
        V       1                   1     100.00  100.00  100.00
        Perfect propositions: first round 0.00%.
        """
        return cls({name: role_statistics(data, metric, candidates=each.top) for name, each in choices.items()})

    @property
    def labels(self) -> list[str]:
        """All labels, sorted."""
        return sorted({label for each in self.found.values() for label in each.by_label})

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        out = {}
        for name, each in self.found.items():
            sums = each.rows.sum(axis=0)
            out[name] = {
                **{column: int(count) for column, count in zip(COLUMNS, sums, strict=True) if column != "perfect"},
                **{part: part_of(sums, part) for part in PARTS},
                "labels": {label: label_scores(each.by_label.get(label, _NOTHING)) for label in self.labels},
            }
        return out

    def __str__(self) -> str:
        header = ["", "gold"]
        for name in self.found:
            header += [f"{name}: found", "precision", "recall", "F"]
        rows = []
        for label in (None, *self.labels):
            row = ["all" if label is None else label]
            for each in self.found.values():
                right, excess, missed = (
                    each.rows.sum(axis=0)[:3].astype(int).tolist()
                    if label is None
                    else each.by_label.get(label, _NOTHING)
                )
                row += [f"{right + missed:,}"] if len(row) == 1 else []
                scores = label_scores((right, excess, missed))
                row += [f"{right + excess:,}", *(f"{scores[part]:.2f}" for part in PARTS[:3])]
            rows.append(row)
        perfect = ", ".join(
            f"{name} {part_of(each.rows.sum(axis=0), 'perfect'):.2f}%" for name, each in self.found.items()
        )
        return f"{text_table(header, rows)}\nPerfect propositions: {perfect}."
