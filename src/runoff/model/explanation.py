"""Why one candidate won over another: contributions that add up to the difference in score."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from runoff.tables import html_bars, html_table, shorten, text_table
from runoff.word_diff import differences

if TYPE_CHECKING:
    from collections.abc import Mapping

    from runoff.model.choices import Choice

BASE = "first-round score"


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one feature adds to the winner's lead: `weight * (winner - rival)`, or its share by trees."""

    name: str
    winner: float
    rival: float
    weight: float | None  # None where trees look at it
    amount: float

    @property
    def family(self) -> str:
        """The part of the name before the first colon."""
        return self.name.split(":", 1)[0]


@dataclass(frozen=True)
class Explanation:
    """Winner against rival; `contributions` are ordered by size and sum to `difference`.

    Where vectors voted for the winner, `contributions` and `difference` are those of the mean of these vectors. The
    mean can prefer the rival: the difference is then negative.
    """

    winner: Choice
    rival: Choice
    contributions: tuple[Contribution, ...]
    ignored: int = 0  # features of the two that training never saw
    all_votes: int | None = None  # None: the score decided, not votes

    @property
    def difference(self) -> float:
        """Lead of the winner in score: the exact sum of the contributions."""
        return math.fsum(each.amount for each in self.contributions)

    @property
    def votes(self) -> tuple[int, int] | None:
        """Votes of the winner and of the rival."""
        if self.all_votes is None:
            return None
        return round(self.winner.score * self.all_votes), round(self.rival.score * self.all_votes)

    @property
    def families(self) -> Mapping[str, float]:
        """Contributions rolled up by feature family, largest first."""
        amounts: dict[str, list[float]] = {}
        for each in self.contributions:
            amounts.setdefault(each.family, []).append(each.amount)
        totals = {family: math.fsum(parts) for family, parts in amounts.items()}
        return dict(sorted(totals.items(), key=lambda item: -abs(item[1])))

    def in_words(self, reasons: int = 3) -> str:
        """A summary in a sentence or two, with the strongest reasons on both sides."""

        def listed(parts: list[Contribution]) -> str:
            return ", ".join(f"{each.name} ({each.amount:+.2f})" for each in parts[:reasons])

        # Contributions are ordered by size; those of less than a hundredth of the largest are not worth words.
        worth = [each for each in self.contributions if abs(each.amount) >= 0.01 * abs(self.contributions[0].amount)]
        speaking_for = [each for each in worth if each.amount > 0]
        against = [each for each in worth if each.amount < 0]
        if not self.contributions and self.votes is None:
            return "The model weighs nothing in which the two differ, so the first round's order stays."
        opening, through = self._opening()
        words = [f"{opening}{through} {listed(speaking_for)}." if speaking_for else f"{opening}."]
        if against:
            verb = "speaks" if len(against) == 1 else "speak"
            words.append(f"Against it {verb} {listed(against)}.")
        return " ".join(words)

    def _opening(self) -> tuple[str, str]:
        lead, through = f"by {self.difference:.3f}", ", mostly through"
        if self.votes is None:
            return f"Candidate {self.winner.index} leads candidate {self.rival.index} {lead}", through
        winner = f"Candidate {self.winner.index} got {self.votes[0]:,} of {self.all_votes:,} votes"
        opening = f"{winner} and candidate {self.rival.index} got {self.votes[1]:,}. For the mean of the voters it"
        if self.difference < 0:
            return f"{opening} trails by {-self.difference:.3f}", "; for it speaks"
        return f"{opening} leads {lead}", through

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""

        def side(choice: Choice) -> dict[str, Any]:
            return {
                "index": choice.index,
                "id": choice.id,
                "text": choice.text,
                "score": choice.score,
                "probability": choice.probability,
                "confidence": choice.confidence,
            }

        votes = None
        if self.votes is not None:
            votes = {"winner": self.votes[0], "rival": self.votes[1], "all": self.all_votes}
        return {
            "group": self.winner.group,
            "winner": side(self.winner),
            "rival": side(self.rival),
            "difference": self.difference,
            "votes": votes,
            "ignored_features": self.ignored,
            "families": dict(self.families),
            "contributions": [
                {
                    "name": each.name,
                    "winner": each.winner,
                    "rival": each.rival,
                    "weight": each.weight,
                    "amount": each.amount,
                }
                for each in self.contributions
            ],
        }

    def _rows(self, most: int) -> list[list[str]]:
        rows = [
            [
                shorten(each.name, 44),
                f"{each.winner:g}",
                f"{each.rival:g}",
                "" if each.weight is None else f"{each.weight:+.4f}",
                f"{each.amount:+.4f}",
            ]
            for each in self.contributions[:most]
        ]
        rest = self.contributions[most:]
        if rest:
            rows.append([f"{len(rest):,} more", "", "", "", f"{math.fsum(each.amount for each in rest):+.4f}"])
        label = "difference in score" if self.votes is None else "difference for the mean of the voters"
        return [*rows, [label, "", "", "", f"{self.difference:+.4f}"]]

    def _title(self) -> list[str]:
        lines = [f"Group {self.winner.group}"]
        texts = differences(self.winner.text or "", self.rival.text or "")
        for at, (word, choice) in enumerate((("winner", self.winner), ("rival", self.rival))):
            named = f" ({choice.id})" if choice.id is not None else ""
            mark = ", first round's choice" if choice.index == choice.first else ""
            facts = f"score {choice.score:.4f}, probability {choice.probability:.3f}"
            if self.votes is not None:
                facts = f"{self.votes[at]:,} of {self.all_votes:,} votes ({choice.score:.1%})"
            facts += "" if choice.confidence is None else f", confidence {choice.confidence:.3f}"
            lines.append(f"  {word:<6} candidate {choice.index}{named}: {facts}{mark}")
            if choice.text is not None:
                lines.append(f"         {texts[at]}")
        if self.ignored:
            lines.append(f"  {self.ignored:,} of their features were not seen in training and are ignored")
        return lines

    def to_text(self, most: int = 15) -> str:
        """Lay out as a table with at most that many features, and say it in words."""
        table = text_table(["feature", "winner", "rival", "weight", "adds"], self._rows(most))
        families = [[shorten(name, 44), f"{amount:+.4f}"] for name, amount in list(self.families.items())[:most]]
        parts = ["\n".join(self._title()), table]
        if len(self.families) < len(self.contributions):
            parts.append(text_table(["family", "adds"], families))
        return "\n\n".join([*parts, self.in_words()])

    def __str__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        table = html_table(["feature", "winner", "rival", "weight", "adds"], self._rows(15))
        families = html_bars(list(self.families.items())[:15], ("family", "adds"))
        return f"<pre>{html.escape(chr(10).join(self._title()))}</pre>{families}{table}"
