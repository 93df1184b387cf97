"""Why a model chose one tree over another: the features that decided, and both trees with their differences marked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from runoff.errors import DataError
from runoff.metrics import get
from runoff.tasks.parsing.brackets import parse_tree
from runoff.tasks.parsing.parseval import judge
from runoff.tasks.parsing.tree_diff import Mark, marks
from runoff.tasks.parsing.tree_display import tree_text
from runoff.tasks.parsing.trees import plain

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from runoff.model import Choice, Explanation, LinearModel
    from runoff.nbest import NBest
    from runoff.tasks.parsing.trees import Tree

_MEANINGS = {
    Mark.ONLY: f"{Mark.ONLY} only in this tree",
    Mark.RIGHT: f"{Mark.RIGHT} only in this tree, and right",
    Mark.WRONG: f"{Mark.WRONG} only in this tree, and wrong",
}


@dataclass(frozen=True)
class ParseExplanation:
    """The features that decided between two trees, and the trees without traces and function tags.

    Examples
    --------
    >>> from runoff.model import LinearModel
    >>> from runoff.tasks.parsing import ParseList, extract
    >>> trees = ["(S (NP (PRP I)) (ADVP (RB run)))", "(S (NP (PRP I)) (VP (VBP run)))"]
    >>> data = extract([ParseList("a", trees[1], [-1.0, -2.0], trees)], families=["rule"], min_lists=1)
    >>> explain(LinearModel.of({"rule:S>NP VP!": 1.0}), data, "a").titles()[1]
    'candidate 1, winner, F 100.00'
    """

    reasons: Explanation
    rival: Tree
    winner: Tree
    gold: Tree | None  # None if unknown, or if its number of words differs
    notes: tuple[str, ...] = ()

    @property
    def marks(self) -> tuple[Mapping[Tree, Mark], Mapping[Tree, Mark]]:
        """Nodes that only the rival has, and that only the winner has; empty if their numbers of words differ."""
        if self.rival.end != self.winner.end:
            return {}, {}
        return marks(self.rival, self.winner, self.gold)

    def to_text(self, most: int = 15) -> str:
        """Text for a terminal, with at most that many features."""
        found = self.marks
        signs = [_MEANINGS[mark] for mark in Mark if any(mark in each.values() for each in found)]
        punctuation = "" if self.gold is None else " Marks count punctuation as words, F does not."
        legend = [f"Marked: {'; '.join(signs)}.{punctuation}"] if signs else []
        trees = (
            f"{title}\n{tree_text(tree, marked)}"
            for title, tree, marked in zip(self.titles(), (self.rival, self.winner), found, strict=True)
        )
        return "\n\n".join([self.reasons.to_text(most), *self.notes, *trees, *legend])

    def __str__(self) -> str:
        return self.to_text()

    def titles(self) -> tuple[str, str]:
        """Headings of the two trees."""
        return (
            f"candidate {self.reasons.rival.index}, {_role(self.reasons.rival, 'rival')}{self._f(self.rival)}",
            f"candidate {self.reasons.winner.index}, {_role(self.reasons.winner, 'winner')}{self._f(self.winner)}",
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, for JSON."""
        rival, winner = (
            [{"label": node.label, "start": node.start, "end": node.end, "mark": mark.name} for node, mark in each]
            for each in ([*marked.items()] for marked in self.marks)
        )
        return {
            **self.reasons.to_dict(),
            "gold": None if self.gold is None else str(self.gold),
            "only_winner": winner,
            "only_rival": rival,
            "notes": list(self.notes),
        }

    def draw(self, path: str | Path) -> None:
        """Draw both trees to a PNG, SVG or PDF file; the file extension decides."""
        from runoff.tasks.parsing.drawing import draw_trees

        draw_trees(self.rival, self.winner, path, self.titles(), gold=self.gold)

    def _f(self, tree: Tree) -> str:
        if self.gold is None:
            return ""
        return f", F {float(get('parseval').score(judge(self.gold, [tree]).parseval[0])):.2f}"


def explain(model: LinearModel, data: NBest, group: str, against: str | int | None = None) -> ParseExplanation:
    """Say why the model's winner in a list of parses leads a rival, by default the first round's choice.

    Examples
    --------
    >>> from runoff.model import LinearModel
    >>> from runoff.tasks.parsing import ParseList, extract
    >>> trees = ["(S (NP (PRP I)) (ADVP (RB run)))", "(S (NP (PRP I)) (VP (VBP run)))"]
    >>> data = extract([ParseList("a", trees[1], [-1.0, -2.0], trees)], families=["rule"], min_lists=1)
    >>> found = explain(LinearModel.of({"rule:S>NP VP!": 1.0}), data, "a")
    >>> print(found.to_text().partition("candidate 1, winner")[2])
    , F 100.00
      S
        NP  I/PRP
    +   VP  run/+VBP
    <BLANKLINE>
    Marked: + only in this tree, and right; - only in this tree, and wrong. Marks count ...
    """
    reasons = model.explain(data, group, against)
    place = data.find(group)
    rival, winner = (
        plain_tree(choice.text, f"list {group!r}, candidate {choice.index + 1}")
        for choice in (reasons.rival, reasons.winner)
    )
    references = None if data.references is None else data.references[place].as_py()
    gold = plain_tree(references[0], f"list {group!r}, gold tree") if references else None
    notes = []
    if rival.end != winner.end:
        notes.append(f"The two trees have {rival.end} and {winner.end} words, so their differences cannot be marked.")
    elif not any(marks(rival, winner)):
        notes.append("The two trees differ at most in traces and function tags, which are not shown.")
    if gold is not None and rival.end == winner.end != gold.end:
        notes.append(f"The gold tree has {gold.end} words and these trees have {winner.end}, so it is not used.")
    fits = gold is not None and gold.end == winner.end == rival.end
    return ParseExplanation(reasons, rival, winner, gold if fits else None, tuple(notes))


def plain_tree(text: str | None, where: str) -> Tree:
    """A candidate's tree without traces and function tags; raises `DataError` where there is none."""
    if text is None:
        raise DataError(f"{where}: the candidates of this data have no texts, so there is no tree.")
    found = plain(parse_tree(text, where))
    if found is None:
        raise DataError(f"{where}: the tree has no words, only traces.")
    return found


def _role(choice: Choice, role: str) -> str:
    return f"{role} and first round's choice" if choice.index == choice.first else role
