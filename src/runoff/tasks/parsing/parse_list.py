"""One list of parses: the trees that a parser proposed for a sentence, as text."""

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
    """Where a list comes from; lines count from 1, None if unknown."""

    path: str | Path
    line: int | None = None
    candidate_lines: Sequence[int] = ()  # if every candidate has its own line
    gold_path: str | Path | None = None  # if gold trees are in a separate file
    gold_line: int | None = None


@dataclass(frozen=True, slots=True)
class ParseList:
    """Candidates of one sentence in the parser's order; there may be none.

    The first round's choice is the candidate with the highest score; ties go to the earlier one. Trees are kept as
    text, so a list costs little until it is needed; `tree` and `gold_tree` parse them.

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import Forest
    >>> parses = ParseList("a", scores=[-3.5], trees=["(S (NP (PRP I)) (VP (VBP run)))"])
    >>> parses.tree(0, Forest()).words()
    ['I', 'run']
    """

    id: str
    gold: str | None = None
    scores: list[float] = field(default_factory=list)  # log-probabilities, or 0 if the parser gives none
    trees: list[str] = field(default_factory=list)
    tokens: list[str] | None = None
    fold: int | None = None  # the fold that the parser was not trained on
    document: str | None = None
    origin: Origin | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if len(self.scores) != len(self.trees):
            raise DataError(
                f"{self.where()}: expected as many scores as trees; "
                f"found {len(self.scores)} scores and {len(self.trees)} trees."
            )

    def where(self, candidate: int | None = None) -> str:
        """Name of the list or of a candidate (counted from 0), to start an error message with.

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
        """Parse a candidate, counted from 0, into the forest of its list; errors name the candidate."""
        return forest.tree(self.trees[candidate], self.where(candidate))

    def gold_tree(self, forest: Forest) -> Tree | None:
        """Parse the gold tree, if there is one."""
        if self.gold is None:
            return None
        if self.origin is None or self.origin.gold_path is None:
            return forest.tree(self.gold, f"{self.where()}, gold tree")
        return forest.tree(
            self.gold, _place(self.origin.gold_path, self.origin.gold_line, f"gold tree of list {brief(self.id)}")
        )


def _place(path: str | Path, line: int | None, name: str) -> str:
    return f"{path}, {name}" if line is None else f"{path}, line {line}, {name}"
