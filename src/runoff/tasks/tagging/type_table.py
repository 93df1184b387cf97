"""Choices among taggings in the numbers of conlleval, by type and side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from runoff.tables import text_table
from runoff.tasks.tagging.phrase_statistics import COLUMNS, GOLD, GUESSED, PhraseStatistics, of_candidates
from runoff.tasks.tagging.tag_scores import PARTS, part_of, type_scores

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.nbest import NBest
    from runoff.ranking import Ranking

_ALL = "all"
_NO_TYPE = "(no type)"


@dataclass(frozen=True)
class TypeTable:
    """Precision, recall and F of every type of phrase, for every choice."""

    found: Mapping[str, PhraseStatistics]  # by choice

    @classmethod
    def of(cls, data: NBest, choices: Mapping[str, Ranking], metric: str = "conlleval") -> TypeTable:
        """Compare what was chosen with the gold tags, which the data must have.

        Examples
        --------
        >>> from runoff.nbest import NBest
        >>> from runoff.ranking import first_round
        >>> data = NBest.from_arrays(texts=["B-NP O", "B-NP I-NP"], sizes=[2], references=["B-NP I-NP"])
        >>> print(TypeTable.of(data, {"first round": first_round(data)}))
             gold  first round: found  precision  recall     F
        ------------------------------------------------------
        all     1                   1       0.00    0.00  0.00
        NP      1                   1       0.00    0.00  0.00
        Tags that are right: first round 50.00%.
        """
        return cls({name: of_candidates(data, metric, candidates=each.top) for name, each in choices.items()})

    @property
    def types(self) -> list[str]:
        """All types, sorted."""
        return sorted({kind for each in self.found.values() for kind in each.by_type})

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        out = {}
        for name, each in self.found.items():
            sums = each.rows.sum(axis=0)
            out[name] = {
                **{column.replace(" ", "_"): int(count) for column, count in zip(COLUMNS, sums, strict=True)},
                **{part: part_of(sums, part) for part in PARTS},
                "types": {kind: type_scores(each.by_type.get(kind, (0, 0, 0))) for kind in self.types},
            }
        return out

    def __str__(self) -> str:
        header = ["", "gold"]
        for name in self.found:
            header += [f"{name}: found", "precision", "recall", "F"]
        rows = []
        for kind in (None, *self.types):
            row = [_ALL if kind is None else kind or _NO_TYPE]
            for at, each in enumerate(self.found.values()):
                counts = each.rows.sum(axis=0)[: GOLD + 1] if kind is None else each.by_type.get(kind, (0, 0, 0))
                gold = counts[GOLD] if kind is None else self._gold(kind)
                row += [f"{gold:,.0f}"] if at == 0 else []
                scores = type_scores((int(counts[0]), int(counts[GUESSED]), int(gold)))
                row += [f"{counts[GUESSED]:,.0f}", *(f"{scores[part]:.2f}" for part in PARTS[1:])]
            rows.append(row)
        right = ", ".join(
            f"{name} {part_of(np.asarray(each.rows.sum(axis=0)), 'accuracy'):.2f}%" for name, each in self.found.items()
        )
        return f"{text_table(header, rows)}\nTags that are right: {right}."

    def _gold(self, kind: str) -> int:
        return max(each.by_type.get(kind, (0, 0, 0))[2] for each in self.found.values())
