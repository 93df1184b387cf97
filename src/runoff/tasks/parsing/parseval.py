"""Constituents of candidates against a gold tree: the statistics of PARSEVAL, in two variants.

``evalb`` is what the program EVALB (Sekine & Collins 1997) computes with its parameters COLLINS.prm, where it
differs from its own description too:

- A word goes with its tag if the tag *as written* is to be deleted. Of the others, tags are compared as written:
  function tags are cut off constituents alone, at the first ``-`` or ``=`` wherever it stands (of ``-LRB-`` over a
  constituent nothing is left, which counts as a label; ``|`` cuts nothing off).
- Whether a constituent is deleted is asked after its function tags are cut off: ``TOP-1`` goes, ``-NONE-`` over a
  constituent stays. A constituent without words is never counted.
- First a candidate without any words is skipped; then another number of words is an error; then other words are.
  All this looks at the words that are left, so that a lost full stop is no error. Whatever is skipped or in error is
  left out of all sums.
- The length for the cut-off is that of the gold tree, punctuation included and traces not.
- A sentence without constituents in either tree is a complete match.
- ADVP equals PRT, also as tags of words.

The program's limits (5,000 characters a line, 200 constituents) and its end after ten errors are not followed.
The roots of other parsers, S1, ROOT and a node without a label, are deleted here like TOP.

``parseval`` drops the words that the *gold* tree tags as punctuation, on both sides, and looks only at the number of
words: every sentence counts. A candidate with another number of words has nothing right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from runoff.tasks.parsing.gold_standard import GoldStandard
from runoff.tasks.parsing.metric import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from runoff.arrays import Floats
    from runoff.tasks.parsing.gold_standard import Row
    from runoff.tasks.parsing.trees import Tree

CUT_OFFS = (40,)


@dataclass(frozen=True)
class ParsevalStatistics:
    """Statistics of the candidates of one list, one row each; columns as `runoff.tasks.parsing.metric.COLUMNS`."""

    parseval: Floats
    evalb: Floats
    length: int  # words of the gold tree: what a cut-off looks at
    misfits: int  # candidates with another number of words than the gold tree

    @property
    def left_out(self) -> int:
        """How many candidates EVALB leaves out."""
        return int((self.evalb[:, -1] == 0).sum())

    def stats(self, cut_offs: Sequence[int] = CUT_OFFS) -> dict[str, Floats]:
        """Statistics by the metric's name, as `NBest.stats` has them; beyond a cut-off there are only zeros."""
        found = {}
        for name, rows in (("parseval", self.parseval), ("evalb", self.evalb)):
            found[name] = rows
            for cut in cut_offs:
                found[f"{name}@{cut}"] = rows if self.length <= cut else np.zeros_like(rows)
        return found


def judge(gold: Tree, candidates: Iterable[Tree]) -> ParsevalStatistics:
    """Compare candidates with the gold tree.

    Give the candidates of a list as trees of one `Forest`: every different node is looked at once. About
    20 microseconds a candidate then, for both variants.

    Examples
    --------
    >>> from runoff.tasks.parsing.brackets import Forest
    >>> forest = Forest()
    >>> gold = forest.tree("(S1 (S (NP (PRP I)) (VP (VBD saw) (NP (PRP her))) (. .)))")
    >>> other = forest.tree("(S1 (S (NP (PRP I)) (VB saw) (PRP her) (SYM .)))")
    >>> found = judge(gold, [gold, other])
    >>> found.parseval.astype(int).tolist()
    [[4, 4, 4, 0, 1, 1, 1, 3, 3, 1], [2, 4, 2, 0, 1, 1, 0, 2, 3, 1]]
    >>> found.evalb.astype(int).tolist(), found.left_out
    ([[4, 4, 4, 0, 1, 1, 1, 3, 3, 1], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]], 1)
    """
    standard = GoldStandard(gold)
    rows = [standard.rows(tree) for tree in candidates]
    return ParsevalStatistics(
        _table([robust for robust, _, _ in rows]),
        _table([strict for _, strict, _ in rows]),
        standard.length,
        sum(misfit for _, _, misfit in rows),
    )


def notes(misfits: int, left_out: int, candidates: int) -> list[str]:
    """What a person should know of the candidates that could not be compared, as sentences.

    Examples
    --------
    >>> notes(2, 0, 100)
    ['2 of 100 candidates have another number of words than the gold tree; parseval counts them with nothing right.']
    """
    said = []
    if misfits:
        said.append(
            f"{misfits:,} of {candidates:,} candidates have another number of words than the gold tree; "
            "parseval counts them with nothing right."
        )
    if left_out:
        said.append(
            f"EVALB leaves out {left_out:,} of {candidates:,} candidates, whose words differ from the gold tree, "
            "or of which no word is left, once punctuation is deleted."
        )
    return said


def _table(rows: list[Row]) -> Floats:
    return np.array(rows, np.float64).reshape(-1, len(COLUMNS))
