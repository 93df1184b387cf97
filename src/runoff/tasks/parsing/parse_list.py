"""One list of parses: what a parser proposed for a sentence, as texts of trees."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from runoff.errors import DataError, brief

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from runoff.tasks.parsing.brackets import Forest
    from runoff.tasks.parsing.trees import Tree


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a list was written; lines count from 1, None where they are not known."""

    path: str | Path
    line: int | None = None
    candidate_lines: Sequence[int] = ()  # where every candidate has lines of its own
    gold_path: str | Path | None = None  # where gold trees are in a file of their own
    gold_line: int | None = None


@dataclass(frozen=True, slots=True)
class ParseList:
    """Candidates of one sentence, as the parser gave them; there may be none.

    The first round's choice is the candidate with the highest score, of equals the one that came first.
    Trees are kept as texts, so that a list costs little until it is needed; `tree` and `gold_tree` read them.

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import Forest
    >>> parses = ParseList("a", scores=[-3.5], trees=["(S (NP (PRP I)) (VP (VBP run)))"])
    >>> parses.tree(0, Forest()).words()
    ['I', 'run']
    """

    id: str
    gold: str | None = None
    scores: list[float] = field(default_factory=list)  # log-probabilities, or 0 where the parser gives none
    trees: list[str] = field(default_factory=list)
    tokens: list[str] | None = None
    fold: int | None = None  # the part that the parser was not trained on
    document: str | None = None
    origin: Origin | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if len(self.scores) != len(self.trees):
            raise DataError(
                f"{self.where()}: expected as many scores as trees; "
                f"found {len(self.scores)} scores and {len(self.trees)} trees."
            )

    def where(self, candidate: int | None = None) -> str:
        """The list, or its candidate counted from 0, as the beginning of a sentence about it.

        Examples
        --------
        >>> ParseList("a", None, [-3.5], ["(X x)"], origin=Origin("dev.jsonl", 7)).where(0)
        "dev.jsonl, line 7, list 'a', candidate 1"
        """
        name = f"list {brief(self.id)}" + ("" if candidate is None else f", candidate {candidate + 1}")
        if self.origin is None:
            return name
        own = self.origin.candidate_lines
        return _place(self.origin.path, self.origin.line if candidate is None or not own else own[candidate], name)

    def tree(self, candidate: int, forest: Forest) -> Tree:
        """Read a candidate, counted from 0, into the forest of its list; an error says which one it is."""
        return forest.tree(self.trees[candidate], self.where(candidate))

    def gold_tree(self, forest: Forest) -> Tree | None:
        """Read the right tree, where it is known."""
        if self.gold is None:
            return None
        if self.origin is None or self.origin.gold_path is None:
            return forest.tree(self.gold, f"{self.where()}, gold tree")
        return forest.tree(
            self.gold, _place(self.origin.gold_path, self.origin.gold_line, f"gold tree of list {brief(self.id)}")
        )


def _place(path: str | Path, line: int | None, name: str) -> str:
    return f"{path}, {name}" if line is None else f"{path}, line {line}, {name}"
