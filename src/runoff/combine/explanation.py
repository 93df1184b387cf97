"""Why a combination kept some parts of a list and not others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from runoff.combine.evidence import evidence
from runoff.combine.part_lists import LEAVE, TAKE, PartTable
from runoff.combine.systems import Systems
from runoff.tables import text_table

if TYPE_CHECKING:
    from runoff.combine.combiner import Assembled, Combiner
    from runoff.combine.parts import Part
    from runoff.nbest import NBest


@dataclass(frozen=True)
class ExplainedPart:
    """A part, whether it was kept, and what spoke for and against taking it."""

    part: Part
    kept: bool
    probability: float
    systems: tuple[str, ...]  # whose first choice has it
    reasons: tuple[tuple[str, float], ...]  # evidence by its contribution to the lead, largest first


@dataclass(frozen=True)
class CombinationExplanation:
    """What was assembled for a list, and all its parts.

    Examples
    --------
    >>> CombinationExplanation("utterance-1", "a cat", 0.0, ()).to_dict()
    {'group': 'utterance-1', 'text': 'a cat', 'price': 0.0, 'parts': []}
    """

    group: str
    text: str
    price: float
    parts: tuple[ExplainedPart, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        return {
            "group": self.group,
            "text": self.text,
            "price": self.price,
            "parts": [
                {
                    "start": each.part.start,
                    "stop": each.part.stop,
                    "label": each.part.label,
                    "kept": each.kept,
                    "probability": each.probability,
                    "systems": list(each.systems),
                    "reasons": dict(each.reasons),
                }
                for each in self.parts
            ],
        }

    def to_text(self, most: int = 3) -> str:
        """A table of the parts, with up to so many reasons each."""
        rows = [
            [
                "kept" if each.kept else "",
                each.part.label or "(none)",
                f"{each.part.start}–{each.part.stop}",
                f"{each.probability:.2f}",
                ", ".join(each.systems),
                ", ".join(f"{name} {amount:+.2f}" for name, amount in each.reasons[:most]),
            ]
            for each in self.parts
        ]
        table = text_table(["", "label", "positions", "probability", "first choice of", "mostly because of"], rows)
        price = (
            f"A part is worth keeping if its probability is above {self.price / 2:.2f} and nothing better excludes it."
        )
        return "\n".join([f"list {self.group}", self.text, "", table, price])

    def __str__(self) -> str:
        return self.to_text()


def explain_combination(combiner: Combiner, data: NBest, group: str) -> CombinationExplanation:
    """Say of every part of a list whether it was kept, how probably it is right, and what spoke for and against it.

    Contributions are exact: with a linear filter weight times value, with trees Shapley values; those of a part add up
    to the lead of taking it over leaving it.

    Examples
    --------
    >>> print(explain_combination(load_combiner("filter.runoff"), lists, "17:4"))  # doctest: +SKIP
    """
    own, combiner = combiner.with_rerankers(data[data.find(group)])
    reader, systems = combiner.reader, Systems.of(own, combiner.systems)
    found: Assembled = next(iter(combiner.assemble(own)))
    table = PartTable()
    table.add(evidence(found.pool, reader, systems.names, combiner.kind))
    lists = table.lists([""])
    prepared = combiner.model.prepare(lists)
    solutions = [set(found.pool.members[first]) if first >= 0 else set() for first in found.pool.firsts]
    parts = []
    for at, part in enumerate(found.pool.parts):
        reasons, _ = combiner.model.contributions(prepared[at], TAKE, LEAVE)
        parts.append(
            ExplainedPart(
                part,
                at in set(found.kept),
                found.probabilities[at],
                tuple(name for name, has in zip(systems.names, solutions, strict=True) if at in has),
                tuple((each.name, each.amount) for each in reasons),
            )
        )
    text = found.text(reader) if found.pool.texts else ""
    return CombinationExplanation(group, text, combiner.price, tuple(parts))
